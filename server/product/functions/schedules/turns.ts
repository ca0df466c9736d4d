import { type CutOff, RUN_MS } from './run.ts';

/** Runs of one owner at a time on a node, so that the schedules of others are not late. */
export const OWNER_RUNS = 2;
/** Processes that start at a time: at full hours, many schedules are due. */
const STARTS_AT_ONCE = 2;
/** When all places are taken and others wait, a run can be cut off after this time. */
const SAFE_MS = 30_000;
/** The most owners that one query leaves out. */
const MAX_LEFT_OUT = 1_000;

/** A run in progress. */
export interface Turn {
  signal: AbortSignal;
  /** Call this when the process is ready. */
  onBegun(): void;
  /** Ends the turn when this work ends. */
  finish(work: Promise<unknown>): void;
}

interface Running {
  owner: number;
  since: number;
  aborting: AbortController;
  work: Promise<unknown>;
}

/** Decides who may run now: limited in total, per owner, and by the rate of each owner. */
export class Turns {
  readonly #running = new Set<Running>();
  readonly #held = new Map<number, number>();
  /** Owners who had a turn in this round, in which every waiting owner gets one. */
  readonly served = new Set<number>();
  readonly #times: { runMs: number; safeMs: number; now(): number };
  #starting = 0;

  constructor(
    private readonly max: number,
    times: Partial<{ runMs: number; safeMs: number; now(): number }> = {},
  ) {
    this.#times = { runMs: RUN_MS, safeMs: SAFE_MS, now: () => performance.now(), ...times };
  }

  /** Runs in progress. */
  get size(): number {
    return this.#running.size;
  }

  /** How many more may start now. */
  get free(): number {
    return Math.max(0, Math.min(this.max - this.#running.size, STARTS_AT_ONCE - this.#starting));
  }

  isFreeFor(owner: number): boolean {
    return this.free > 0 && !this.#held.has(owner) && this.countRuns(owner) < OWNER_RUNS;
  }

  countRuns(owner: number): number {
    return [...this.#running].filter((running) => running.owner === owner).length;
  }

  /** Makes an owner wait who has used up their rate. */
  hold(owner: number, seconds: number): void {
    this.#held.set(owner, performance.now() + seconds * 1000);
  }

  /** How long until the first owner who waits for their rate may go on. */
  get heldMs(): number {
    return Math.min(...this.#held.values()) - performance.now();
  }

  /** Owners who cannot have a run now. */
  busyOwners(): number[] {
    const now = performance.now();
    for (const [owner, until] of this.#held) if (until <= now) this.#held.delete(owner);
    const running = [...this.#running]
      .map(({ owner }) => owner)
      .filter((owner) => this.countRuns(owner) >= OWNER_RUNS);
    return [...new Set([...running, ...this.#held.keys()])].slice(0, MAX_LEFT_OUT);
  }

  /** Gives an owner a turn. False if they cannot have one now. */
  serve(owner: number): boolean {
    if (this.served.has(owner) || !this.isFreeFor(owner)) return false;
    if (this.served.size >= MAX_LEFT_OUT) this.served.clear();
    this.served.add(owner);
    return true;
  }

  begin(owner: number, onChange: () => void): Turn {
    const aborting = new AbortController();
    const running: Running = { owner, since: this.#times.now(), aborting, work: Promise.resolve() };
    const late = setTimeout(() => aborting.abort('late' satisfies CutOff), this.#times.runMs);
    late.unref();
    this.#running.add(running);
    this.#starting++;
    let hasBegun = false;
    const onBegun = () => {
      if (hasBegun) return;
      hasBegun = true;
      this.#starting--;
      onChange();
    };
    return {
      signal: aborting.signal,
      onBegun,
      finish: (work) => {
        // Callers that need the failure await the work itself.
        running.work = work
          .catch(() => undefined)
          .finally(() => {
            clearTimeout(late);
            this.#running.delete(running);
            onBegun();
            onChange();
          });
      },
    };
  }

  /** Cuts off a run that has had its time: of the owners with most runs, the oldest. */
  makePlace(): void {
    if (this.#running.size < this.max) return;
    const before = this.#times.now() - this.#times.safeMs;
    // A set keeps the order of additions.
    const [last] = [...this.#running]
      .filter(({ since }) => since <= before)
      .sort((one, other) => this.countRuns(other.owner) - this.countRuns(one.owner));
    last?.aborting.abort('place' satisfies CutOff);
  }

  async stop(): Promise<void> {
    for (const { aborting } of this.#running) aborting.abort('stop' satisfies CutOff);
    await Promise.allSettled([...this.#running].map(({ work }) => work));
  }
}
