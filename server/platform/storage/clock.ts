/**
 * The time that all nodes of a service agree on. What a node stores (claims, expiry, moments of schedules) is compared
 * with the clocks of other nodes, so it must not come from a clock that only this machine has.
 */
export interface Clock {
  /** Milliseconds since 1970, as an integer. */
  now: () => number;
  /** How far the clock of this machine is ahead of this clock; negative if it is behind. */
  differenceMs(): number;
}

/** The clock with SQLite, which only one machine uses. */
export const MACHINE_CLOCK: Clock = { now: () => Date.now(), differenceMs: () => 0 };

/** A clock that has to go back by less than this stands still instead, until the time has caught up. */
const STAND_STILL_MS = 1_000;

/**
 * The clock of PostgreSQL, without asking it each time. Between measurements it follows a clock of this machine that
 * nobody can set.
 */
export class DatabaseClock implements Clock {
  /** What PostgreSQL's clock shows when `performance.now()` is 0. */
  #zero = Number.NaN;
  #last = 0;

  /** A field, because it is passed on without its object. */
  readonly now = (): number => {
    const time = Math.floor(this.#zero + performance.now());
    if (time < this.#last && this.#last - time < STAND_STILL_MS) return this.#last;
    this.#last = time;
    return time;
  };

  differenceMs(): number {
    return Date.now() - this.now();
  }

  /** PostgreSQL's clock showed `time` at some moment between the question and the answer. */
  set(time: number, { askedAt, answeredAt }: { askedAt: number; answeredAt: number }): void {
    const halfMs = (answeredAt - askedAt) / 2;
    const zero = time - askedAt - halfMs;
    // A slow answer says less than what is known already.
    if (Math.abs(zero - this.#zero) <= halfMs) return;
    this.#zero = zero;
  }
}
