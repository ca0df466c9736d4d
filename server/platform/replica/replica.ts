import { helperCommand } from '../../lib/modules.ts';
import type { Log } from '../http/index.ts';
import type { FromProcess, StartMessage, ToProcess } from './messages.ts';
import type { PackDatabase } from './ship/databases/port.ts';
import { FIRST_STATE, type ReplicaState } from './state.ts';

const MIN_RESTART_MS = 1_000;
const MAX_RESTART_MS = 30_000;
/** A process that ran for so long did not fail at its start. */
const HEALTHY_MS = 60_000;
/** How long to wait for the last changes when the server stops. */
const STOP_MS = 4_000;

/** Keeps the process running that ships the data of this server. */
export class Replica {
  #state: ReplicaState = FIRST_STATE;
  #process: Bun.Subprocess | undefined;
  #packDatabase: PackDatabase = async () => undefined;
  #databasesShipped = Promise.withResolvers<void>();
  #restartMs = MIN_RESTART_MS;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isStopping = false;

  constructor(private readonly options: Omit<StartMessage, 'kind'> & { log: Log }) {}

  /** Starts to ship. The database must be open. */
  start(packDatabase: PackDatabase): void {
    this.#packDatabase = packDatabase;
    this.#spawn();
  }

  get state(): ReplicaState {
    return this.#state;
  }

  /** A file was written, and should be copied. */
  noteFile(key: string): void {
    this.#send({ kind: 'file', key });
  }

  /** Waits for a while until the databases of functions are shipped. Call it before their hosts are stopped. */
  async shipDatabases(): Promise<void> {
    this.#send({ kind: 'ship databases' });
    await Promise.race([this.#databasesShipped.promise, this.#process?.exited, Bun.sleep(STOP_MS)]);
  }

  /** Waits for a while until everything is shipped. The process goes on for a few seconds more. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    clearTimeout(this.#timer);
    this.#send({ kind: 'stop' });
    await Promise.race([this.#process?.exited, Bun.sleep(STOP_MS)]);
  }

  #spawn(): void {
    const startedAt = performance.now();
    const { log, ...start } = this.options;
    this.#process = Bun.spawn(helperCommand(new URL('./replica.process.ts', import.meta.url)), {
      stdio: ['ignore', 'ignore', 'inherit'],
      serialization: 'advanced',
      ipc: (message: FromProcess) => this.#take(message),
      onExit: () => {
        if (this.#isStopping) return;
        if (performance.now() - startedAt > HEALTHY_MS) this.#restartMs = MIN_RESTART_MS;
        log.warn(
          `The process that writes the replica has ended. It starts again in ${this.#restartMs / 1000} s.`,
        );
        this.#timer = setTimeout(() => this.#spawn(), this.#restartMs);
        this.#restartMs = Math.min(MAX_RESTART_MS, 2 * this.#restartMs);
      },
    });
    this.#process.unref();
    this.#send({ kind: 'start', ...start });
  }

  #send(message: ToProcess): void {
    try {
      this.#process?.send(message);
    } catch {
      // It has just ended. The next one compares all files.
    }
  }

  #take(message: FromProcess): void {
    if (message.kind === 'state') this.#state = message.state;
    else if (message.kind === 'warning') this.options.log.warn(message.sentence);
    else if (message.kind === 'databases shipped') this.#databasesShipped.resolve();
    else void this.#pack(message);
  }

  async #pack({ id, ownerId, file, order }: Extract<FromProcess, { kind: 'pack' }>): Promise<void> {
    const asking = this.#process;
    const respond = (reply: Pick<Extract<ToProcess, { kind: 'packed' }>, 'report' | 'problem'>) => {
      // Another process has asked for something else under the same number.
      if (asking === this.#process) this.#send({ kind: 'packed', id, ...reply });
    };
    try {
      respond({ report: await this.#packDatabase(ownerId, file, order) });
    } catch (error) {
      respond({ problem: (error as Error).message });
    }
  }
}
