import type { Tx } from '../../platform/storage/index.ts';
import type { KeepOptions, MomentCause, MomentKeeper } from '../ports.ts';
import type { HistoryContext } from './context.ts';
import { isKept } from './is-kept.ts';
import { keepMoment } from './keep.ts';
import { isRestored } from './restore-store.ts';
import { parseState } from './state.ts';
import { findLastTime, listStates } from './store.ts';

/** How often moments of pages that have changed are kept. */
const EVERY_MS = 60_000;
/** The least time between two of them. Timers are not exact, and other nodes keep moments too. */
const APART_MS = 50_000;
/** How long a stop waits for the last moments. */
const STOP_MS = 3_000;

/** Keeps moments of pages that change, and before risky actions. */
export class Keeper implements MomentKeeper {
  readonly #context: HistoryContext;
  readonly #changed = new Set<number>();
  /** Pages whose databases may have changed since their last copy, and when they are copied again. */
  readonly #copiedAgainAt = new Map<number, number>();
  readonly #timer: ReturnType<typeof setInterval> | undefined;
  readonly assertNotRestoring: (pageId: number) => void;
  readonly readTime: (pageId: number) => number;
  #keeping: Promise<void> = Promise.resolve();
  #isStopped = false;

  constructor(context: HistoryContext, { everyMs = EVERY_MS } = {}) {
    this.#context = context;
    const { pauses, making } = context;
    this.assertNotRestoring = (pageId) => {
      pauses.assertNone(pageId);
      making.assertNone(pageId);
    };
    this.readTime = context.times.read;
    if (context.days === 0) return;
    this.#timer = setInterval(() => void this.keepChanged(), everyMs);
    this.#timer.unref();
  }

  noteChange(pageId: number): void {
    if (this.#context.days > 0) this.#changed.add(pageId);
  }

  async keepBefore(pageId: number, cause: MomentCause, options: KeepOptions = {}): Promise<void> {
    if (this.#context.days === 0) return;
    if (await isKept(this.#context, pageId, cause.kind, options)) return;
    // The restore that runs has kept one.
    if (await isRestored(this.#context.db, pageId)) return;
    const { ifChanged = false, apartMs, areChangedSince } = options;
    const isAboutRecords = apartMs !== undefined || areChangedSince !== undefined;
    await keepMoment(this.#context, pageId, { cause, ifChanged, takesEarlierCopies: isAboutRecords });
  }

  async listNeededVersions(tx: Tx, pageId: number, functionId: number): Promise<Set<number>> {
    const needed = new Set<number>();
    for (const row of await listStates(tx, pageId))
      for (const { id, version } of parseState(row).functions) if (id === functionId) needed.add(version);
    return needed;
  }

  /** Keeps moments of all pages that have changed since their last one. */
  keepChanged(): Promise<void> {
    this.#keeping = this.#keeping.then(() => this.#keepAll(APART_MS));
    return this.#keeping;
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#keeping;
    const last = this.#keepAll(0, { isLast: true });
    await Promise.race([last, Bun.sleep(STOP_MS)]);
    this.#isStopped = true;
    await last;
  }

  /** Whether the last moment of a page is younger than this. */
  async #isYoung(pageId: number, apartMs: number): Promise<boolean> {
    const { db, now } = this.#context;
    const age = now() - (await findLastTime(db, pageId));
    return age >= 0 && age < apartMs;
  }

  async #keepAll(apartMs: number, { isLast = false } = {}): Promise<void> {
    const { log, now } = this.#context;
    for (const [pageId, at] of this.#copiedAgainAt)
      if (isLast || at <= now()) {
        this.#copiedAgainAt.delete(pageId);
        this.#changed.add(pageId);
      }
    const pages = [...this.#changed];
    for (const pageId of pages) {
      if (this.#isStopped) return;
      // Forget the change first: the next one may happen while the moment is kept.
      this.#changed.delete(pageId);
      try {
        const { db } = this.#context;
        const mustWait = (await this.#isYoung(pageId, apartMs)) || (await isRestored(db, pageId));
        if (mustWait) this.#changed.add(pageId);
        else {
          const onEarlierCopy = (at: number) => this.#copyAgain(pageId, at);
          await keepMoment(this.#context, pageId, {
            ...{ ifChanged: true, takesEarlierCopies: !isLast, onEarlierCopy },
          });
        }
      } catch (error) {
        this.#changed.add(pageId);
        log.warn({ err: error, page: pageId }, 'a moment could not be kept; trying again');
      }
    }
  }

  /** Looks at a page again when its databases are copied next. */
  #copyAgain(pageId: number, at: number): void {
    this.#copiedAgainAt.set(pageId, Math.min(at, this.#copiedAgainAt.get(pageId) ?? at));
  }
}
