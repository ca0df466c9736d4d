import { AppError } from './lib/errors.ts';
import type { Config } from './platform/config/index.ts';
import {
  bearerOf,
  createClientAddress,
  createRequestIds,
  drainBody,
  type RespondToError,
  releaseBody,
  type Visit,
} from './platform/http/index.ts';
import type { Readiness } from './platform/operations/health/index.ts';
import { REQUEST_KIND, type RequestCounts } from './platform/operations/metrics/index.ts';
import type { Caller, Calls } from './product/functions/index.ts';
import { SDK_PATH, type Sdk, type Serving, TICKET_PATH } from './product/pages/index.ts';

/** A call of a function is `POST` to its own address below this one. */
const CALL_PATH = '/api/functions/';

/** Answers a request; `peer` tells the address it came from. */
export type FrontDoor = (request: Request, peer: () => string) => Response | Promise<Response>;

/**
 * Decides by host and path who answers. Published pages come first and take the shortest way: no router, no log line,
 * no URL parser. Everything else goes through the routes and the gate.
 */
export function createFrontDoor(options: {
  config: Pick<Config, 'baseUrl' | 'pagesHost' | 'functionsHost' | 'trustedProxies'>;
  respondToError: RespondToError;
  handle(request: Request, visit: Visit): Promise<Response>;
  serving: Serving;
  sdk: Sdk;
  calls: Calls;
  readiness: Readiness;
  requests: RequestCounts;
}): FrontDoor {
  const { config, respondToError, handle, serving, sdk, calls, readiness, requests } = options;
  const nextRequestId = createRequestIds();
  const clientAddress = createClientAddress(config.trustedProxies);
  const pageIdOfHost = createHostMatcher('p', config.pagesHost);
  const functionIdOfHost = createHostMatcher('f', config.functionsHost);
  const scheme = new URL(config.baseUrl).protocol;

  /** A visit, and what kind of request it turned out to be. A class, since it is made for every page that is served. */
  class Seen implements Visit {
    kind: (typeof REQUEST_KIND)[keyof typeof REQUEST_KIND] = REQUEST_KIND.other;
    pageHost?: NonNullable<Visit['pageHost']>;

    constructor(
      readonly requestId: string,
      private readonly request: Request,
      private readonly peer: () => string,
    ) {}

    get address(): string {
      return clientAddress.addressOf(this.peer(), this.request.headers.get('x-forwarded-for'));
    }

    get isAddressSure(): boolean {
      return clientAddress.isSure(this.peer(), this.request.headers);
    }
  }

  return (request, peer) => {
    const startedAt = performance.now();
    const requestId = nextRequestId();
    const visit = new Seen(requestId, request, peer);
    try {
      const answer = dispatch(request, visit);
      return answer instanceof Promise ? answer.then(withId, failed) : withId(answer);
    } catch (error) {
      return failed(error);
    }

    function withId(response: Response): Response | Promise<Response> {
      if (!response.headers.has('x-request-id')) response.headers.set('x-request-id', requestId);
      // So that whoever keeps connections open makes the next one with a node that stays.
      if (readiness.isDraining) response.headers.set('connection', 'close');
      if (!isRead(request)) releaseBody(request);
      const { status } = response;
      requests.count(visit.kind, status, performance.now() - startedAt);
      return status < 400 ? response : whenReadable(request, response, readiness.isDraining);
    }

    async function failed(error: unknown): Promise<Response> {
      const response = await respondToError(error, { request, requestId, as: 'screen' });
      return withId(response);
    }
  };

  function dispatch(request: Request, visit: Seen): Response | Promise<Response> {
    const { url } = request;
    // Bun gives the bare path when there is no usable Host header, and joins two of them by a comma.
    if (url.startsWith('/') || request.headers.get('host')?.includes(',')) throw badHost();
    const hostAt = url.indexOf('//') + 2;
    const pathAt = url.indexOf('/', hostAt);
    const queryAt = url.indexOf('?', pathAt);
    const path = queryAt < 0 ? url.slice(pathAt) : url.slice(pathAt, queryAt);

    // Also on pages' own hosts, where an author may write the address without one.
    const isCall =
      request.method === 'POST' && path.startsWith(CALL_PATH) && !path.includes('/', CALL_PATH.length);
    const pageId = pageIdOfHost(url, hostAt, pathAt);
    if (pageId !== undefined && !isCall) {
      const pageHost = { pageId, origin: `${scheme}//p${pageId}.${config.pagesHost}` };
      const onHost = Object.assign(visit, { pageHost });
      visit.kind = path.startsWith('/api/') ? REQUEST_KIND.api : REQUEST_KIND.page;
      return (isRead(request) && serving.onPageHost(request, path, onHost)) || handle(request, onHost);
    }
    const functionId = functionIdOfHost(url, hostAt, pathAt);
    if (functionId !== undefined) {
      visit.kind = REQUEST_KIND.function;
      return calls.call(request, { id: functionId, path: url.slice(pathAt) }, callerOf(request, visit));
    }
    if (isCall) {
      visit.kind = REQUEST_KIND.function;
      const target = {
        slug: path.slice(CALL_PATH.length),
        path: queryAt < 0 ? '/' : `/${url.slice(queryAt)}`,
      };
      return calls.call(request, target, callerOf(request, visit));
    }
    if (path.startsWith('/p/')) {
      visit.kind = REQUEST_KIND.page;
      if (isRead(request)) return serving.atBase(request, path.slice(3), visit);
      throw new AppError('METHOD_NOT_ALLOWED', 'A page can only be read.', {
        headers: { allow: 'GET, HEAD' },
      });
    }
    if (isRead(request) && path === TICKET_PATH) return serving.giveTicket(request, visit);
    const file = isRead(request) && path.startsWith(SDK_PATH) ? sdk.respond(request, path) : undefined;
    if (file) return file;
    const probed = isRead(request) ? readiness.answer(path) : undefined;
    if (probed) {
      visit.kind = REQUEST_KIND.probe;
      return probed;
    }
    if (path.startsWith('/api/')) visit.kind = REQUEST_KIND.api;
    if (!URL.canParse(url)) throw badHost();
    return handle(request, visit);
  }
}

/** What was refused may still be on its way, and to close the connection on it would lose the answer. */
function whenReadable(
  request: Request,
  response: Response,
  isDraining: boolean,
): Response | Promise<Response> {
  if (isRead(request)) return response;
  const isLast = isDraining || /\bclose\b/i.test(request.headers.get('connection') ?? '');
  return (isLast && drainBody(request)?.then(() => response)) || response;
}

function isRead({ method }: Request): boolean {
  return method === 'GET' || method === 'HEAD';
}

function callerOf(request: Request, visit: Visit): Caller {
  return { address: visit.address, bearer: bearerOf(request), requestId: visit.requestId };
}

/** Tells the page or function whose own host an address is on, if any: `<prefix><id>.<host>`. */
function createHostMatcher(prefix: 'p' | 'f', host: string | undefined) {
  if (!host) return () => undefined;
  const name = host.replace(/:\d+$/, '').replaceAll('.', '\\.');
  const pattern = new RegExp(`^${prefix}([1-9]\\d{0,15})\\.${name}(:\\d+)?$`, 'i');
  return (url: string, hostAt: number, pathAt: number): number | undefined => {
    // Most requests are for other hosts: look at one letter before using the pattern.
    const letter = url.charCodeAt(hostAt) | 0x20;
    if (letter !== prefix.charCodeAt(0)) return undefined;
    const id = Number(pattern.exec(url.slice(hostAt, pathAt))?.[1] ?? 0);
    return id >= 1 && Number.isSafeInteger(id) ? id : undefined;
  };
}

function badHost(): AppError {
  return new AppError('BAD_REQUEST', 'Send one Host header, with the name of this server.');
}
