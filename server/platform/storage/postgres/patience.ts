import type { Client } from 'pg';
import { isUnavailable } from '../postgres-messages.ts';
import { cutConnection, type Heartbeat } from './heartbeat.ts';

/** How long a statement that was not sent waits for PostgreSQL to come back. */
const WAIT_MS = 5_000;
/** Limits the memory for requests that wait. */
const MAX_WAITING = 2_000;
/** The pause before another attempt while PostgreSQL answers, but not to everyone. */
const PAUSE_MS = 50;

/** What a node knows about PostgreSQL, for all its connections. */
export interface PostgresLink {
  heartbeat: Heartbeat;
  patience: Patience;
}

class UnavailableError extends Error {
  readonly code = 'ECONNREFUSED';
}

interface Waiter {
  resolve(): void;
  reject(error: Error): void;
}

/**
 * Decides which statements wait while PostgreSQL is not available. A restart takes a few seconds: what was not sent
 * waits for its end. If PostgreSQL is silent, or only this node cannot reach it, everything fails at once, so that
 * requests do not hang.
 */
export class Patience {
  readonly #heartbeat: Heartbeat;
  readonly #waiting = new Set<Waiter>();
  readonly #connecting = new Set<(error: Error) => void>();
  readonly #clients = new Set<Client>();
  /** True if it is known that other nodes reach PostgreSQL. */
  isCutOff: () => boolean = () => false;

  constructor(heartbeat: Heartbeat) {
    this.#heartbeat = heartbeat;
    heartbeat.onBeat((state) => {
      if (state === 'answers') this.#letGo();
      else if (state === 'silent') this.#giveUp();
      else if (this.isCutOff()) this.#refuse();
    });
  }

  /** Counts as a pool reports them: the connection of the heartbeat, and statements that wait. */
  readonly totalCount = 1;
  readonly idleCount = 0;

  get waitingCount(): number {
    return this.#waiting.size;
  }

  /** Closes a connection when PostgreSQL is silent. Otherwise it would hang, even afterwards. */
  watch(client: Client): void {
    this.#clients.add(client);
    client.once('end', () => this.#clients.delete(client));
  }

  /**
   * Opens a connection, or does something else that cannot change anything; again, if PostgreSQL is not available. It
   * must throw the errors of the client unchanged.
   */
  async attempt<Result>(work: () => Promise<Result>): Promise<Result> {
    const deadline = performance.now() + WAIT_MS;
    for (;;) {
      if (this.#heartbeat.state !== 'answers') await this.#wait(deadline);
      try {
        return await work();
      } catch (error) {
        if (!isUnavailable(error) || performance.now() >= deadline) throw error;
        // The heartbeat may not have noticed the failure yet.
        await this.#heartbeat.beat();
        if (this.#heartbeat.state === 'answers') await Bun.sleep(PAUSE_MS);
      }
    }
  }

  /** Waits for a connection that would hang if PostgreSQL is silent. A connection that comes too late is given back. */
  unlessSilent<Connection>(
    work: Promise<Connection>,
    giveBack: (late: Connection) => void,
  ): Promise<Connection> {
    return new Promise((resolve, reject) => {
      let isOver = false;
      const giveUp = (error: Error) => {
        isOver = true;
        reject(error);
      };
      this.#connecting.add(giveUp);
      work
        .then((connection) => (isOver ? giveBack(connection) : resolve(connection)), reject)
        .finally(() => this.#connecting.delete(giveUp));
    });
  }

  async #wait(deadline: number): Promise<void> {
    if (this.#heartbeat.state === 'silent' || this.isCutOff()) throw unavailable();
    if (this.#waiting.size >= MAX_WAITING) throw unavailable();
    const { promise, ...waiter } = Promise.withResolvers<void>();
    this.#waiting.add(waiter);
    const timer = setTimeout(() => waiter.reject(unavailable()), deadline - performance.now());
    try {
      await promise;
    } finally {
      clearTimeout(timer);
      this.#waiting.delete(waiter);
    }
  }

  #letGo(): void {
    for (const { resolve } of this.#waiting) resolve();
  }

  #refuse(): void {
    for (const { reject } of this.#waiting) reject(unavailable());
  }

  #giveUp(): void {
    this.#refuse();
    for (const giveUp of this.#connecting) giveUp(unavailable());
    for (const client of this.#clients) cutConnection(client);
  }
}

/** What statements fail with while there is no connection. */
export function unavailable(): Error {
  return new UnavailableError('PostgreSQL is not available.');
}
