import { availableParallelism } from 'node:os';
import type { OwnerId } from '../workerd/index.ts';
import { memoryBounds } from '../workerd/index.ts';
import { BackoffError, backoffSeconds } from './backoff.ts';
import { Cell, LOOK_EVERY_MS } from './cell.ts';
import type { CellContext, CellProgram } from './cell-files.ts';
import { drain } from './drain.ts';
import { LoadError } from './load-error.ts';
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
import { closeSockets, countSockets, NO_PLACE, REPLACED, type SocketEnd } from './sockets/socket-ends.ts';

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

const WATCH_EVERY_MS = 1_000;
/** An owner whose cells use this much CPU time per second is greedy. */
const GREEDY_CPU_MS = 300;
const DRAIN_MS = 30_000;
/** A cell that uses more than this fraction of its memory is replaced when it is next idle. */
const FAT_PART = 1 / 4;
const FAT_REST_MS = 20_000;
/** How long work may continue after the response (`waitUntil`). */
const AFTERMATH_MS = 30_000;
const AFTERMATH_CPU_MS = 100;
/** Calls older than this are cut off if their owner has the most cells and others wait for a place. */
const RECLAIM_MS = 10_000;
const DEATH_MEMORY_MS = 60_000;

/** Cells by function: started at the first call, shared by callers, stopped when idle or when others need a place. */
export class Pool {
  private readonly slots = new Map<number, Slot>();
  private readonly watching: ReturnType<typeof setInterval>;
  private readonly looking: ReturnType<typeof setInterval>;
  private readonly fatBytes: number;
  /** Every running cell: those in slots, those finishing their calls, and those being proven. */
  private readonly running = new Map<Cell, Place>();
  private readonly places: Places;
  private names = 0;
  private isStopping = false;
  private readonly counts = { started: 0, waiting: 0, deaths: { cpu: 0, memory: 0, place: 0, crash: 0 } };

  private reportDeath: (functionId: number, reason: Death) => void = () => undefined;

  constructor(private readonly options: PoolOptions) {
    this.places = new Places({
      max: options.maxCells,
      perOwner: options.maxCellsPerOwner,
      evict: (owner) => this.evict(owner),
      reclaim: (owner) => this.reclaim(owner),
    });
    this.watching = setInterval(() => this.watch(), WATCH_EVERY_MS);
    this.looking = setInterval(() => this.lookAtMemory(), LOOK_EVERY_MS);
    this.fatBytes = memoryBounds(options.context.limits.memoryMegabytes).allowanceBytes * FAT_PART;
  }

  get size(): number {
    return this.places.size;
  }

  /** Returns a ready cell for the function. Callers that arrive while it starts wait for the same start. */
  acquire(entry: PoolEntry, forSocket = false): Cell | Promise<Cell> {
    const slot = this.slotOf(entry);
    const cell = leastBusy(forSocket ? withRoomForSocket(slot.cells) : slot.cells);
    if (!cell) return this.waitFor(this.startShared(entry, slot).catch((error) => makeDo(slot, error)));
    // As long as there are cores for it.
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
    this.drop(entry.id);
    const slot = newSlot(entry);
    this.slots.set(entry.id, slot);
    this.enrol(entry.id, slot, cell);
  }

  /** Removes a function's cells from the pool. They finish their calls, and their WebSockets end. */
  drop(id: number, why: SocketEnd = REPLACED): void {
    this.closeSockets(id, why);
    const slot = this.slots.get(id);
    this.slots.delete(id);
    // Remove them first, so that their end does not count as a death.
    for (const cell of slot?.cells.splice(0) ?? []) void drain(cell, DRAIN_MS);
  }

  /** Removes the cells of a function if they run another revision than this. */
  dropOthers({ id, revision }: Pick<PoolEntry, 'id' | 'revision'>): void {
    if (this.slots.get(id)?.revision !== revision) this.drop(id);
  }

  closeSockets(id: number, why: SocketEnd): void {
    closeSockets(this.cellsOf(id), why);
  }

  /** How many WebSockets a function has, in total and of one caller. */
  socketsOf(id: number, caller = ''): { total: number; ofCaller: number } {
    return countSockets(this.cellsOf(id), caller);
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
    clearInterval(this.watching);
    clearInterval(this.looking);
    this.places.stop();
    // Remove them first, so that their end does not count as a death.
    for (const slot of this.slots.values()) slot.cells.splice(0);
    this.slots.clear();
    const cells = [...this.running.keys()];
    for (const cell of cells) cell.kill();
    await Promise.all(cells.map((cell) => cell.exited));
  }

  private cellsOf(id: number): Cell[] {
    return this.slots.get(id)?.cells ?? [];
  }

  private slotOf(entry: PoolEntry): Slot {
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
      if (this.slots.get(entry.id) === slot) this.enrol(entry.id, slot, cell);
      // The slot was replaced while the cell started. It serves only the callers that already wait for it.
      else void drain(cell, DRAIN_MS);
      return cell;
    } catch (error) {
      if (error instanceof LoadError) slot.deaths.push(Date.now());
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
    await drain(cell, RECLAIM_MS - (Date.now() - cell.lastCalledAt), 'place');
    if (cell.killedFor === 'place') {
      this.counts.deaths.place++;
      this.reportDeath(id, 'place');
    }
    await cell.exited;
  }

  /** Removes an idle cell from its slot first, so that its end is not a crash. Its place is free immediately. */
  private retire(slot: Slot, cell: Cell): void {
    slot.cells.splice(slot.cells.indexOf(cell), 1);
    closeSockets([cell], NO_PLACE);
    this.running.get(cell)?.release();
    cell.kill();
  }

  /** Ends cells that exceed their memory. A cell with calls in flight ends when these have finished. */
  private lookAtMemory(): void {
    const now = Date.now();
    for (const cell of this.running.keys()) cell.lookAtMemory(now);
  }

  /** Gives a low CPU priority to owners whose cells recently used a lot of CPU time. */
  private setPriorities(): void {
    const cpuMs = new Map<OwnerId, number>();
    for (const [cell, { owner }] of this.running)
      cpuMs.set(owner, (cpuMs.get(owner) ?? 0) + cell.recentCpuMs);
    for (const [cell, { owner }] of this.running) cell.setGreedy((cpuMs.get(owner) ?? 0) > GREEDY_CPU_MS);
  }

  private watch(): void {
    const now = Date.now();
    for (const cell of this.running.keys()) cell.watch(now);
    this.setPriorities();
    for (const [id, slot] of this.slots) {
      slot.deaths = slot.deaths.filter((moment) => now - moment < DEATH_MEMORY_MS);
      for (const cell of [...slot.cells]) {
        const restedMs = cell.isInUse ? 0 : now - cell.usedAt;
        const isFat = restedMs > FAT_REST_MS && cell.addedBytes > this.fatBytes;
        const isRestless = restedMs > AFTERMATH_MS && cell.recentCpuMs > AFTERMATH_CPU_MS;
        if (restedMs > this.options.idleMs || isFat || isRestless) this.retire(slot, cell);
      }
      if (slot.cells.length === 0 && !slot.starting && slot.deaths.length === 0) this.slots.delete(id);
    }
  }
}
