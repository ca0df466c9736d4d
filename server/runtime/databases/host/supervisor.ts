import { DATABASE_HEADERS, type HostStatus } from '../../../../workers/protocol.ts';
import { StartError, startFailureReason, type WorkerdProcess } from '../../workerd/index.ts';
import { HostConnection } from './connection.ts';
import { type HostBounds, RunningHost } from './running-host.ts';

interface HostOptions extends HostBounds {
  /** The host's name in the log: `owner 7`, `shard 0`. */
  name: string;
  /** The folder with its socket, `http`. */
  folder: string;
  key: string;
  /** The group that may connect to it, when the server is root. */
  group: number | undefined;
  start(): Promise<WorkerdProcess>;
  /** How it is kept: as long as the server runs, or while cells use it and this long after. */
  lifetime: 'always' | { idleMs: number };
  /** Called with each line that the host prints, for debugging. */
  onLine(line: string): void;
  /** Tells the operator that the host does not start and, once that is over, that it runs. */
  warn(message: string): void;
}

const RETRY_MS = { first: 250, max: 2_000 };
/** Longer than a host takes to finish what is running and to write its notes. */
const DRAIN_MS = 20_000;
const GROWN_IDLE_MS = 5_000;
/** The time a host has to give its lease back. A bucket that hangs must not keep the server from stopping. */
const END_MS = 10_000;
/** How workerd ends when its memory is full. */
const OUT_OF_MEMORY: NodeJS.Signals[] = ['SIGABRT', 'SIGILL', 'SIGTRAP', 'SIGSEGV'];

/** Keeps one database host running: starts it, watches it, restarts it, and stops it. */
export class Supervisor {
  /** How often the host had to be started again. */
  restarts = 0;
  /** What the host said last. */
  status: HostStatus = {};
  private readonly host: HostConnection;
  private running: RunningHost | undefined;
  private starting: Promise<void> | undefined;
  private isRestarting = false;
  private isStopping = false;
  /** The operator knows that the host does not run. */
  private isReported = false;
  /** The host was started only for work that is done once. */
  private isBorrowed = false;
  private leases = 0;
  /** Requests without a response yet. */
  private requests = 0;
  private lastUsedAt = 0;
  private readonly waiting = new Set<() => void>();
  /** Resolves when somebody who needs the files without a host is done. */
  private pause: Promise<void> | undefined;

  constructor(private readonly options: HostOptions) {
    this.host = new HostConnection(options.folder, options.key);
  }

  get folder(): string {
    return this.options.folder;
  }

  get key(): string {
    return this.options.key;
  }

  get group(): number | undefined {
    return this.options.group;
  }

  get isUp(): boolean {
    return this.running !== undefined;
  }

  /** Whether it runs or should run. */
  get isWanted(): boolean {
    return this.mustRun || this.running !== undefined || this.starting !== undefined;
  }

  private get mustRun(): boolean {
    return !this.isStopping && (this.options.lifetime === 'always' || this.leases > 0);
  }

  private get isServing(): boolean {
    return this.running !== undefined && !this.running.isKilled;
  }

  /** Starts it if it is not running. Callers share one start. */
  start(): Promise<void> {
    if (this.isServing) return Promise.resolve();
    this.starting ??= this.run().finally(() => {
      this.starting = undefined;
    });
    return this.starting;
  }

  /** Starts it, or keeps trying in the background unless `isHopeless` says that it cannot get better by waiting. */
  async startOrRetry(isHopeless: (error: unknown) => boolean): Promise<void> {
    try {
      await this.start();
    } catch (error) {
      if (isHopeless(error)) throw error;
      this.reportFailure(error);
      void this.restart();
    }
  }

  /** Keeps it running until the lease is released. Starts it first, if it does not always run. */
  async lease(): Promise<() => void> {
    this.leases++;
    let isReleased = false;
    const release = () => {
      if (isReleased) return;
      isReleased = true;
      this.leases--;
      this.lastUsedAt = Date.now();
    };
    try {
      if (this.options.lifetime !== 'always') await this.start();
      return release;
    } catch (error) {
      release();
      throw error;
    }
  }

  /** Does work that needs the host only once: one that was started for it may stop right after, if nobody else waits. */
  async borrow<T>(work: () => Promise<T>): Promise<T> {
    if (!this.isWanted) this.isBorrowed = true;
    try {
      return await work();
    } finally {
      if (this.isBorrowed && this.requests === 0) this.lastUsedAt = 0;
    }
  }

  /** Lets the host finish what is running, ends it, does something with its files, and lets it start again. */
  async whileStopped(work: () => Promise<void>): Promise<void> {
    while (this.pause || this.starting) await (this.pause ?? this.starting?.catch(() => undefined));
    const { promise, resolve } = Promise.withResolvers<void>();
    this.pause = promise;
    try {
      if (this.running) {
        const { running } = this;
        await this.host.drain(DRAIN_MS).catch(() => undefined);
        running.isKilled = true;
        running.process.kill();
        await running.process.exited;
      }
      await work();
    } finally {
      this.pause = undefined;
      resolve();
      if (this.mustRun) void this.start().catch(() => this.restart());
    }
  }

  /** Waits until it runs; false if it does not within the time. */
  async whenUp(milliseconds: number): Promise<boolean> {
    await this.pause;
    if (this.isServing) return true;
    if (this.options.lifetime !== 'always') {
      await this.start();
      return true;
    }
    return new Promise((resolve) => {
      const up = () => {
        clearTimeout(deadline);
        resolve(true);
      };
      const deadline = setTimeout(() => {
        this.waiting.delete(up);
        resolve(false);
      }, milliseconds);
      this.waiting.add(up);
    });
  }

  /** Sends a request to one of the host's databases. */
  async fetch(ownerId: number, databaseId: number, path: string, init?: RequestInit): Promise<Response> {
    this.lastUsedAt = Date.now();
    this.requests++;
    try {
      const response = await this.host.send(ownerId, databaseId, path, init);
      const bytes = response.headers.get(DATABASE_HEADERS.bytes);
      if (bytes !== null) this.status.bytes = Number(bytes);
      return response;
    } finally {
      this.requests--;
    }
  }

  /** Asks the host for its status now, not at the next turn. */
  async refresh(): Promise<void> {
    await this.running?.check().catch(() => undefined);
  }

  async stop(): Promise<void> {
    this.isStopping = true;
    const { lifetime } = this.options;
    // In a cluster, a start may wait for a bucket that does not respond. Its host is killed when it succeeds.
    if (lifetime !== 'always') await this.starting?.catch(() => undefined);
    if (!this.running) return;
    const { process } = this.running;
    this.running.stopWatching();
    if (lifetime === 'always') await this.drain(process);
    else process.kill();
    await process.exited;
  }

  /** Lets the host finish what is running, and hand its databases over. */
  private async drain(process: WorkerdProcess): Promise<void> {
    await this.host.drain(DRAIN_MS).catch(() => undefined);
    process.end();
    const deadline = setTimeout(() => process.kill(), END_MS);
    void process.exited.then(() => clearTimeout(deadline));
  }

  private async run(): Promise<void> {
    // A process that was killed has the files until it has ended.
    await this.running?.process.exited;
    await this.pause;
    const process = await this.options.start();
    const running = new RunningHost(process, {
      ...this.options,
      connection: this.host,
      isIdle: (host) => this.isIdle(host),
      onStatus: (status) => {
        if (this.running === running) this.status = status;
      },
    });
    this.running = running;
    this.status = {};
    this.lastUsedAt = Date.now();
    for (const up of this.waiting) up();
    this.waiting.clear();
    if (this.isReported) this.options.warn(`the database host of ${this.options.name} runs again`);
    this.isReported = false;
    void process.exited.then((signal) => this.ended(running, signal));
    if (this.isStopping) process.kill();
  }

  private ended(running: RunningHost, signal: NodeJS.Signals | null): void {
    running.stopWatching();
    this.running = undefined;
    this.isBorrowed = false;
    if (this.isStopping || this.pause) return;
    if (signal !== null && OUT_OF_MEMORY.includes(signal)) this.options.onOverload?.();
    if (!this.mustRun) return;
    this.isReported = true;
    this.options.warn(`the database host of ${this.options.name} ended and is being restarted`);
    void this.restart();
  }

  /** Starts the host again: cells and other nodes find it by its address, so it must come back. */
  private async restart(): Promise<void> {
    if (this.isRestarting) return;
    this.isRestarting = true;
    for (let pauseMs = RETRY_MS.first; this.mustRun && !this.running; ) {
      this.restarts++;
      try {
        await this.start();
      } catch (error) {
        this.reportFailure(error);
        await Bun.sleep(pauseMs);
        pauseMs = Math.min(2 * pauseMs, RETRY_MS.max);
      }
    }
    this.isRestarting = false;
  }

  /** Tells the operator once that the host does not start, however often it is tried. */
  private reportFailure(error: unknown): void {
    const { name, warn, onLine } = this.options;
    onLine(`the database host of ${name} could not be started: ${error}`);
    if (this.isReported) return;
    this.isReported = true;
    const reason = error instanceof StartError ? startFailureReason(error.output) : String(error);
    warn(`the database host of ${name} cannot be started, and is retried; ${reason}`);
  }

  /** Whether the host can stop. One that has grown is kept little longer than a statement may run. */
  private isIdle(host: RunningHost): boolean {
    const { lifetime, statementMs } = this.options;
    if (lifetime === 'always') return false;
    if (this.leases > 0 || this.requests > 0) this.lastUsedAt = Date.now();
    const unusedMs = Date.now() - this.lastUsedAt;
    return unusedMs > lifetime.idleMs || (unusedMs > statementMs + GROWN_IDLE_MS && host.hasGrown);
  }
}
