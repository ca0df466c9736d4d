import { AppError } from '../../lib/errors.ts';
import type { Broadcast } from '../../platform/coordination/events/index.ts';

/** How long messages to other nodes take at most, as a rule. */
const MESSAGES_MS = 1_000;

interface Reason {
  began: string;
  ended: string;
  refuse(): AppError;
}

/** Messages and the error for pages that are being restored. */
const RESTORE: Reason = { began: 'page restores', ended: 'page restored', refuse: isRestoring };
/** Why a page that is a branch is paused while it is made. */
export const MAKING: Reason = { began: 'branch making', ended: 'branch ready', refuse: isMade };

/** The pages that are being restored, or made as branches, on all nodes. Their functions and data have to wait. */
export class Pauses {
  #pages = new Set<number>();
  /** What changes while the database is read: pages, and whether they are being restored. */
  readonly #meanwhile = new Set<Map<number, boolean>>();
  readonly #broadcast: Broadcast;

  constructor(
    broadcast: Broadcast,
    private readonly reason: Reason = RESTORE,
  ) {
    this.#broadcast = broadcast;
    broadcast.subscribe(reason.began, (id) => this.#set(Number(id), true));
    broadcast.subscribe(reason.ended, (id) => this.#set(Number(id), false));
  }

  /** Pauses a page. Resolves when the other nodes know it. */
  async begin(pageId: number): Promise<void> {
    this.#set(pageId, true);
    this.#broadcast.publish(this.reason.began, pageId);
    if (!this.#broadcast.isSingleNode) await Bun.sleep(MESSAGES_MS);
  }

  end(pageId: number): void {
    this.#set(pageId, false);
    this.#broadcast.publish(this.reason.ended, pageId);
  }

  /** Learns from the database which pages are being restored. What is said meanwhile is newer. */
  async learn<Row extends { page_id: number }>(read: () => Promise<Row[]>): Promise<Row[]> {
    const changes = new Map<number, boolean>();
    this.#meanwhile.add(changes);
    try {
      const rows = await read();
      this.#pages = new Set(rows.map(({ page_id }) => page_id));
      for (const [pageId, isPaused] of changes) this.#set(pageId, isPaused);
      return rows;
    } finally {
      this.#meanwhile.delete(changes);
    }
  }

  #set(pageId: number, isPaused: boolean): void {
    for (const changes of this.#meanwhile) changes.set(pageId, isPaused);
    if (isPaused) this.#pages.add(pageId);
    else this.#pages.delete(pageId);
  }

  has(pageId: number): boolean {
    return this.#pages.has(pageId);
  }

  /** A method that is passed on without its object. Almost always, no page is paused. */
  readonly assertNone = (pageId: number): void => {
    if (this.#pages.size > 0 && this.#pages.has(pageId)) throw this.reason.refuse();
  };
}

function isMade(): AppError {
  return new AppError(
    'UNAVAILABLE',
    'This branch is being made: its records and databases are not all there yet. Try again in a few seconds.',
    {},
    { headers: { 'retry-after': '3' } },
  );
}

export function isRestoring(): AppError {
  return new AppError(
    'UNAVAILABLE',
    'This page is being restored to an earlier moment. Try again in a few seconds.',
    {},
    { headers: { 'retry-after': '3' } },
  );
}
