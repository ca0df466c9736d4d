import type { RestoreRow } from '../../../platform/storage/index.ts';
import type { HistoryContext } from '../context.ts';
import { LostClaim, noteFailure, updateRestore } from '../restore-store.ts';

/** A restore whose node has not renewed its claim for this long is taken over. */
export const LEASE_MS = 30_000;
const RENEW_MS = 10_000;
/** How often a restore, and then its undo, is tried before it is given up. */
export const MAX_TRIES = 4;
/** How long to wait after the first failure, and how much longer after each other one. */
const RETRY_MS = 10_000;
const RETRY_FACTOR = 4;

/** The restores that run on this node. Each renews its claim, and stops if another node has it. */
export class RunningRestores {
  readonly #context: Pick<HistoryContext, 'db' | 'now'>;
  readonly #running = new Map<number, Promise<unknown>>();
  readonly #stopping = new AbortController();

  constructor(context: Pick<HistoryContext, 'db' | 'now'>) {
    this.#context = context;
  }

  get isStopping(): boolean {
    return this.#stopping.signal.aborted;
  }

  has(id: number): boolean {
    return this.#running.has(id);
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await Promise.allSettled(this.#running.values());
  }

  /** Renews the claim while the work is done. The signal says that it must stop: another node or a later start goes on. */
  track<T>(row: RestoreRow, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const { db, now } = this.#context;
    const lost = new AbortController();
    const renewing = setInterval(() => {
      updateRestore(db, row, { claimed_until: now() + LEASE_MS }).catch((error: unknown) => {
        if (error instanceof LostClaim) lost.abort(error);
      });
    }, RENEW_MS);
    const running = work(AbortSignal.any([this.#stopping.signal, lost.signal]))
      .catch(async (error: unknown) => {
        await this.#giveUp(row).catch(() => undefined);
        throw error;
      })
      .finally(() => {
        clearInterval(renewing);
        this.#running.delete(row.id);
      });
    this.#running.set(row.id, running);
    return running;
  }

  /** Whoever looks next goes on: at once after a stop, and later after a failure. */
  #giveUp(row: RestoreRow): Promise<void> {
    const { db, now } = this.#context;
    if (this.isStopping) return updateRestore(db, row, { claimed_until: now() });
    const waitMs = RETRY_MS * RETRY_FACTOR ** Math.min(row.tries, MAX_TRIES - 2);
    return noteFailure(db, row, now() + waitMs);
  }
}
