interface CpuOptions {
  limitMs: number;
  /** The CPU time that the process has used so far. */
  cpuMs(): number;
  /** Resolves when the event loop of the process has responded. */
  probe(): Promise<unknown>;
}

/** How much of the limit a process must have used the CPU for: on a busy machine it may only be waiting for it. */
const USED_PART = 0.7;

/** Finds out whether a cell blocks its event loop. */
export class CpuWatch {
  /** CPU time between the last two checks. A cell that has just started counts as busy. */
  recentMs = 1;
  private lastMs = 0;
  private lastLook = 0;
  private probing: { since: number; cpuMs: number } | undefined;

  constructor(private readonly options: CpuOptions) {}

  /** True if the event loop has been blocked for longer than the limit. Called about once a second. */
  isBlocked(now: number): boolean {
    const cpuMs = this.options.cpuMs();
    this.recentMs = cpuMs - this.lastMs;
    this.lastMs = cpuMs;
    this.lastLook = now;
    if (!this.probing) {
      // Probe even if it used little CPU time: when many cells block together, each one gets only a little.
      if (this.recentMs > 0) this.probe(now, cpuMs);
      return false;
    }
    const { limitMs } = this.options;
    const waited = now - this.probing.since;
    const used = cpuMs - this.probing.cpuMs;
    return waited > limitMs && used > limitMs * USED_PART;
  }

  /** How long the event loop had not responded when it was last checked, and the CPU time that it used meanwhile. */
  get blocked(): { forMs: number; cpuMs: number } {
    if (!this.probing) return { forMs: 0, cpuMs: 0 };
    return { forMs: this.lastLook - this.probing.since, cpuMs: this.lastMs - this.probing.cpuMs };
  }

  private probe(since: number, cpuMs: number): void {
    this.probing = { since, cpuMs };
    const done = () => {
      this.probing = undefined;
    };
    this.options.probe().then(done, done);
  }
}
