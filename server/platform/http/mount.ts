import { Hono } from 'hono';
import { TrieRouter } from 'hono/router/trie-router';
import { isStorable } from '../../../contract/text.ts';
import { AppError, notFound } from '../../lib/errors.ts';
import type { CookieJar } from './access/cookies.ts';
import { corsHeaders, preflight } from './access/cors.ts';
import {
  type Access,
  type AccessKind,
  type Actor,
  admit,
  type Credentials,
  GATE,
  type Identities,
  isFromBaseOrigin,
} from './access/gate.ts';
import { isNavigation } from './access/navigation.ts';
import { DEFAULT_BODY_LIMIT, readStructuredBody, senderOf } from './body/structured-body.ts';
import type { Log } from './log.ts';
import { createQueryReader } from './query.ts';
import { type RespondToError, withHeaders } from './response/error-response.ts';
import { holdsSecrets, sendJson } from './response/json-response.ts';
import type { Route } from './route.ts';
import { validate } from './validate.ts';

export const LOGIN_COOKIE = 'quire_session';
export const PAGE_COOKIE = 'quire_page';
const PAGE_SESSION_HEADER = 'x-page-session';

/** What is known of a request before it is routed. */
export interface Visit {
  requestId: string;
  /** The visitor's address. */
  address: string;
  /** True unless somebody whom we do not trust says on whose behalf they ask: then the address may be anybody's. */
  isAddressSure?: boolean;
  /** Set when the request came to a published page's own host, which serves that page's visitors and nothing else. */
  pageHost?: { pageId: number; origin: string };
}

interface MountOptions {
  baseUrl: string;
  cookies: CookieJar;
  identities: Identities;
  log: Log;
  /** Turns the `:id` of a visitor route, an id or a slug, into a page's id. */
  findPageId(idOrSlug: string): Promise<number | undefined>;
  respondToError: RespondToError;
}

/** Answers a request of which something is known already. */
export type Handler = (request: Request, visit: Visit) => Promise<Response>;

/** Asks the gate about a request outside the routes: who looks at a published page. */
export function createWhoIs(options: Pick<MountOptions, 'baseUrl' | 'cookies' | 'identities'>) {
  return (access: Access, request: Request, visit: Visit, pageId?: number): Promise<Actor | undefined> =>
    admit(access, credentialsOf(request, visit, options.cookies), {
      identities: options.identities,
      ownOrigin: options.baseUrl,
      pageId: async () => pageId,
    });
}

/** See `createWhoIs`. */
export type WhoIs = ReturnType<typeof createWhoIs>;

/** Puts routes on a router: gate, validation, errors, CORS and the log are the same for all of them. */
export function mount(routes: Route[], options: MountOptions): Handler {
  // Hono's own choice of router tries a faster one first, which cannot take these paths.
  const newRouter = () => new Hono<{ Bindings: Visit }>({ router: new TrieRouter() });
  const router = newRouter();
  for (const route of routes) {
    const prepared = { route, readQuery: createQueryReader(route), mayCompress: !holdsSecrets(route.path) };
    router.on(route.method, route.path, (c) => answer(prepared, c.req.raw, c.req.param(), c.env, options));
  }
  // Asked only when nothing else answers: whatever else matched a path would make the router slower for all.
  const others = newRouter();
  for (const [path, methods] of methodsByPath(routes)) {
    const allowed = [...methods.keys()];
    router.options(path, (c) => {
      const asked = c.req.header('access-control-request-method') ?? '';
      return preflight(methods.get(asked), c.req.header('origin') ?? null, allowed);
    });
    others.all(path, (c) => {
      const error = new AppError(
        'METHOD_NOT_ALLOWED',
        `${c.req.method} is not possible here, only ${allowed.join(', ')}.`,
        {
          headers: { allow: allowed.join(', ') },
        },
      );
      return toResponse(error, c.req.raw, undefined, options, c.env);
    });
  }
  others.notFound((c) => toResponse(notFound('This address'), c.req.raw, ANYWHERE, options, c.env));
  router.notFound((c) => others.fetch(c.req.raw, c.env));

  const toLogPath = createLogPaths(routes);
  return async (request, visit) => {
    const startedAt = performance.now();
    const response = await router.fetch(request.method === 'HEAD' ? asGet(request) : request, visit);
    response.headers.set('x-request-id', visit.requestId);
    options.log.info(
      {
        requestId: visit.requestId,
        method: request.method,
        path: toLogPath(pathOf(request)),
        status: response.status,
        ms: Math.round(performance.now() - startedAt),
      },
      'request',
    );
    return response;
  };
}

/**
 * HEAD is answered as GET is: the server sends the headers, with the length of the body where it is known, and cancels
 * the rest. The router would drop the body too early for that, and the length would be zero.
 */
function asGet({ url, headers, signal }: Request): Request {
  return new Request(url, { method: 'GET', headers, signal });
}

/** A route, and what is prepared for it when it is mounted. */
interface Prepared {
  route: Route;
  readQuery(request: Request): unknown;
  mayCompress: boolean;
}

async function answer(
  { route, readQuery, mayCompress }: Prepared,
  request: Request,
  rawParams: Record<string, string>,
  visit: Visit,
  options: MountOptions,
): Promise<Response> {
  try {
    if (request.headers.get('service-worker') !== null) {
      throw new AppError('FORBIDDEN', 'Nothing here may become a service worker.');
    }
    if (visit.pageHost) await assertOwnPage(route, rawParams, visit.pageHost, options);
    const params = route.params?.safeParse(rawParams);
    const isNameable = Object.values(rawParams).every(isStorable);
    if (!isNameable || (params && !params.success)) throw notFound('What this address names');
    const actor = await admit(route.access, credentialsOf(request, visit, options.cookies), {
      identities: options.identities,
      ownOrigin: options.baseUrl,
      pageId: () => options.findPageId(rawParams.id ?? ''),
    });
    const query = readQuery(request);
    const body =
      route.body && !route.readsBody
        ? validate(route.body, await bodyOf(route, request, senderOf(actor, visit.address)))
        : undefined;
    const result = await route.handle({
      isOnPageHost: visit.pageHost !== undefined,
      requestId: visit.requestId,
      params: params?.data,
      query,
      body,
      actor,
      address: visit.address,
      isAddressSure: visit.isAddressSure === true,
      request,
    });
    const response =
      result instanceof Response
        ? result
        : await sendJson(
            route.status ?? 200,
            result,
            mayCompress ? request.headers.get('accept-encoding') : null,
          );
    if (actor?.setCookie && !response.headers.has('set-cookie'))
      response.headers.set('set-cookie', actor.setCookie);
    return withHeaders(response, corsHeaders(route.access.kind, request.headers.get('origin')));
  } catch (error) {
    return toResponse(error, request, route, options, visit);
  }
}

/** The token a request shows, if any. */
export function bearerOf(request: Request): string | undefined {
  const shown = request.headers.get('authorization');
  return shown === null ? undefined : /^Bearer +(\S+)$/i.exec(shown)?.[1];
}

function credentialsOf(request: Request, visit: Visit, cookies: CookieJar): Credentials {
  const { headers } = request;
  const seen = {
    origin: headers.get('origin'),
    secFetchSite: headers.get('sec-fetch-site'),
    isNavigation: isNavigation(headers),
  };
  const bearer = bearerOf(request);
  if (visit.pageHost) {
    // Other pages' hosts are the same site to a browser, which sends them this cookie: only our own origin counts, and
    // a person who comes from elsewhere, such as from the base to a draft, to look at it in a tab of its own.
    const isLook =
      request.method === 'GET' && seen.isNavigation && headers.get('sec-fetch-dest') === 'document';
    const own = isLook || isFromBaseOrigin(seen, visit.pageHost.origin);
    return { ...seen, bearer, pageSession: own ? cookies.read(request, PAGE_COOKIE) : undefined };
  }
  return {
    ...seen,
    bearer,
    loginCookie: cookies.read(request, LOGIN_COOKIE),
    pageSession: headers.get(PAGE_SESSION_HEADER) ?? undefined,
  };
}

/** The host of a page serves that page's visitors, what is open to every page, and what its error screens need. */
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
  if (!isOwn) throw notFound('This address');
}

async function bodyOf(route: Route, request: Request, sender: string): Promise<unknown> {
  if (
    route.bodyOptional &&
    !request.headers.has('content-type') &&
    !Number(request.headers.get('content-length'))
  ) {
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

/** Whether what is at a path is read by programs, who want JSON, rather than by people. */
export function isForPrograms(path: string): boolean {
  return /^\/(api\/|healthz$|livez$|readyz$|metrics$|mcp$)/.test(path);
}

/** Anyone may read that there is nothing. */
const ANYWHERE = { access: { kind: 'public' } } as const;

function toResponse(
  error: unknown,
  request: Request,
  route: Pick<Route, 'access' | 'failureShape'> | undefined,
  options: MountOptions,
  { requestId }: Visit,
): Promise<Response> {
  return options.respondToError(error, {
    request,
    requestId,
    as: isForPrograms(pathOf(request)) ? 'json' : 'screen',
    toBody: route?.failureShape?.toBody,
    headers: route && corsHeaders(route.access.kind, request.headers.get('origin')),
  });
}

function methodsByPath(routes: Route[]): Map<string, Map<string, AccessKind>> {
  const found = new Map<string, Map<string, AccessKind>>();
  for (const { path, method, access } of routes) {
    const methods = found.get(path) ?? new Map<string, AccessKind>();
    found.set(path, methods.set(method, access.kind));
  }
  return found;
}

/** A code at the end of a path opens a door, so the log does not get it. */
function createLogPaths(routes: Route[]): (path: string) => string {
  const doors = routes
    .filter(({ path }) => path.endsWith('/:code'))
    .map(({ path }) => path.slice(0, -':code'.length));
  return (path) => {
    const door = doors.find((prefix) => path.startsWith(prefix));
    return door === undefined ? path : `${door}…`;
  };
}

function pathOf(request: Request): string {
  return new URL(request.url).pathname;
}
