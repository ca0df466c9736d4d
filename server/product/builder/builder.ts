import type { Build, BuilderEvent, BuilderStatus, NewBuild } from '../../../contract/agents/builder.ts';
import type { Done } from '../../../contract/fields.ts';
import { done } from '../../../contract/fields.ts';
import { pageEndpoints } from '../../../contract/pages/endpoints.ts';
import { TOKENS_PER_CREDIT } from '../../../contract/rules/credit-amounts.ts';
import { AppError, notFound } from '../../lib/errors.ts';
import { type Actor, callApi } from '../../platform/http/index.ts';
import type { TurnProvider } from '../../platform/providers/index.ts';
import { build } from './build.ts';
import type { BuilderCaller, BuilderContext, Service } from './context.ts';
import { assertMaySpend, makePage, startRun } from './start.ts';
import { stopRun } from './store.ts';
import { sendEvents } from './stream.ts';

/** The settings that make the builder available. */
const SETTINGS = ['QUIRE_AI_PROVIDER', 'QUIRE_AI_URL', 'QUIRE_AI_KEY', 'QUIRE_AI_MODEL'];
const NEEDS =
  'The builder needs a language model that can call tools, and this server has none. An administrator connects one in Administration, Providers, or with QUIRE_AI_PROVIDER, QUIRE_AI_MODEL, and QUIRE_AI_URL or QUIRE_AI_KEY.';
const PROBLEMS = { 'demo provider': 'demo_provider', 'no tools': 'no_tools' } as const;
const PRICE = `A run costs the tokens that the model reads and writes: one credit for ${TOKENS_PER_CREDIT.toLocaleString('en')} of them. A simple page takes about 10 credits.`;

/** The name of the event that tells other nodes which run was stopped. */
const STOPPED = 'builder stopped';
/** The deadline of the work after a run has failed. */
const END_MS = 15_000;

type Page = { id: number; name: string; slug: string };
type BuildContext = BuilderContext & { turns: TurnProvider };

/** Builds pages from descriptions, with the tools of agents and on behalf of the caller. */
export class Builder {
  readonly #options: Omit<BuilderContext, 'service'>;
  #service: Service | undefined;
  /** The runs of this process, by id. */
  readonly #runs = new Map<string, AbortController>();

  constructor(options: Omit<BuilderContext, 'service'>) {
    this.#options = options;
    options.broadcast.subscribe(STOPPED, (run) => this.#runs.get(String(run))?.abort());
  }

  /** Sets the API, which is known only when all routes are. */
  connect(service: Service): void {
    this.#service = service;
  }

  async describe(actor: Actor): Promise<BuilderStatus> {
    const { turns } = this.#options;
    const isAvailable = typeof turns !== 'string';
    return {
      isAvailable,
      problem: isAvailable ? null : PROBLEMS[turns],
      message: isAvailable ? PRICE : NEEDS,
      settings: isAvailable ? [] : SETTINGS,
      tokensPerCredit: TOKENS_PER_CREDIT,
      credits: await this.#options.readCredits(actor.userId),
    };
  }

  async buildNew(caller: BuilderCaller, { prompt }: NewBuild, signal: AbortSignal): Promise<Response> {
    const context = this.#contextFor(caller);
    const wanted = toWanted(caller, signal);
    const page = await makePage(context, wanted, prompt);
    try {
      return await this.#start(context, wanted, { page, isNewPage: true, body: { prompt } });
    } catch (error) {
      // Remove the page, which nobody has seen yet.
      const exchange = { caller, signal: AbortSignal.timeout(END_MS) };
      await callApi(context, exchange, pageEndpoints.deletePage, { params: { id: page.id } });
      throw error;
    }
  }

  async build(caller: BuilderCaller, id: number, body: Build, signal: AbortSignal): Promise<Response> {
    const context = this.#contextFor(caller);
    const page = await context.requireWritable(caller.actor, id);
    return this.#start(context, toWanted(caller, signal), { page, isNewPage: false, body });
  }

  /** Stops the run on a page, also on another node. A node that misses the event checks before its next step. */
  async stopOn({ actor }: BuilderCaller, id: number): Promise<Done> {
    await this.#options.requireWritable(actor, id);
    const run = await stopRun(this.#options.db, id);
    if (run === undefined) throw notFound('A run of the builder on this page was not found.');
    const own = this.#runs.get(run);
    if (own) own.abort();
    else this.#options.broadcast.publish(STOPPED, run);
    return done('The builder stops. What it wrote is kept as a draft.');
  }

  /** Ends every run, so that a stopping server does not wait for any. */
  stop(): void {
    for (const run of this.#runs.values()) run.abort();
  }

  #contextFor(caller: BuilderCaller): BuildContext {
    const { turns } = this.#options;
    if (typeof turns === 'string') throw new AppError('NOT_INSTALLED', NEEDS);
    assertMaySpend(caller);
    if (!this.#service) throw new Error('the builder is not connected');
    return { ...this.#options, turns, service: this.#service };
  }

  async #start(
    context: BuildContext,
    wanted: ReturnType<typeof toWanted>,
    { page, body, isNewPage }: { page: Page; body: Build; isNewPage: boolean },
  ): Promise<Response> {
    const run = await startRun(context, wanted, page, body, isNewPage);
    this.#runs.set(run.id, wanted.stop);
    return sendEvents(this.#watch(run.id, build(context, run)), () => wanted.leave.abort());
  }

  async *#watch(id: string, events: AsyncGenerator<BuilderEvent>): AsyncGenerator<BuilderEvent> {
    try {
      yield* events;
    } finally {
      this.#runs.delete(id);
    }
  }
}

/** A run ends when its reader leaves, and when somebody stops it. */
function toWanted(caller: BuilderCaller, request: AbortSignal) {
  const leave = new AbortController();
  const stop = new AbortController();
  request.addEventListener('abort', () => leave.abort(), { once: true });
  if (request.aborted) leave.abort();
  return { caller, leave, stop, leaving: leave.signal, stopping: stop.signal };
}
