import type { z } from 'zod';
import { GATE } from '../../../contract/access-kinds.ts';
import { isStorable } from '../../../contract/rules/text.ts';
import { AppError, diskFull, notFound } from '../../lib/errors.ts';
import { runSpan, startSpan } from '../traces/index.ts';
import type { CookieJar } from './access/cookies.ts';
import { corsHeaders } from './access/cors.ts';
import { type Actor, admit, admitKnown, type Identities } from './access/gate.ts';
import { isNavigation } from './access/navigation.ts';
import type { TrialShare } from './access/trial-share.ts';
import { readLength } from './body/body.ts';
import { DEFAULT_BODY_LIMIT, identifySender, readStructuredBody } from './body/structured-body.ts';
import { withRequestLanguage } from './language.ts';
import type { Log } from './log.ts';
import { type RespondToError, withHeaders } from './response/error-response.ts';
import type { EventStreams } from './response/event-stream.ts';
import { sendJson } from './response/json-response.ts';
import type { Route } from './route.ts';
import { withOfferedCredentials } from './sockets/credentials.ts';
import { assertOrigin, type Sockets } from './sockets/sockets.ts';
import { Upgrade } from './sockets/upgrade.ts';
import { validate } from './validate.ts';
import { type Caller, createPassFor, readCredentials, type Visit } from './visit.ts';

/** What every route needs to run. */
export interface MountOptions {
  baseUrl: string;
  cookies: CookieJar;
  identities: Identities;
  log: Log;
  /** Turns the `:id` of a visitor route, an id or a slug, into a page's id. */
  findPageId(idOrSlug: string): Promise<number | undefined>;
  respondToError: RespondToError;
  sockets: Sockets;
  streams: EventStreams;
  /** True while the disk is almost full. */
  isDiskLow(): boolean;
  trialShare: TrialShare;
  /**
   * Fails if the caller is a program, and the request would change a page that is protected from it. It is called before
   * the body is read, and again with the body.
   */
  assertNotProtected(
    route: Route,
    request: { params: Record<string, string>; body?: unknown },
    caller: Caller,
  ): Promise<void>;
  /** Called when somebody opens a screen of the service. */
  onScreen?: ((path: string) => void) | undefined;
}

/** A route, with the parts that are prepared once, when it is mounted. */
export interface PreparedRoute {
  route: Route;
  readQuery(request: Request): unknown;
  mayCompress: boolean;
  needsSpace: boolean;
}

/** Runs one route: gate, validation, handler, response. Errors become responses too. */
export async function runRoute(
  prepared: PreparedRoute,
  request: Request,
  rawParams: Record<string, string>,
  visit: Visit,
  options: MountOptions,
): Promise<Response> {
  const { route } = prepared;
  try {
    if (request.headers.get('service-worker') !== null)
      throw new AppError('FORBIDDEN', 'A service worker cannot be loaded from here.');
    if (route.upgrades) {
      options.sockets.assertCanOpen(request, visit);
      assertOrigin(request, route.access.kind, visit.pageHost?.origin ?? options.baseUrl);
    }
    if (visit.pageHost) await assertOwnPage(route, rawParams, visit.pageHost, options);
    const params = route.params?.safeParse(rawParams);
    const isNameable = Object.values(rawParams).every(isStorable);
    if (!isNameable || (params && !params.success)) throw nothingAt(rawParams, params?.error);
    const { loginEndings } = options.streams;
    const shown = route.upgrades ? withOfferedCredentials(request) : request;
    const identify = () => identifyCaller(route, shown, visit, rawParams.id, options);
    const gate = startSpan('gate');
    const actor = await (gate ? runSpan(gate, identify) : identify());
    if (prepared.needsSpace && options.isDiskLow()) throw diskFull();
    if (prepared.needsSpace && actor?.isTrial) await takeTrialShare(request, rawParams.id, visit, options);
    const caller = visit.as ?? { actor, passFor: createPassFor(shown, visit, options) };
    await options.assertNotProtected(route, { params: rawParams }, caller);
    const query = prepared.readQuery(request);
    const body = await readValidBody(route, request, () => identifySender(actor, actor ? '' : visit.address));
    await options.assertNotProtected(route, { params: rawParams, body }, caller);
    const result = await handle(route, {
      ...readVisit(visit),
      params: params?.data,
      query,
      body,
      actor,
      caller,
      // Most routes need neither the address nor whether it is sure, and the server has to look them up.
      get address() {
        return visit.address;
      },
      get isAddressSure() {
        return visit.isAddressSure === true;
      },
      request,
    });
    if (result instanceof Upgrade) return options.sockets.accept(request, visit, result);
    const made = result instanceof Response ? result : await send(prepared, request, result);
    const response = options.streams.endWithLogin(made, actor?.userId, loginEndings, identify);
    addCookie(response, actor?.setCookie);
    return withHeaders(response, corsHeaders(route.access.kind, request.headers.get('origin')));
  } catch (error) {
    return toErrorResponse(error, request, route, options, visit);
  }
}

async function readValidBody(route: Route, request: Request, sender: () => string): Promise<unknown> {
  if (!route.body || route.readsBody) return undefined;
  return validate(route.body, await readBody(route, request, sender()));
}

const readVisit = ({ pageHost, visitor, requestId }: Visit) => ({
  ...{ pageHost, visitor, requestId },
  isOnPageHost: pageHost !== undefined,
});

function identifyCaller(
  { access }: Route,
  request: Request,
  visit: Visit,
  id: string | undefined,
  { identities, cookies, baseUrl, findPageId }: MountOptions,
): Promise<Actor | undefined> {
  if (visit.as) return Promise.resolve(admitKnown(access, visit.as.actor));
  return admit(access, readCredentials(request, visit, cookies), {
    identities,
    ownOrigin: baseUrl,
    pageId: async () => (id === undefined ? visit.pageHost?.pageId : findPageId(id)),
  });
}

async function takeTrialShare(
  request: Request,
  id: string | undefined,
  { pageHost }: Visit,
  { findPageId, trialShare }: MountOptions,
): Promise<void> {
  const pageId = id === undefined ? pageHost?.pageId : await findPageId(id);
  await trialShare.take(pageId ?? 0, request);
}

/** Longer parts are not repeated in an error. */
const MAX_SHOWN_PART = 100;

/** The error for a path with a part that cannot be the name of anything. */
function nothingAt(rawParams: Record<string, string>, error: z.ZodError | undefined): AppError {
  const name = String(error?.issues[0]?.path[0] ?? '');
  const value = rawParams[name];
  if (value === undefined || !isStorable(value) || value.length > MAX_SHOWN_PART)
    return notFound('This resource was not found.');
  return notFound('The {name} {value} was not found.', { name, value: JSON.stringify(value) });
}

function addCookie({ headers }: Response, cookie: string | undefined): void {
  if (cookie !== undefined && !headers.has('set-cookie')) headers.set('set-cookie', cookie);
}

/** Runs the handler. Screens are in the language of the person. */
function handle(route: Route, input: Parameters<Route['handle']>[0]): ReturnType<Route['handle']> {
  const { kind } = route.access;
  if (kind !== 'screen' && kind !== 'account door') return route.handle(input);
  return withRequestLanguage(input.request, () => route.handle(input));
}

function send({ route, mayCompress }: PreparedRoute, request: Request, result: unknown) {
  const encodings = mayCompress ? request.headers.get('accept-encoding') : null;
  return sendJson(route.status ?? 200, result, encodings);
}

/** A page's own host serves only that page's visitors, routes open to every page, and the assets of error screens. */
async function assertOwnPage(
  route: Route,
  params: Record<string, string>,
  host: { pageId: number },
  options: MountOptions,
): Promise<void> {
  if (route.path.startsWith('/assets/')) return;
  const { onPageHost } = GATE[route.access.kind];
  if (onPageHost === 'everything') return;
  const isOwn =
    onPageHost === 'own page' &&
    params.id !== undefined &&
    (await options.findPageId(params.id)) === host.pageId;
  if (!isOwn) throw notFound('This address was not found.');
}

async function readBody(route: Route, request: Request, sender: string): Promise<unknown> {
  if (route.bodyOptional && !request.headers.has('content-type') && !readLength(request)) {
    return {};
  }
  return readStructuredBody(request, {
    limit: route.bodyLimit ?? DEFAULT_BODY_LIMIT,
    depth: route.bodyDepth,
    form: route.acceptsForm ?? false,
    formLists: route.formLists,
    sender,
    isOptional: route.bodyOptional,
  });
}

const FOR_PROGRAMS =
  /^\/(api\/|healthz$|livez$|readyz$|metrics$|(p\/[^/]+\/)?mcp$|\.well-known\/|oauth\/(token|register|revoke|device_authorization)$)/;

/** Whether programs read this path, and so expect JSON, rather than people. */
export function isForPrograms(path: string): boolean {
  return FOR_PROGRAMS.test(path);
}

export function toErrorResponse(
  error: unknown,
  request: Request,
  route: Pick<Route, 'access' | 'toFailureBody' | 'failureScreen'> | undefined,
  options: MountOptions,
  { requestId, pageHost }: Visit,
): Promise<Response> {
  const toScreen = isNavigation(request.headers) ? route?.failureScreen : undefined;
  return options.respondToError(error, {
    request,
    requestId,
    pageOrigin: pageHost?.origin,
    as: !toScreen && isForPrograms(readPath(request)) ? 'json' : 'screen',
    toScreen,
    toBody: route?.toFailureBody,
    headers: route && corsHeaders(route.access.kind, request.headers.get('origin')),
  });
}

export function readPath(request: Request): string {
  return new URL(request.url).pathname;
}
