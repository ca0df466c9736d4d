import type { Build, BuilderRun, BuilderStatus, NewBuild } from '../../../contract/agents/builder.ts';
import type { Done } from '../../../contract/fields.ts';
import { done } from '../../../contract/fields.ts';
import { pageEndpoints } from '../../../contract/pages/endpoints.ts';
import { TOKENS_PER_CREDIT, toCredits } from '../../../contract/rules/credit-amounts.ts';
import { AppError, notFound } from '../../lib/errors.ts';
import { type Actor, callApi, type EventStream } from '../../platform/http/index.ts';
import type { TurnProvider } from '../../platform/providers/index.ts';
import { build } from './build.ts';
import type { BuilderCaller, BuilderContext, Service } from './context.ts';
import { LiveRun } from './progress/live-run.ts';
import { sendRun } from './progress/stream.ts';
import { Watchers } from './progress/watchers.ts';
import type { RunLimits } from './run.ts';
import { assertMaySpend, makePage, startRun } from './start.ts';
import { listUnderWay, stopRun } from './store.ts';

/** The settings that make the builder available. */
const SETTINGS = ['QUIRE_AI_PROVIDER', 'QUIRE_AI_URL', 'QUIRE_AI_KEY', 'QUIRE_AI_MODEL'];
const NEEDS =
  'The builder needs a language model that can call tools, and this server has none. An administrator connects one in Administration, Providers, or with QUIRE_AI_PROVIDER, QUIRE_AI_MODEL, and QUIRE_AI_URL or QUIRE_AI_KEY.';
const PROBLEMS = { 'demo provider': 'demo_provider', 'no tools': 'no_tools' } as const;
const PRICE = `A run costs the tokens that the model reads and writes: one credit for ${TOKENS_PER_CREDIT.toLocaleString('en')} of them. A simple page takes about 10 credits.`;

/** Announces to other nodes which run was stopped. */
const STOPPED = 'builder stopped';
/** The deadline of the work after a run has failed. */
const END_MS = 15_000;

type Page = { id: number; name: string; slug: string };
type BuildContext = BuilderContext & { turns: TurnProvider };
type Wanted = {
  caller: BuilderCaller;
  page: Page;
  body: Build;
  isNewPage: boolean;
  limits?: RunLimits;
};

/** What another part of the service lets the builder do. */
export interface Work {
  pageId: number;
  prompt: string;
  limits: RunLimits;
  signal: AbortSignal;
}

/** A run that has ended, with the credits that it cost. */
export interface Worked {
  run: BuilderRun;
  credits: number;
}

/** Builds pages from descriptions, with the tools of agents and on behalf of the caller. */
export class Builder {
  readonly #options: Omit<BuilderContext, 'service'>;
  #service: Service | undefined;
  /** The runs of this process, by id. */
  readonly #runs = new Map<string, LiveRun>();
  /** The ids of the runs of this process, from before they begin until after they have ended. */
  readonly #alive = new Set<string>();
  /** Each ends with the last event of its run. */
  readonly #following = new Set<Promise<void>>();
  readonly #watchers: Watchers;

  constructor(options: Omit<BuilderContext, 'service'>) {
    this.#options = options;
    this.#watchers = new Watchers(options, (pageId, userId) =>
      [...this.#runs.values()].find((run) => run.pageId === pageId && run.userId === userId),
    );
    options.broadcast.subscribe(STOPPED, (run) => this.#runs.get(String(run))?.stop());
  }

  /** Sets the API, which is known only when all routes are. */
  connect(service: Service): void {
    this.#service = service;
  }

  async describe({ userId }: Actor): Promise<BuilderStatus> {
    const { db, now, turns, readCredits } = this.#options;
    const isAvailable = typeof turns !== 'string';
    const underWay = await listUnderWay(db, { userId, now: now(), alive: this.#findAlive() });
    return {
      isAvailable,
      problem: isAvailable ? null : PROBLEMS[turns],
      message: isAvailable ? PRICE : NEEDS,
      settings: isAvailable ? [] : SETTINGS,
      tokensPerCredit: TOKENS_PER_CREDIT,
      credits: await readCredits(userId),
      underWay: underWay.map((state) => {
        const { id, name } = (JSON.parse(state) as BuilderRun).page;
        return { id, name };
      }),
    };
  }

  assertAvailable(): TurnProvider {
    const { turns } = this.#options;
    if (typeof turns === 'string') throw new AppError('NOT_INSTALLED', NEEDS);
    return turns;
  }

  /** Why the builder is not available; undefined if it is. */
  findProblem(): string | undefined {
    return typeof this.#options.turns === 'string' ? NEEDS : undefined;
  }

  async buildNew(caller: BuilderCaller, { prompt }: NewBuild): Promise<Response> {
    const context = this.#contextFor(caller);
    const page = await makePage(context, caller, prompt);
    try {
      return await this.#start(context, { caller, page, isNewPage: true, body: { prompt } });
    } catch (error) {
      // Remove the page, which nobody has seen yet.
      const exchange = { caller, signal: AbortSignal.timeout(END_MS) };
      await callApi(context, exchange, pageEndpoints.deletePage, { params: { id: page.id } });
      throw error;
    }
  }

  async build(caller: BuilderCaller, id: number, body: Build): Promise<Response> {
    const context = this.#contextFor(caller);
    const page = await context.requireWritable(caller.actor, id);
    return this.#start(context, { caller, page, isNewPage: false, body });
  }

  /** Streams the caller's last run on a page, and those that follow. Pages of others are not found. */
  async watch({ actor, address }: BuilderCaller, id: number, signal: AbortSignal): Promise<Response> {
    const { userId } = actor;
    await this.#options.requireWritable(actor, id).catch((error: unknown) => {
      throw error instanceof AppError && error.code === 'FORBIDDEN'
        ? notFound('This page was not found.')
        : error;
    });
    this.#watchers.assertCanWatch(id, userId);
    const begin = (stream: EventStream) => this.#watchers.add(id, userId, stream);
    return this.#options.streams.open(signal, begin, { userId, address });
  }

  /** Stops the run on a page, also on another node. A node that misses the event checks before its next step. */
  async stopOn({ actor }: BuilderCaller, id: number): Promise<Done> {
    await this.#options.requireWritable(actor, id);
    const run = await stopRun(this.#options.db, id);
    if (run === undefined) throw notFound('A run of the builder on this page was not found.');
    const own = this.#runs.get(run);
    if (own) own.stop();
    else this.#options.broadcast.publish(STOPPED, run);
    return done('The builder stops. What it wrote is kept as a draft.');
  }

  /** Ends every run, so that a stopping server does not wait for any. */
  async stop(): Promise<void> {
    this.#watchers.stop();
    await Promise.allSettled([...this.#runs.values()].map((run) => run.abandon()));
    await Promise.all(this.#following);
  }

  #contextFor(caller: BuilderCaller): BuildContext {
    const turns = this.assertAvailable();
    assertMaySpend(caller);
    if (!this.#service) throw new Error('the builder is not connected');
    return { ...this.#options, turns, service: this.#service };
  }

  /** The ids of the runs of this process, if there is no other. */
  #findAlive(): ReadonlySet<string> | undefined {
    return this.#options.broadcast.isSingleNode ? this.#alive : undefined;
  }

  /** Works on a page for another part of the service, which decides what the run can touch. Resolves at its end. */
  async work(caller: BuilderCaller, { pageId, prompt, limits, signal }: Work): Promise<Worked> {
    const context = this.#contextFor(caller);
    const page = await context.requireWritable(caller.actor, pageId);
    const wanted = { caller, page, body: { prompt }, isNewPage: false, limits };
    const { live, ended } = await this.#launch(context, wanted, (live) => live);
    const stop = () => live.stop();
    signal.addEventListener('abort', stop);
    if (signal.aborted) stop();
    await ended.finally(() => signal.removeEventListener('abort', stop));
    return { run: live.state, credits: toCredits(live.paid) };
  }

  /** Starts a run, which goes on until its end, and responds with its events. */
  async #start(context: BuildContext, wanted: Wanted): Promise<Response> {
    return (await this.#launch(context, wanted, sendRun)).attached;
  }

  /** Starts a run. `attach` is called before its first event. */
  async #launch<Attached>(
    context: BuildContext,
    wanted: Wanted,
    attach: (live: LiveRun) => Attached,
  ): Promise<{ live: LiveRun; attached: Attached; ended: Promise<void> }> {
    const id = crypto.randomUUID();
    // Before anything is awaited: two runs that begin at once must see each other.
    this.#alive.add(id);
    try {
      return await this.#begin(context, id, wanted, attach);
    } catch (error) {
      this.#runs.delete(id);
      this.#alive.delete(id);
      throw error;
    }
  }

  async #begin<Attached>(
    context: BuildContext,
    id: string,
    wanted: Wanted,
    attach: (live: LiveRun) => Attached,
  ): Promise<{ live: LiveRun; attached: Attached; ended: Promise<void> }> {
    const stopping = new AbortController();
    const last = await this.#watchers.read(wanted.page.id, wanted.caller.actor.userId);
    const earlier = last?.draft && last.draft.draft === wanted.body.draft ? last : undefined;
    const run = await startRun(context, {
      ...wanted,
      id,
      stopping: stopping.signal,
      givenName: last?.isNamedByTitle ? last.page.name : undefined,
      earlierFunctions: earlier?.functions ?? [],
      earlierChanges: earlier?.changes ?? [],
      alive: this.#findAlive(),
    });
    const live = new LiveRun(context, run, stopping);
    this.#runs.set(id, live);
    await live.begin();
    const attached = attach(live);
    live.listen((event) => this.#watchers.send(live, event));
    this.#watchers.send(live, { type: 'run', run: live.state });
    const following = live
      .follow(build(context, run))
      .catch((error: unknown) => context.log.error({ err: error }, 'a run of the builder was lost'))
      .finally(() => {
        this.#runs.delete(id);
        this.#alive.delete(id);
        this.#following.delete(following);
      });
    this.#following.add(following);
    return { live, attached, ended: following };
  }
}
