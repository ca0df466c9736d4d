import { Hono } from 'hono';
import { TrieRouter } from 'hono/router/trie-router';
import { AppError, notFound } from '../../lib/errors.ts';
import { preflight } from './access/cors.ts';
import type { AccessKind } from './access/gate.ts';
import { createQueryReader } from './query.ts';
import { holdsSecrets } from './response/json-response.ts';
import type { Route } from './route.ts';
import { type MountOptions, pathOf, runRoute, toErrorResponse } from './run-route.ts';
import type { Visit } from './visit.ts';

/** Handles a request once the front door knows where it came from. */
export type Handler = (request: Request, visit: Visit) => Promise<Response>;

/** Mounts routes on a router. All of them share the gate, validation, error handling, CORS and logging. */
export function mount(routes: Route[], options: MountOptions): Handler {
  // Hono's default first tries a faster router, which does not support these paths.
  const newRouter = () => new Hono<{ Bindings: Visit }>({ router: new TrieRouter() });
  const router = newRouter();
  for (const route of routes) {
    const prepared = { route, readQuery: createQueryReader(route), mayCompress: !holdsSecrets(route.path) };
    router.on(route.method, route.path, (c) => runRoute(prepared, c.req.raw, c.req.param(), c.env, options));
  }
  // A second router, used only if nothing matches: these patterns would slow down the first one.
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
      return toErrorResponse(error, c.req.raw, undefined, options, c.env);
    });
  }
  others.notFound((c) => toErrorResponse(notFound('This address'), c.req.raw, ANYWHERE, options, c.env));
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
 * Handles HEAD as GET. The server sends the headers, with the body's length if it is known, and cancels the body. The
 * router would drop the body too early, and the length would be zero.
 */
function asGet({ url, headers, signal }: Request): Request {
  return new Request(url, { method: 'GET', headers, signal });
}

/** Anyone may see a 404. */
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
