import { AppError } from '../../../lib/errors.ts';
import { KeptBytes } from '../../../lib/live/kept-bytes.ts';
import { RestingQueue } from '../../../lib/live/rerun.ts';
import type { Events, LiveEvent } from '../../../platform/coordination/events/index.ts';
import { type DataEvent, toChannel } from '../live/events.ts';
import type { ReadContext } from '../records/select.ts';
import { type ListReader, SharedList, type SharedQuery } from './shared-list.ts';

/** Different live lists of one page. Equal ones count once. */
export const MAX_LISTS_PER_PAGE = 1_000;
/** Those of them that readers from one address have asked for first. */
export const MAX_LISTS_OF_ADDRESS = 250;
/** What the lists of all pages may take of the memory, and those of one. One address gets a quarter of each. */
const KEPT_BYTES = { total: 256 * 1024 * 1024, share: 32 * 1024 * 1024 };

export interface LiveListsContext extends ReadContext {
  events: Events<DataEvent>;
}

/** Lists are read two at once, one for each address, and all together take a third of the time of one. */
const QUEUE = { width: 2, ownWidth: 1, rest: 5 };

/** A tab that follows lists. */
export interface Tab extends ListReader {
  /** Checks again what the tab can read. Until then, it gets nothing. */
  recheck(): void;
}

/** The live lists of one page that have readers. */
export class PageLists {
  readonly #context: LiveListsContext;
  readonly #lists = new Map<string, SharedList>();
  readonly #tabs = new Set<Tab>();
  readonly #queue = new RestingQueue(QUEUE);
  /** How many lists each address has asked for first. */
  readonly #bySource = new Map<string, number>();
  readonly #stop: () => void;
  #hasStarted = false;

  constructor(
    context: LiveListsContext,
    private readonly kept: KeptBytes,
    pageId: number,
  ) {
    this.#context = context;
    this.#stop = context.events.follow(toChannel(pageId), undefined, {
      onStart: () => this.#start(),
      onEvent: (event) => this.#take(event),
      onReset: () => this.#recheckAll(),
    });
  }

  get isUnused(): boolean {
    return this.#tabs.size === 0;
  }

  stop(): void {
    this.#stop();
    for (const list of this.#lists.values()) list.stop();
  }

  open(tab: Tab): void {
    this.#tabs.add(tab);
    // Access may have changed between the check at the gate and now. It is followed from now on.
    if (this.#hasStarted) tab.recheck();
  }

  close(tab: Tab): void {
    this.#tabs.delete(tab);
  }

  /** Lets a tab read a list. It is read first when changes are followed, so that none is missed. */
  join(shared: SharedQuery, tab: Tab): SharedList {
    const key = toKey(shared);
    const list = this.#lists.get(key) ?? this.#add(key, shared, tab.source);
    list.readers.add(tab);
    return list;
  }

  /** Ends that a tab reads a list. */
  leave(shared: SharedQuery, tab: Tab): void {
    const key = toKey(shared);
    const list = this.#lists.get(key);
    list?.readers.delete(tab);
    if (!list || list.readers.size > 0) return;
    list.stop();
    this.#lists.delete(key);
    this.#count(list.source, -1);
  }

  #add(key: string, shared: SharedQuery, source: string): SharedList {
    if (this.#lists.size >= MAX_LISTS_PER_PAGE) throw tooManyLists();
    if ((this.#bySource.get(source) ?? 0) >= MAX_LISTS_OF_ADDRESS) throw tooManyOfAddress();
    const kept = this.kept.keep(shared.page.id);
    const list = new SharedList(this.#context, { queue: this.#queue, kept, source }, shared);
    this.#lists.set(key, list);
    this.#count(source, 1);
    if (this.#hasStarted) list.refresh();
    return list;
  }

  #count(source: string, change: number): void {
    const count = (this.#bySource.get(source) ?? 0) + change;
    if (count > 0) this.#bySource.set(source, count);
    else this.#bySource.delete(source);
  }

  #start(): void {
    this.#hasStarted = true;
    // Access may have changed since the gate has let them in.
    for (const tab of this.#tabs) tab.recheck();
    for (const list of this.#lists.values()) list.refresh();
  }

  #take({ message, isUnsure }: LiveEvent<DataEvent>): void {
    if (message.kind !== 'write') {
      this.#recheckAll();
      return;
    }
    if (isUnsure) for (const tab of this.#tabs) tab.recheck();
    for (const list of this.#lists.values()) list.take(message);
  }

  /** Something other than one record may have changed: access, rules, or what was missed. */
  #recheckAll(): void {
    for (const tab of this.#tabs) tab.recheck();
    for (const list of this.#lists.values()) list.refresh();
  }
}

const toKey = ({ collection, author, query }: SharedQuery) => JSON.stringify([collection, author, query]);

function tooManyLists(): AppError {
  return new AppError(
    'RATE_LIMITED',
    'This page has {count} different live lists at once, which is the limit. Let visitors follow equal lists, which count once, or use find.',
    { count: MAX_LISTS_PER_PAGE },
  );
}

function tooManyOfAddress(): AppError {
  return new AppError(
    'RATE_LIMITED',
    'Your address has {count} different live lists of this page at once, which is the limit. End some of them first.',
    { count: MAX_LISTS_OF_ADDRESS },
  );
}

/** The live lists of all pages. */
export class LiveLists {
  readonly #pages = new Map<string, PageLists>();

  readonly #kept = new KeptBytes(KEPT_BYTES);

  constructor(private readonly context: LiveListsContext) {}

  /** Opens a tab. Returns the lists of its page, and a function that closes it. */
  open(pageId: number, storageType: string, tab: Tab): { lists: PageLists; close(): void } {
    const key = `${pageId} ${storageType}`;
    const lists = this.#pages.get(key) ?? new PageLists(this.context, this.#kept, pageId);
    this.#pages.set(key, lists);
    lists.open(tab);
    return {
      lists,
      close: () => {
        lists.close(tab);
        if (!lists.isUnused) return;
        lists.stop();
        this.#pages.delete(key);
      },
    };
  }
}
