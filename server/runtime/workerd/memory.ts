import { readFileSync } from 'node:fs';

const MEGABYTE = 1024 * 1024;

/** The private memory of a process, as counted by the kernel. */
interface ProcessMemory {
  /** Pages that are not shared with other processes, in memory or swapped out. */
  ownBytes: number;
  /** Data address space, used or not. `RLIMIT_DATA` limits it. */
  dataBytes: number;
}

/** Reads the memory of a process. Undefined if the process no longer exists. */
export function readMemory(pid: number): ProcessMemory | undefined {
  let status: string;
  try {
    status = readFileSync(`/proc/${pid}/status`, 'utf8');
  } catch {
    return undefined;
  }
  // The kernel reports kilobytes. The page size, which differs between machines, does not matter.
  const read = (name: string) => {
    const at = status.indexOf(`\n${name}:`);
    return at < 0 ? 0 : Number.parseInt(status.slice(at + name.length + 2), 10) * 1024;
  };
  return { ownBytes: read('RssAnon') + read('VmSwap'), dataBytes: read('VmData') };
}

/**
 * The memory that the runtime itself uses before the first call: the minimum over all cells when they were ready. It
 * differs between machines. Memory that a module allocates while it loads is not included; it counts for the function.
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

/** Limits for a cell, all in addition to what its process used when it was ready. */
interface MemoryBounds {
  /** The memory the function may use: heap and buffers. */
  allowanceBytes: number;
  /** The process is killed at this size. Below it, memory may be garbage that is not collected yet. */
  stopBytes: number;
  /** The heap size at which V8 aborts. Shortly before that, it does little but collect garbage. */
  heapMegabytes: number;
  /** Data address space: a backstop in the kernel, in case memory grows between two checks of the server. */
  dataBytes: number;
}

/**
 * The limits for an allowance. Under normal load, a runtime keeps an amount of garbage and free blocks that does not
 * depend on the allowance. So a small allowance gets a larger margin than its own size.
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

/** How long calls in flight have to finish in a cell that has used up its memory. */
const GRACE_MS = 5_000;
/** A cell over its allowance is killed if it uses this much CPU time without collecting its garbage. */
const BLOCKED_CPU_MS = 2_000;
const COLLECT_EVERY_MS = 250;

/** Watches how much memory a cell adds to its floor. */
export class MemoryWatch {
  /** When the cell was over its allowance even after a garbage collection. From then on it gets no new calls. */
  private exhaustedAt: number | undefined;
  private collecting: { sinceCpuMs: number } | undefined;
  private collectedAt = 0;

  constructor(
    private readonly bounds: MemoryBounds,
    private readonly cell: {
      /** Bytes above the floor. */
      addedBytes(): number;
      cpuMs(): number;
      /** Resolves when the cell has collected its garbage. Undefined if the cell cannot be asked to. */
      collect: (() => Promise<unknown>) | undefined;
    },
  ) {}

  get isExhausted(): boolean {
    return this.exhaustedAt !== undefined;
  }

  /** True if the cell must be checked even when it is idle. */
  get isConcerned(): boolean {
    return this.isExhausted || this.collecting !== undefined;
  }

  /** Checks once. True if the cell must be killed now. */
  mustStop(now: number): boolean {
    const added = this.cell.addedBytes();
    if (added > this.bounds.stopBytes) return true;
    if (added <= this.bounds.allowanceBytes) return false;
    if (this.exhaustedAt !== undefined) return now - this.exhaustedAt > GRACE_MS;
    if (this.collecting) return this.cell.cpuMs() - this.collecting.sinceCpuMs > BLOCKED_CPU_MS;
    if (now - this.collectedAt > COLLECT_EVERY_MS) this.collect();
    return false;
  }

  /** Makes the cell collect its garbage and measures again: the remaining memory is in use. */
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
