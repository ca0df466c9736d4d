import type { Redis } from '../redis/index.ts';
import type { Broadcast } from './broadcast.ts';
import type { Events, Listener, LiveEvent } from './events.ts';
import { Follower } from './follower.ts';
import { Pending } from './pending.ts';
import {
  ERA_KEY,
  eventsToKeep,
  isId,
  NOWHERE,
  OPEN,
  PUBLISH,
  readOpened,
  readSent,
} from './stream-scripts.ts';

/** A channel without followers is forgotten after this long. */
const KEEP_MS = 10 * 60_000;
const REFRESH_MS = 2 * 60_000;
const RETRY_MS = 500;
/** No request waits for a publish, and large events take a while. */
const PUBLISH_MS = 2_000;
/** Only the latest locally delivered events can also arrive through Redis: the others were never sent. */
const MAX_LOCAL = 10_000;
/** How many channels resume at the same time: Redis must answer each before its time limit. */
const RESUME_AT_ONCE = 100;
/** Published in place of a message when some were lost. */
const LOST = '';

interface Channel<Message> {
  name: string;
  followers: Set<Follower<Message>>;
  /** Events that were published here and not yet received back. */
  pending: Pending<Message>;
}

/**
 * Events between nodes. A published event goes to Redis and comes back from there, to this node too, so that all nodes
 * see the same order. While messages from Redis do not arrive, followers on this node get events directly. A follower
 * that may have lost events gets a reset.
 */
export class RedisEvents<Message> implements Events<Message> {
  private readonly channels = new Map<string, Channel<Message>>();
  /** Channels whose followers on other nodes did not get what was published here. */
  private readonly lostChannels = new Set<string>();
  /** Marks of events that were delivered locally, in case they still arrive through Redis. */
  private readonly deliveredLocally = new Set<string>();
  private readonly send: ReturnType<Redis['script']>;
  private readonly openStream: ReturnType<Redis['script']>;
  private readonly refreshing: ReturnType<typeof setInterval>;
  private published = 0;
  /** How often messages from Redis stopped arriving. */
  private gaps = 0;

  constructor(
    private readonly redis: Redis,
    broadcast: Broadcast,
  ) {
    this.send = redis.script('quirePublish', PUBLISH, PUBLISH_MS);
    this.openStream = redis.script('quireOpen', OPEN);
    redis.onReceiving((isReceiving) => {
      if (!isReceiving) this.beginGap();
    });
    broadcast.onGap(() => {
      // A beat has come back, and so has every message that was sent before it.
      this.deliveredLocally.clear();
      void this.resumeAll();
      this.publishLosses();
    });
    this.refreshing = setInterval(() => {
      for (const name of this.channels.keys()) this.open(name, '').catch(() => undefined);
    }, REFRESH_MS);
  }

  publish(name: string, message: Message): void {
    const mark = `${this.redis.node}.${++this.published}`;
    const text = JSON.stringify(message);
    const channel = this.channels.get(name);
    if (this.redis.isReceiving) channel?.pending.add(mark, message);
    else if (channel) this.deliverLocally(channel, mark, message);
    const keep = String(eventsToKeep(Buffer.byteLength(text)));
    this.send(`events:${name}`, mark, text, keep)
      .catch(() => this.lose(name))
      .finally(() => channel?.pending.sent(mark));
  }

  follow(name: string, after: string | undefined, listener: Listener<Message>): () => void {
    const channel = this.channels.get(name) ?? { name, followers: new Set(), pending: new Pending() };
    this.channels.set(name, channel);
    const follower = new Follower(listener);
    channel.followers.add(follower);
    void this.start(channel, follower, after);
    return () => {
      channel.followers.delete(follower);
      if (channel.followers.size > 0 || this.channels.get(name) !== channel) return;
      this.channels.delete(name);
      this.redis.unsubscribe(`events:${name}`);
    };
  }

  stop(): void {
    clearInterval(this.refreshing);
  }

  private open(name: string, after: string): Promise<unknown> {
    return this.openStream(`events:${name}`, after, String(KEEP_MS), this.redis.prefix + ERA_KEY);
  }

  private lose(name: string): void {
    this.lostChannels.add(name);
    // While Redis is unavailable, wait: losses are published when it is available again.
    if (this.redis.isReceiving) setTimeout(() => this.publishLosses(), RETRY_MS).unref();
  }

  /** Makes followers on other nodes read the data again. */
  private publishLosses(): void {
    for (const name of this.redis.isReceiving ? [...this.lostChannels] : []) {
      this.lostChannels.delete(name);
      const keep = String(eventsToKeep(0));
      this.send(`events:${name}`, this.redis.node, LOST, keep).catch(() => this.lose(name));
    }
  }

  private deliverLocally(channel: Channel<Message>, mark: string, message: Message): void {
    this.deliveredLocally.add(mark);
    if (this.deliveredLocally.size > MAX_LOCAL)
      this.deliveredLocally.delete(this.deliveredLocally.values().next().value ?? '');
    this.deliver(channel, { id: NOWHERE, message, isUnsure: true });
  }

  private deliver(channel: Channel<Message>, event: LiveEvent<Message>): void {
    for (const follower of channel.followers) follower.event(event);
  }

  private receive(channel: Channel<Message>, sent: string): void {
    const { id, mark, text } = readSent(sent);
    if (this.deliveredLocally.delete(mark)) return;
    if (text !== LOST) {
      const message = channel.pending.take(mark) ?? (JSON.parse(text) as Message);
      this.deliver(channel, { id, message });
      return;
    }
    // This node's own followers get their reset when their channels resume.
    if (mark === this.redis.node) return;
    for (const follower of channel.followers) follower.reset(id);
  }

  private beginGap(): void {
    this.gaps++;
    for (const channel of this.channels.values())
      for (const [mark, message] of channel.pending.takeAll()) this.deliverLocally(channel, mark, message);
  }

  private async enter(channel: Channel<Message>, after: string) {
    const gapsBefore = this.gaps;
    if (!this.redis.isReceiving) throw new Error('messages from Redis do not arrive');
    await this.redis.subscribe(`events:${channel.name}`, (sent) => this.receive(channel, sent));
    const opened = readOpened(await this.open(channel.name, after));
    if (this.gaps !== gapsBefore) throw new Error('messages from Redis did not arrive for a moment');
    return opened;
  }

  private async start(channel: Channel<Message>, follower: Follower<Message>, after: string | undefined) {
    let lastId = NOWHERE;
    let missed: LiveEvent<Message>[] | undefined;
    try {
      const opened = await this.enter(channel, after !== undefined && isId(after) ? after : '');
      lastId = opened.lastId;
      missed = opened.missed?.map(([id, text]) => ({ id, message: JSON.parse(text) as Message }));
    } catch {
      this.resumeSoon(channel);
    }
    if (!channel.followers.has(follower)) return;
    follower.start({ missed: after === undefined ? [] : missed, lastId });
  }

  /** Brings a channel up to date after its followers here may have lost events. */
  private async resume(channel: Channel<Message>): Promise<void> {
    const followers = [...channel.followers].filter(({ hasStarted }) => hasStarted);
    for (const follower of followers) follower.pause();
    try {
      const { lastId } = await this.enter(channel, '');
      for (const follower of followers) follower.resume(lastId, true);
    } catch {
      for (const follower of followers) follower.resume(NOWHERE, false);
      this.resumeSoon(channel);
    }
  }

  private async resumeAll(): Promise<void> {
    const all = [...this.channels.values()];
    while (all.length > 0)
      await Promise.all(all.splice(0, RESUME_AT_ONCE).map((channel) => this.resume(channel)));
  }

  /** Resumes a channel later. While Redis is unavailable, nothing is tried: all resume when it is back. */
  private resumeSoon(channel: Channel<Message>): void {
    const again = () => {
      if (this.redis.isReceiving && this.channels.get(channel.name) === channel) void this.resume(channel);
    };
    setTimeout(again, RETRY_MS).unref();
  }
}
