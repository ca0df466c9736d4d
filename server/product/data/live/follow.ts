import { setImmediate } from 'node:timers/promises';
import type { Rules } from '../../../../contract/data/collection-rules.ts';
import { createSemaphore } from '../../../lib/queues.ts';
import type { Events, LiveEvent } from '../../../platform/coordination/events/index.ts';
import { type EventStreams, encodeEvent } from '../../../platform/http/index.ts';
import { type DataActor, may } from '../access.ts';
import type { RulesByName } from '../collections/collection.ts';
import { type AccessEvent, channelOf, type DataEvent, type WriteEvent } from './events.ts';
import { canFollow, type Follower } from './follower.ts';

/** The longest time that a timer can wait. */
const MAX_WAIT_MS = 2 ** 31 - 1;

/**
 * A change of a page is checked for all its followers, and SQLite answers without waiting: other requests get their turn
 * after so many.
 */
const CHECKS_PER_TURN = 50;
const inTurns = createSemaphore(CHECKS_PER_TURN, Number.POSITIVE_INFINITY);

/** One stream for everything that a tab follows. */
export function followRecords(
  streams: EventStreams,
  events: Events<DataEvent>,
  follower: Follower,
  { request, address }: { request: Request; address: string },
): Response {
  /** The last event received before the connection broke. */
  const lastEventId = request.headers.get('last-event-id') ?? undefined;
  const begin = (stream: Stream) => new Following(follower, stream).start(events, lastEventId);
  return streams.open(request.signal, begin, { userId: follower.actor?.userId, address });
}

interface Stream {
  send(bytes: Uint8Array): void;
  end(): void;
}

/** Sends the events of a page that the follower can read. */
class Following {
  readonly #follower: Follower;
  readonly #stream: Stream;
  readonly #collections: Set<string>;
  #actor: DataActor | undefined;
  #rules: RulesByName;
  /** Set while access is checked again. Events that arrive meanwhile wait here. */
  #waiting: Array<() => void> | undefined;
  /** Checks access again when it is to end. */
  #ending: ReturnType<typeof setTimeout> | undefined;
  #isStopped = false;

  constructor(follower: Follower, stream: Stream) {
    this.#follower = follower;
    this.#stream = stream;
    this.#collections = new Set(follower.collections);
    this.#actor = follower.actor;
    this.#rules = follower.rules;
  }

  /** Returns a function that stops it. */
  start(events: Events<DataEvent>, lastEventId: string | undefined): () => void {
    /** Set if events have to be read from another place: access may have changed since the gate. */
    let isLate = false;
    const stop = events.follow(channelOf(this.#follower.pageId), lastEventId, {
      onStart: (start) => (isLate ? void this.#recheck(() => this.#begin(start)) : this.#begin(start)),
      onEvent: (event) => this.#inTurn(() => this.#deliver(event)),
      onReset: (lastId) => this.#inTurn(() => void this.#recheck(() => this.#reset(lastId))),
    });
    isLate = true;
    this.#awaitEnd(this.#follower.endsAt);
    return () => {
      this.#isStopped = true;
      clearTimeout(this.#ending);
      stop();
    };
  }

  /**
   * Nothing happens at the moment when access ends, so nobody publishes it. Who passed a check after that moment is
   * somebody for whom access does not end.
   */
  #awaitEnd(endsAt: number | null, checkedAt = 0): void {
    clearTimeout(this.#ending);
    if (endsAt === null || endsAt <= checkedAt || this.#isStopped) return;
    const waitMs = Math.min(Math.max(endsAt - Date.now(), 0), MAX_WAIT_MS);
    this.#ending = setTimeout(() => this.#inTurn(() => void this.#recheck()), waitMs);
  }

  #inTurn(work: () => void): void {
    if (this.#waiting) this.#waiting.push(work);
    else work();
  }

  #deliver({ id, message, isUnsure }: LiveEvent<DataEvent>): void {
    if (message.kind === 'access changed') void this.#recheck(() => this.#resetIfRuled(id, message));
    else if (isUnsure) void this.#recheck(() => this.#send(id, message));
    else this.#send(id, message);
  }

  #send(id: string, write: WriteEvent): void {
    const { collection } = write.body;
    const isMeant =
      write.storageType === this.#follower.storageType &&
      this.#collections.has(collection) &&
      this.#mayRead(write, this.#rules.get(collection)) &&
      // A rule that was set before the write may not have been announced here yet.
      (write.read === undefined || this.#mayRead(write, { read: write.read }));
    if (!isMeant) return;
    write.bytes ??= encodeEvent({ id, data: write.body });
    this.#stream.send(write.bytes);
  }

  #mayRead({ createdBy }: WriteEvent, rules: Rules | undefined): boolean {
    const { storageType } = this.#follower;
    return may(this.#actor, 'read', { createdBy }, { storageType, rules }) === 'allowed';
  }

  /** New rules show and hide records without changing them. */
  #resetIfRuled(id: string, { ruled }: AccessEvent): void {
    if (ruled !== undefined && this.#collections.has(ruled)) this.#reset(id);
  }

  #reset(id: string): void {
    this.#stream.send(encodeEvent({ id, name: 'reset', data: { type: 'reset' } }));
  }

  /** Checks access again. If the follower keeps it, continues with `goOn`, then with the waiting events. */
  async #recheck(goOn?: () => void): Promise<void> {
    this.#waiting = [];
    const { storageType } = this.#follower;
    const checkedAt = Date.now();
    const now = await this.#check();
    if (this.#isStopped) return;
    const mayGoOn =
      now?.storageType === storageType && canFollow(now.actor, storageType, this.#collections, now.rules);
    if (!now || !mayGoOn) return this.#stream.end();
    this.#actor = now.actor;
    this.#rules = now.rules;
    this.#awaitEnd(now.endsAt, checkedAt);
    const waiting = this.#waiting;
    this.#waiting = undefined;
    goOn?.();
    for (const work of waiting) this.#inTurn(work);
  }

  async #check() {
    const check = async () => {
      const found = this.#isStopped ? undefined : await this.#follower.recheck();
      await setImmediate();
      return found;
    };
    return inTurns(check, neverRefused).catch(() => undefined);
  }

  #begin({ missed, lastId }: { missed: LiveEvent<DataEvent>[] | undefined; lastId: string }): void {
    for (const { id, message } of missed ?? []) {
      // Access has just been checked.
      if (message.kind === 'write') this.#send(id, message);
      else this.#resetIfRuled(id, message);
    }
    if (!missed) this.#reset(lastId);
    // Sends an id immediately, so that a connection that breaks before the first event can be resumed too.
    this.#stream.send(encodeEvent({ id: lastId, name: 'open', data: {} }));
  }
}

function neverRefused(): Error {
  return new Error('any number can wait');
}
