import type { HostStatus } from '../../../../workers/protocol.ts';
import type { WorkerdProcess } from '../../workerd/index.ts';
import type { HostConnection } from './connection.ts';
import { HostMemory } from './memory.ts';

/** When a host must be killed. */
export interface HostBounds {
  /** A host that does not respond for this long is killed: it runs one long statement, or hangs. SQLite recovers. */
  statementMs: number;
  /** Whether its files have grown too large; asked every second. A host that is busy does not respond right now. */
  isBloated(isBusy: boolean): boolean;
  /** Headers for the next status request. */
  statusHeaders(): Promise<Record<string, string>>;
  /** Called when the last statement has ended the host: it took too long, or all memory or disk space. */
  onOverload?(): void;
}

interface RunningHostOptions extends HostBounds {
  connection: HostConnection;
  /** Whether nobody needs the host any longer; asked every second. */
  isIdle(host: RunningHost): boolean;
  onStatus(status: HostStatus): void;
}

const WATCH_EVERY_MS = 1_000;
/** A statement uses more CPU time than this, on the busiest machine. A host that uses less hangs: nobody's fault. */
const HANGING_CPU_MS = 100;

/** One process of a host. It is watched until it has ended. */
export class RunningHost {
  isKilled = false;
  private readonly memory: HostMemory;
  private readonly watching: NodeJS.Timeout;
  private isChecking = false;
  /** The status request that has no response yet: when it was sent, and the CPU time until then. */
  private asked: { at: number; cpuMs: number } | undefined;

  constructor(
    readonly process: WorkerdProcess,
    private readonly options: RunningHostOptions,
  ) {
    this.memory = new HostMemory(process);
    this.watching = setInterval(() => this.watch(), WATCH_EVERY_MS);
  }

  /** Whether it uses much more memory than at its start. */
  get hasGrown(): boolean {
    return this.memory.hasGrown;
  }

  /** Asks the host for its status. */
  async check(): Promise<void> {
    const { connection, statementMs, statusHeaders, onStatus } = this.options;
    const headers = await statusHeaders();
    this.asked = { at: Date.now(), cpuMs: this.process.cpuMs };
    const collects = this.memory.mustCollect(this.asked.at);
    try {
      const status = await connection.status(2 * statementMs, headers, collects);
      if (collects) this.memory.collected();
      onStatus(status);
    } finally {
      this.asked = undefined;
    }
  }

  stopWatching(): void {
    clearInterval(this.watching);
  }

  private watch(): void {
    const { statementMs, isBloated, isIdle } = this.options;
    if (this.isKilled) return;
    if (isIdle(this)) {
      this.kill();
    } else if (isBloated(this.asked !== undefined)) {
      this.kill(true);
    } else if (this.asked) {
      const usedMs = this.process.cpuMs - this.asked.cpuMs;
      if (Date.now() - this.asked.at > statementMs) this.kill(usedMs > HANGING_CPU_MS);
    } else if (!this.isChecking) {
      this.isChecking = true;
      void this.check()
        .catch(() => undefined)
        .finally(() => {
          this.isChecking = false;
        });
    }
  }

  private kill(isOverloaded = false): void {
    if (isOverloaded) this.options.onOverload?.();
    this.isKilled = true;
    this.process.kill();
  }
}
