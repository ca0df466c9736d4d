import type { AccessKind } from '../../../contract/access-kinds.ts';
import { AppError, notFound } from '../../lib/errors.ts';
import { nameRequest } from '../traces/index.ts';
import { preflight } from './access/cors.ts';
import { createQueryReader } from './query.ts';
import { holdsSecrets } from './response/json-response.ts';
import type { Route } from './route.ts';
import { Router } from './router.ts';
import {
  isForPrograms,
  type MountOptions,
  type PreparedRoute,
  readPath,
  runRoute,
  toErrorResponse,
} from './run-route.ts';
import type { Visit } from './visit.ts';

/** Handles a request once the front door knows where it came from. */
export type Handler = (request: Request, visit: Visit) => Promise<Response>;

/** Mounts routes on a router. All of them share the gate, validation, error handling, CORS and logging. */
export function mount(routes: Route[], options: MountOptions): Handler {
  const router = new Router<PreparedRoute>();
  for (const route of routes) {
    const prepared = {
      route,
      readQuery: createQueryReader(route),
      mayCompress: !holdsSecrets(route.path),
      needsSpace: needsSpace(route),
    };
    router.add(route.method, route.path, prepared);
  }
  const respondOtherwise = createOtherwise(routes, options);
  const toMountedPath = createMountedPaths(routes);
  const toLogPath = createLogPaths(routes);
  return async (request, visit) => {
    const startedAt = performance.now();
    const path = toMountedPath(readRawPath(request.url), visit);
    const asked = request.method === 'HEAD' ? asGet(request) : request;
    const found = router.find(asked.method, path);
    if (found) nameRequest(found.target.route.path);
    const response = await (found
      ? runRoute(found.target, asked, found.params, visit, options)
      : respondOtherwise(asked, path, visit));
    if (found?.target.route.access.kind === 'screen') options.onScreen?.(path);
    options.log[response.status >= 500 ? 'info' : 'debug'](
      {
        requestId: visit.requestId,
        method: request.method,
        path: toLogPath(readPath(request)),
        status: response.status,
        ms: Math.round(performance.now() - startedAt),
      },
      'request',
    );
    return response;
  };
}

/** Whether a route is refused while the disk is almost full. Deleting and logging in are not. */
function needsSpace({ method, access, stores }: Route): boolean {
  if (method === 'GET' || method === 'DELETE') return false;
  return stores ?? access.scope?.endsWith(':write') ?? false;
}

/** A page's own host has some routes of that page at shorter paths. */
function createMountedPaths(routes: Route[]): (path: string, visit: Visit) => string {
  const mounted = new Map<string, string>();
  for (const { path, pathOnPageHost } of routes) if (pathOnPageHost) mounted.set(pathOnPageHost, path);
  return (path, { pageHost }) =>
    pageHost ? (mounted.get(path)?.replace(':id', String(pageHost.pageId)) ?? path) : path;
}

/** Responds if there is no route for the method: to a preflight request, or that the path has others or none. */
function createOtherwise(routes: Route[], options: MountOptions) {
  const paths = new Router<Map<string, AccessKind>>();
  for (const [path, methods] of methodsByPath(routes)) paths.add(ANY, path, methods);
  return (request: Request, path: string, visit: Visit): Response | Promise<Response> => {
    const methods = paths.find(ANY, path)?.target;
    if (!methods) {
      const screen = path.endsWith('/') && !visit.pageHost ? path.slice(0, -1) : '';
      const isScreen = request.method === 'GET' && paths.find(ANY, screen)?.target.has('GET');
      if (isScreen && !isForPrograms(screen)) return seeWithoutSlash(screen, request);
      return toErrorResponse(notFound('This address was not found.'), request, ANYWHERE, options, visit);
    }
    const allowed = [...methods.keys()];
    // A client that can read the answers to other methods can also read that this one is not possible.
    const [usual = 'public'] = methods.values();
    if (request.method === 'OPTIONS') {
      const asked = request.headers.get('access-control-request-method') ?? '';
      return preflight(methods.get(asked) ?? usual, request.headers.get('origin'), allowed);
    }
    const names = allowed.join(', ');
    const error = new AppError(
      'METHOD_NOT_ALLOWED',
      '{method} is not possible here, only {names}.',
      { method: request.method, names },
      {
        headers: { allow: names },
      },
    );
    return toErrorResponse(error, request, { access: { kind: usual } }, options, visit);
  };
}

const ANY = 'any';

/** Redirects to the path without a slash at its end: people type `/docs/` as well as `/docs`. */
function seeWithoutSlash(path: string, request: Request): Response {
  return new Response(null, { status: 301, headers: { location: path + new URL(request.url).search } });
}

/** The path as it was sent. */
function readRawPath(url: string): string {
  const start = url.indexOf('/', url.indexOf('//') + 2);
  const end = url.slice(start).search(/[?#]/);
  return end < 0 ? url.slice(start) : url.slice(start, start + end);
}

/**
 * Handles HEAD as GET. The server sends the headers, with the body's length if it is known, and cancels the body. The
 * router would drop the body too early, and the length would be zero.
 */
function asGet({ url, headers, signal }: Request): Request {
  return new Request(url, { method: 'GET', headers, signal });
}

/** The access of a path that does not exist: anyone may see a 404. */
const ANYWHERE = { access: { kind: 'public' } } as const;

function methodsByPath(routes: Route[]): Map<string, Map<string, AccessKind>> {
  const found = new Map<string, Map<string, AccessKind>>();
  for (const { path, method, access } of routes) {
    const methods = found.get(path) ?? new Map<string, AccessKind>();
    found.set(path, methods.set(method, access.kind));
  }
  return found;
}

/** A code at the end of a path is a credential, so it is not logged. */
function createLogPaths(routes: Route[]): (path: string) => string {
  const prefixes = routes
    .filter(({ path }) => path.endsWith('/:code'))
    .map(({ path }) => path.slice(0, -':code'.length));
  return (path) => {
    const found = prefixes.find((prefix) => path.startsWith(prefix));
    return found === undefined ? path : `${found}…`;
  };
}
