import { memoryBounds, type OwnerId } from '../../workerd/index.ts';
import { type Cell, LOOK_EVERY_MS } from '../cell.ts';
import type { Place } from './places.ts';
import type { Slot } from './slot.ts';

const WATCH_EVERY_MS = 1_000;
/** An owner whose cells use this much CPU time per second is greedy. */
const GREEDY_CPU_MS = 300;
/** A cell that uses more than this fraction of its memory is replaced when it is next idle. */
const FAT_PART = 1 / 4;
const FAT_REST_MS = 20_000;
/** How long work may continue after the response (`waitUntil`). */
const AFTERMATH_MS = 30_000;
const AFTERMATH_CPU_MS = 100;
const DEATH_MEMORY_MS = 60_000;

/** What is watched. The pool changes it, too. */
interface Watched {
  slots: Map<number, Slot>;
  /** Every running cell: those in slots, those finishing their calls, and those being proven. */
  running: ReadonlyMap<Cell, Place>;
  idleMs: number;
  memoryMegabytes: number;
  /** Ends an idle cell. */
  retire(slot: Slot, cell: Cell): void;
}

/** Ends cells that exceed their limits or are no longer needed, and lowers the priority of greedy owners. */
export class PoolWatch {
  private readonly watching: ReturnType<typeof setInterval>;
  private readonly looking: ReturnType<typeof setInterval>;
  private readonly fatBytes: number;

  constructor(private readonly watched: Watched) {
    this.watching = setInterval(() => this.watch(), WATCH_EVERY_MS);
    this.looking = setInterval(() => this.lookAtMemory(), LOOK_EVERY_MS);
    this.fatBytes = memoryBounds(watched.memoryMegabytes).allowanceBytes * FAT_PART;
  }

  stop(): void {
    clearInterval(this.watching);
    clearInterval(this.looking);
  }

  /** Ends cells that exceed their memory. A cell with calls in flight ends when these have finished. */
  private lookAtMemory(): void {
    const now = Date.now();
    for (const cell of this.watched.running.keys()) cell.lookAtMemory(now);
  }

  private watch(): void {
    const now = Date.now();
    const { running, slots } = this.watched;
    for (const cell of running.keys()) cell.watch(now);
    this.setPriorities();
    for (const [id, slot] of slots) {
      slot.deaths = slot.deaths.filter((moment) => now - moment < DEATH_MEMORY_MS);
      for (const cell of [...slot.cells]) if (this.isUnneeded(cell, now)) this.watched.retire(slot, cell);
      if (slot.cells.length === 0 && !slot.starting && slot.deaths.length === 0) slots.delete(id);
    }
  }

  /** Gives a low CPU priority to owners whose cells recently used a lot of CPU time. */
  private setPriorities(): void {
    const { running } = this.watched;
    const cpuMs = new Map<OwnerId, number>();
    for (const [cell, { owner }] of running) cpuMs.set(owner, (cpuMs.get(owner) ?? 0) + cell.recentCpuMs);
    for (const [cell, { owner }] of running) cell.setGreedy((cpuMs.get(owner) ?? 0) > GREEDY_CPU_MS);
  }

  private isUnneeded(cell: Cell, now: number): boolean {
    const restedMs = cell.isInUse ? 0 : now - cell.usedAt;
    const isFat = restedMs > FAT_REST_MS && cell.addedBytes > this.fatBytes;
    const isRestless = restedMs > AFTERMATH_MS && cell.recentCpuMs > AFTERMATH_CPU_MS;
    return restedMs > this.watched.idleMs || isFat || isRestless;
  }
}
