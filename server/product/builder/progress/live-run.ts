import type { BuilderEvent, BuilderRun } from '../../../../contract/agents/builder.ts';
import { addToRun, loseRun } from '../../../../contract/agents/builder-run.ts';
import type { BuilderContext } from '../context.ts';
import type { Run } from '../run.ts';
import { endRun, insertProgress, renewRun, updateProgress } from '../store.ts';

/** How often a run is saved and says that it is still under way. */
const BEAT_MS = 3_000;
/** With several nodes, windows at the other nodes see only what is saved. */
const CLUSTER_BEAT_MS = 1_000;
/** Texts and documents grow with every event, and are saved with the next beat. */
const GROWING: BuilderEvent['type'][] = ['text', 'html'];

/** Announces to other nodes that the builder has done something on a page. */
export const CHANGED = 'builder changed';

/** The last event of a run. */
export const isLast = ({ type }: BuilderEvent) => type === 'done' || type === 'error';

type Context = Pick<BuilderContext, 'db' | 'broadcast' | 'log' | 'now'>;
type Listener = (event: BuilderEvent) => void;

/** A run of this process. What has happened in it is kept here, and in the database, so that anyone can watch it. */
export class LiveRun {
  readonly #context: Context;
  readonly #run: Run;
  readonly #stopping: AbortController;
  readonly #listeners = new Set<Listener>();
  #state: BuilderRun;
  #saving: Promise<void> = Promise.resolve();
  #isAbandoned = false;

  constructor(context: Context, run: Run, stopping: AbortController) {
    this.#context = context;
    this.#run = run;
    this.#stopping = stopping;
    this.#state = toFirstState(run);
  }

  /** Everything so far. */
  get state(): BuilderRun {
    return { ...this.#state, ms: this.#run.elapsed(), isNamedByTitle: this.#run.isNamedByTitle };
  }

  get pageId(): number {
    return this.#run.page.id;
  }

  /** The tokens that were paid so far. */
  get paid(): number {
    return this.#run.paid;
  }

  get userId(): number {
    return this.#run.caller.actor.userId;
  }

  listen(listener: Listener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  stop(): void {
    this.#stopping.abort();
  }

  /** Ends a run whose process stops. It counts as lost, so that the person can continue it elsewhere. */
  async abandon(): Promise<void> {
    this.#isAbandoned = true;
    this.#stopping.abort();
    await this.#saving;
    await this.#write(loseRun(this.state));
    await endRun(this.#context.db, this.#run.id);
  }

  /** Saves the beginning of the run. */
  async begin(): Promise<void> {
    await insertProgress(this.#context.db, this.#toRow(this.state));
    this.#announce();
  }

  /** Follows the run to its last event, whether anyone listens or not. */
  async follow(events: AsyncIterable<BuilderEvent>): Promise<void> {
    const { broadcast } = this.#context;
    const beat = setInterval(() => void this.#beat(), broadcast.isSingleNode ? BEAT_MS : CLUSTER_BEAT_MS);
    try {
      for await (const event of events) {
        this.#state = addToRun(this.#state, event);
        if (isLast(event)) await this.#end();
        else if (!GROWING.includes(event.type)) this.#save();
        for (const listener of this.#listeners) listener(event);
      }
    } finally {
      clearInterval(beat);
    }
  }

  async #beat(): Promise<void> {
    const { db, log, now } = this.#context;
    try {
      // A run that was taken from this process, because it was silent for too long, must not go on.
      if (!(await renewRun(db, this.#run.id, now()))) this.stop();
      await this.#save();
    } catch (error) {
      log.warn({ err: error }, 'a run of the builder could not say that it is under way');
    }
  }

  /** Saves the end before anyone hears of it, so that the next run can begin at once. */
  async #end(): Promise<void> {
    await this.#save();
    // A run that cannot be ended now expires later.
    await endRun(this.#context.db, this.#run.id).catch((error: unknown) =>
      this.#context.log.error({ err: error }, 'a run of the builder could not be ended'),
    );
  }

  /** Saves after what is being saved now. */
  #save(): Promise<void> {
    this.#saving = this.#saving.then(async () => {
      if (this.#isAbandoned) return;
      await this.#write(this.state).catch((error: unknown) =>
        this.#context.log.warn({ err: error }, 'the progress of the builder could not be saved'),
      );
    });
    return this.#saving;
  }

  async #write(state: BuilderRun): Promise<void> {
    await updateProgress(this.#context.db, this.#toRow(state));
    this.#announce();
  }

  #announce(): void {
    const { broadcast } = this.#context;
    if (!broadcast.isSingleNode) broadcast.publish(CHANGED, this.pageId);
  }

  #toRow(state: BuilderRun) {
    const { pageId, userId } = this;
    return { pageId, userId, run: this.#run.id, state: JSON.stringify(state), now: this.#context.now() };
  }
}

function toFirstState(run: Run): BuilderRun {
  const { id, page, prompt, message, startedAt, draft, isNewDraft, isNamedByTitle } = run;
  const { earlierFunctions, earlierChanges } = run;
  return {
    id,
    state: 'running',
    page,
    isNamedByTitle,
    prompt,
    message,
    startedAt: new Date(startedAt).toISOString(),
    ms: 0,
    entries: [],
    html: null,
    draft: isNewDraft ? null : { draft: draft.id, revision: draft.revision },
    functions: earlierFunctions,
    ...(earlierChanges.length > 0 && { changes: earlierChanges }),
    reason: null,
    end: null,
    failure: null,
  };
}
