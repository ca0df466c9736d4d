import { helperCommand } from '../../lib/modules.ts';
import type { Log } from '../http/index.ts';
import type { FromProcess, StartMessage, ToProcess } from './messages.ts';
import type { CopyDatabase } from './ship/databases.ts';
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
  #copyDatabase: CopyDatabase = async () => undefined;
  readonly #copies = new Map<number, () => Promise<void>>();
  #restartMs = MIN_RESTART_MS;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isStopping = false;

  constructor(private readonly options: Omit<StartMessage, 'kind'> & { log: Log }) {}

  /** Starts to ship. The database must be open. */
  start(copyDatabase: CopyDatabase): void {
    this.#copyDatabase = copyDatabase;
    this.#spawn();
  }

  get state(): ReplicaState {
    return this.#state;
  }

  /** A file was written, and should be copied. */
  noteFile(key: string): void {
    this.#send({ kind: 'file', key });
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
        this.#endCopies();
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

  /** Nobody reads them any more. */
  #endCopies(): void {
    for (const end of this.#copies.values()) void end();
    this.#copies.clear();
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
    else if (message.kind === 'copy') void this.#copy(message);
    else {
      void this.#copies.get(message.id)?.();
      this.#copies.delete(message.id);
    }
  }

  async #copy({ id, ownerId, file }: Extract<FromProcess, { kind: 'copy' }>): Promise<void> {
    try {
      const copied = await this.#copyDatabase(ownerId, file);
      if (copied) this.#copies.set(id, copied.end);
      this.#send({ kind: 'copied', id, ...(copied && { folder: copied.folder }) });
    } catch (error) {
      this.#send({ kind: 'copied', id, problem: (error as Error).message });
    }
  }
}
