import { AppError } from '../../lib/errors.ts';
import { createFairQueue } from '../../lib/fair-queue.ts';
import type { Limit } from '../../platform/coordination/limits/index.ts';
import type { Actor } from '../../platform/http/index.ts';
import type { PageRow } from '../../platform/storage/index.ts';
import { attackAndSave } from './attack.ts';
import type { AttackContext } from './context.ts';

/** A page that is published again within this time is attacked once. */
const WAIT_MS = 5 * 60_000;
const MAX_WAITING = 100;
/** How long a server that stops waits for an attack that is under way. */
const STOP_MS = 5_000;

/**
 * Attacks pages after a draft of theirs was published, in the background: one at a time. A node that stops attacks
 * nothing more; the next draft is attacked again.
 */
export class AttacksAfterPublishing {
  readonly #context: AttackContext;
  readonly #perOwner: Pick<Limit, 'take'>;
  readonly #waiting = new Map<number, ReturnType<typeof setTimeout>>();
  readonly #running = new Set<Promise<void>>();
  readonly #stopping = new AbortController();
  readonly #takeTurn = createFairQueue({
    width: 1,
    maxWaiting: MAX_WAITING,
    refused: () => new AppError('UNAVAILABLE', 'Too many pages are being attacked. Try again in a moment.'),
  });

  constructor(context: AttackContext, perOwner: Pick<Limit, 'take'>) {
    this.#context = context;
    this.#perOwner = perOwner;
  }

  /** Notes that somebody has published a draft of a page, or merged a branch into it. */
  note(page: PageRow, by: Actor): void {
    const { id, owner_id: owner } = page;
    const { is_published, branch_of, attack_first } = page;
    // With `attack_first`, a copy with the same draft was attacked just now.
    if (is_published !== 1 || branch_of !== null || attack_first === 1 || this.#stopping.signal.aborted)
      return;
    clearTimeout(this.#waiting.get(id));
    const timer = setTimeout(() => {
      this.#waiting.delete(id);
      const attacked = this.#takeTurn(String(owner), () => this.#attack(id, { ...by, userId: owner }))
        .catch((err: unknown) => {
          const { log } = this.#context;
          // Too often today, for example, or there is no history from which a copy could be made.
          if (err instanceof AppError) log.debug({ err, page: id }, 'a published draft was not attacked');
          else log.warn({ err, page: id }, 'a published draft could not be attacked');
        })
        .finally(() => this.#running.delete(attacked));
      this.#running.add(attacked);
    }, WAIT_MS);
    timer.unref();
    this.#waiting.set(id, timer);
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    for (const timer of this.#waiting.values()) clearTimeout(timer);
    // What is left of it is removed with other copies whose time is over.
    await Promise.race([Promise.all(this.#running), Bun.sleep(STOP_MS)]);
  }

  async #attack(id: number, owner: Actor): Promise<void> {
    const { signal } = this.#stopping;
    const page = await this.#context.pages.find(this.#context.db, String(id));
    if (signal.aborted || !page || page.taken_down_at !== null) return;
    await this.#perOwner.take(String(owner.userId));
    await attackAndSave(this.#context, owner, page, signal);
  }
}
