import { AppError } from '../../../lib/errors.ts';
import { KeptBytes } from '../../../lib/live/kept-bytes.ts';
import { RestingQueue } from '../../../lib/live/rerun.ts';
import type { Broadcast } from '../../../platform/coordination/events/index.ts';
import { type CallReader, type LiveCallsContext, SharedCall, type SharedQuery } from './shared-call.ts';
import { WatchedDatabases } from './watched-databases.ts';

/** Different live calls at once. Equal ones count once. */
export const MAX_CALLS = { page: 1_000, owner: 2_000 };
/** Those that readers from one address have asked for first, of all owners. */
export const MAX_CALLS_OF_ADDRESS = 250;
/** What the results of all owners may take of the memory, and those of one. One address gets a quarter of each. */
const KEPT_BYTES = { total: 256 * 1024 * 1024, share: 32 * 1024 * 1024 };
/** How the live calls of one owner run: some at once, fewer for each address. */
const QUEUE = { width: 4, ownWidth: 2, rest: 2 };

/** A tab that follows calls. */
export interface Tab extends CallReader {
  pageId: number;
  /** Checks again who the reader is, and what they can see. Until then, they get nothing. */
  recheck(): void;
}

/** The live calls of all pages. */
export class LiveCalls {
  readonly #calls = new Map<string, SharedCall>();
  readonly #tabs = new Map<number, Set<Tab>>();
  readonly #queues = new Map<number, RestingQueue>();
  readonly #counts = new Map<string, number>();
  readonly #kept = new KeptBytes(KEPT_BYTES);
  readonly #watched: WatchedDatabases;

  constructor(private readonly context: LiveCallsContext & { broadcast: Broadcast }) {
    const { broadcast, databases, registry } = context;
    this.#watched = new WatchedDatabases(databases);
    registry.onChange((id) => this.#functionChanged(id));
    broadcast.subscribe('live call access', (pageId) => this.#recheck(Number(pageId)));
    broadcast.onGap(() => {
      for (const pageId of this.#tabs.keys()) this.#recheck(pageId);
      for (const call of this.#calls.values()) call.refresh();
    });
  }

  /** Checks all tabs of a page, at all nodes. */
  accessChanged(pageId: number): void {
    this.#recheck(pageId);
    this.context.broadcast.publish('live call access', pageId);
  }

  open(tab: Tab): void {
    const tabs = this.#tabs.get(tab.pageId) ?? new Set();
    this.#tabs.set(tab.pageId, tabs.add(tab));
  }

  close(tab: Tab): void {
    const tabs = this.#tabs.get(tab.pageId);
    tabs?.delete(tab);
    if (tabs?.size === 0) this.#tabs.delete(tab.pageId);
  }

  /** Lets a tab follow a call. */
  join(query: SharedQuery, tab: Tab): SharedCall {
    const key = toKey(query);
    const call = this.#calls.get(key) ?? this.#add(key, query, tab);
    call.readers.add(tab);
    return call;
  }

  /** Ends that a tab follows a call. */
  leave(call: SharedCall, tab: Tab): void {
    call.readers.delete(tab);
    const key = toKey(call.query);
    if (call.readers.size > 0 || this.#calls.get(key) !== call) return;
    call.stop();
    this.#calls.delete(key);
    for (const [name] of this.#countsFor(call.query, call.options)) this.#count(name, -1);
    const { ownerId } = call.query;
    if (!this.#counts.has(`owner ${ownerId}`)) this.#queues.delete(ownerId);
  }

  #add(key: string, query: SharedQuery, { pageId, source }: Tab): SharedCall {
    const counts = this.#countsFor(query, { pageId, source });
    for (const [name, most] of counts) if ((this.#counts.get(name) ?? 0) >= most) throw tooMany(most);
    for (const [name] of counts) this.#count(name, 1);
    const queue = this.#queues.get(query.ownerId) ?? new RestingQueue(QUEUE);
    this.#queues.set(query.ownerId, queue);
    const kept = this.#kept.keep(query.ownerId);
    const options = { queue, kept, watched: this.#watched, pageId, source };
    const call = new SharedCall(this.context, query, options);
    this.#calls.set(key, call);
    call.refresh();
    return call;
  }

  #countsFor({ ownerId }: SharedQuery, { pageId, source }: { pageId: number; source: string }) {
    return [
      [`page ${pageId}`, MAX_CALLS.page],
      [`owner ${ownerId}`, MAX_CALLS.owner],
      [`address ${source}`, MAX_CALLS_OF_ADDRESS],
    ] as const;
  }

  #count(name: string, change: number): void {
    const count = (this.#counts.get(name) ?? 0) + change;
    if (count > 0) this.#counts.set(name, count);
    else this.#counts.delete(name);
  }

  #recheck(pageId: number): void {
    for (const tab of this.#tabs.get(pageId) ?? []) tab.recheck();
  }

  #functionChanged(id: number): void {
    for (const call of this.#calls.values()) if (call.query.functionId === id) call.refresh();
  }
}

const toKey = ({ functionId, body, who }: SharedQuery) => JSON.stringify([functionId, body, who]);

function tooMany(count: number): AppError {
  return new AppError(
    'RATE_LIMITED',
    'There are {count} different live calls at once, which is the limit. Let visitors follow equal calls, which count once, or use PageFunctions.call.',
    { count },
  );
}
