import { setImmediate } from 'node:timers/promises';
import type { Rules } from '../../../../contract/data/collection-rules.ts';
import type { RecordResponse } from '../../../../contract/data/records.ts';
import { createSemaphore } from '../../../lib/queues.ts';
import type { Events } from '../../../platform/coordination/events/index.ts';
import { type EventStreams, encodeEvent } from '../../../platform/http/index.ts';
import { type DataActor, may } from '../access/access.ts';
import type { RulesByName } from '../collections/collection.ts';
import { type DataEvent, toChannel, type WriteEvent } from './events.ts';
import { type Checked, canFollow, type Follower } from './follower.ts';
import { readEventId, toEventId } from './missed.ts';
import { type FollowedEvent, isCertain, LOST, presentBody, type Step, toSteps } from './replay.ts';

/** The longest time that a timer can wait. */
const MAX_WAIT_MS = 2 ** 31 - 1;

/**
 * Followers that are checked in one turn of the event loop. SQLite answers without waiting: other requests get a turn
 * only in between.
 */
const CHECKS_PER_TURN = 50;
/** Records that are read at a time: each can have 256 KB. */
const STEPS_AT_ONCE = 20;
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
  /** Set while the follower catches up. Events that arrive meanwhile wait here. */
  #waiting: FollowedEvent[] | undefined;
  /** The timer that checks access again when it ends. */
  #ending: ReturnType<typeof setTimeout> | undefined;
  #isStopped = false;

  constructor(follower: Follower, stream: Stream) {
    this.#follower = follower;
    this.#stream = stream;
    this.#collections = new Set(follower.collections);
    this.#actor = follower.actor;
    this.#rules = follower.rules;
  }

  /** Starts to send events. Returns a function that stops it. */
  start(events: Events<DataEvent>, lastEventId: string | undefined): () => void {
    /** Set if missed events have to be read: access may have changed since the gate. */
    let isLate = false;
    const { after, at } = readEventId(lastEventId);
    const stop = events.follow(toChannel(this.#follower.pageId), after, {
      onStart: (start) => this.#begin(start, isLate, at),
      onEvent: (event) => this.#deliver(event),
      onReset: (id) => this.#deliver({ id, message: LOST }),
    });
    isLate = true;
    this.#awaitEnd(this.#follower.endsAt);
    return () => {
      this.#isStopped = true;
      clearTimeout(this.#ending);
      stop();
    };
  }

  #begin(
    { missed, lastId }: { missed: FollowedEvent[] | undefined; lastId: string },
    isLate: boolean,
    at: number | undefined,
  ): void {
    // Sends an id immediately, so that a connection that breaks before the first event can be resumed too.
    const open = () => this.#stream.send(encodeEvent({ id: this.#toId(lastId), name: 'open', data: {} }));
    // The channel has forgotten the position, for example because the server was restarted.
    if (!missed && at !== undefined) return void this.#catchUpFromLog(at, lastId, open);
    // It is certain which records the reader knows only if access did not change meanwhile.
    const isKnown = missed?.every(({ message }) => message.kind === 'write');
    const events = missed && isKnown ? missed : [{ id: lastId, message: LOST }];
    if (isLate || (isKnown && events.length > 0)) return void this.#catchUp(events, open);
    if (!isKnown) this.#reset(lastId);
    open();
  }

  /**
   * Checks access again when it ends, because nobody publishes that moment. A follower who passed a check after it is
   * one whose access does not end.
   */
  #awaitEnd(endsAt: number | null, checkedAt = 0): void {
    clearTimeout(this.#ending);
    if (endsAt === null || endsAt <= checkedAt || this.#isStopped) return;
    const waitMs = Math.min(Math.max(endsAt - this.#follower.now(), 0), MAX_WAIT_MS);
    this.#ending = setTimeout(() => this.#deliver({ id: '', message: { kind: 'access changed' } }), waitMs);
  }

  #deliver(event: FollowedEvent): void {
    if (this.#waiting) this.#waiting.push(event);
    else if (isCertain(event)) this.#send(event.id, event.message);
    else void this.#catchUp([event]);
  }

  #send(id: string, write: WriteEvent): void {
    if (!this.#isMeant(write)) return;
    write.bytes ??= encodeEvent({ id: toEventId(id, write.at), data: write.body });
    this.#stream.send(write.bytes);
  }

  #isMeant(write: WriteEvent): boolean {
    const { collection } = write.body;
    return (
      write.storageType === this.#follower.storageType &&
      this.#collections.has(collection) &&
      this.#mayRead(write, this.#rules.get(collection)) &&
      // A rule that was set before the write may not have been published to this node yet.
      (write.read === undefined || this.#mayRead(write, { read: write.read }))
    );
  }

  #mayRead({ createdBy }: WriteEvent, rules: Rules | undefined): boolean {
    const { storageType } = this.#follower;
    return may(this.#actor, 'read', { createdBy }, { storageType, rules }) === 'allowed';
  }

  #reset(id: string): void {
    this.#stream.send(encodeEvent({ id: this.#toId(id), name: 'reset', data: { type: 'reset' } }));
  }

  /** The id of an event that is about now. */
  #toId(id: string): string {
    return toEventId(id, this.#follower.now());
  }

  /**
   * Checks access again, and sends the records of earlier events as they are now. What an event
   * contains may have been deleted or changed since, or written while the follower had no access.
   */
  async #catchUp(events: FollowedEvent[], then?: () => void): Promise<void> {
    this.#waiting = [];
    const steps = toSteps(events, {
      isMeant: (write) => this.#isMeant(write),
      // New rules show and hide records without changing them.
      isReset: ({ kind, ruled }) =>
        kind === 'events lost' || (ruled !== undefined && this.#collections.has(ruled)),
    });
    await this.#walk(steps, !events.every(isCertain), then);
  }

  /** Sends what was missed since a time, from the record log. */
  async #catchUpFromLog(at: number, lastId: string, then: () => void): Promise<void> {
    this.#waiting = [];
    const steps = await this.#follower.findMissed(at).catch(() => undefined);
    await this.#walk(steps ?? [{ id: lastId }], true, then);
  }

  async #walk(steps: Step[], isAfterCheck: boolean, then?: () => void): Promise<void> {
    do {
      const some = steps.splice(0, STEPS_AT_ONCE);
      const checkedAt = this.#follower.now();
      const found = await this.#readAndCheck(some);
      if (this.#isStopped) return;
      if (!found || !this.#mayGoOn(found.now)) return this.#stream.end();
      this.#actor = found.now.actor;
      this.#rules = found.now.rules;
      this.#awaitEnd(found.now.endsAt, checkedAt);
      for (const step of some) this.#take(step, found.records);
    } while (steps.length > 0 && !this.#isStopped);
    then?.();
    this.#goOn(isAfterCheck);
  }

  /** Continues with events that arrived meanwhile. If access was checked, they may be from before the change. */
  #goOn(isAfterCheck: boolean): void {
    const waiting = this.#waiting ?? [];
    this.#waiting = undefined;
    if (isAfterCheck && waiting.length > 0) return void this.#catchUp(waiting);
    for (const event of waiting) this.#deliver(event);
  }

  #take(step: Step, records: Map<string, RecordResponse>): void {
    const { id, write } = step;
    if (!write) this.#reset(id);
    const present = write && this.#isMeant(write) && presentBody(step, records);
    if (present) this.#stream.send(encodeEvent({ id: toEventId(id, write.at), data: present }));
  }

  #mayGoOn({ actor, rules, storageType }: Checked): boolean {
    return (
      storageType === this.#follower.storageType && canFollow(actor, storageType, this.#collections, rules)
    );
  }

  /** Reads records, then checks access, so that nothing is sent that was written after access had ended. */
  #readAndCheck(steps: Step[]) {
    const writes = steps.flatMap(({ write }) => write ?? []);
    const work = async () => {
      if (this.#isStopped) return undefined;
      const records = await this.#follower.read(writes.map(({ body }) => body));
      const now = await this.#follower.recheck();
      await setImmediate();
      return { records, now };
    };
    return inTurns(work, neverRefused).catch(() => undefined);
  }
}

function neverRefused(): Error {
  return new Error('any number can wait');
}
