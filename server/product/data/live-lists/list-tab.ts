import { setImmediate } from 'node:timers/promises';
import type { LiveRefusal } from '../../../../contract/data/live-lists.ts';
import type { ListQuery } from '../../../../contract/data/records.ts';
import { AppError } from '../../../lib/errors.ts';
import { createSemaphore } from '../../../lib/queues.ts';
import { type EventStream, encodeEvent } from '../../../platform/http/index.ts';
import { type DataActor, findReach } from '../access/access.ts';
import { demandAccess } from '../access/data-target.ts';
import type { RulesByName } from '../collections/collection.ts';
import { type Checked, canFollow, type Follower } from '../live/follower.ts';
import { findAuthor } from '../records/select.ts';
import type { LiveLists, PageLists, Tab } from './page-lists.ts';
import type { ListState, SharedList, SharedQuery } from './shared-list.ts';

/** The longest time that a timer can wait. */
const MAX_WAIT_MS = 2 ** 31 - 1;
/** Tabs that are checked in one turn of the event loop: other requests get a turn only in between. */
const CHECKS_PER_TURN = 50;
const inTurns = createSemaphore(CHECKS_PER_TURN, Number.POSITIVE_INFINITY);

/** A list that a tab asks for. */
export interface AskedList {
  /** Chosen by the tab. */
  id: string;
  collection: string;
  query: ListQuery;
  /** The hash of what the tab has. */
  known: string | undefined;
}

/** A list that a tab follows. */
interface Followed extends AskedList {
  shared: SharedQuery;
  list: SharedList;
}

/** One stream with all live lists of a tab. It sends only what its reader can read now. */
export class ListTab implements Tab {
  readonly source: string;
  readonly #follower: Follower;
  readonly #stream: EventStream;
  readonly #followed = new Map<string, Followed>();
  #lists: PageLists | undefined;
  #actor: DataActor | undefined;
  #rules: RulesByName;
  /** How often access must still be checked. Nothing is sent meanwhile. */
  #checks = 0;
  #isStopped = false;
  #ending: ReturnType<typeof setTimeout> | undefined;

  constructor(follower: Follower, stream: EventStream, source: string) {
    this.source = source;
    this.#follower = follower;
    this.#stream = stream;
    this.#actor = follower.actor;
    this.#rules = follower.rules;
  }

  /** Follows lists. Returns a function that ends it. */
  start(all: LiveLists, asked: AskedList[]): () => void {
    const { pageId, storageType, endsAt } = this.#follower;
    const { lists, close } = all.open(pageId, storageType, this);
    this.#lists = lists;
    this.#stream.send(encodeEvent({ name: 'open', data: {} }));
    for (const each of asked) this.#follow(each);
    for (const followed of this.#followed.values()) this.#send(followed);
    this.#awaitEnd(endsAt);
    return () => {
      this.#isStopped = true;
      clearTimeout(this.#ending);
      for (const { shared } of this.#followed.values()) lists.leave(shared, this);
      close();
    };
  }

  changed(list: SharedList): void {
    if (this.#checks > 0) return;
    for (const followed of this.#followed.values()) if (followed.list === list) this.#send(followed);
  }

  failed(list: SharedList, error: AppError): void {
    for (const followed of this.#followed.values()) {
      if (followed.list !== list) continue;
      this.#unfollow(followed);
      this.#refuse(followed.id, error);
    }
  }

  recheck(): void {
    this.#checks++;
    // Another check goes on, and is repeated.
    if (this.#checks === 1) void this.#check();
  }

  async #check(): Promise<void> {
    for (;;) {
      const checks = this.#checks;
      const checkedAt = this.#follower.now();
      const now = await inTurns(async () => {
        const found = this.#isStopped ? undefined : await this.#follower.recheck();
        await setImmediate();
        return found;
      }, neverRefused).catch(() => undefined);
      if (this.#isStopped) return;
      // The tab opens another stream, and learns why that is refused.
      if (!now || !this.#mayGoOn(now)) return this.#stream.end();
      this.#actor = now.actor;
      this.#rules = now.rules;
      this.#awaitEnd(now.endsAt, checkedAt);
      this.#checks -= checks;
      if (this.#checks === 0) return this.#goOn();
    }
  }

  #mayGoOn({ actor, rules, storageType }: Checked): boolean {
    const names = [...this.#followed.values()].map(({ collection }) => collection);
    return storageType === this.#follower.storageType && canFollow(actor, storageType, names, rules);
  }

  /** Follows the lists that the reader can read now, which may have other records than before. */
  #goOn(): void {
    for (const { list, shared, ...asked } of [...this.#followed.values()]) {
      const { collection, query } = asked;
      const author = this.#tryFindAuthor(collection, query);
      if (typeof author === 'object' || author !== shared.author) {
        this.#unfollow({ list, shared, ...asked });
        this.#follow(asked);
      }
      const followed = this.#followed.get(asked.id);
      if (followed) this.#send(followed);
    }
  }

  #follow(asked: AskedList): void {
    const { pageId, storageType } = this.#follower;
    const page = { id: pageId };
    const { collection, query } = asked;
    const author = this.#tryFindAuthor(collection, query);
    if (typeof author === 'object') {
      this.#refuse(asked.id, author);
      return;
    }
    const shared = { page, storageType, collection, query, author };
    try {
      const list = this.#lists?.join(shared, this);
      if (list) this.#followed.set(asked.id, { ...asked, shared, list });
    } catch (error) {
      this.#refuse(asked.id, error);
    }
  }

  #unfollow({ id, shared, list }: Followed): void {
    this.#followed.delete(id);
    const isElsewhere = [...this.#followed.values()].some((other) => other.list === list);
    if (!isElsewhere) this.#lists?.leave(shared, this);
  }

  /** The author whose records alone the reader gets, if there is one, or why they get nothing. */
  #tryFindAuthor(collection: string, { mine }: ListQuery): number | undefined | AppError {
    const { storageType } = this.#follower;
    const target = { actor: this.#actor, storageType };
    const rules = this.#rules.get(collection);
    try {
      demandAccess(target, 'read', { rules });
      return findAuthor(target, mine === 'true', rules)?.userId;
    } catch (error) {
      if (error instanceof AppError) return error;
      throw error;
    }
  }

  #send(followed: Followed): void {
    const { list, id, known } = followed;
    if (this.#isStopped || this.#checks > 0 || !list.state || !this.#mayRead(followed, list.state)) return;
    const bytes = list.eventFor(id, known);
    followed.known = list.state.hash;
    if (bytes) this.#stream.send(bytes);
  }

  /** Checks also the rules that were read with the records: this node may not have heard of them yet. */
  #mayRead({ collection, shared }: Followed, state: ListState): boolean {
    const { storageType } = this.#follower;
    return [state.rules, this.#rules.get(collection)].every((rules) => {
      const reach = findReach(this.#actor, 'read', { storageType, rules });
      return reach === 'all' || (reach === 'own' && shared.author === this.#actor?.userId);
    });
  }

  #refuse(id: string, error: unknown): void {
    this.#stream.send(encodeEvent({ data: toRefusal(id, error) }));
  }

  /** Checks access again when it ends, because nobody publishes that moment. */
  #awaitEnd(endsAt: number | null, checkedAt = 0): void {
    clearTimeout(this.#ending);
    if (endsAt === null || endsAt <= checkedAt || this.#isStopped) return;
    const waitMs = Math.min(Math.max(endsAt - this.#follower.now(), 0), MAX_WAIT_MS);
    this.#ending = setTimeout(() => this.recheck(), waitMs);
  }
}

export function toRefusal(id: string, error: unknown): LiveRefusal {
  const known = error instanceof AppError ? error : new AppError('UNAVAILABLE', 'Try again in a moment.');
  return { id, status: known.status, code: known.code, error: known.message };
}

function neverRefused(): Error {
  return new Error('any number can wait');
}
