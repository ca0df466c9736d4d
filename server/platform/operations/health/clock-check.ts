import type { Log } from '../../http/index.ts';
import type { Clock } from '../../storage/index.ts';

const LOOK_EVERY_MS = 5_000;
/** Synchronized clocks never differ by this much. */
export const CLOCK_WARN_MS = 1_000;
/** From this difference on, signatures for the bucket, certificates and single sign-on begin to fail. */
export const CLOCK_WRONG_MS = 30_000;

/** Compares the clock of this machine with the database's. */
export class ClockCheck {
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #timer: ReturnType<typeof setInterval>;
  #hasWarned = false;

  constructor({ clock, log }: { clock: Clock; log: Log }) {
    this.#clock = clock;
    this.#log = log;
    this.#timer = setInterval(() => this.#look(), LOOK_EVERY_MS);
    this.#look();
  }

  /** Whether this node should get no requests. What it stores has the database's time in any case. */
  isWrong(): boolean {
    return Math.abs(this.#clock.differenceMs()) >= CLOCK_WRONG_MS;
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  #look(): void {
    const differenceMs = this.#clock.differenceMs();
    const isOff = Math.abs(differenceMs) >= CLOCK_WARN_MS;
    if (isOff && !this.#hasWarned)
      this.#log.warn(
        `the clock of this machine is ${describeClock(differenceMs)}: synchronize both with NTP`,
      );
    if (!isOff && this.#hasWarned) this.#log.info('the clock of this machine agrees with PostgreSQL again');
    this.#hasWarned = isOff;
  }
}

/** What is wrong with the clock, for the operator. */
export function describeClock(differenceMs: number): string {
  const side = differenceMs > 0 ? 'ahead of' : 'behind';
  return `${(Math.abs(differenceMs) / 1000).toFixed(1)} s ${side} PostgreSQL's`;
}
