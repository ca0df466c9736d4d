import { z } from 'zod';
import type { Broadcast } from '../../../platform/coordination/events/index.ts';
import type { Log } from '../../../platform/http/index.ts';
import type { Db } from '../../../platform/storage/index.ts';
import { type LogRow, listLogs, listLogsByIds } from './store.ts';

/** How far back entries are read again: other nodes have their own clocks, and write a little later. */
const LEEWAY_MS = 10_000;

/** A message between nodes: the ids of the entries that a node has written, by function. */
const Written = z.array(z.tuple([z.number(), z.array(z.number())]));

/**
 * A reader of a function's log: gets entries as they are stored, those of one node in order. After a time without
 * messages from other nodes, some may be repeated.
 */
export type Follower = (rows: LogRow[]) => void;

interface FollowersOptions {
  db: Db;
  log: Log;
  now: () => number;
  /** Messages to and from the other nodes. Followers here get their entries too, within about a second. */
  broadcast: Broadcast;
  /** The maximum number of entries of a function that are read again. */
  most: number;
}

/** The followers of function logs, here and on the other nodes. */
export class LogFollowers {
  readonly #options: FollowersOptions;
  readonly #followers = new Map<number, Set<Follower>>();

  constructor(options: FollowersOptions) {
    this.#options = options;
    options.broadcast.subscribe('logs', (message) => this.#quietly(this.#hearOthers(message)));
    options.broadcast.onGap((gapMs) => this.catchUp(gapMs));
  }

  has(functionId: number): boolean {
    return this.#followers.has(functionId);
  }

  add(functionId: number, follower: Follower): () => void {
    const following = this.#followers.get(functionId) ?? new Set();
    this.#followers.set(functionId, following.add(follower));
    return () => {
      following.delete(follower);
      if (following.size === 0 && this.#followers.get(functionId) === following)
        this.#followers.delete(functionId);
    };
  }

  /** Sends entries that this node has written to followers on all nodes. */
  publish(rows: LogRow[]): void {
    const { broadcast } = this.#options;
    this.#send(rows);
    if (broadcast.isSingleNode || rows.length === 0) return;
    const written = Map.groupBy(rows, (row) => row.function_id);
    const ids: z.input<typeof Written> = [...written].map(([id, own]) => [id, own.map((row) => row.id)]);
    broadcast.publish('logs', ids);
  }

  /** Reads entries that other nodes may have written while their messages did not arrive. */
  catchUp(gapMs: number): void {
    this.#quietly(this.#readMissed(gapMs));
  }

  #send(rows: LogRow[]): void {
    for (const [id, following] of this.#followers) {
      const own = rows.filter((row) => row.function_id === id);
      if (own.length > 0) for (const follower of [...following]) follower(own);
    }
  }

  async #hearOthers(message: unknown): Promise<void> {
    const ids = Written.parse(message).flatMap(([id, own]) => (this.#followers.has(id) ? own : []));
    if (ids.length > 0) this.#send(await listLogsByIds(this.#options.db, ids));
  }

  async #readMissed(gapMs: number): Promise<void> {
    const { db, now, most } = this.#options;
    const since = now() - gapMs - LEEWAY_MS;
    for (const id of [...this.#followers.keys()])
      this.#send((await listLogs(db, id, { limit: most, since })).reverse());
  }

  #quietly(work: Promise<void>): void {
    work.catch((error: unknown) =>
      this.#options.log.warn({ err: error }, 'function logs of other nodes could not be read'),
    );
  }
}
