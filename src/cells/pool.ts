import { availableParallelism } from 'node:os';
import { Cell, type CellContext, type CellProgram, LoadError } from './cell.ts';

/** A function as the pool knows it: which program it is at, and how to get that program when a cell must start. */
export interface PoolEntry {
  id: number;
  /** Changes with every deploy and every change of a secret. */
  revision: string;
  program(): Promise<CellProgram>;
  onLine(line: string): void;
}

/** Thrown while a function that keeps being killed has to wait before it may start again. */
export class BackoffError extends Error {
  constructor(readonly seconds: number) {
    super(`starts again in ${seconds} s`);
  }
}

/** Thrown when every cell is busy and no more may be started. */
export class PoolFullError extends Error {}

interface Slot {
  revision: string;
  cells: Cell[];
  starting: Promise<Cell> | undefined;
  /** Moments of recent deaths, for the backoff. */
  deaths: number[];
}

interface PoolOptions {
  context: CellContext;
  maxCells: number;
  idleMs: number;
  onDeath(id: number, reason: string): void;
}

/** A function with this many calls at once gets another cell, while there are cores for it. */
const HOT_CALLS = 24;
const WATCH_EVERY_MS = 1_000;
const DRAIN_MS = 30_000;
/** A cell that has grown beyond this is replaced when it next rests. */
const FAT_BYTES = 60 * 1024 * 1024;
const FAT_REST_MS = 20_000;
/** Work that goes on after the answer (`waitUntil`) gets this long. */
const AFTERMATH_MS = 30_000;
const AFTERMATH_CPU_MS = 100;
/** A cell that is to start waits this long for another to rest, where there is no room for both. */
const PLACE_MS = 2_000;
const DEATH_MEMORY_MS = 60_000;

/** Cells by function: started at the first call, shared by callers, stopped when idle or when others need the room. */
export class Pool {
  private readonly slots = new Map<number, Slot>();
  private readonly watching: ReturnType<typeof setInterval>;
  /** Every cell that runs: those in slots, those that finish their calls, and those being proven. */
  private readonly running = new Set<Cell>();
  private names = 0;
  private count = 0;
  /** Settles when whoever waits for a place has got one, or has given up. */
  private line: Promise<void> = Promise.resolve();
  private isStopping = false;
  private readonly counts = { started: 0, waiting: 0, deaths: { cpu: 0, memory: 0, crash: 0 } };

  constructor(private readonly options: PoolOptions) {
    this.watching = setInterval(() => this.watch(), WATCH_EVERY_MS);
  }

  get size(): number {
    return this.count;
  }

  /** A ready cell for the function; callers that come while it starts share the start. */
  acquire(entry: PoolEntry): Cell | Promise<Cell> {
    const slot = this.slotOf(entry);
    const cell = leastBusy(slot.cells);
    if (!cell) return this.waitFor(this.startShared(entry, slot));
    if (cell.inFlight >= HOT_CALLS && !slot.starting && slot.cells.length < availableParallelism()) {
      this.startShared(entry, slot).catch(() => undefined);
    }
    return cell;
  }

  /** Starts a cell for a new program without touching the one that serves, to prove that it loads. */
  prove(program: CellProgram, onLine: (line: string) => void): Promise<Cell> {
    return this.startCell(program, onLine);
  }

  /** Puts a proven cell in place of whatever serves; the old ones finish their calls. */
  adopt(entry: PoolEntry, cell: Cell): void {
    this.drop(entry.id);
    const slot: Slot = { revision: entry.revision, cells: [], starting: undefined, deaths: [] };
    this.slots.set(entry.id, slot);
    this.enrol(entry.id, slot, cell);
  }

  /** Lets go of a function's cells; they finish what they are at. */
  drop(id: number): void {
    const slot = this.slots.get(id);
    this.slots.delete(id);
    // Taken out first, so that their end is no death.
    for (const cell of slot?.cells.splice(0) ?? []) void drain(cell);
  }

  /** What has come of cells so far, and how many calls wait for one to start. */
  status() {
    return { ...this.counts, running: this.count };
  }

  /** Usage of the live cells, for health. */
  usage(): Array<{ id: number; rssBytes: number; inFlight: number }> {
    return [...this.slots].flatMap(([id, slot]) =>
      slot.cells.map((cell) => ({ id, rssBytes: cell.usage().rssBytes, inFlight: cell.inFlight })),
    );
  }

  async stop(): Promise<void> {
    this.isStopping = true;
    clearInterval(this.watching);
    // Taken out first, so that their end is no death.
    for (const slot of this.slots.values()) slot.cells.splice(0);
    this.slots.clear();
    const cells = [...this.running];
    for (const cell of cells) cell.kill();
    await Promise.all(cells.map((cell) => cell.exited));
  }

  private slotOf(entry: PoolEntry): Slot {
    const slot = this.slots.get(entry.id);
    if (slot?.revision === entry.revision) return slot;
    if (slot) this.drop(entry.id);
    const fresh: Slot = {
      revision: entry.revision,
      cells: [],
      starting: undefined,
      deaths: slot?.deaths ?? [],
    };
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

  private startShared(entry: PoolEntry, slot: Slot): Promise<Cell> {
    slot.starting ??= this.startFor(entry, slot).finally(() => {
      slot.starting = undefined;
    });
    return slot.starting;
  }

  private async startFor(entry: PoolEntry, slot: Slot): Promise<Cell> {
    const wait = backoffSeconds(slot.deaths);
    if (wait > 0) throw new BackoffError(wait);
    try {
      const cell = await this.startCell(await entry.program(), entry.onLine);
      if (this.slots.get(entry.id) === slot) this.enrol(entry.id, slot, cell);
      // Let go of while it started: it is for those who have waited for it, and for nobody else.
      else void drain(cell);
      return cell;
    } catch (error) {
      if (error instanceof LoadError) slot.deaths.push(Date.now());
      throw error;
    }
  }

  private async startCell(program: CellProgram, onLine: (line: string) => void): Promise<Cell> {
    try {
      await this.takePlace();
    } catch (error) {
      program.database?.release();
      throw error;
    }
    try {
      const cell = await Cell.start(this.options.context, `cell-${++this.names}`, program, onLine);
      this.counts.started++;
      this.running.add(cell);
      void cell.exited.then(() => {
        this.running.delete(cell);
        this.count--;
      });
      if (this.isStopping) cell.kill();
      return cell;
    } catch (error) {
      this.count--;
      throw error;
    }
  }

  /** Counts the cell in, and out again the moment it dies. */
  private enrol(id: number, slot: Slot, cell: Cell): void {
    slot.cells.push(cell);
    void cell.exited.then(() => {
      const at = slot.cells.indexOf(cell);
      if (at < 0) return;
      slot.cells.splice(at, 1);
      slot.deaths.push(Date.now());
      const reason = cell.killedFor ?? 'crash';
      this.counts.deaths[reason]++;
      this.options.onDeath(id, reason);
    });
  }

  /** Waits for a place, in line with all others who do. */
  private takePlace(): Promise<void> {
    const deadline = Date.now() + PLACE_MS;
    const turn = this.line.then(async () => {
      while (this.count >= this.options.maxCells && !this.evict()) {
        if (this.isStopping || Date.now() >= deadline) throw new PoolFullError();
        await Bun.sleep(10);
      }
      this.count++;
    });
    this.line = turn.catch(() => undefined);
    return turn;
  }

  /** Makes room for a cell; false when all are busy. */
  private evict(): boolean {
    let oldest: { slot: Slot; cell: Cell } | undefined;
    for (const slot of this.slots.values()) {
      for (const cell of slot.cells) {
        if (cell.inFlight === 0 && (!oldest || cell.lastUsedAt < oldest.cell.lastUsedAt))
          oldest = { slot, cell };
      }
    }
    if (oldest) retire(oldest.slot, oldest.cell);
    return oldest !== undefined;
  }

  private watch(): void {
    const now = Date.now();
    for (const cell of this.running) cell.watch(now);
    for (const [id, slot] of this.slots) {
      slot.deaths = slot.deaths.filter((moment) => now - moment < DEATH_MEMORY_MS);
      for (const cell of [...slot.cells]) {
        const restedMs = cell.inFlight > 0 ? 0 : now - cell.lastUsedAt;
        const isFat = restedMs > FAT_REST_MS && cell.usage().rssBytes > FAT_BYTES;
        const isRestless = restedMs > AFTERMATH_MS && cell.recentCpuMs > AFTERMATH_CPU_MS;
        if (restedMs > this.options.idleMs || isFat || isRestless) retire(slot, cell);
      }
      if (slot.cells.length === 0 && !slot.starting && slot.deaths.length === 0) this.slots.delete(id);
    }
  }
}

function leastBusy(cells: Cell[]): Cell | undefined {
  let best: Cell | undefined;
  for (const cell of cells) if (!best || cell.inFlight < best.inFlight) best = cell;
  return best;
}

/** Takes a resting cell out of its slot first, so that its end is no death. */
function retire(slot: Slot, cell: Cell): void {
  slot.cells.splice(slot.cells.indexOf(cell), 1);
  cell.kill();
}

async function drain(cell: Cell): Promise<void> {
  const deadline = Date.now() + DRAIN_MS;
  // Waits first: somebody may have been given the cell a moment ago, and is about to call it.
  do await Bun.sleep(50);
  while (cell.inFlight > 0 && Date.now() < deadline);
  cell.kill();
}

/** Two deaths in a minute are forgiven; each further one doubles the wait, up to half a minute. */
function backoffSeconds(deaths: number[]): number {
  const last = deaths.at(-1);
  if (last === undefined || deaths.length < 3) return 0;
  const waitMs = Math.min(30_000, 500 * 2 ** (deaths.length - 3)) - (Date.now() - last);
  return waitMs > 0 ? Math.ceil(waitMs / 1000) : 0;
}
