import { availableParallelism } from 'node:os';
import { type OwnerId, StartError } from '../../workerd/index.ts';
import { Cell } from '../cell.ts';
import type { CellContext, CellProgram } from '../cell-files.ts';
import { LoadError } from '../load-error.ts';
import { closeSockets, countSockets, NO_PLACE, REPLACED, type SocketEnd } from '../sockets/socket-ends.ts';
import { BackoffError, backoffSeconds } from './backoff.ts';
import { drain } from './drain.ts';
import { type Place, Places, PoolFullError } from './places.ts';
import {
  isHot,
  leastBusy,
  longestIdle,
  longestUncalled,
  makeDo,
  newSlot,
  type Slot,
  withRoomForSocket,
} from './slot.ts';
import { PoolWatch } from './watch.ts';

/** A function in the pool: its current revision, and how to load its program when a cell must start. */
export interface PoolEntry {
  id: number;
  /** The owner whose share of the cells it uses. */
  owner: OwnerId;
  /** Changes with every deploy and every change of a secret. */
  revision: string;
  program(): Promise<CellProgram>;
  onLine(line: string): void;
}

/** Why a cell that was in use ended. */
export type Death = NonNullable<Cell['killedFor']> | 'crash';

interface PoolOptions {
  context: CellContext;
  maxCells: number;
  maxCellsPerOwner: number;
  idleMs: number;
}

const DRAIN_MS = 30_000;
/** Calls older than this are cut off if their owner has the most cells and others wait for a place. */
const RECLAIM_MS = 10_000;

/** Cells by function: started at the first call, shared by callers, stopped when idle or when others need a place. */
export class Pool {
  private readonly slots = new Map<number, Slot>();
  /** Every running cell: those in slots, those finishing their calls, and those being proven. */
  private readonly running = new Map<Cell, Place>();
  /** The functions of cells that have left their slot and finish their calls. */
  private readonly leaving = new Map<Cell, number>();
  private readonly places: Places;
  private readonly watch: PoolWatch;
  private names = 0;
  private isStopping = false;
  private readonly counts = {
    ...{ started: 0, waiting: 0 },
    failures: { busy: 0, start: 0 },
    deaths: { cpu: 0, memory: 0, place: 0, crash: 0 },
  };

  private reportDeath: (functionId: number, reason: Death) => void = () => undefined;

  constructor(private readonly options: PoolOptions) {
    this.places = new Places({
      max: options.maxCells,
      perOwner: options.maxCellsPerOwner,
      evict: (owner) => this.evict(owner),
      reclaim: (owner) => this.reclaim(owner),
    });
    this.watch = new PoolWatch({
      slots: this.slots,
      running: this.running,
      idleMs: options.idleMs,
      memoryMegabytes: options.context.limits.memoryMegabytes,
      retire: (slot, cell) => this.retire(slot, cell),
    });
  }

  get size(): number {
    return this.places.size;
  }

  /** Returns a ready cell for the function. Callers that arrive while it starts wait for the same start. */
  acquire(entry: PoolEntry, forSocket = false): Cell | Promise<Cell> {
    const slot = this.openSlot(entry);
    const cell = leastBusy(forSocket ? withRoomForSocket(slot.cells) : slot.cells);
    if (!cell) return this.waitFor(this.startShared(entry, slot).catch((error) => makeDo(slot, error)));
    // Starts another cell only while there are cores for it.
    if (isHot(cell) && !slot.starting && slot.cells.length < availableParallelism()) {
      // An additional cell is optional: no call waits for it, and no other cell of its owner ends for it.
      const isWithinShare = this.places.heldBy(entry.owner) < this.options.maxCellsPerOwner;
      const place = isWithinShare ? this.places.tryTake(entry.owner) : undefined;
      if (place) this.startShared(entry, slot, place).catch(() => undefined);
    }
    return cell;
  }

  /** Starts a cell for a new program to prove that it loads. The current cells keep serving. */
  async prove(
    owner: OwnerId,
    program: () => Promise<CellProgram>,
    onLine: (line: string) => void,
  ): Promise<Cell> {
    return this.startCell(await this.places.take(owner, true), program, onLine);
  }

  /** Replaces the current cells with a proven one. The old cells finish their calls. */
  adopt(entry: PoolEntry, cell: Cell): void {
    cell.serve(entry.id);
    this.drop(entry.id);
    const slot = newSlot(entry);
    this.slots.set(entry.id, slot);
    this.enrol(entry.id, slot, cell);
  }

  /** Removes a function's cells from the pool. They finish their calls. WebSockets end. */
  drop(id: number, why: SocketEnd = REPLACED): void {
    this.closeSockets(id, why);
    const slot = this.slots.get(id);
    this.slots.delete(id);
    // Remove them first, so that their end does not count as a death.
    for (const cell of slot?.cells.splice(0) ?? []) void this.leave(id, cell, DRAIN_MS);
  }

  /** Ends a function's cells with their calls and WebSockets, those of earlier revisions as well. */
  end(id: number, why: SocketEnd): void {
    const slot = this.slots.get(id);
    if (slot) slot.isEnded = true;
    this.drop(id, why);
    for (const [cell, functionId] of this.leaving) if (functionId === id) cell.end();
  }

  /** Removes the cells of a function if they run another revision than this. */
  dropOthers({ id, revision }: Pick<PoolEntry, 'id' | 'revision'>): void {
    if (this.slots.get(id)?.revision !== revision) this.drop(id);
  }

  closeSockets(id: number, why: SocketEnd): void {
    closeSockets(this.findCells(id), why);
  }

  /** How many WebSockets a function has, in total and of one caller. */
  countOpenSockets(id: number, caller = ''): { total: number; ofCaller: number } {
    return countSockets(this.findCells(id), caller);
  }

  /** Counts of cells so far, and how many calls wait for a cell to start. */
  status() {
    return { ...this.counts, running: this.places.size };
  }

  /** Usage of the running cells, for the health endpoint. */
  usage(): Array<{ id: number; rssBytes: number; inFlight: number }> {
    return [...this.slots].flatMap(([id, slot]) =>
      slot.cells.map((cell) => ({ id, rssBytes: cell.addedBytes, inFlight: cell.inFlight })),
    );
  }

  /** Sets the listener for cells that ended while they were needed. */
  onDeath(listener: (functionId: number, reason: Death) => void): void {
    this.reportDeath = listener;
  }

  async stop(): Promise<void> {
    this.isStopping = true;
    this.watch.stop();
    this.places.stop();
    // Remove them first, so that their end does not count as a death.
    for (const slot of this.slots.values()) slot.cells.splice(0);
    this.slots.clear();
    const cells = [...this.running.keys()];
    for (const cell of cells) cell.kill();
    await Promise.all(cells.map((cell) => cell.exited));
  }

  private findCells(id: number): Cell[] {
    return this.slots.get(id)?.cells ?? [];
  }

  private openSlot(entry: PoolEntry): Slot {
    const slot = this.slots.get(entry.id);
    if (slot?.revision === entry.revision) return slot;
    if (slot) this.drop(entry.id);
    const fresh = newSlot(entry, slot?.deaths);
    this.slots.set(entry.id, fresh);
    return fresh;
  }

  private async waitFor(starting: Promise<Cell>): Promise<Cell> {
    this.counts.waiting++;
    try {
      return await starting;
    } finally {
      this.counts.waiting--;
    }
  }

  private startShared(entry: PoolEntry, slot: Slot, place?: Place): Promise<Cell> {
    slot.starting ??= this.startFor(entry, slot, place).finally(() => {
      slot.starting = undefined;
    });
    return slot.starting;
  }

  private async startFor(entry: PoolEntry, slot: Slot, place?: Place): Promise<Cell> {
    const wait = backoffSeconds(slot.deaths);
    if (wait > 0) {
      place?.release();
      throw new BackoffError(wait);
    }
    try {
      const taken = place ?? (await this.places.take(entry.owner));
      const cell = await this.startCell(taken, () => entry.program(), entry.onLine);
      cell.serve(entry.id);
      if (this.slots.get(entry.id) === slot) this.enrol(entry.id, slot, cell);
      else if (slot.isEnded) cell.kill();
      // The slot was replaced while the cell started. It serves only the callers that already wait for it.
      else void this.leave(entry.id, cell, DRAIN_MS);
      return cell;
    } catch (error) {
      if (error instanceof LoadError) slot.deaths.push(Date.now());
      else if (error instanceof PoolFullError) this.counts.failures.busy++;
      else if (error instanceof StartError) this.counts.failures.start++;
      throw error;
    }
  }

  /** Starts a cell in a place. The place is freed when the cell has ended. */
  private async startCell(
    place: Place,
    program: () => Promise<CellProgram>,
    onLine: (line: string) => void,
  ): Promise<Cell> {
    try {
      if (this.isStopping) throw new PoolFullError();
      const name = `cell-${++this.names}`;
      const cell = await Cell.start(this.options.context, name, place.owner, await program(), onLine);
      this.counts.started++;
      this.running.set(cell, place);
      void cell.exited.then(() => {
        this.running.delete(cell);
        place.release();
      });
      if (this.isStopping) cell.kill();
      return cell;
    } catch (error) {
      place.release();
      throw error;
    }
  }

  /** Adds the cell to the slot, and removes it when it dies. */
  private enrol(id: number, slot: Slot, cell: Cell): void {
    slot.cells.push(cell);
    void cell.exited.then(() => {
      const at = slot.cells.indexOf(cell);
      if (at < 0) return;
      slot.cells.splice(at, 1);
      if (!cell.hasFinished) slot.deaths.push(Date.now());
      const reason = cell.killedFor ?? 'crash';
      this.counts.deaths[reason]++;
      this.reportDeath(id, reason);
    });
  }

  /** Ends the cell that has been idle longest, of one owner or of all. False if all are busy. */
  private evict(owner?: OwnerId): boolean {
    const found = longestIdle(this.slots, owner);
    if (!found) return false;
    this.retire(found.slot, found.cell);
    return true;
  }

  /** Ends the owner's cell that has had no new call for the longest time. Its calls get some time to finish. */
  private async reclaim(owner: OwnerId): Promise<void> {
    const found = longestUncalled(this.slots, owner);
    if (!found) return;
    const { id, slot, cell } = found;
    slot.cells.splice(slot.cells.indexOf(cell), 1);
    closeSockets([cell], NO_PLACE);
    await this.leave(id, cell, RECLAIM_MS - (Date.now() - cell.lastCalledAt), 'place');
    if (cell.killedFor === 'place') {
      this.counts.deaths.place++;
      this.reportDeath(id, 'place');
    }
    await cell.exited;
  }

  /** Ends a cell that is no longer in a slot when it has finished its calls, or after so long. */
  private async leave(id: number, cell: Cell, forMs: number, reason?: Cell['killedFor']): Promise<void> {
    this.leaving.set(cell, id);
    void cell.exited.then(() => this.leaving.delete(cell));
    await drain(cell, forMs, reason);
  }

  /** Removes an idle cell from its slot first, so that its end is not a crash. Its place is free immediately. */
  private retire(slot: Slot, cell: Cell): void {
    slot.cells.splice(slot.cells.indexOf(cell), 1);
    closeSockets([cell], NO_PLACE);
    this.running.get(cell)?.release();
    cell.kill();
  }
}
