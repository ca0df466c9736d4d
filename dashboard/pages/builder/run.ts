import { signal } from '@preact/signals';
import type { BuilderEvent, BuilderRun as Run } from '../../../contract/agents/builder.ts';
import { addToRun } from '../../../contract/agents/builder-run.ts';
import { ApiError } from '../../api.ts';
import { discardRun, startRun, stopBuilder, type Wish, watchRuns } from './api.ts';

export interface RunState {
  /** `starting`: the service has not answered yet. `refused`: it did not begin. `open`: `run` says what happens. */
  status: 'idle' | 'starting' | 'refused' | 'open';
  pageId: number | undefined;
  /** The wish that is starting, or was refused. */
  wish: Wish | undefined;
  /** Why nothing began, or why the page cannot be watched. */
  refusal: Error | undefined;
  /** The last run on the page. Undefined until it is known; null if there was none. */
  run: Run | null | undefined;
  /** When the run began, on the clock of this device. */
  beganAt: number;
  /** When something was last heard of the run. */
  heardAt: number;
  isConnected: boolean;
  isStopping: boolean;
}

const IDLE: RunState = {
  status: 'idle',
  pageId: undefined,
  wish: undefined,
  refusal: undefined,
  run: undefined,
  beganAt: 0,
  heardAt: 0,
  isConnected: true,
  isStopping: false,
};

/**
 * The builder on one page, as a screen shows it. The run itself is on the server: it goes on without this window, and
 * other windows of the person show the same.
 */
export class BuilderRun {
  readonly state = signal<RunState>(IDLE);
  #watching: AbortController | undefined;
  /** Wishes that were stopped before the service said which page it makes of them. */
  readonly #stopped = new WeakSet<Wish>();

  /** Works on a new page, or on this one. */
  start = async (wish: Wish, pageId?: number) => {
    if (pageId === undefined) this.reset();
    this.#set({ status: 'starting', pageId, wish, refusal: undefined });
    const asked = this.state.value.wish;
    try {
      const id = await startRun(pageId, wish);
      if (this.#stopped.has(wish)) return discardRun(id);
      if (this.state.value.wish !== asked) return;
      this.open(id);
    } catch (error) {
      if (this.state.value.wish !== asked) return;
      this.#set({ status: 'refused', refusal: error as Error });
      // Another window has started one: this one shows it.
      if (pageId !== undefined) this.#watch(pageId);
    }
  };

  /** Shows what happens on a page. */
  open = (pageId: number) => {
    if (this.state.value.status === 'open' && this.state.value.pageId === pageId && this.#watching) return;
    const isKnown = this.state.value.pageId === pageId;
    this.state.value = isKnown
      ? { ...this.state.value, status: 'open' }
      : { ...IDLE, status: 'open', pageId };
    this.#watch(pageId);
  };

  /** Stops watching. The run goes on. */
  close = () => {
    this.#watching?.abort();
    this.#watching = undefined;
  };

  /** Asks the service to end the run. It still reports what it made. Before there is a page, nothing of it stays. */
  stop = async () => {
    const { pageId, wish } = this.state.value;
    if (pageId === undefined) {
      if (wish) this.#stopped.add(wish);
      return this.reset();
    }
    this.#set({ isStopping: true });
    await stopBuilder(pageId).catch((error: unknown) => {
      // It has just ended by itself.
      if (!(error instanceof ApiError && error.status === 404)) throw error;
    });
  };

  reset = () => {
    this.close();
    this.state.value = IDLE;
  };

  #watch(pageId: number): void {
    if (this.#watching && this.state.value.pageId === pageId && this.state.value.run !== undefined) return;
    this.close();
    const watching = new AbortController();
    this.#watching = watching;
    this.#set({ pageId });
    watchRuns(pageId, {
      signal: watching.signal,
      onEvents: (events) => this.#watching === watching && this.#add(events),
      onConnection: (isConnected) => this.#watching === watching && this.#set({ isConnected }),
    }).catch((error: Error) => {
      if (this.#watching === watching) this.#set({ status: 'refused', refusal: error });
    });
  }

  #add(events: BuilderEvent[]): void {
    let { run, beganAt, isStopping, status } = this.state.value;
    const now = Date.now();
    for (const event of events) {
      if (event.type === 'run') {
        run = event.run;
        // The wish has begun before the service answered to it.
        if (run?.state === 'running' && status === 'starting') status = 'open';
      } else if (run) run = addToRun(run, event);
      if (event.type === 'run' || event.type === 'tool') beganAt = now - (run?.ms ?? 0);
    }
    if (run?.state !== 'running') isStopping = false;
    this.#set({ run, beganAt, isStopping, status, heardAt: now });
  }

  #set(changes: Partial<RunState>): void {
    this.state.value = { ...this.state.value, ...changes };
  }
}

/** True while the builder works on the page. */
export const isWorking = ({ status, run }: RunState) =>
  status === 'starting' || (status !== 'idle' && run?.state === 'running');
