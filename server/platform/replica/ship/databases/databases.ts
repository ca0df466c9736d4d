import type { Destination } from '../../destination/destination.ts';
import { deleteContent, groupPieces } from '../../format/content.ts';
import { DATABASES, type DatabaseSegmentName, databaseName } from '../../format/names.ts';
import { groupSegments } from '../../history.ts';
import { readGone, writeGone } from '../gone.ts';
import { chooseDatabaseSegments, KEEP_MS } from '../retention.ts';
import { DatabaseChain, type DatabaseChainTools, PlaceError } from './chain.ts';
import { Lanes } from './lanes.ts';
import { DatabaseLook, type SeenDatabase } from './look.ts';
import type { PackDatabase } from './port.ts';
import { ChainStates } from './state.ts';

const GONE = 'deleted-databases';
/** How often one database is shipped, at most. */
const EVERY_MS = 1_000;
/** One whose changes take longer is shipped less often: they get this part of a processor at most. */
const MAX_SHARE = 0.5;
const FIRST_RETRY_MS = 1_000;
const MAX_RETRY_MS = 30_000;

interface Entry extends SeenDatabase {
  chain: DatabaseChain;
  /** Set if the server has no such database, although there are such files. */
  isUnknown: boolean;
  isRunning: boolean;
  /** When it may be shipped again, on the clock of the process. */
  nextAt: number;
  retryMs: number;
  problem?: Error | undefined;
}

interface ReplicaDatabasesOptions {
  destination: Destination;
  /** Has a folder for each owner. */
  folder: string;
  /** The folder with the files, inside the owner's. */
  inner: string;
  /** For what is needed to go on after a restart. */
  stateFolder: string;
  pack: PackDatabase;
  now: () => number;
}

/** The databases of functions. Each is a chain of segments, which grows when the database has changed. */
export class ReplicaDatabases {
  readonly #entries = new Map<string, Entry>();
  readonly #look: DatabaseLook;
  readonly #tools: DatabaseChainTools;
  readonly #lanes = new Lanes();
  #starting: Promise<void> | undefined;
  /** How long the last look at the files took. */
  lookMs = 0;
  /** Nothing is shipped until then, because the place cannot be written. */
  #pausedUntil = 0;
  #pauseMs = 0;

  constructor(private readonly options: ReplicaDatabasesOptions) {
    const { destination, folder, inner, stateFolder, pack, now } = options;
    this.#look = new DatabaseLook(folder, inner);
    this.#tools = { destination, states: new ChainStates(stateFolder), pack, now };
  }

  /** Databases that are not in the replica as they are. */
  get waiting(): number {
    return [...this.#entries.values()].filter(isWaiting).length;
  }

  /** Why a database cannot be shipped; undefined if all can. */
  get problem(): Error | undefined {
    for (const { problem, ownerId, file } of this.#entries.values())
      if (problem instanceof PlaceError) return problem;
      else if (problem) return new Error(`the database ${ownerId}/${file}: ${problem.message}`);
    return undefined;
  }

  /** Looks at the files, and begins to ship what has changed. */
  async pass(): Promise<void> {
    this.#starting ??= this.#start();
    await this.#starting.catch((error: unknown) => {
      this.#starting = undefined;
      throw error;
    });
    this.#see();
    if (performance.now() < this.#pausedUntil) return;
    const due = [...this.#entries.values()].filter(
      (entry) => isWaiting(entry) && !entry.isRunning && entry.nextAt <= performance.now(),
    );
    // Whoever has waited longest comes first.
    for (const entry of due.sort((a, b) => a.nextAt - b.nextAt)) this.#begin(entry);
  }

  /** Ships everything that has changed before the call, as far as it can be shipped. */
  async flush(): Promise<void> {
    await this.pass();
    // A segment that waits since an earlier failure is shipped first, and what came later after it.
    const left = new Map([...this.#entries.values()].filter(isWaiting).map((entry) => [entry, 2]));
    for (;;) {
      for (const [entry, tries] of left) {
        if (entry.isRunning) continue;
        if (!isWaiting(entry) || entry.problem || tries === 0) left.delete(entry);
        else if (this.#begin(entry, true)) left.set(entry, tries - 1);
      }
      if (left.size === 0) return;
      await this.#lanes.whenOneEnded();
    }
  }

  /** Resolves when nothing is being shipped. */
  whenIdle(): Promise<void> {
    return this.#lanes.whenIdle();
  }

  /** The place is back: nothing waits until its next attempt. */
  goOn(): void {
    this.#pausedUntil = 0;
    this.#pauseMs = 0;
    for (const entry of this.#entries.values()) if (entry.problem) entry.nextAt = 0;
  }

  /** Removes chains that no time of the last week needs, and databases that were deleted a week ago. */
  async tidy(now: number, isStopping: () => boolean): Promise<void> {
    const { destination } = this.options;
    const keys = await destination.list(DATABASES);
    const pieces = groupPieces(keys);
    const databases = groupSegments(keys);
    const gone = await this.#noteGone(databases, now);
    for (const [name, segments] of databases) {
      const isGone = this.#entries.get(name)?.isUnknown && (gone[name] ?? now) <= now - KEEP_MS;
      // From the end: what is left at any time is a chain.
      const old = isGone ? segments : chooseDatabaseSegments(segments, now);
      for (const { key } of old.toReversed()) {
        if (isStopping()) return;
        await deleteContent(destination, key, pieces);
      }
    }
    const whole = new Set(keys);
    for (const [key, names] of pieces) {
      // It may have become whole since the names were listed.
      if (whole.has(key) || this.#isBeingShipped(key) || (await destination.get(key))) continue;
      for (const each of names) await destination.delete(each);
    }
  }

  /** Finds out what the replica already has. */
  async #start(): Promise<void> {
    const databases = groupSegments(await this.options.destination.list(DATABASES));
    const { states } = this.#tools;
    const known = new Map(states.open().map((state) => [databaseName(state), state]));
    for (const [name, segments] of databases) {
      const last = segments.at(-1) as DatabaseSegmentName;
      const count = segments.filter(({ chain }) => chain === last.chain).length;
      const state = known.get(name);
      const isWhole = state?.key === last.key && count === last.index + 1;
      if (isWhole) known.delete(name);
      const { ownerId, file } = last;
      const chain = new DatabaseChain(
        { ownerId, file },
        isWhole ? state : undefined,
        last.chain,
        this.#tools,
      );
      this.#entries.set(name, this.#makeEntry({ ownerId, file, stamp: '', bytes: 0 }, chain));
    }
    for (const state of known.values()) states.forget(state);
  }

  #makeEntry(seen: SeenDatabase, chain: DatabaseChain): Entry {
    return { ...seen, chain, isUnknown: false, isRunning: false, nextAt: 0, retryMs: FIRST_RETRY_MS };
  }

  #see(): void {
    const startedAt = performance.now();
    const found = this.#look.look();
    this.lookMs = performance.now() - startedAt;
    for (const seen of found) {
      const name = databaseName(seen);
      const entry = this.#entries.get(name);
      if (!entry) {
        const chain = new DatabaseChain(
          { ownerId: seen.ownerId, file: seen.file },
          undefined,
          0,
          this.#tools,
        );
        this.#entries.set(name, this.#makeEntry(seen, chain));
      } else if (entry.stamp !== seen.stamp) {
        Object.assign(entry, seen, { isUnknown: false });
      }
    }
  }

  #begin(entry: Entry, isUrgent = false): boolean {
    const isFull = entry.chain.isNextFull;
    const hasBegun = this.#lanes.begin({ ownerId: entry.ownerId, isFull, isUrgent }, () => this.#ship(entry));
    if (hasBegun) entry.isRunning = true;
    return hasBegun;
  }

  async #ship(entry: Entry): Promise<void> {
    const startedAt = performance.now();
    const { stamp } = entry;
    const { isNextFull } = entry.chain;
    try {
      const isThere = await entry.chain.advance(stamp);
      if (!isThere) {
        entry.chain.forget();
        if (entry.stamp === stamp) entry.isUnknown = true;
      }
      entry.problem = undefined;
      entry.retryMs = FIRST_RETRY_MS;
      this.#pauseMs = 0;
      const endedAt = performance.now();
      // What comes after a full copy takes far less.
      const pauseMs = isNextFull ? endedAt - startedAt : (endedAt - startedAt) / MAX_SHARE;
      entry.nextAt = startedAt + Math.max(EVERY_MS, pauseMs);
    } catch (error) {
      this.#fail(entry, error as Error);
    } finally {
      entry.isRunning = false;
    }
  }

  #fail(entry: Entry, error: Error): void {
    entry.problem = error;
    entry.nextAt = performance.now() + entry.retryMs;
    if (error instanceof PlaceError) {
      this.#pauseMs = Math.min(MAX_RETRY_MS, Math.max(FIRST_RETRY_MS, 2 * this.#pauseMs));
      this.#pausedUntil = performance.now() + this.#pauseMs;
    } else entry.retryMs = Math.min(MAX_RETRY_MS, 2 * entry.retryMs);
  }

  /** Databases that are in the replica and not here any more, and since when. */
  async #noteGone(
    databases: Map<string, DatabaseSegmentName[]>,
    now: number,
  ): Promise<Record<string, number>> {
    const before = await readGone(this.options.destination, GONE);
    const gone: Record<string, number> = {};
    for (const name of databases.keys()) {
      const entry = this.#entries.get(name);
      // After a start it is not certain yet that it is still gone.
      const since = entry?.isUnknown ? (before[name] ?? now) : entry?.stamp ? undefined : before[name];
      if (since !== undefined) gone[name] = since;
    }
    if (Object.keys(gone).length + Object.keys(before).length > 0)
      await writeGone(this.options.destination, GONE, gone);
    return gone;
  }

  #isBeingShipped(key: string): boolean {
    return [...this.#entries.values()].some(
      (entry) => entry.isRunning && key.startsWith(`${DATABASES}${databaseName(entry)}/`),
    );
  }
}

const isWaiting = ({ chain, stamp, isUnknown }: Entry) => !isUnknown && chain.stamp !== stamp;
