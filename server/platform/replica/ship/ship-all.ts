import { readdirSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Destination } from '../destination/destination.ts';
import { REPLACED_SECRETS, SECRET } from '../format/names.ts';
import { FollowedLog } from '../log/followed-log.ts';
import { FIRST_STATE, type ReplicaState, STATE_FILE } from '../state.ts';
import { ReplicaDatabases } from './databases/databases.ts';
import type { PackDatabase } from './databases/port.ts';
import { putFile, ReplicaFiles } from './files.ts';
import { KEEP_MS, purge, removeUnfinished } from './retention.ts';
import { describeFailure, Shipper } from './shipper.ts';

/** Half of what is promised, because a pass takes some time itself. */
const PASS_MS = 500;
/** The part of a processor that looks at the files of databases may use. There can be many thousands. */
const LOOK_SHARE = 0.02;
const MAX_BACKOFF_MS = 30_000;
const OTHERS_MS = 2_000;
const TIDY_MS = 3600 * 1000;
const STATE_MS = 2_000;

export interface ShipAllOptions {
  destination: Destination;
  dataFolder: string;
  hasFiles: boolean;
  databasesInner: string;
  packDatabase: PackDatabase;
  now: () => number;
  onState(state: ReplicaState): void;
  warn(sentence: string): void;
}

/** Ships everything in a data folder, until it is stopped. */
export class ShipAll {
  readonly #shipper: Shipper;
  readonly #files: ReplicaFiles;
  readonly #databases: ReplicaDatabases;
  readonly #loops: Promise<void>[];
  readonly #sleeping = new Set<() => void>();
  #isStopping = false;
  #hasCompared = false;
  /** What keeps files or databases of functions from being copied, and since when. */
  readonly #stuck = new Map<'files' | 'databases', { problem: string | null; since: number }>();
  #areDatabasesDone = false;
  #state = FIRST_STATE;
  #stateAt = Number.NEGATIVE_INFINITY;
  #passAt = Number.NEGATIVE_INFINITY;

  constructor(private readonly options: ShipAllOptions) {
    const { destination, dataFolder, databasesInner, packDatabase, now, warn } = options;
    const folder = join(dataFolder, 'databases');
    const log = new FollowedLog(join(dataFolder, 'quire.db'), now);
    this.#shipper = new Shipper({ destination, log, dataFolder, now, warn });
    this.#files = new ReplicaFiles(destination, join(dataFolder, 'blobs'));
    this.#databases = new ReplicaDatabases({
      ...{ destination, folder, inner: databasesInner, stateFolder: join(folder, 'replica') },
      ...{ pack: packDatabase, now },
    });
    this.#loops = [this.#shipLog(), this.#shipOthers(), this.#shipDatabases()];
  }

  noteFile(key: string): void {
    this.#files.note(key);
  }

  /** Ships what is left of the databases of functions, which cannot be read any more afterwards. */
  async shipDatabases(): Promise<void> {
    try {
      if (this.#canShip) await this.#databases.flush();
    } catch (error) {
      this.#noteStuck('databases', error);
    }
    this.#areDatabasesDone = true;
  }

  /** Ships what is left. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    for (const wake of this.#sleeping) wake();
    await Promise.all(this.#loops);
    try {
      await this.#shipper.stop();
      await this.#files.ship(() => false);
      this.#report({ ...this.#shipper.describe(), status: 'stopped' }, true);
    } catch (error) {
      this.#report({ ...this.#state, ...describeFailure(error, this.options.destination.name) }, true);
    }
  }

  async #shipLog(): Promise<void> {
    let backoffMs = 0;
    while (!this.#isStopping) {
      try {
        this.#passAt = performance.now();
        await this.#shipper.pass();
        if (backoffMs > 0) this.#goOn();
        backoffMs = 0;
        this.#report(this.#shipper.describe());
      } catch (error) {
        backoffMs = Math.min(MAX_BACKOFF_MS, Math.max(2 * backoffMs, 1_000));
        this.#fail(error);
      }
      await this.#sleep(Math.max(0, this.#passAt + PASS_MS - performance.now()) + backoffMs);
    }
  }

  /** The place is back: nothing needs to wait until its next attempt. */
  #goOn(): void {
    this.#stuck.clear();
    this.#databases.goOn();
    for (const wake of this.#sleeping) wake();
  }

  #fail(error: unknown): void {
    const failure = describeFailure(error, this.options.destination.name);
    if (failure.problem !== this.#state.problem) this.options.warn(failure.problem ?? '');
    this.#report({ ...this.#state, checkedAt: this.options.now(), ...failure });
    try {
      this.#shipper.relieve();
    } catch (cause) {
      this.options.warn(`The log of the database cannot be shortened: ${(cause as Error).message}`);
    }
  }

  /** False before the first pass, and if the replica belongs to another server. */
  get #canShip(): boolean {
    return this.#shipper.cautiousNow !== undefined && this.#state.status !== 'refused';
  }

  /** Files, and what is too old: slower than the log, which must not wait for them. */
  async #shipOthers(): Promise<void> {
    let tidiedAt = Number.NEGATIVE_INFINITY;
    while (!this.#isStopping) {
      try {
        const now = this.#shipper.cautiousNow;
        if (now !== undefined && this.#canShip) {
          if (performance.now() - tidiedAt > TIDY_MS) {
            await this.#tidy(now);
            tidiedAt = performance.now();
          }
          if (this.options.hasFiles) await this.#files.ship(() => this.#isStopping);
          this.#stuck.delete('files');
        }
      } catch (error) {
        this.#noteStuck('files', error);
        await this.#sleep(MAX_BACKOFF_MS);
      }
      await this.#sleep(OTHERS_MS);
    }
  }

  /** Databases of functions. One that cannot be shipped holds up no other. */
  async #shipDatabases(): Promise<void> {
    while (!this.#isStopping && !this.#areDatabasesDone) {
      try {
        if (this.#canShip) await this.#databases.pass();
        const { problem } = this.#databases;
        if (problem) throw problem;
        this.#stuck.delete('databases');
      } catch (error) {
        this.#noteStuck('databases', error);
      }
      await this.#sleep(Math.max(PASS_MS, this.#databases.lookMs / LOOK_SHARE));
    }
  }

  #noteStuck(what: 'files' | 'databases', error: unknown): void {
    const { problem } = describeFailure(error, this.options.destination.name);
    const before = this.#stuck.get(what);
    if (before?.problem !== problem && this.#state.status === 'following') this.options.warn(problem ?? '');
    this.#stuck.set(what, { problem, since: before?.since ?? this.options.now() });
  }

  async #tidy(now: number): Promise<void> {
    const { destination, hasFiles } = this.options;
    const isStopping = () => this.#isStopping;
    await this.#shipKey(now);
    if (!this.#hasCompared) {
      await removeUnfinished(destination, () => this.#shipper.generations);
      this.#hasCompared = true;
    }
    if (hasFiles) await this.#files.compare(now);
    await purge(destination, now, { current: this.#shipper.chain?.generation, isStopping });
    await this.#databases.tidy(now, isStopping);
    await this.#shipper.refresh();
  }

  /** A key that was replaced stays as long as times from before can be restored. */
  async #shipKey(now: number): Promise<void> {
    const { destination, dataFolder } = this.options;
    if (await putFile(destination, SECRET, join(dataFolder, 'secret'))) return;
    const replaced = readdirSync(dataFolder).filter((name) => name.startsWith(REPLACED_SECRETS));
    if (!replaced.some((name) => statSync(join(dataFolder, name)).mtimeMs > now - KEEP_MS))
      await destination.delete(SECRET);
  }

  /** Reports the state when it changes, and otherwise now and then. */
  #report(state: Omit<ReplicaState, 'waiting'>, isLast = false): void {
    const waiting = { files: this.#files.waiting, databases: this.#databases.waiting };
    const stuck = [...this.#stuck.values()].sort((a, b) => a.since - b.since)[0];
    const problem = state.problem ?? stuck?.problem ?? null;
    const hasChanged = state.status !== this.#state.status || problem !== this.#state.problem;
    this.#state = { ...state, problem, stuckSince: stuck?.since ?? null, waiting };
    if (!hasChanged && !isLast && performance.now() - this.#stateAt < STATE_MS) return;
    this.#stateAt = performance.now();
    this.options.onState(this.#state);
    const path = join(this.options.dataFolder, STATE_FILE);
    try {
      writeFileSync(`${path}.new`, JSON.stringify(this.#state), { mode: 0o600 });
      renameSync(`${path}.new`, path);
    } catch {
      // A full disk. The server has the state, too.
    }
  }

  #sleep(milliseconds: number): Promise<void> {
    if (this.#isStopping) return Promise.resolve();
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, milliseconds);
    this.#sleeping.add(resolve);
    return promise.finally(() => {
      clearTimeout(timer);
      this.#sleeping.delete(resolve);
    });
  }
}
