import { z } from 'zod';
import type { Redis } from '../redis/index.ts';
import { watchDeaths } from './deaths.ts';

/** Short messages between nodes. Each node gets each message at least once, or learns that some were lost. */
export interface Broadcast {
  /** True if there are no other nodes: nothing is sent or received. */
  readonly isSingleNode: boolean;
  /** Whether every message that other nodes publish is certain to arrive. */
  readonly isReceiving: boolean;
  /** Sends a message to the other nodes; later, if they cannot be reached now. */
  publish(topic: string, message: unknown): void;
  /** Receives messages from other nodes. A topic has one listener. */
  subscribe(topic: string, listener: (message: unknown) => void): void;
  /** Calls the listener when messages arrive again after some may have been lost, with the longest possible gap. */
  onGap(listener: (gapMs: number) => void): void;
  stop(): Promise<void>;
}

const CHANNEL = 'broadcast';
/** Published when messages may have been lost: every node acts as if it had received nothing for a while. */
const GAP_TOPIC = 'gap';
/** The longest time before a node's death is noticed in which it may have failed to publish a change. */
const DEATH_GAP_MS = 15_000;
const MAX_UNSENT = 10_000;
const RETRY_MS = 500;

const Message = z.object({ from: z.string(), topic: z.string(), message: z.unknown() });

export function createBroadcast(redis?: Redis): Broadcast {
  return redis ? new RedisBroadcast(redis) : SINGLE_NODE;
}

const SINGLE_NODE: Broadcast = {
  isSingleNode: true,
  isReceiving: true,
  publish: () => undefined,
  subscribe: () => undefined,
  onGap: () => undefined,
  stop: async () => undefined,
};

class RedisBroadcast implements Broadcast {
  readonly isSingleNode = false;
  readonly stop: () => Promise<void>;
  private readonly listeners = new Map<string, (message: unknown) => void>();
  private readonly gapListeners: Array<(gapMs: number) => void> = [];
  private readonly unsent = new Set<string>();
  private gapBeganAt = performance.now();

  constructor(private readonly redis: Redis) {
    this.subscribe(GAP_TOPIC, (message) => this.reportGap(Number(message)));
    redis.onReceiving((isReceiving) => {
      if (!isReceiving) {
        this.gapBeganAt = performance.now();
        return;
      }
      this.sendUnsent();
      this.reportGap(performance.now() - this.gapBeganAt);
    });
    // If this fails, the next connection subscribes.
    redis.subscribe(CHANNEL, (text) => this.receive(text)).catch(() => undefined);
    const deaths = watchDeaths(redis, () => {
      this.publish(GAP_TOPIC, DEATH_GAP_MS);
      this.reportGap(DEATH_GAP_MS);
    });
    this.stop = deaths.stop;
  }

  get isReceiving(): boolean {
    return this.redis.isReceiving;
  }

  publish(topic: string, message: unknown): void {
    this.send(this.encode(topic, message));
  }

  subscribe(topic: string, listener: (message: unknown) => void): void {
    this.listeners.set(topic, listener);
  }

  onGap(listener: (gapMs: number) => void): void {
    this.gapListeners.push(listener);
  }

  private encode(topic: string, message: unknown): string {
    return JSON.stringify({ from: this.redis.node, topic, message });
  }

  private send(text: string): void {
    const { redis } = this;
    redis
      .run((client) => client.publish(redis.prefix + CHANNEL, text))
      .catch(() => {
        this.keep(text);
        // While Redis is unavailable, wait: everything is sent when it is available again.
        if (redis.isReceiving) setTimeout(() => this.sendUnsent(), RETRY_MS).unref();
      });
  }

  private keep(text: string): void {
    if (this.unsent.size < MAX_UNSENT) {
      this.unsent.add(text);
      return;
    }
    this.unsent.clear();
    this.unsent.add(this.encode(GAP_TOPIC, performance.now() - this.gapBeganAt));
  }

  private sendUnsent(): void {
    for (const text of this.isReceiving ? [...this.unsent] : []) {
      this.unsent.delete(text);
      this.send(text);
    }
  }

  private receive(text: string): void {
    const received = Message.safeParse(JSON.parse(text)).data;
    if (received && received.from !== this.redis.node) this.listeners.get(received.topic)?.(received.message);
  }

  private reportGap(gapMs: number): void {
    for (const listener of this.gapListeners) listener(gapMs);
  }
}
