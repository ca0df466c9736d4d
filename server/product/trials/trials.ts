import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { functionEndpoints } from '../../../contract/functions/endpoints.ts';
import { pageEndpoints } from '../../../contract/pages/endpoints.ts';
import {
  MAX_TRIALS,
  TRIAL_SECONDS,
  TRIALS_PER_ADDRESS,
  TRIALS_WINDOW_SECONDS,
} from '../../../contract/templates/wishes.ts';
import { AppError } from '../../lib/errors.ts';
import { sign, verify } from '../../lib/secrets.ts';
import type { Limit } from '../../platform/coordination/limits/index.ts';
import { callApi, identifySender, type OwnCaller, requireApi } from '../../platform/http/index.ts';
import { requireTemplate } from '../../sites/templates/index.ts';
import { toMark, type Wanted } from './choose.ts';
import type { Service, TrialsContext, Visitor } from './context.ts';

/** A trial, as a cookie names it. Only the browser that has the cookie can open it. */
const Trial = z.object({ page: z.int(), slug: z.string(), of: z.string(), exp: z.number() });
type Trial = z.infer<typeof Trial>;

const COOKIE = 'quire_trial';
/** How long making or removing a trial may take. */
const WORK_MS = 30_000;
/** How old a trial is when it is removed: it begins when everything is made, a few seconds after its page. */
const LIFE_MS = (TRIAL_SECONDS + 5) * 1000;
/** How long to wait before another attempt to remove what has ended. */
const RETRY_MS = 30_000;

/**
 * Pages that are made for one visitor, to try a template, and removed after two minutes with everything in them. They
 * are drafts of a built-in account: for everyone else, they do not exist. Their visitor has a page session of that
 * account for that page, in a frame without an origin.
 */
export class Trials {
  readonly #context: TrialsContext;
  readonly #perAddress: Limit;
  #service: Service | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #sweeping: Promise<void> | undefined;
  #isStopped = false;

  constructor(context: TrialsContext) {
    this.#context = context;
    this.#perAddress = context.limits.limit(
      'trials',
      { points: TRIALS_PER_ADDRESS, seconds: TRIALS_WINDOW_SECONDS },
      'You have tried {points} pages in ten minutes, which is the limit. Try again {wait}.',
    );
  }

  /** Sets the API. Trials that a crash has left behind are removed as soon as it is there. */
  connect(service: Service): void {
    this.#service = service;
    this.#sweepAfter(0);
  }

  /** The trial that this browser has, if it is what somebody wants to try. */
  find(request: Request, wanted: Wanted): Trial | undefined {
    const trial = this.#read(request);
    return trial?.of === toMark(wanted) ? trial : undefined;
  }

  /** Whether another trial could be made for somebody, now. */
  async canMake({ actor, address, requestId, request }: Visitor): Promise<boolean> {
    const sender = identifySender(actor, address);
    try {
      await this.#perAddress.take(sender);
      await this.#perAddress.giveBack(sender);
    } catch (error) {
      if (error instanceof AppError) return false;
      throw error;
    }
    // The one that this browser has makes room for the next.
    if (this.#read(request) || (await this.#context.peekOwner()) === undefined) return true;
    const exchange = this.#exchange(await this.#asOwner({ address, requestId }));
    const query = { limit: 1, offset: 0 };
    const { total } = await requireApi(this.api, exchange, pageEndpoints.listPages, { query });
    return total < MAX_TRIALS;
  }

  /** Makes a trial, in place of the one that this browser has. */
  async make(wanted: Wanted, from: Visitor): Promise<{ trial: Trial; cookie: string }> {
    const { templates, publishTemplate, now, key, cookies } = this.#context;
    const template = requireTemplate(templates(), wanted.template, wanted.language);
    await this.#perAddress.take(identifySender(from.actor, from.address));
    const caller = await this.#asOwner(from);
    const before = this.#read(from.request);
    if (before) await this.#remove(caller, { pageIds: [before.page], ending: before.slug });
    const slug = makeSlug(now());
    const own = template.function && { ...template.function, schedules: [], on: [] };
    const { page } = await publishTemplate(caller, from.request.signal, {
      template: { ...template, function: own },
      name: wanted.name,
      username: slug,
      slugName: slug,
      is_published: false,
      isFunctionPrivate: true,
    });
    const endsAt = now() + TRIAL_SECONDS * 1000;
    this.#sweepAfter(LIFE_MS);
    const trial = { page: page.id, slug, of: toMark(wanted) };
    const signed = sign(key, 'trial', trial, endsAt);
    return { trial: { ...trial, exp: endsAt }, cookie: cookies.set(COOKIE, signed, TRIAL_SECONDS) };
  }

  /** Sends the document of a trial. */
  async send(trial: Trial, request: Request): Promise<Response> {
    const { findOwner, makeSession, sendWithSession, baseUrl } = this.#context;
    const session = makeSession(await findOwner(), trial.page, trial.exp);
    const asked = new Request(`${baseUrl}/p/${trial.slug}`, { headers: request.headers });
    return sendWithSession(trial.page, session, asked);
  }

  /** Removes what this browser tries. */
  async end(from: { request: Request; address: string; requestId: string }): Promise<string | undefined> {
    const trial = this.#read(from.request);
    if (!trial) return undefined;
    const caller = await this.#asOwner(from);
    await this.#remove(caller, { pageIds: [trial.page], ending: trial.slug });
    return this.#context.cookies.clear(COOKIE);
  }

  /** Removes the trials that have ended, also those that a crash has left behind, and comes back for the others. */
  sweep(): Promise<void> {
    this.#sweeping ??= this.#sweepOnce().finally(() => {
      this.#sweeping = undefined;
    });
    return this.#sweeping;
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    await this.#sweeping?.catch(() => undefined);
  }

  async #sweepOnce(): Promise<void> {
    if ((await this.#context.peekOwner()) === undefined) return;
    const caller = await this.#asOwner({ address: '127.0.0.1', requestId: 'trials' });
    const exchange = this.#exchange(caller);
    // There are never more, because of the quota of their owner.
    const query = { limit: MAX_TRIALS, offset: 0 };
    const { pages } = await requireApi(this.api, exchange, pageEndpoints.listPages, { query });
    const { functions } = await requireApi(this.api, exchange, functionEndpoints.listFunctions, {
      query: { ...query, mine: 'true' },
    });
    const now = this.#context.now();
    const dueIn = ({ slug }: { slug: string }) => readTime(slug) + LIFE_MS - now;
    const isOver = (made: { slug: string }) => dueIn(made) <= 0;
    await this.#remove(caller, { pageIds: pages.filter(isOver).map(({ id }) => id), ending: undefined });
    for (const { slug } of functions.filter(isOver))
      await callApi(this.api, exchange, functionEndpoints.deleteFunction, { params: { slug } });
    const left = [...pages, ...functions].map(dueIn).filter((ms) => ms > 0);
    if (left.length > 0) this.#sweepAfter(Math.min(...left));
  }

  /** Removes pages, and the functions whose slugs end like this. */
  async #remove(
    caller: OwnCaller,
    { pageIds, ending }: { pageIds: number[]; ending: string | undefined },
  ): Promise<void> {
    const exchange = this.#exchange(caller);
    for (const id of pageIds) await callApi(this.api, exchange, pageEndpoints.deletePage, { params: { id } });
    if (ending === undefined) return;
    const query = { limit: MAX_TRIALS, offset: 0, mine: 'true' } as const;
    const listed = await callApi(this.api, exchange, functionEndpoints.listFunctions, { query });
    const slugs = listed.isOk ? listed.body.functions.map(({ slug }) => slug) : [];
    for (const slug of slugs.filter((each) => each.endsWith(ending)))
      await callApi(this.api, exchange, functionEndpoints.deleteFunction, { params: { slug } });
  }

  /** Sweeps after some time. An earlier sweep that is due remains: it comes back itself. */
  #sweepAfter(ms: number): void {
    if (this.#isStopped || this.#timer) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.sweep().catch((error) => {
        this.#context.log.warn({ err: error }, 'could not remove trials; trying again later');
        this.#sweepAfter(RETRY_MS);
      });
    }, ms);
    this.#timer.unref();
  }

  #read(request: Request): Trial | undefined {
    const { cookies, key, now } = this.#context;
    const cookie = cookies.read(request, COOKIE);
    return cookie === undefined ? undefined : Trial.safeParse(verify(key, 'trial', cookie, now())).data;
  }

  async #asOwner({ address, requestId }: Omit<OwnCaller, 'bearer'>): Promise<OwnCaller> {
    const { findOwner, makeToken } = this.#context;
    const bearer = await makeToken({ userId: await findOwner(), isAdmin: false });
    return { bearer, address, requestId };
  }

  #exchange(caller: OwnCaller) {
    return { caller, signal: AbortSignal.timeout(WORK_MS) };
  }

  /** The API of this service. */
  get api() {
    if (!this.#service) throw new Error('trials are not connected');
    return { baseUrl: this.#context.baseUrl, service: this.#service };
  }
}

/** The slug of a page, with which that of its function ends. It says when it was made, for a server that has crashed. */
const makeSlug = (now: number) => `try-${now.toString(36)}-${randomBytes(6).toString('hex')}`;

function readTime(slug: string): number {
  const time = slug.match(/try-([0-9a-z]+)-[0-9a-f]{12}$/)?.[1];
  return time === undefined ? 0 : Number.parseInt(time, 36);
}
