/** A clock that goes back by less than this was corrected. */
export const CORRECTION_MS = 60_000;

/**
 * Time for a replica. The clock of a machine can jump, and must then neither remove what is still needed nor make
 * segments look older than those before them.
 */
export class ReplicaClock {
  readonly #now: () => number;
  readonly #elapsed: () => number;
  readonly #startedAt: number;
  readonly #first: number;
  #newest: number;

  /** `newest` is the time of the last segment that exists. */
  constructor(newest: number | undefined, now: () => number, elapsed = () => performance.now()) {
    this.#now = now;
    this.#elapsed = elapsed;
    this.#startedAt = elapsed();
    this.#newest = newest ?? now();
    this.#first = this.#newest;
  }

  /** The time for the next segment: never before the one before it, unless the clock was set back for good. */
  stamp(at: number): number {
    const isCorrected = at < this.#newest && this.#newest - at < CORRECTION_MS;
    this.#newest = isCorrected ? this.#newest : at;
    return this.#newest;
  }

  /** A time that is never ahead of what has really passed since the last segment of an earlier run. */
  cautious(): number {
    return Math.min(this.#now(), this.#first + this.#elapsed() - this.#startedAt);
  }
}
