import type { Events, Listener, LiveEvent } from './events.ts';

const MAX_EVENTS_PER_CHANNEL = 1000;
const MAX_REMEMBERED_BYTES = 32 * 1024 * 1024;
/** A channel that nobody has followed for so long is forgotten. */
const FORGET_AFTER_MS = 10 * 60_000;

interface Channel<Message> {
  /** Every event with a higher number is remembered. */
  knownFrom: number;
  remembered: Array<{ number: number; event: LiveEvent<Message>; bytes: number }>;
  listeners: Set<Listener<Message>>;
  forgetting: ReturnType<typeof setTimeout> | undefined;
}

/**
 * Remembers the newest events of channels that are followed, so that a follower whose connection broke can go on
 * where it was. Ids begin with the run they belong to: after a restart nothing of before is known.
 */
export function createMemoryEvents<Message>(run: string): Events<Message> {
  const channels = new Map<string, Channel<Message>>();
  let lastNumber = 0;
  let rememberedBytes = 0;

  function open(name: string): Channel<Message> {
    const channel = channels.get(name) ?? {
      knownFrom: lastNumber,
      remembered: [],
      listeners: new Set(),
      forgetting: undefined,
    };
    clearTimeout(channel.forgetting);
    channels.set(name, channel);
    return channel;
  }

  function leave(name: string, channel: Channel<Message>): void {
    if (channel.listeners.size > 0) return;
    clearTimeout(channel.forgetting);
    channel.forgetting = setTimeout(() => {
      while (channel.remembered.length > 0) forgetOldest(channel);
      channels.delete(name);
    }, FORGET_AFTER_MS);
    channel.forgetting.unref();
  }

  function forgetOldest(channel: Channel<Message>): void {
    const oldest = channel.remembered.shift();
    if (!oldest) return;
    channel.knownFrom = oldest.number;
    rememberedBytes -= oldest.bytes;
  }

  function makeRoom(): void {
    for (const channel of channels.values()) {
      while (rememberedBytes > MAX_REMEMBERED_BYTES && channel.remembered.length > 0) forgetOldest(channel);
    }
  }

  function since(channel: Channel<Message>, after: string): LiveEvent<Message>[] | undefined {
    const number = after.startsWith(`${run}-`) ? Number(after.slice(run.length + 1)) : Number.NaN;
    if (!Number.isInteger(number) || number < channel.knownFrom || number > lastNumber) return undefined;
    return channel.remembered.filter((entry) => entry.number > number).map(({ event }) => event);
  }

  return {
    publish(name, message, bytes) {
      const channel = channels.get(name);
      if (!channel) return;
      const number = ++lastNumber;
      const event = { id: `${run}-${number}`, message };
      channel.remembered.push({ number, event, bytes });
      rememberedBytes += bytes;
      if (channel.remembered.length > MAX_EVENTS_PER_CHANNEL) forgetOldest(channel);
      if (rememberedBytes > MAX_REMEMBERED_BYTES) makeRoom();
      for (const listener of channel.listeners) listener.hear(event);
    },

    follow(name, after, listener) {
      const channel = open(name);
      channel.listeners.add(listener);
      listener.begin({
        missed: after === undefined ? [] : since(channel, after),
        lastId: `${run}-${lastNumber}`,
      });
      return () => {
        channel.listeners.delete(listener);
        leave(name, channel);
      };
    },

    stop: () => undefined,
  };
}
