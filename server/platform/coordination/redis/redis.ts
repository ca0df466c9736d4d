import { randomUUID } from 'node:crypto';
import type { Log } from '../../http/index.ts';
import { type Client, connect, renew } from './connection.ts';
import { inTime, LateError } from './in-time.ts';

/** Redis as the rooms above know it: it may be away at any time, and says so at once. */
export interface Redis {
  /** Goes before every key and channel, so that two services can share a server. */
  readonly prefix: string;
  /** Names this process. */
  readonly node: string;
  /** The connection for commands; to be used within `run`. */
  readonly client: Client;
  /** Whether commands are answered. */
  readonly isUp: boolean;
  /** Whether what is published anywhere is sure to be heard here. */
  readonly isHearing: boolean;
  /** Runs commands. The first to find the server away fails within 250 ms, those after it at once. */
  run<Result>(work: (client: Client) => Promise<Result>): Promise<Result>;
  /** Makes a function of a script that runs as one step; for one that nobody waits for, the time may be longer. */
  script(name: string, lua: string, timeoutMs?: number): (key: string, ...args: string[]) => Promise<unknown>;
  /** Hears a channel from when the promise resolves; names are without the prefix. */
  subscribe(channel: string, listener: (text: string) => void): Promise<void>;
  unsubscribe(channel: string): void;
  /** Tells when hearing begins (again) and when it ends. */
  onHearing(listener: (isHearing: boolean) => void): void;
  /** Lets go of the server, once it has what was sent to it. */
  stop(): Promise<void>;
}

/** Thrown in place of a command while the server is known to be away. */
export class RedisAwayError extends Error {}

/** How long one command may take: below the 250 ms after which nobody may be kept waiting by a Redis that hangs. */
const COMMAND_MS = 200;
const BEAT_MS = 250;
/** So many beats unheard in a row, and the subscription is taken for dead: within a second. */
const MAX_UNHEARD = 3;
/** A connection that is silent for so many beats is opened anew: its other end may be gone without a word. */
const RENEW_AFTER = 16;
const START_MS = 1_000;
/** A script that writes, as ours do: a server that is full, or a copy that cannot be written, is of no use to us. */
const PROBE = `return redis.call('SET', KEYS[1], '1', 'PX', 10000)`;

/**
 * Two connections, one for commands and one for what others publish. Each beat is published on the one and must come
 * back on the other: that finds out a server that hangs and a connection that is dead on one side. Beats are counted,
 * not timed, so that a process which was itself too busy to listen does not take the server for dead.
 */
export async function startRedis(options: { url: string; prefix: string; log: Log }): Promise<Redis> {
  const { url, prefix, log } = options;
  const node = randomUUID().slice(0, 8);
  const client = connect(url);
  const subscriber = connect(url);
  const listeners = new Map<string, (text: string) => void>();
  const hearers: Array<(isHearing: boolean) => void> = [];
  const beatChannel = `beat:${node}`;
  let isUp = false;
  let isHearing = false;
  let isSaidLost = false;
  let isBeating = false;
  let sent = 0;
  let unanswered = 0;
  let unheard = 0;
  let lastAnswerAt = 0;
  /** Why it could not be used the last time, a wrong password for example. */
  let trouble: unknown;
  client.on('error', (error) => {
    trouble = error;
  });
  client.on('connect', () => client.stream.on('data', () => (lastAnswerAt = performance.now())));

  function setHearing(now: boolean): void {
    if (now === isHearing) return;
    isHearing = now;
    if (!now) sayLost();
    else if (isSaidLost) {
      isSaidLost = false;
      log.info('Redis is back');
    }
    for (const hearer of hearers) hearer(now);
  }

  function sayLost(cause?: unknown): void {
    if (isSaidLost) return;
    isSaidLost = true;
    // Only its words: with an error come the command and what it was sent, which is nobody's business.
    const reason = cause instanceof Error ? cause.message : undefined;
    log.warn({ reason }, 'Redis is away: limits are counted by this node, events stay on it');
  }

  function lose(cause: unknown): void {
    // It has much to do, but does it.
    if (cause instanceof LateError && performance.now() - lastAnswerAt < COMMAND_MS) return;
    if (isUp) sayLost(cause);
    else if (!(trouble instanceof Error)) trouble = cause;
    isUp = false;
    setHearing(false);
  }

  async function beat(): Promise<void> {
    if (isBeating) return;
    isBeating = true;
    try {
      if (!isUp) await inTime(client.eval(PROBE, 1, `${prefix}probe:${node}`), COMMAND_MS);
      isUp = true;
      unanswered = 0;
      await inTime(client.publish(prefix + beatChannel, String(++sent)), COMMAND_MS);
    } catch (error) {
      lose(error);
      if (++unanswered % RENEW_AFTER === 0) renew(client);
    } finally {
      isBeating = false;
    }
  }

  function tick(): void {
    if (isUp && ++unheard > MAX_UNHEARD) {
      setHearing(false);
      if (unheard % RENEW_AFTER === 0) renew(subscriber);
    }
    void beat();
  }

  async function subscribe(channel: string, listener: (text: string) => void): Promise<void> {
    listeners.set(prefix + channel, listener);
    await inTime(subscriber.subscribe(prefix + channel), COMMAND_MS);
  }

  subscriber.on('message', (channel: string, text: string) => {
    try {
      listeners.get(channel)?.(text);
    } catch (error) {
      // Whatever else writes to the server must not end us, and with us all nodes at once.
      log.warn({ channel, reason: (error as Error).message }, 'what came by Redis could not be read');
    }
  });
  subscriber.on('close', () => setHearing(false));
  // Asked for at each connection, and not left to the client: it forgets a channel whose first request got no answer.
  subscriber.on('ready', () => {
    const channels = [...listeners.keys()];
    if (channels.length > 0) subscriber.subscribe(...channels).catch(() => subscriber.disconnect(true));
  });
  listeners.set(prefix + beatChannel, (number) => {
    // Old beats come when a server that hung goes on; what was published after them has not been heard yet.
    if (!isUp || sent - Number(number) > MAX_UNHEARD) return;
    unheard = 0;
    setHearing(true);
  });
  const beating = setInterval(tick, BEAT_MS);
  client.once('ready', tick);
  subscriber.once('ready', tick);

  async function run<Result>(work: (client: Client) => Promise<Result>, timeoutMs = COMMAND_MS) {
    if (!isUp) throw new RedisAwayError('Redis is away');
    try {
      return await inTime(work(client), timeoutMs);
    } catch (error) {
      if (error instanceof Error) lose(error);
      throw error;
    }
  }

  const redis: Redis = {
    prefix,
    node,
    client,
    get isUp() {
      return isUp;
    },
    get isHearing() {
      return isHearing;
    },
    run: (work) => run(work),
    script(name, lua, timeoutMs) {
      client.defineCommand(name, { numberOfKeys: 1, lua });
      const command = (client as unknown as Record<string, (...args: string[]) => Promise<unknown>>)[name];
      if (!command) throw new Error(`there is no script ${name}`);
      return (key, ...args) => run(() => command.call(client, prefix + key, ...args), timeoutMs);
    },
    subscribe,
    unsubscribe(channel) {
      listeners.delete(prefix + channel);
      subscriber.unsubscribe(prefix + channel).catch(() => undefined);
    },
    onHearing: (hearer) => void hearers.push(hearer),
    async stop() {
      clearInterval(beating);
      hearers.length = 0;
      if (isUp) await inTime(client.quit(), COMMAND_MS).catch(() => undefined);
      client.disconnect();
      subscriber.disconnect();
    },
  };
  await firstHearing(redis);
  if (!redis.isHearing) sayLost(trouble);
  return redis;
}

/** Waits for the server, but not for long: the service starts without it too. */
function firstHearing(redis: Redis): Promise<void> {
  return new Promise((resolve) => {
    const giveUp = setTimeout(resolve, START_MS);
    redis.onHearing(() => {
      clearTimeout(giveUp);
      resolve();
    });
  });
}
