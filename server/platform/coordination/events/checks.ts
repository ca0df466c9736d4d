import type { Broadcast } from './broadcast.ts';

/** Something kept in memory that was the same in the database at a moment of `performance.now()`. */
export interface Checked {
  checkedAt: number;
}

/**
 * Says whether what is kept in memory may be used. Changes by other nodes are heard of at once, so while they are heard
 * it may; while they are not, it is compared with the database every second. A database that does not answer makes
 * nothing in memory worse: then that is used.
 */
export interface Checks {
  /** Always `fresh` where nobody else changes anything; `old` may be used once more, while it is compared. */
  stateOf(entry: Checked): 'fresh' | 'old' | 'unsure';
  /** Compares an entry with the database; false when it must not be used any more. */
  compare(entry: Checked, isSame: () => Promise<boolean>): Promise<boolean>;
}

/** How long an entry is trusted while other nodes cannot be heard. */
const UNHEARD_MS = 1_000;
/** And while they are: a node that dies between a change and telling of it never tells. */
const HEARD_MS = 30_000;
/** Longest that a request waits for the comparison. */
const WAIT_MS = 500;
/** How long the database is left alone when it failed. */
const REST_MS = 1_000;

export function createChecks(broadcast: Broadcast, now = () => performance.now()): Checks {
  const underWay = new WeakMap<Checked, Promise<boolean>>();
  /** What was compared before has not been told of since. */
  let surelyHeardFrom = Number.POSITIVE_INFINITY;
  let restUntil = 0;
  let late = 0;
  if (broadcast.isReceiving) surelyHeardFrom = now();
  broadcast.onGap(() => {
    surelyHeardFrom = now();
  });

  async function ask(entry: Checked, isSame: () => Promise<boolean>): Promise<boolean> {
    const at = now();
    try {
      const same = await isSame();
      if (same) entry.checkedAt = at;
      return same;
    } catch {
      restUntil = now() + REST_MS;
      return true;
    } finally {
      underWay.delete(entry);
    }
  }

  /** Asks, and goes on without an answer when there is none in time; nobody else asks before that one has come. */
  async function askInTime(entry: Checked, isSame: () => Promise<boolean>): Promise<boolean> {
    const asking = ask(entry, isSame);
    let timer: ReturnType<typeof setTimeout> | undefined;
    const tooLate = new Promise<boolean>((resolve) => {
      timer = setTimeout(() => {
        late++;
        void asking.finally(() => late--);
        resolve(true);
      }, WAIT_MS);
    });
    const same = await Promise.race([asking, tooLate]);
    clearTimeout(timer);
    return same;
  }

  return {
    stateOf({ checkedAt }) {
      if (broadcast.isSingleNode) return 'fresh';
      const age = now() - checkedAt;
      if (!broadcast.isReceiving) return age < UNHEARD_MS ? 'fresh' : 'unsure';
      if (checkedAt < surelyHeardFrom) return 'unsure';
      return age < HEARD_MS ? 'fresh' : 'old';
    },
    compare(entry, isSame) {
      const running = underWay.get(entry);
      if (running) return running;
      if (late > 0 || now() < restUntil) return Promise.resolve(true);
      const started = askInTime(entry, isSame);
      underWay.set(entry, started);
      return started;
    },
  };
}
