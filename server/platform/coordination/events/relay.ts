import type { Redis } from '../redis/index.ts';

/**
 * Messages between nodes that nobody keeps: those that are published while Redis is unavailable are lost. Nodes learn
 * which other nodes have gone, so that they can forget what those told them.
 */
export interface Relay {
  /** Sends a text to the other nodes that follow the topic. */
  publish(topic: string, text: string): void;
  /**
   * Receives what other nodes publish, from the call of `onReady` on. A topic has one listener. Returns a function that
   * ends it.
   */
  follow(topic: string, listener: (node: string, text: string) => void, onReady: () => void): () => void;
  /** Calls the listener when a node has stopped, or has not been heard of for a while. */
  onGone(listener: (node: string) => void): void;
  /** Calls the listener when messages arrive that may have been preceded by lost ones. */
  onGap(listener: () => void): void;
  stop(): Promise<void>;
}

const BEAT_MS = 2_000;
/** A node that is silent for this long is gone. Longer than a busy node needs between two beats. */
const GONE_MS = 8_000;
const BEATS = 'relay-beats';
const LEAVES = 'leaves';

export function createRelay(redis?: Redis): Relay {
  return redis ? new RedisRelay(redis) : SINGLE_NODE;
}

const SINGLE_NODE: Relay = {
  publish: () => undefined,
  follow: () => () => undefined,
  onGone: () => undefined,
  onGap: () => undefined,
  stop: async () => undefined,
};

class RedisRelay implements Relay {
  /** When each other node was last heard of. */
  private readonly heardAt = new Map<string, number>();
  private readonly goneListeners: Array<(node: string) => void> = [];
  private readonly gapListeners: Array<() => void> = [];
  /** Beats begin with the first topic. A service that follows none sends and receives nothing. */
  private beating: ReturnType<typeof setInterval> | undefined;

  constructor(private readonly redis: Redis) {
    redis.onReceiving((isReceiving) => isReceiving && this.reportGap());
  }

  publish(topic: string, text: string): void {
    void this.send(`relay:${topic}`, text);
  }

  follow(topic: string, listener: (node: string, text: string) => void, onReady: () => void): () => void {
    this.begin();
    const channel = `relay:${topic}`;
    let isFollowing = true;
    const hear = (node: string, text: string) => {
      this.heardAt.set(node, performance.now());
      listener(node, text);
    };
    void this.listen(channel, hear).then(() => isFollowing && onReady());
    return () => {
      isFollowing = false;
      this.redis.unsubscribe(channel);
    };
  }

  onGone(listener: (node: string) => void): void {
    this.goneListeners.push(listener);
  }

  onGap(listener: () => void): void {
    this.gapListeners.push(listener);
  }

  async stop(): Promise<void> {
    if (!this.beating) return;
    clearInterval(this.beating);
    await this.send(BEATS, LEAVES);
  }

  private begin(): void {
    if (this.beating) return;
    void this.listen(BEATS, (node, text) => (text === LEAVES ? this.forget(node) : this.hear(node)));
    void this.send(BEATS, '');
    this.beating = setInterval(() => {
      void this.send(BEATS, '');
      for (const [node, at] of this.heardAt) if (performance.now() - at > GONE_MS) this.forget(node);
    }, BEAT_MS);
    this.beating.unref();
  }

  /** A node that was taken for gone may have told something meanwhile. */
  private hear(node: string): void {
    const isKnown = this.heardAt.has(node);
    this.heardAt.set(node, performance.now());
    if (!isKnown) this.reportGap();
  }

  private forget(node: string): void {
    if (!this.heardAt.delete(node)) return;
    for (const listener of this.goneListeners) listener(node);
  }

  private reportGap(): void {
    for (const listener of this.gapListeners) listener();
  }

  /** Listens to a channel. If this fails, the next connection subscribes. */
  private listen(channel: string, listener: (node: string, text: string) => void): Promise<void> {
    const receive = (sent: string) => {
      const end = sent.indexOf(' ');
      const node = sent.slice(0, end);
      if (node !== this.redis.node) listener(node, sent.slice(end + 1));
    };
    return this.redis.subscribe(channel, receive).catch(() => undefined);
  }

  private async send(channel: string, text: string): Promise<void> {
    const { redis } = this;
    await redis
      .run((client) => client.publish(redis.prefix + channel, `${redis.node} ${text}`))
      .catch(() => undefined);
  }
}
