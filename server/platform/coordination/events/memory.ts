import type { Events, Listener, LiveEvent } from './events.ts';

const MAX_EVENTS_PER_CHANNEL = 1000;
const MAX_REMEMBERED_BYTES = 32 * 1024 * 1024;
/** A channel without followers is forgotten after this long. */
const FORGET_AFTER_MS = 10 * 60_000;

interface Channel<Message> {
  /** Every event with a higher number is remembered. */
  knownFrom: number;
  remembered: Array<{ number: number; event: LiveEvent<Message>; bytes: number }>;
  listeners: Set<Listener<Message>>;
  forgetting: ReturnType<typeof setTimeout> | undefined;
}

/**
 * Events within one process. It remembers the newest events of channels that have followers, so that a follower whose
 * connection broke can resume. An id begins with the run it belongs to: after a restart, earlier ids are unknown.
 */
export class MemoryEvents<Message> implements Events<Message> {
  private readonly channels = new Map<string, Channel<Message>>();
  private lastNumber = 0;
  private rememberedBytes = 0;

  constructor(private readonly run: string) {}

  publish(name: string, message: Message, bytes: number): void {
    const channel = this.channels.get(name);
    if (!channel) return;
    const number = ++this.lastNumber;
    const event = { id: `${this.run}-${number}`, message };
    channel.remembered.push({ number, event, bytes });
    this.rememberedBytes += bytes;
    if (channel.remembered.length > MAX_EVENTS_PER_CHANNEL) this.forgetOldest(channel);
    if (this.rememberedBytes > MAX_REMEMBERED_BYTES) this.forgetUntilWithinLimit();
    for (const listener of channel.listeners) listener.onEvent(event);
  }

  follow(name: string, after: string | undefined, listener: Listener<Message>): () => void {
    const channel = this.open(name);
    channel.listeners.add(listener);
    listener.onStart({
      missed: after === undefined ? [] : this.eventsSince(channel, after),
      lastId: `${this.run}-${this.lastNumber}`,
    });
    return () => {
      channel.listeners.delete(listener);
      if (channel.listeners.size === 0) this.forgetLater(name, channel);
    };
  }

  stop(): void {
    for (const channel of this.channels.values()) clearTimeout(channel.forgetting);
  }

  private open(name: string): Channel<Message> {
    const channel = this.channels.get(name) ?? {
      knownFrom: this.lastNumber,
      remembered: [],
      listeners: new Set(),
      forgetting: undefined,
    };
    clearTimeout(channel.forgetting);
    this.channels.set(name, channel);
    return channel;
  }

  private forgetLater(name: string, channel: Channel<Message>): void {
    clearTimeout(channel.forgetting);
    channel.forgetting = setTimeout(() => {
      while (channel.remembered.length > 0) this.forgetOldest(channel);
      this.channels.delete(name);
    }, FORGET_AFTER_MS);
    channel.forgetting.unref();
  }

  private forgetOldest(channel: Channel<Message>): void {
    const oldest = channel.remembered.shift();
    if (!oldest) return;
    channel.knownFrom = oldest.number;
    this.rememberedBytes -= oldest.bytes;
  }

  private forgetUntilWithinLimit(): void {
    for (const channel of this.channels.values()) {
      while (this.rememberedBytes > MAX_REMEMBERED_BYTES && channel.remembered.length > 0)
        this.forgetOldest(channel);
    }
  }

  /** The events after this one. Undefined when it is unknown, or some of those after it are. */
  private eventsSince(channel: Channel<Message>, after: string): LiveEvent<Message>[] | undefined {
    const number = after.startsWith(`${this.run}-`) ? Number(after.slice(this.run.length + 1)) : Number.NaN;
    if (!Number.isInteger(number) || number < channel.knownFrom || number > this.lastNumber) return undefined;
    return channel.remembered.filter((entry) => entry.number > number).map(({ event }) => event);
  }
}
