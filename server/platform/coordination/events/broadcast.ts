import { z } from 'zod';
import type { Redis } from '../redis/index.ts';
import { watchDeaths } from './deaths.ts';

/** Short news for the other nodes. It reaches each of them once or more, or they are told that some was lost. */
export interface Broadcast {
  /** True where there are no other nodes: then nothing is told or heard. */
  readonly isAlone: boolean;
  /** Whether what others tell is sure to be heard. */
  readonly isHearing: boolean;
  /** Tells the other nodes; when they cannot be reached now, then later. */
  tell(topic: string, message: unknown): void;
  /** Hears what other nodes tell; one listener for a topic. */
  hear(topic: string, listener: (message: unknown) => void): void;
  /** Is called when all is heard again after something may have been lost, with how long that may have been so. */
  onGap(listener: (gapMs: number) => void): void;
  stop(): Promise<void>;
}

const CHANNEL = 'broadcast';
/** Said when something may not have been told: all are to act as if they had heard nothing for a while. */
const GAP = 'gap';
/** How long before its death was noticed a node may have kept a change to itself. */
const DEATH_GAP_MS = 15_000;
const MAX_UNSENT = 10_000;
const RETRY_MS = 500;
const News = z.object({ from: z.string(), topic: z.string(), message: z.unknown() });

export function createBroadcast(redis?: Redis): Broadcast {
  return redis ? redisBroadcast(redis) : ALONE;
}

const ALONE: Broadcast = {
  isAlone: true,
  isHearing: true,
  tell: () => undefined,
  hear: () => undefined,
  onGap: () => undefined,
  stop: async () => undefined,
};

function redisBroadcast(redis: Redis): Broadcast {
  const listeners = new Map<string, (message: unknown) => void>();
  const gapListeners: Array<(gapMs: number) => void> = [];
  const unsent = new Set<string>();
  let deafSince = performance.now();

  const encode = (topic: string, message: unknown) => JSON.stringify({ from: redis.node, topic, message });

  function send(text: string): void {
    redis
      .run((client) => client.publish(redis.prefix + CHANNEL, text))
      .catch(() => {
        if (unsent.size >= MAX_UNSENT) {
          unsent.clear();
          unsent.add(encode(GAP, performance.now() - deafSince));
        } else unsent.add(text);
        // While Redis is away there is nothing to try: it is sent when it is back.
        if (redis.isHearing) setTimeout(sendUnsent, RETRY_MS).unref();
      });
  }

  function sendUnsent(): void {
    for (const text of redis.isHearing ? [...unsent] : []) {
      unsent.delete(text);
      send(text);
    }
  }

  function take(text: string): void {
    const news = News.safeParse(JSON.parse(text)).data;
    if (news && news.from !== redis.node) listeners.get(news.topic)?.(news.message);
  }

  function gap(gapMs: number): void {
    for (const listener of gapListeners) listener(gapMs);
  }

  listeners.set(GAP, (message) => gap(Number(message)));
  redis.onHearing((isHearing) => {
    if (!isHearing) {
      deafSince = performance.now();
      return;
    }
    sendUnsent();
    gap(performance.now() - deafSince);
  });
  // Should it fail, it is done with the next connection.
  redis.subscribe(CHANNEL, take).catch(() => undefined);

  const deaths = watchDeaths(redis, () => {
    send(encode(GAP, DEATH_GAP_MS));
    gap(DEATH_GAP_MS);
  });

  return {
    isAlone: false,
    get isHearing() {
      return redis.isHearing;
    },
    tell: (topic, message) => send(encode(topic, message)),
    hear: (topic, listener) => void listeners.set(topic, listener),
    onGap: (listener) => void gapListeners.push(listener),
    stop: deaths.stop,
  };
}
