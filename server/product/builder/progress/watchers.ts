import type { BuilderEvent, BuilderRun } from '../../../../contract/agents/builder.ts';
import { loseRun } from '../../../../contract/agents/builder-run.ts';
import { MAX_WATCHERS } from '../../../../contract/rules/builder-limits.ts';
import { AppError } from '../../../lib/errors.ts';
import { type EventStream, encodeEvent } from '../../../platform/http/index.ts';
import type { BuilderContext } from '../context.ts';
import { findProgress, LEASE_MS } from '../store.ts';
import { CHANGED, type LiveRun } from './live-run.ts';

/** How often progress on another node is read again. Usually that node says when there is some. */
const REFRESH_MS = 4_000;

interface Watcher {
  userId: number;
  stream: EventStream;
  /** The events so far. What was read before the last one is outdated. */
  events: number;
  /** The progress that was last sent as a whole, to send each only once. */
  sent: string;
}

interface WatchedPage {
  watchers: Set<Watcher>;
  refreshing: ReturnType<typeof setInterval> | undefined;
}

type Context = Pick<BuilderContext, 'db' | 'broadcast' | 'log' | 'now'>;

/** The windows in which people watch their own runs, by page. They also see the runs that they start elsewhere. */
export class Watchers {
  readonly #context: Context;
  /** Finds the run of a person on a page, if it is in this process. */
  readonly #findLive: (pageId: number, userId: number) => LiveRun | undefined;
  readonly #pages = new Map<number, WatchedPage>();

  constructor(context: Context, findLive: (pageId: number, userId: number) => LiveRun | undefined) {
    this.#context = context;
    this.#findLive = findLive;
    context.broadcast.subscribe(CHANGED, (pageId) => void this.#refresh(Number(pageId)));
  }

  /** Fails if a person has too many windows with this page. */
  assertCanWatch(pageId: number, userId: number): void {
    const all = [...(this.#pages.get(pageId)?.watchers ?? [])];
    if (all.filter((watcher) => watcher.userId === userId).length < MAX_WATCHERS) return;
    throw new AppError(
      'RATE_LIMITED',
      'The builder is open in {count} of your windows, which is the limit. Close one.',
      { count: MAX_WATCHERS },
    );
  }

  /** Sends everything so far, and then what happens. Returns a function that ends it. */
  add(pageId: number, userId: number, stream: EventStream): () => void {
    const page = this.#open(pageId);
    const watcher: Watcher = { userId, stream, events: 0, sent: '' };
    page.watchers.add(watcher);
    void this.#sendAll(pageId, watcher);
    return () => {
      page.watchers.delete(watcher);
      if (page.watchers.size > 0) return;
      clearInterval(page.refreshing);
      if (this.#pages.get(pageId) === page) this.#pages.delete(pageId);
    };
  }

  /** Sends an event of a run in this process. */
  send(run: LiveRun, event: BuilderEvent): void {
    const bytes = encodeEvent({ data: event });
    for (const watcher of this.#pages.get(run.pageId)?.watchers ?? []) {
      if (watcher.userId !== run.userId) continue;
      watcher.events++;
      watcher.stream.send(bytes);
    }
  }

  stop(): void {
    for (const { watchers, refreshing } of this.#pages.values()) {
      clearInterval(refreshing);
      for (const { stream } of [...watchers]) stream.end();
    }
  }

  #open(pageId: number): WatchedPage {
    const known = this.#pages.get(pageId);
    if (known) return known;
    const { isSingleNode } = this.#context.broadcast;
    const refreshing = isSingleNode ? undefined : setInterval(() => void this.#refresh(pageId), REFRESH_MS);
    const page = { watchers: new Set<Watcher>(), refreshing };
    this.#pages.set(pageId, page);
    return page;
  }

  async #refresh(pageId: number): Promise<void> {
    for (const watcher of this.#pages.get(pageId)?.watchers ?? [])
      if (!this.#findLive(pageId, watcher.userId)) await this.#sendAll(pageId, watcher);
  }

  async #sendAll(pageId: number, watcher: Watcher): Promise<void> {
    const { userId, events, stream } = watcher;
    try {
      const live = this.#findLive(pageId, userId);
      const run = live ? live.state : await this.read(pageId, userId);
      if (watcher.events !== events) return;
      const progress = JSON.stringify(run);
      if (progress === watcher.sent) return;
      watcher.sent = live ? '' : progress;
      stream.send(encodeEvent({ data: { type: 'run', run } satisfies BuilderEvent }));
    } catch (error) {
      this.#context.log.warn({ err: error }, 'the progress of the builder could not be read');
      // Its reader connects again.
      stream.end();
    }
  }

  /** The last run of a person on a page, which is not in this process. */
  async read(pageId: number, userId: number): Promise<BuilderRun | null> {
    const { db, broadcast, now } = this.#context;
    const row = await findProgress(db, pageId, userId);
    if (!row) return null;
    const run = JSON.parse(row.state) as BuilderRun;
    const isAlone = broadcast.isSingleNode || row.updated_at < now() - LEASE_MS;
    return run.state === 'running' && isAlone ? loseRun(run) : run;
  }
}
