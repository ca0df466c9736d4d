import { signal } from '@preact/signals';
import type { BuilderEvent } from '../../../contract/agents/builder.ts';
import { ApiError } from '../../api.ts';
import { sayMessage, t } from '../../texts/index.ts';
import { build, stopBuilder, type Wish } from './api.ts';

type EventOf<Type extends BuilderEvent['type']> = Extract<BuilderEvent, { type: Type }>;

/** What happened, in order: something the model said, or a call of a tool. */
export type RunEntry = { kind: 'text'; text: string } | ({ kind: 'tool' } & Omit<EventOf<'tool'>, 'type'>);

export interface RunState {
  status: 'idle' | 'running' | 'done' | 'failed';
  prompt: string;
  pageId: number | undefined;
  /** What the draft had before the model changed it, if the run began with texts of the editor. */
  entries: RunEntry[];
  draft: number | undefined;
  functions: string[];
  check: EventOf<'check'> | undefined;
  end: Omit<EventOf<'done'>, 'message'> | undefined;
  failure: string | undefined;
  isStopping: boolean;
}

const IDLE: RunState = {
  status: 'idle',
  prompt: '',
  pageId: undefined,
  entries: [],
  draft: undefined,
  functions: [],
  check: undefined,
  end: undefined,
  failure: undefined,
  isStopping: false,
};

/** A run of the builder, as a screen shows it. It goes on while the person looks at another screen. */
export class BuilderRun {
  readonly state = signal<RunState>(IDLE);
  #controller: AbortController | undefined;

  /** Works on a new page, or on this one. */
  start = async (wish: Wish, pageId?: number) => {
    this.#controller?.abort();
    const controller = new AbortController();
    this.#controller = controller;
    const { functions } = this.state.value.pageId === pageId ? this.state.value : IDLE;
    this.state.value = {
      ...IDLE,
      status: 'running',
      prompt: wish.prompt,
      pageId,
      draft: wish.draft,
      functions,
    };
    try {
      await build(pageId, wish, controller.signal, (events) => {
        if (this.#controller === controller) this.state.value = events.reduce(reduce, this.state.value);
      });
      if (this.#controller === controller && this.state.value.status === 'running') this.#fail(lost());
    } catch (error) {
      if (this.#controller !== controller || controller.signal.aborted) return;
      this.#fail(error instanceof ApiError ? error.message : lost());
    }
  };

  /** Asks the service to end the run. It still reports what it made. */
  stop = async () => {
    const { pageId } = this.state.value;
    if (pageId === undefined) return this.reset();
    this.#set({ isStopping: true });
    await stopBuilder(pageId).catch((error: unknown) => {
      // It has just ended by itself.
      if (!(error instanceof ApiError && error.status === 404)) throw error;
    });
  };

  reset = () => {
    this.#controller?.abort();
    this.#controller = undefined;
    this.state.value = IDLE;
  };

  #fail(failure: string): void {
    this.#set({ status: 'failed', failure });
  }

  #set(changes: Partial<RunState>): void {
    this.state.value = { ...this.state.value, ...changes };
  }
}

const lost = () =>
  t('The connection was lost, and the builder stopped. What it had written by then is kept as a draft.');

function reduce(state: RunState, event: BuilderEvent): RunState {
  switch (event.type) {
    case 'page':
      return { ...state, pageId: event.page.id };
    case 'text':
      return { ...state, entries: addText(state.entries, event.content) };
    case 'tool':
      return { ...state, entries: setTool(state.entries, event) };
    case 'draft':
      return { ...state, draft: event.draft };
    case 'function':
      return { ...state, functions: [...state.functions, event.slug] };
    case 'check':
      return { ...state, check: event };
    case 'done':
      return { ...state, status: 'done', end: event, draft: event.draft ?? undefined };
    case 'error':
      return {
        ...state,
        status: 'failed',
        failure: sayMessage({ ...event, error: event.message }),
        draft: event.draft ?? undefined,
      };
  }
}

function addText(entries: RunEntry[], text: string): RunEntry[] {
  const last = entries.at(-1);
  if (last?.kind !== 'text') return text.trim() === '' ? entries : [...entries, { kind: 'text', text }];
  return [...entries.slice(0, -1), { kind: 'text', text: last.text + text }];
}

function setTool(entries: RunEntry[], { type: _, ...tool }: EventOf<'tool'>): RunEntry[] {
  const entry: RunEntry = { kind: 'tool', ...tool };
  const isKnown = entries.some((each) => each.kind === 'tool' && each.id === tool.id);
  if (!isKnown) return [...entries, entry];
  return entries.map((each) => (each.kind === 'tool' && each.id === tool.id ? entry : each));
}
