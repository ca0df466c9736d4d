import { readMemory, type WorkerdProcess } from '../../workerd/index.ts';

/** A host has grown if it uses this much more than before. */
const GROWTH_BYTES = 32 * 1024 * 1024;
/** A host is idle while it uses less than this part of a core, on average since the last look. */
const IDLE_PART = 0.1;
/** How long a host must be idle: a burst that pauses is not over. */
const IDLE_MS = 10_000;

/** Decides when a host collects its garbage: V8 does not while a process is idle, however large it has grown. */
export class HostMemory {
  private readonly startBytes: number;
  /** The memory at the start, or what the last collection left: the allocator keeps some. */
  private floorBytes: number;
  private cpuMs: number;
  private lookedAt = Date.now();
  private busyAt = Date.now();

  constructor(private readonly process: Pick<WorkerdProcess, 'pid' | 'cpuMs'>) {
    this.startBytes = this.ownBytes;
    this.floorBytes = this.startBytes;
    this.cpuMs = process.cpuMs;
  }

  /** Whether the host uses much more memory than at its start. */
  get hasGrown(): boolean {
    return this.ownBytes - this.startBytes > GROWTH_BYTES;
  }

  /** Whether the host must collect its garbage now. Called about once a second. */
  mustCollect(now: number): boolean {
    const { cpuMs } = this.process;
    if (cpuMs - this.cpuMs > IDLE_PART * (now - this.lookedAt)) this.busyAt = now;
    this.cpuMs = cpuMs;
    this.lookedAt = now;
    return now - this.busyAt > IDLE_MS && this.ownBytes - this.floorBytes > GROWTH_BYTES;
  }

  /** Called when the host has collected its garbage. */
  collected(): void {
    this.floorBytes = this.ownBytes;
  }

  private get ownBytes(): number {
    return readMemory(this.process.pid)?.ownBytes ?? 0;
  }
}
