import { randomUUID } from 'node:crypto';
import type { Log } from '../../http/index.ts';
import { type Client, connect, renew } from './connection.ts';
import { inTime, LateError } from './in-time.ts';

/** Thrown in place of a command while the server is known to be unavailable. */
class RedisUnavailableError extends Error {}

/** How long one command may take. A Redis that hangs must not keep a request waiting for more than 250 ms. */
const COMMAND_MS = 200;
const BEAT_MS = 250;
/** After this many beats without an echo the subscription counts as dead: within a second. */
const MAX_MISSED = 3;
/** After this many silent beats a connection is opened again: the other end may be gone without closing it. */
const RENEW_AFTER = 16;
const START_MS = 1_000;

/** Writes, as our scripts do: a server that is full or read-only is useless to us. */
const PROBE = `return redis.call('SET', KEYS[1], '1', 'PX', 10000)`;

/** Connects to Redis. The service also starts without it, so this waits only briefly. */
export async function startRedis(options: { url: string; prefix: string; log: Log }): Promise<Redis> {
  const { url } = options;
  const redis = new Redis({ ...options, client: await connect(url), subscriber: await connect(url) });
  await redis.start();
  return redis;
}

/**
 * Redis, which may become unavailable at any time; commands then fail immediately.
 *
 * There are two connections, one for commands and one for subscriptions. Each beat is published on the first and must
 * come back on the second. This detects a server that hangs and a half-open connection. Beats are counted, not timed,
 * so a process that was too busy to listen does not assume that the server is dead.
 */
export class Redis {
  /** Prefixes every key and channel, so that two services can share a server. */
  readonly prefix: string;
  /** Identifies this process. */
  readonly node = randomUUID().slice(0, 8);
  /** The connection for commands. Use it inside `run`. */
  readonly client: Client;
  private readonly subscriber: Client;
  private readonly log: Log;
  private readonly listeners = new Map<string, (text: string) => void>();
  private readonly receivingListeners: Array<(isReceiving: boolean) => void> = [];
  private beating: ReturnType<typeof setInterval> | undefined;
  private isAnswering = false;
  private receives = false;
  private hasLoggedLoss = false;
  private isBeatRunning = false;
  private sentBeats = 0;
  private unansweredBeats = 0;
  private missedBeats = 0;
  private lastAnswerAt = 0;
  /** Why the last attempt to use the server failed, for example a wrong password. */
  private lastError: unknown;

  constructor(options: { prefix: string; log: Log; client: Client; subscriber: Client }) {
    this.prefix = options.prefix;
    this.log = options.log;
    this.client = options.client;
    this.subscriber = options.subscriber;
    this.watchClient();
    this.watchSubscriber();
  }

  /** Whether the server responds to commands. */
  get isUp(): boolean {
    return this.isAnswering;
  }

  /** Whether every message that any node publishes is certain to arrive here. */
  get isReceiving(): boolean {
    return this.receives;
  }

  async start(): Promise<void> {
    const tick = () => this.tick();
    this.beating = setInterval(tick, BEAT_MS);
    this.client.once('ready', tick);
    this.subscriber.once('ready', tick);
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, START_MS);
      this.onReceiving(() => {
        clearTimeout(timer);
        resolve();
      });
    });
    if (!this.receives) this.logLoss(this.lastError);
  }

  /** Runs commands. The first one to find the server unavailable fails within 250 ms, later ones immediately. */
  async run<Result>(work: (client: Client) => Promise<Result>, timeoutMs = COMMAND_MS): Promise<Result> {
    if (!this.isAnswering) throw new RedisUnavailableError('Redis is unavailable');
    try {
      return await inTime(work(this.client), timeoutMs);
    } catch (error) {
      if (error instanceof Error) this.lose(error);
      throw error;
    }
  }

  /** Turns a Lua script into a function. A script that no request waits for can have a longer time limit. */
  script(
    name: string,
    lua: string,
    timeoutMs?: number,
  ): (key: string, ...args: string[]) => Promise<unknown> {
    const { client, prefix } = this;
    client.defineCommand(name, { numberOfKeys: 1, lua });
    const command = (client as unknown as Record<string, (...args: string[]) => Promise<unknown>>)[name];
    if (!command) throw new Error(`there is no script ${name}`);
    return (key, ...args) => this.run(() => command.call(client, prefix + key, ...args), timeoutMs);
  }

  /** Listens to a channel, named without the prefix. Starts when the promise resolves. */
  async subscribe(channel: string, listener: (text: string) => void): Promise<void> {
    this.listeners.set(this.prefix + channel, listener);
    await inTime(this.subscriber.subscribe(this.prefix + channel), COMMAND_MS);
  }

  unsubscribe(channel: string): void {
    this.listeners.delete(this.prefix + channel);
    this.subscriber.unsubscribe(this.prefix + channel).catch(() => undefined);
  }

  /** Calls the listener each time `isReceiving` changes. */
  onReceiving(listener: (isReceiving: boolean) => void): void {
    this.receivingListeners.push(listener);
  }

  /** Disconnects once the server has received everything. */
  async stop(): Promise<void> {
    clearInterval(this.beating);
    this.receivingListeners.length = 0;
    if (this.isAnswering) await inTime(this.client.quit(), COMMAND_MS).catch(() => undefined);
    this.client.disconnect();
    this.subscriber.disconnect();
  }

  private watchClient(): void {
    const { client } = this;
    client.on('error', (error) => {
      this.lastError = error;
    });
    client.on('connect', () =>
      client.stream.on('data', () => {
        this.lastAnswerAt = performance.now();
      }),
    );
  }

  private watchSubscriber(): void {
    const { subscriber, listeners } = this;
    subscriber.on('message', (channel: string, text: string) => this.receive(channel, text));
    subscriber.on('close', () => this.setReceiving(false));
    // We subscribe on each connection ourselves: the client forgets a channel if its first request got no response.
    subscriber.on('ready', () => {
      const channels = [...listeners.keys()];
      if (channels.length > 0) subscriber.subscribe(...channels).catch(() => subscriber.disconnect(true));
    });
    listeners.set(this.prefix + this.beatChannel, (number) => this.receiveBeat(Number(number)));
  }

  private get beatChannel(): string {
    return `beat:${this.node}`;
  }

  private receive(channel: string, text: string): void {
    try {
      this.listeners.get(channel)?.(text);
    } catch (error) {
      // An invalid message from another program must not crash this process, and all other nodes with it.
      this.log.warn({ channel, reason: (error as Error).message }, 'a message from Redis could not be read');
    }
  }

  private receiveBeat(number: number): void {
    // A server that hung delivers old beats first. Later messages have not arrived yet.
    if (!this.isAnswering || this.sentBeats - number > MAX_MISSED) return;
    this.missedBeats = 0;
    this.setReceiving(true);
  }

  private tick(): void {
    if (this.isAnswering && ++this.missedBeats > MAX_MISSED) {
      this.setReceiving(false);
      if (this.missedBeats % RENEW_AFTER === 0) renew(this.subscriber);
    }
    void this.beat();
  }

  private async beat(): Promise<void> {
    if (this.isBeatRunning) return;
    this.isBeatRunning = true;
    const { client, prefix } = this;
    try {
      if (!this.isAnswering) await inTime(client.eval(PROBE, 1, `${prefix}probe:${this.node}`), COMMAND_MS);
      this.isAnswering = true;
      this.unansweredBeats = 0;
      await inTime(client.publish(prefix + this.beatChannel, String(++this.sentBeats)), COMMAND_MS);
    } catch (error) {
      this.lose(error);
      if (++this.unansweredBeats % RENEW_AFTER === 0) renew(client);
    } finally {
      this.isBeatRunning = false;
    }
  }

  private lose(cause: unknown): void {
    // The server is busy, but responds.
    if (cause instanceof LateError && performance.now() - this.lastAnswerAt < COMMAND_MS) return;
    if (this.isAnswering) this.logLoss(cause);
    else if (!(this.lastError instanceof Error)) this.lastError = cause;
    this.isAnswering = false;
    this.setReceiving(false);
  }

  private setReceiving(isReceiving: boolean): void {
    if (isReceiving === this.receives) return;
    this.receives = isReceiving;
    if (!isReceiving) this.logLoss();
    else if (this.hasLoggedLoss) {
      this.hasLoggedLoss = false;
      this.log.info('Redis is available again');
    }
    for (const listener of this.receivingListeners) listener(isReceiving);
  }

  private logLoss(cause?: unknown): void {
    if (this.hasLoggedLoss) return;
    this.hasLoggedLoss = true;
    // Log only the message: the error also contains the command and its arguments, which may be private.
    const reason = cause instanceof Error ? cause.message : undefined;
    this.log.warn(
      { reason },
      'Redis is unavailable: this node counts limits on its own and delivers events only locally',
    );
  }
}
