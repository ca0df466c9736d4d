import { AppError } from '../../lib/errors.ts';
import { createFairQueue } from '../../lib/fair-queue.ts';
import type { Limit } from '../../platform/coordination/limits/index.ts';
import type { Actor } from '../../platform/http/index.ts';
import type { PageRow } from '../../platform/storage/index.ts';
import { attackAndSave } from './attack.ts';
import type { AttackContext } from './context.ts';

/** A page that is published again within this time is attacked once. */
const WAIT_MS = 60_000;
/** How often pages are looked at whose time has come. */
const LOOK_EVERY_MS = 1_000;
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
  /** By page: when it is attacked, by the service's clock, and as whom. */
  readonly #waiting = new Map<number, { at: number; owner: Actor }>();
  readonly #looking: ReturnType<typeof setInterval>;
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
    this.#looking = setInterval(() => this.#look(), LOOK_EVERY_MS);
    this.#looking.unref();
  }

  /** Notes that somebody has published a draft of a page, or merged a branch into it. */
  note(page: PageRow, by: Actor): void {
    const { id, owner_id: userId, is_published, branch_of, attack_first } = page;
    // With `attack_first`, a copy with the same draft was attacked just now.
    if (is_published !== 1 || branch_of !== null || attack_first === 1 || this.#stopping.signal.aborted)
      return;
    this.#waiting.set(id, { at: this.#context.now() + WAIT_MS, owner: { ...by, userId } });
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    clearInterval(this.#looking);
    // What is left of it is removed with other copies whose time is over.
    await Promise.race([Promise.all(this.#running), Bun.sleep(STOP_MS)]);
  }

  /** Attacks the pages whose time has come. */
  #look(): void {
    const { log, now } = this.#context;
    for (const [id, { at, owner }] of this.#waiting) {
      if (at > now()) continue;
      this.#waiting.delete(id);
      const attacked = this.#takeTurn(String(owner.userId), () => this.#attack(id, owner))
        .catch((err: unknown) => {
          // Too often today, for example, or there is no history from which a copy could be made.
          if (err instanceof AppError) log.debug({ err, page: id }, 'a published draft was not attacked');
          else log.warn({ err, page: id }, 'a published draft could not be attacked');
        })
        .finally(() => this.#running.delete(attacked));
      this.#running.add(attacked);
    }
  }

  async #attack(id: number, owner: Actor): Promise<void> {
    const { signal } = this.#stopping;
    const page = await this.#context.pages.find(this.#context.db, String(id));
    // Meanwhile it may have been unpublished, deleted or taken down.
    if (signal.aborted || page?.is_published !== 1 || page.taken_down_at !== null) return;
    await this.#perOwner.take(String(owner.userId));
    await attackAndSave(this.#context, owner, page, signal);
  }
}
