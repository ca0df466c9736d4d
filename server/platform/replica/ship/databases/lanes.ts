/** Bounds what shipping databases costs: how many are read at once, and for how long. */

/** Databases whose changes are read at once. One more is read as a whole meanwhile. */
const CHANGES_AT_ONCE = 2;
/** A lane rests for as long as it has worked, and so uses half of a processor at most. */
const REST_SHARE = 1;
/** After a full copy of a large database, others do not wait for minutes. */
const MAX_REST_MS = 5_000;

interface Lane {
  isFull: boolean;
  isBusy: boolean;
  /** On the clock of the process. */
  restsUntil: number;
}

interface Work {
  ownerId: number;
  /** It reads a whole database, which takes as long as that is large. */
  isFull: boolean;
  /** Somebody waits for it, so no lane rests before it. */
  isUrgent: boolean;
}

export class Lanes {
  readonly #lanes: Lane[] = [
    ...Array.from({ length: CHANGES_AT_ONCE }, () => ({ isFull: false, isBusy: false, restsUntil: 0 })),
    { isFull: true, isBusy: false, restsUntil: 0 },
  ];
  /** Owners with a running task: the databases of one owner cannot fill all lanes. */
  readonly #owners = new Set<number>();
  readonly #running = new Set<Promise<void>>();

  constructor(private readonly elapsed = () => performance.now()) {}

  /** Begins a task, which must not fail. False if there is no free lane for it now. */
  begin({ ownerId, isFull, isUrgent }: Work, task: () => Promise<void>): boolean {
    if (this.#owners.has(ownerId)) return false;
    const now = this.elapsed();
    const lane = this.#lanes.find(
      (each) => !each.isBusy && each.isFull === isFull && (isUrgent || each.restsUntil <= now),
    );
    if (!lane) return false;
    lane.isBusy = true;
    this.#owners.add(ownerId);
    const running = task().finally(() => {
      const endedAt = this.elapsed();
      lane.isBusy = false;
      lane.restsUntil = endedAt + Math.min(MAX_REST_MS, REST_SHARE * (endedAt - now));
      this.#owners.delete(ownerId);
      this.#running.delete(running);
    });
    this.#running.add(running);
    return true;
  }

  async whenOneEnded(): Promise<void> {
    await Promise.race(this.#running);
  }

  async whenIdle(): Promise<void> {
    await Promise.all(this.#running);
  }
}
