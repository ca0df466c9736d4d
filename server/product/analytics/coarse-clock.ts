import { floorToDay, floorToHour, HOUR_MS } from './limits.ts';

/** After this time, and when the hour ends, the clock is read again. */
const VALID_MS = 1_000;

/** The current hour and day. Reading a clock for every load of a page would cost more than counting the load. */
export class CoarseClock {
  readonly #now: () => number;
  #validUntil = Number.NEGATIVE_INFINITY;
  hour = 0;
  day = 0;

  constructor(now: () => number) {
    this.#now = now;
  }

  /** Updates the hour and day. `moment` is a time of `performance.now()`, which the request already has. */
  turnTo(moment: number): void {
    if (moment >= this.#validUntil) this.#read(moment);
  }

  /** Makes the next caller read the clock. */
  forget(): void {
    this.#validUntil = Number.NEGATIVE_INFINITY;
  }

  #read(moment: number): void {
    const now = this.#now();
    this.hour = floorToHour(now);
    this.day = floorToDay(now);
    this.#validUntil = moment + Math.min(VALID_MS, this.hour + HOUR_MS - now);
  }
}
