/** Writers wait this long for a copy of the database; after that, the copy is discarded. */
const LOCK_MS = 20_000;
/** A copy that is read over the network keeps the lock while it is read, but no longer than this. */
const MAX_LOCK_MS = 120_000;
/** How often to look whether a lock has expired. */
const POLL_MS = 1_000;

/**
 * Locks a database for writers while it is copied, and for all requests while a script runs in pieces or a function has a
 * transaction open.
 */
export class WriteLock {
  private current: { token: string; until: number } | undefined;
  /** Those that wait. All of them look again when the lock is free, in the order in which they came. */
  private readonly waiting = new Set<() => void>();

  /** Waits until the lock is free. */
  async untilUnlocked(): Promise<void> {
    while (this.current) {
      if (Date.now() > this.current.until) this.current = undefined;
      else await this.untilChanged();
    }
  }

  private async untilChanged(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, POLL_MS);
    this.waiting.add(resolve);
    await promise;
    clearTimeout(timer);
    this.waiting.delete(resolve);
  }

  /** Locks the database for a copy; returns the token that unlocks it. */
  async lock(milliseconds = LOCK_MS): Promise<string> {
    // All that wait look at once, and only the first of them may lock.
    do await this.untilUnlocked();
    while (this.current);
    const token = crypto.randomUUID();
    this.current = { token, until: Date.now() + milliseconds };
    return token;
  }

  /** Returns a function that extends the lock. Call it while the copy is being read. */
  extender(): () => void {
    const lastAt = Date.now() + MAX_LOCK_MS;
    return () => {
      if (this.current) this.current.until = Math.min(lastAt, Date.now() + LOCK_MS);
    };
  }

  /** Locks the database, unless `assertMay` throws when it is the turn of this. */
  async lockIf(assertMay: () => void, milliseconds = LOCK_MS): Promise<string> {
    const token = await this.lock(milliseconds);
    try {
      assertMay();
      return token;
    } catch (error) {
      this.unlock(token);
      throw error;
    }
  }

  /** Whether a lock has been kept all the time. */
  isKept(token: string): boolean {
    return this.current?.token === token && Date.now() <= this.current.until;
  }

  /** Unlocks. False if a write may have happened since: the lock expired, or its process has ended. */
  unlock(token: string): boolean {
    const isLocked = this.current?.token === token;
    if (isLocked) this.current = undefined;
    for (const look of this.waiting) look();
    return isLocked;
  }
}
