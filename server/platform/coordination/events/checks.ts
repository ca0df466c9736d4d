import type { Broadcast } from './broadcast.ts';

/** A cached entry, and when it last matched the database, by `performance.now()`. */
export interface Checked {
  checkedAt: number;
}

/**
 * Decides whether a cached entry may be used. While changes by other nodes arrive, it may. While they do not, it is
 * compared with the database every second. If the database does not respond, the entry is used anyway: it is the best
 * we have.
 */
export interface Checks {
  /** Always `fresh` on a single node. An `old` entry may be used once more while it is compared. */
  checkAge(entry: Checked): 'fresh' | 'old' | 'unsure';
  /** Compares an entry with the database. False if it must no longer be used. */
  compare(entry: Checked, isSame: () => Promise<boolean>): Promise<boolean>;
}

/** How long an entry is trusted while changes by other nodes do not arrive. */
const NOT_RECEIVING_MS = 1_000;
/** How long an entry is trusted while changes arrive: a node that crashes may not publish its last change. */
const RECEIVING_MS = 30_000;
/** The longest a request waits for the comparison. */
const WAIT_MS = 500;
/** How long to wait after a database failure before comparing again. */
const COOLDOWN_MS = 1_000;

export function createChecks(broadcast: Broadcast, now = () => performance.now()): Checks {
  const comparisons = new WeakMap<Checked, Promise<boolean>>();
  /** Since this time no message has been lost. Entries compared earlier may have changed unnoticed. */
  let surelyHeardFrom = Number.POSITIVE_INFINITY;
  let cooldownUntil = 0;
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
      cooldownUntil = now() + COOLDOWN_MS;
      return true;
    } finally {
      comparisons.delete(entry);
    }
  }

  /** Compares with a time limit. After a timeout, no other comparison starts until this one has ended. */
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
    checkAge({ checkedAt }) {
      if (broadcast.isSingleNode) return 'fresh';
      const age = now() - checkedAt;
      if (!broadcast.isReceiving) return age < NOT_RECEIVING_MS ? 'fresh' : 'unsure';
      if (checkedAt < surelyHeardFrom) return 'unsure';
      return age < RECEIVING_MS ? 'fresh' : 'old';
    },
    compare(entry, isSame) {
      const running = comparisons.get(entry);
      if (running) return running;
      if (late > 0 || now() < cooldownUntil) return Promise.resolve(true);
      const started = askInTime(entry, isSame);
      comparisons.set(entry, started);
      return started;
    },
  };
}
