import { dayOf, HOUR_MS, hourOf } from './limits.ts';

/** The clock is read again after this time, and when the hour ends. */
const VALID_MS = 1_000;

/** The hour and the day that it is now. To read a clock for every load of a page would cost more than to count it. */
export class CoarseClock {
  readonly #now: () => number;
  #validUntil = Number.NEGATIVE_INFINITY;
  hour = 0;
  day = 0;

  constructor(now: () => number) {
    this.#now = now;
  }

  /** `moment` is a time of `performance.now()`, which the request has already. */
  turnTo(moment: number): void {
    if (moment >= this.#validUntil) this.#read(moment);
  }

  /** The next one who asks reads the clock. */
  forget(): void {
    this.#validUntil = Number.NEGATIVE_INFINITY;
  }

  #read(moment: number): void {
    const now = this.#now();
    this.hour = hourOf(now);
    this.day = dayOf(now);
    this.#validUntil = moment + Math.min(VALID_MS, this.hour + HOUR_MS - now);
  }
}
