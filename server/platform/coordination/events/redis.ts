import type { Redis } from '../redis/index.ts';
import type { Broadcast } from './broadcast.ts';
import type { Events, Listener, LiveEvent } from './events.ts';
import { createPending, type Pending } from './pending.ts';
import {
  ERA_KEY,
  eventsToKeep,
  isAfter,
  isId,
  NOWHERE,
  OPEN,
  PUBLISH,
  readOpened,
  readSent,
} from './stream-scripts.ts';

/** A channel that nobody has followed for so long is forgotten. */
const KEEP_MS = 10 * 60_000;
const REFRESH_MS = 2 * 60_000;
const RETRY_MS = 500;
/** Nobody waits for it, and large events take a while. */
const PUBLISH_MS = 2_000;
/** Of what was told directly only the last can come by Redis too: the rest was never sent. */
const MAX_TOLD = 10_000;
/** How many channels are taken up at the same time: each has to be answered before it is late. */
const AT_ONCE = 100;
/** What is published in place of a message when some were lost. */
const LOST = '';

interface Following<Message> {
  listener: Listener<Message>;
  /** What has been told so far; undefined until it begins, and while it is taken up again. */
  lastId: string | undefined;
  /** What comes while that is undefined. */
  waiting: Array<() => void>;
  isBegun: boolean;
}

interface Channel<Message> {
  name: string;
  followings: Set<Following<Message>>;
  /** Published here and not heard back yet. */
  pending: Pending<Message>;
}

/**
 * Events between nodes. What is published goes to Redis and comes back from there, to this node too, so that all hear
 * it in one order. While Redis cannot be heard, followers on this node are told directly; and whenever events may have
 * been lost to somebody, they hear a reset.
 */
export function createRedisEvents<Message>(redis: Redis, broadcast: Broadcast): Events<Message> {
  const channels = new Map<string, Channel<Message>>();
  /** Channels whose followers elsewhere did not hear what was published here. */
  const lost = new Set<string>();
  /** What was told here directly, should it come by Redis after all. */
  const told = new Set<string>();
  const send = redis.script('quirePublish', PUBLISH, PUBLISH_MS);
  const openStream = redis.script('quireOpen', OPEN);
  const open = (name: string, after: string) =>
    openStream(`events:${name}`, after, String(KEEP_MS), redis.prefix + ERA_KEY);
  let published = 0;
  /** Counts the times that Redis could not be heard. */
  let gaps = 0;

  function publish(name: string, message: Message): void {
    const mark = `${redis.node}.${++published}`;
    const text = JSON.stringify(message);
    const channel = channels.get(name);
    if (redis.isHearing) channel?.pending.add(mark, message);
    else if (channel) tellDirectly(channel, mark, message);
    const keep = String(eventsToKeep(Buffer.byteLength(text)));
    send(`events:${name}`, mark, text, keep)
      .catch(() => lose(name))
      .finally(() => channel?.pending.sent(mark));
  }

  function lose(name: string): void {
    lost.add(name);
    // While Redis is away there is nothing to try: it is said when it is back.
    if (redis.isHearing) setTimeout(sayLost, RETRY_MS).unref();
  }

  /** Makes followers elsewhere look for themselves. */
  function sayLost(): void {
    for (const name of redis.isHearing ? [...lost] : []) {
      lost.delete(name);
      send(`events:${name}`, redis.node, LOST, String(eventsToKeep(0))).catch(() => lose(name));
    }
  }

  function tellDirectly(channel: Channel<Message>, mark: string, message: Message): void {
    told.add(mark);
    if (told.size > MAX_TOLD) told.delete(told.values().next().value ?? '');
    tell(channel, { id: NOWHERE, message, isUnsure: true });
  }

  function tell(channel: Channel<Message>, event: LiveEvent<Message>): void {
    for (const following of channel.followings)
      pass(following, event.id, () => following.listener.hear(event));
  }

  /** Does it now, or when the following is where it can be done; not at all when this was told already. */
  function pass(following: Following<Message>, id: string, work: () => void): void {
    if (following.lastId === undefined) {
      following.waiting.push(() => pass(following, id, work));
      return;
    }
    if (id !== NOWHERE) {
      if (!isAfter(id, following.lastId)) return;
      following.lastId = id;
    }
    work();
  }

  function hear(channel: Channel<Message>, sent: string): void {
    const { id, mark, text } = readSent(sent);
    if (told.delete(mark)) return;
    if (text !== LOST) {
      const message = channel.pending.take(mark) ?? (JSON.parse(text) as Message);
      tell(channel, { id, message });
      return;
    }
    // What this node lost, its own followers hear of when it takes its channels up.
    if (mark === redis.node) return;
    for (const following of channel.followings) pass(following, id, () => following.listener.reset(id));
  }

  async function enter(channel: Channel<Message>, after: string) {
    const gapsBefore = gaps;
    if (!redis.isHearing) throw new Error('Redis cannot be heard');
    await redis.subscribe(`events:${channel.name}`, (sent) => hear(channel, sent));
    const opened = readOpened(await open(channel.name, after));
    if (gaps !== gapsBefore) throw new Error('Redis could not be heard for a moment');
    return opened;
  }

  function goOn(following: Following<Message>, lastId: string, work: () => void): void {
    following.lastId = lastId;
    work();
    for (const waiting of following.waiting.splice(0)) waiting();
  }

  async function begin(channel: Channel<Message>, following: Following<Message>, after: string | undefined) {
    let lastId = NOWHERE;
    let missed: LiveEvent<Message>[] | undefined;
    try {
      const opened = await enter(channel, after !== undefined && isId(after) ? after : '');
      lastId = opened.lastId;
      missed = opened.missed?.map(([id, text]) => ({ id, message: JSON.parse(text) as Message }));
    } catch {
      takeUpSoon(channel);
    }
    if (!channel.followings.has(following)) return;
    following.isBegun = true;
    const start = { missed: after === undefined ? [] : missed, lastId };
    goOn(following, lastId, () => following.listener.begin(start));
  }

  /** Takes a channel up again after events may have been lost to its followers here. */
  async function takeUp(channel: Channel<Message>): Promise<void> {
    const followings = [...channel.followings].filter(({ isBegun }) => isBegun);
    for (const following of followings) following.lastId = undefined;
    try {
      const { lastId } = await enter(channel, '');
      for (const following of followings) goOn(following, lastId, () => following.listener.reset(lastId));
    } catch {
      for (const following of followings) goOn(following, NOWHERE, () => undefined);
      takeUpSoon(channel);
    }
  }

  async function takeUpAll(): Promise<void> {
    const all = [...channels.values()];
    while (all.length > 0) await Promise.all(all.splice(0, AT_ONCE).map(takeUp));
  }

  /** While Redis is away there is nothing to try: all channels are taken up when it is back. */
  function takeUpSoon(channel: Channel<Message>): void {
    const again = () => {
      if (redis.isHearing && channels.get(channel.name) === channel) void takeUp(channel);
    };
    setTimeout(again, RETRY_MS).unref();
  }

  redis.onHearing((isHearing) => {
    if (isHearing) return;
    gaps++;
    for (const channel of channels.values())
      for (const [mark, message] of channel.pending.takeAll()) tellDirectly(channel, mark, message);
  });
  broadcast.onGap(() => {
    // A beat has come round, and so has all that was sent before it.
    told.clear();
    void takeUpAll();
    sayLost();
  });

  const refreshing = setInterval(() => {
    for (const name of channels.keys()) open(name, '').catch(() => undefined);
  }, REFRESH_MS);

  return {
    publish,
    follow(name, after, listener) {
      const channel = channels.get(name) ?? { name, followings: new Set(), pending: createPending() };
      channels.set(name, channel);
      const following: Following<Message> = { listener, lastId: undefined, waiting: [], isBegun: false };
      channel.followings.add(following);
      void begin(channel, following, after);
      return () => {
        channel.followings.delete(following);
        if (channel.followings.size > 0 || channels.get(name) !== channel) return;
        channels.delete(name);
        redis.unsubscribe(`events:${name}`);
      };
    },
    stop: () => clearInterval(refreshing),
  };
}
