import { AppError } from '../../lib/errors.ts';
import type { Broadcast } from '../../platform/coordination/events/index.ts';

/** How long messages to other nodes take at most, as a rule. */
const MESSAGES_MS = 1_000;

/** The pages that are being restored, on all nodes. Their functions and data have to wait. */
export class Pauses {
  readonly #pages = new Set<number>();
  readonly #broadcast: Broadcast;

  constructor(broadcast: Broadcast) {
    this.#broadcast = broadcast;
    broadcast.subscribe('page restores', (id) => this.#pages.add(Number(id)));
    broadcast.subscribe('page restored', (id) => this.#pages.delete(Number(id)));
  }

  /** Pauses a page. Resolves when the other nodes know it. */
  async begin(pageId: number): Promise<void> {
    this.#pages.add(pageId);
    this.#broadcast.publish('page restores', pageId);
    if (!this.#broadcast.isSingleNode) await Bun.sleep(MESSAGES_MS);
  }

  end(pageId: number): void {
    this.#pages.delete(pageId);
    this.#broadcast.publish('page restored', pageId);
  }

  /** Sets all pages that are being restored, as the database knows them. */
  replace(pageIds: readonly number[]): void {
    this.#pages.clear();
    for (const id of pageIds) this.#pages.add(id);
  }

  /** A method that is passed on without its object. Almost always, no page is paused. */
  readonly assertNone = (pageId: number): void => {
    if (this.#pages.size > 0 && this.#pages.has(pageId)) throw isRestoring();
  };
}

const isRestoring = () =>
  new AppError(
    'UNAVAILABLE',
    'This page is being restored to an earlier moment. Try again in a few seconds.',
    {},
    { headers: { 'retry-after': '3' } },
  );
