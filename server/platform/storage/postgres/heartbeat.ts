import type { Client, ClientConfig } from 'pg';
import { within } from '../../../lib/time-limits/within.ts';
import { type Clock, DatabaseClock } from '../clock.ts';
import { isUnavailable } from '../postgres-messages.ts';

/** How often PostgreSQL is asked. Together with `ANSWER_MS`, a node that is cut off knows it within 1.3 seconds. */
const BEAT_MS = 300;
const ANSWER_MS = 1_000;
/** Opening a connection takes longer than asking. */
const CONNECT_MS = 2_000;
const START_MS = 10_000;
const RETRY_MS = 100;
/** If this process was busy, the answer may be there already: look once more before it counts as late. */
const GRACE_MS = 20;

export const READ_TIME = 'select extract(epoch from clock_timestamp())::float8 * 1000 as time';

class LateError extends Error {}

/**
 * `refused`: nobody listens at PostgreSQL's address, or it says that it starts or stops. It is probably back soon.
 * `silent`: nothing comes back at all, so everything that waits for it would hang.
 */
export type PostgresState = 'answers' | 'refused' | 'silent';

/**
 * Asks PostgreSQL for the time, again and again, on a connection of its own where nothing is slow. So the node has
 * PostgreSQL's clock, and knows whether PostgreSQL is available before a request has to find out.
 */
export class Heartbeat {
  readonly #clock = new DatabaseClock();
  readonly #open: () => Client;
  readonly #listeners: Array<(state: PostgresState) => void> = [];
  #client: Client | undefined;
  #state: PostgresState = 'answers';
  #heardAt = 0;
  #lostAt = 0;
  #beating: Promise<void> | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isStopped = false;

  constructor(connect: (config: ClientConfig) => Client, config: ClientConfig) {
    this.#open = () => connect({ ...config, connectionTimeoutMillis: START_MS });
  }

  get clock(): Clock {
    return this.#clock;
  }

  get state(): PostgresState {
    return this.#state;
  }

  /** When PostgreSQL last answered or, once that is known, could not any more; by `performance.now()`. */
  get heardAt(): number {
    return this.#state === 'answers' ? this.#heardAt : this.#lostAt;
  }

  /** Calls the listener with the state after every question. */
  onBeat(listener: (state: PostgresState) => void): void {
    this.#listeners.push(listener);
  }

  /** Throws if PostgreSQL cannot be used. */
  async start(): Promise<void> {
    await this.#ask(START_MS);
    this.#arm();
  }

  /** Notes that PostgreSQL has answered something, on any connection. */
  heard(): void {
    this.#heardAt = performance.now();
  }

  /** Asks now. Those who call at the same time share the answer. */
  beat(): Promise<void> {
    clearTimeout(this.#timer);
    this.#beating ??= this.#beat().finally(() => {
      this.#beating = undefined;
      this.#arm();
    });
    return this.#beating;
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    this.#drop();
    await this.#beating;
  }

  #arm(): void {
    if (this.#isStopped) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.beat(), this.#state === 'answers' ? BEAT_MS : RETRY_MS);
    this.#timer.unref();
  }

  async #beat(): Promise<void> {
    const askedAt = performance.now();
    const wasOpen = this.#client !== undefined;
    try {
      await this.#ask(wasOpen ? ANSWER_MS : CONNECT_MS).catch((error: unknown) => {
        // Somebody may have ended only this connection. `stop` ends it for good.
        if (!wasOpen || this.#isStopped || error instanceof LateError) throw error;
        return this.#ask(ANSWER_MS);
      });
      this.#become('answers', askedAt);
    } catch (error) {
      if (this.#isStopped) return;
      // PostgreSQL answers others, or has answered that it does not want this connection.
      if (this.#heardAt > askedAt || !(error instanceof LateError || isUnavailable(error)))
        this.#become('answers', askedAt);
      else if (error instanceof LateError) this.#become('silent', askedAt);
      else this.#become('refused', performance.now());
    }
  }

  async #ask(withinMs: number): Promise<void> {
    const late = () => new LateError('PostgreSQL does not answer.');
    const asking = this.#readTime();
    try {
      await within(withinMs - GRACE_MS, asking, late).catch(() => within(GRACE_MS, asking, late));
    } catch (error) {
      this.#drop();
      throw error;
    }
  }

  async #readTime(): Promise<void> {
    const client = this.#client ?? (await this.#connect());
    const askedAt = performance.now();
    const { rows } = await client.query<{ time: number }>(READ_TIME);
    const answeredAt = performance.now();
    this.#clock.set(rows[0]?.time ?? Number.NaN, { askedAt, answeredAt });
    this.#heardAt = answeredAt;
  }

  async #connect(): Promise<Client> {
    const client = this.#open();
    this.#client = client;
    // The question that is open fails too.
    client.on('error', () => undefined);
    await client.connect();
    return client;
  }

  #drop(): void {
    if (this.#client) cutConnection(this.#client);
    this.#client = undefined;
  }

  #become(state: PostgresState, since: number): void {
    if (state !== 'answers' && this.#state === 'answers') this.#lostAt = since;
    this.#state = state;
    for (const listener of this.#listeners) listener(state);
  }
}

/** Ends a connection without a message to PostgreSQL, which would not arrive. Open statements fail. */
export function cutConnection(client: Client): void {
  const { stream } = (client as unknown as { connection: { stream: { destroy(): void } } }).connection;
  stream.destroy();
}
