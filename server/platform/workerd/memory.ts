import { readFileSync } from 'node:fs';

const MEGABYTE = 1024 * 1024;

/** What a process has to itself, as the kernel counts it. */
export interface ProcessMemory {
  /** Pages that nobody else shares, in memory or swapped out. */
  ownBytes: number;
  /** Address space for data, used or not: what `RLIMIT_DATA` bounds. */
  dataBytes: number;
}

/** Undefined when there is no such process any more. */
export function readMemory(pid: number): ProcessMemory | undefined {
  let status: string;
  try {
    status = readFileSync(`/proc/${pid}/status`, 'utf8');
  } catch {
    return undefined;
  }
  // In kilobytes whatever the size of a page, which differs between machines.
  const read = (name: string) => {
    const at = status.indexOf(`\n${name}:`);
    return at < 0 ? 0 : Number.parseInt(status.slice(at + name.length + 2), 10) * 1024;
  };
  return { ownBytes: read('RssAnon') + read('VmSwap'), dataBytes: read('VmData') };
}

/**
 * What the runtime takes up by itself, before anybody calls: the least that any cell had when it was ready. It differs
 * between machines. What a module keeps from its loading is not part of it, but the function's own.
 */
export class MemoryFloor {
  private lowest = Number.POSITIVE_INFINITY;

  get bytes(): number {
    return this.lowest;
  }

  lower(bytes: number): void {
    this.lowest = Math.min(this.lowest, bytes);
  }
}

/** Bounds for a cell, all of them on top of what its process had when it was ready. */
export interface MemoryBounds {
  /** What the function may use: its heap and its buffers. */
  allowanceBytes: number;
  /** Where the process is ended at once. Between the two, it may be garbage that V8 has not collected yet. */
  stopBytes: number;
  /** Where V8 itself gives up; from shortly before that on, it does little but collect garbage. */
  heapMegabytes: number;
  /** Address space for data: a backstop in the kernel, for what grows while the server looks elsewhere. */
  dataBytes: number;
}

/**
 * The bounds for an allowance. A runtime under plain load keeps garbage and free blocks of a size that has nothing to
 * do with the allowance, so that a small one gets more on top than its like again.
 */
export function memoryBounds(allowanceMegabytes: number): MemoryBounds {
  const allowanceBytes = allowanceMegabytes * MEGABYTE;
  return {
    allowanceBytes,
    heapMegabytes: Math.ceil(allowanceMegabytes * 1.5),
    stopBytes: allowanceBytes + Math.max(allowanceBytes, 256 * MEGABYTE),
    dataBytes: 4 * allowanceBytes + 1024 * MEGABYTE,
  };
}

/** How long calls under way have to finish in a cell that has used up its memory. */
const GRACE_MS = 5_000;
/** A cell that is over its allowance and does not come round to collecting garbage within this time is over for good. */
const BLOCKED_CPU_MS = 2_000;
const COLLECT_EVERY_MS = 250;

/** Watches what a cell adds to its own floor. */
export class MemoryWatch {
  /** When the cell was found to be over its allowance with its garbage collected; it gets no new calls then. */
  private exhaustedAt: number | undefined;
  private collecting: { sinceCpuMs: number } | undefined;
  private collectedAt = 0;

  constructor(
    private readonly bounds: MemoryBounds,
    private readonly cell: {
      /** Bytes on top of the floor. */
      addedBytes(): number;
      cpuMs(): number;
      /** Resolves when the cell has collected its garbage; undefined where it cannot be asked to. */
      collect: (() => Promise<unknown>) | undefined;
    },
  ) {}

  get isExhausted(): boolean {
    return this.exhaustedAt !== undefined;
  }

  /** True when a look is due whether the cell is busy or not. */
  get isConcerned(): boolean {
    return this.isExhausted || this.collecting !== undefined;
  }

  /** Looks once; true when the cell must be ended now. */
  mustStop(now: number): boolean {
    const added = this.cell.addedBytes();
    if (added > this.bounds.stopBytes) return true;
    if (added <= this.bounds.allowanceBytes) return false;
    if (this.exhaustedAt !== undefined) return now - this.exhaustedAt > GRACE_MS;
    if (this.collecting) return this.cell.cpuMs() - this.collecting.sinceCpuMs > BLOCKED_CPU_MS;
    if (now - this.collectedAt > COLLECT_EVERY_MS) this.collect();
    return false;
  }

  /** Has the garbage collected and looks again: what is still there is in use. */
  private collect(): void {
    if (!this.cell.collect) {
      this.exhaustedAt = Date.now();
      return;
    }
    this.collecting = { sinceCpuMs: this.cell.cpuMs() };
    const done = () => {
      this.collecting = undefined;
      this.collectedAt = Date.now();
      if (this.cell.addedBytes() > this.bounds.allowanceBytes) this.exhaustedAt = this.collectedAt;
    };
    this.cell.collect().then(done, done);
  }
}
