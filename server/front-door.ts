import { domainOrigin } from '../contract/pages/pages.ts';
import { Arrival, type ClientAddress, OwnHost } from './arrival.ts';
import { AppError } from './lib/errors.ts';
import type { Config } from './platform/config/index.ts';
import {
  type AcceptsHost,
  asksForSocket,
  createAcceptsHost,
  createClientAddress,
  createHostMatcher,
  createRequestIds,
  filePreflight,
  findLargeBody,
  type HostMatcher,
  isForPrograms,
  isNavigation,
  LargeBodies,
  type PageHost,
  type RespondToError,
  readBearer,
  releaseBody,
  type SizedBody,
  type SocketServer,
  type Visit,
  whenReadable,
  withLength,
  withoutPort,
} from './platform/http/index.ts';
import type { Readiness } from './platform/operations/health/index.ts';
import { REQUEST_KIND, REQUEST_KINDS, type RequestCounts } from './platform/operations/metrics/index.ts';
import { runRequest, type Span, type Traces } from './platform/traces/index.ts';
import type { CallOrigin, Calls } from './product/functions/index.ts';
import { type DomainTable, SDK_PATH, type Sdk, type Serving, TICKET_PATH } from './product/pages/index.ts';

/** A function is called with `POST` to its slug under this path. */
const CALL_PATH = '/api/functions/';
/** The MCP server of a page is below its path. */
const PAGE_MCP = '/mcp';
const READ_ONLY = { headers: { allow: 'GET, HEAD, OPTIONS' } };
const [LETTER_P, LETTER_F] = [0x70, 0x66];

/**
 * Responds to a request. `peer` returns the address it came from. If `server` has answered with a WebSocket, it ignores
 * the response.
 */
export type FrontDoor = (
  request: Request,
  peer: () => string,
  server?: SocketServer,
) => Response | Promise<Response>;

interface FrontDoorOptions {
  config: Pick<Config, 'baseUrl' | 'pagesHost' | 'functionsHost' | 'trustedProxies'>;
  respondToError: RespondToError;
  handle(request: Request, visit: Visit): Promise<Response>;
  serving: Serving;
  domains: Pick<DomainTable, 'find'>;
  sdk: Sdk;
  calls: Calls;
  readiness: Readiness;
  requests: RequestCounts;
  /** Undefined if nothing is traced. */
  traces: Traces | undefined;
}

type CallTarget = Parameters<Calls['call']>[1];

export function createFrontDoor(options: FrontDoorOptions): FrontDoor {
  const door = new Door(options);
  return (request, peer, server) => door.respond(request, peer, server);
}

/**
 * Chooses a handler by host and path. Published pages come first and take the shortest path: no router, no log line,
 * no URL parser. Everything else goes through the routes and the gate.
 */
class Door {
  private readonly nextRequestId = createRequestIds();
  private readonly largeBodies = new LargeBodies();
  private readonly clientAddress: ClientAddress;
  private readonly pageIdOfHost: HostMatcher;
  private readonly functionIdOfHost: HostMatcher;
  private readonly scheme: string;
  private readonly baseHost: string;
  private readonly acceptsHost: AcceptsHost;

  constructor(private readonly options: FrontDoorOptions) {
    const { config } = options;
    this.clientAddress = createClientAddress(config.trustedProxies);
    this.pageIdOfHost = createHostMatcher('p', config.pagesHost);
    this.functionIdOfHost = createHostMatcher('f', config.functionsHost);
    const { protocol, host } = new URL(config.baseUrl);
    this.scheme = protocol;
    this.baseHost = host;
    this.acceptsHost = createAcceptsHost(config.baseUrl);
  }

  respond(request: Request, peer: () => string, server?: SocketServer): Response | Promise<Response> {
    const arrival = new Arrival(this.nextRequestId(), request, peer, this.clientAddress, server);
    const span = this.options.traces?.begin(request, arrival.requestId);
    return span ? this.respondTraced(span, request, arrival) : this.respondTo(request, arrival);
  }

  private async respondTraced(span: Span, request: Request, arrival: Arrival): Promise<Response> {
    const name = span.name;
    return runRequest(span, async () => {
      const response = await this.respondTo(request, arrival);
      // Routes have named it.
      if (span.name === name) span.name += ` ${REQUEST_KINDS[arrival.kind]}`;
      return response;
    });
  }

  private respondTo(request: Request, arrival: Arrival): Response | Promise<Response> {
    try {
      const response = this.dispatch(request, arrival);
      if (!(response instanceof Promise)) return this.finish(response, request, arrival);
      return response.then(
        (settled) => this.finish(settled, request, arrival),
        (error: unknown) => this.fail(error, request, arrival),
      );
    } catch (error) {
      return this.fail(error, request, arrival);
    }
  }

  private finish(response: Response, request: Request, arrival: Arrival): Response | Promise<Response> {
    const large = findLargeBody(response);
    if (large && !arrival.isLarge) return this.sendLarge(large, response, request, arrival);
    const { readiness, requests } = this.options;
    if (!arrival.isIdSent) response.headers.set('x-request-id', arrival.requestId);
    // A client with a persistent connection should open its next one to a node that is not stopping.
    if (readiness.isDraining) response.headers.set('connection', 'close');
    if (!arrival.isRead) releaseBody(request);
    const { status } = response;
    requests.count(arrival.kind, status, performance.now() - arrival.startedAt);
    const mayBeUnread = status >= 400 || request.headers.has('transfer-encoding');
    return mayBeUnread ? whenReadable(request, response, readiness.isDraining) : response;
  }

  private async sendLarge(body: SizedBody, response: Response, request: Request, arrival: Arrival) {
    arrival.isLarge = true;
    try {
      const isHead = request.method === 'HEAD';
      const sent = isHead ? withLength(response, body) : await this.largeBodies.send(response, body, arrival);
      return await this.finish(sent, request, arrival);
    } catch (error) {
      return this.fail(error, request, arrival, isNavigation(request.headers) ? 'screen' : 'json');
    }
  }

  private async fail(
    error: unknown,
    request: Request,
    arrival: Arrival,
    as = errorForm(request),
  ): Promise<Response> {
    const { requestId } = arrival;
    const { respondToError, serving } = this.options;
    arrival.isIdSent = false;
    const response =
      (await serving.respondToClosed(error, request, arrival)) ??
      (await respondToError(error, { request, requestId, as }));
    return this.finish(response, request, arrival);
  }

  private dispatch(request: Request, arrival: Arrival): Response | Promise<Response> {
    const { url } = request;
    // Bun returns only the path if there is no valid Host header, and joins two Host headers with a comma.
    if (url.startsWith('/') || request.headers.get('host')?.includes(',')) throw badHost();
    const hostAt = url.indexOf('//') + 2;
    const pathAt = url.indexOf('/', hostAt);
    const queryAt = url.indexOf('?', pathAt);
    const path = queryAt < 0 ? url.slice(pathAt) : url.slice(pathAt, queryAt);

    // Functions can be called on pages' own hosts too, because an author may write the path without a host.
    const isCall = path.startsWith(CALL_PATH) && isCallAt(path, request);
    // Most requests are for the base: compare one letter before using a pattern.
    const letter = url.charCodeAt(hostAt) | 0x20;
    const pageId = letter === LETTER_P ? this.pageIdOfHost(url, hostAt, pathAt) : undefined;
    if (pageId !== undefined && !isCall) {
      return this.onPageHost(request, arrival, this.makePageHost(pageId), path);
    }
    const isBase = pathAt - hostAt === this.baseHost.length && url.startsWith(this.baseHost, hostAt);
    const functionId = letter === LETTER_F ? this.functionIdOfHost(url, hostAt, pathAt) : undefined;
    if (functionId !== undefined)
      return this.call(request, arrival, { id: functionId, path: url.slice(pathAt) });
    if (isCall) {
      const slug = path.slice(CALL_PATH.length);
      const target = { slug, path: queryAt < 0 ? '/' : `/${url.slice(queryAt)}` };
      if (pageId !== undefined) arrival.pageHost = this.makePageHost(pageId);
      return isBase || pageId !== undefined
        ? this.call(request, arrival, target)
        : this.callAtOtherHost(request, arrival, target, url.slice(hostAt, pathAt));
    }
    return isBase
      ? this.atBase(request, arrival, path)
      : this.atOtherHost(request, arrival, url.slice(hostAt, pathAt), path);
  }

  private atBase(request: Request, arrival: Arrival, path: string) {
    if (path.startsWith('/p/')) return this.page(request, arrival, path.slice(3));
    return this.shortcut(request, arrival, path) ?? this.route(request, arrival, path);
  }

  /** A domain of a page, or another name of this server. */
  private atOtherHost(request: Request, arrival: Arrival, host: string, path: string) {
    const { readiness } = this.options;
    const respond = (pageHost: PageHost | undefined) => {
      if (pageHost) return this.onPageHost(request, arrival, pageHost, path);
      if (!this.acceptsHost(host, path)) throw this.misdirected();
      return this.atBase(request, arrival, path);
    };
    const found = this.pageHostOfDomain(host);
    if (!(found instanceof Promise)) return respond(found);
    return found.then(respond, (error: unknown) => {
      // Probes must not depend on the database.
      const probed = readiness.answer(path);
      if (probed) return probed;
      throw error;
    });
  }

  /** A call on a page's domain, or at another name of this server. */
  private async callAtOtherHost(request: Request, arrival: Arrival, target: CallTarget, host: string) {
    const pageHost = await this.pageHostOfDomain(host);
    if (!pageHost && !this.acceptsHost(host, '')) throw this.misdirected();
    // Only browsers can come from the page, and they send their origin.
    if (request.headers.has('origin')) arrival.pageHost = pageHost;
    return this.call(request, arrival, target);
  }

  private misdirected(): AppError {
    const { baseUrl } = this.options.config;
    return new AppError(
      'MISDIRECTED',
      'This server does not serve the name in this address. Use {baseUrl} instead. If this is your server and you want this name, set QUIRE_BASE_URL to it and restart.',
      { baseUrl },
    );
  }

  private makePageHost(pageId: number): PageHost {
    return new OwnHost(pageId, this.scheme, this.options.config.pagesHost);
  }

  private pageHostOfDomain(host: string): PageHost | undefined | Promise<PageHost | undefined> {
    const { config, domains } = this.options;
    const domain = withoutPort(host);
    const toPageHost = (pageId: number | undefined) =>
      pageId === undefined ? undefined : { pageId, origin: domainOrigin(config.baseUrl, domain), domain };
    const found = domains.find(domain);
    return found instanceof Promise ? found.then(toPageHost) : toPageHost(found);
  }

  private onPageHost(request: Request, arrival: Arrival, pageHost: PageHost, path: string) {
    const { serving, handle } = this.options;
    arrival.pageHost = pageHost;
    arrival.kind = path.startsWith('/api/') ? REQUEST_KIND.api : REQUEST_KIND.page;
    const visit = arrival as Arrival & { pageHost: PageHost };
    const served = arrival.isRead ? serving.onPageHost(request, path, visit) : undefined;
    if (served instanceof Promise) return served.then((response) => response ?? handle(request, visit));
    return served ?? handle(request, visit);
  }

  private call(request: Request, arrival: Arrival, target: CallTarget) {
    arrival.kind = REQUEST_KIND.function;
    return this.options.calls.call(request, target, toCallOrigin(request, arrival));
  }

  private page(request: Request, arrival: Arrival, slug: string) {
    arrival.kind = REQUEST_KIND.page;
    if (arrival.isRead) return this.options.serving.atBase(request, slug, arrival);
    if (slug.endsWith(PAGE_MCP)) return this.route(request, arrival, slug);
    if (request.method === 'OPTIONS') return filePreflight();
    throw new AppError('METHOD_NOT_ALLOWED', 'A page can only be read.', {}, READ_ONLY);
  }

  /** Requests that are served without a route: tickets, the SDK and probes. */
  private shortcut(request: Request, arrival: Arrival, path: string) {
    if (!arrival.isRead) return undefined;
    const { serving, sdk, readiness } = this.options;
    if (path === TICKET_PATH) return serving.giveTicket(request, arrival);
    const file = path.startsWith(SDK_PATH) ? sdk.respond(request, path) : undefined;
    if (file) return file;
    const probed = readiness.answer(path);
    if (probed) arrival.kind = REQUEST_KIND.probe;
    return probed;
  }

  private route(request: Request, arrival: Arrival, path: string) {
    if (path.startsWith(CALL_PATH)) arrival.kind = REQUEST_KIND.function;
    else if (path.startsWith('/api/')) arrival.kind = REQUEST_KIND.api;
    if (!URL.canParse(request.url)) throw badHost();
    return this.options.handle(request, arrival);
  }
}

/** Whether a request below the path of functions is a call, or asks a function for a WebSocket. */
function isCallAt(path: string, request: Request): boolean {
  if (path.includes('/', CALL_PATH.length)) return false;
  return request.method === 'POST' || asksForSocket(request);
}

/** Programs get errors as JSON, people as a screen. */
function errorForm({ url }: Request): 'json' | 'screen' {
  return isForPrograms(URL.parse(url)?.pathname ?? '') ? 'json' : 'screen';
}

function toCallOrigin(request: Request, visit: Visit): CallOrigin {
  const { address, requestId, pageHost, socketServer } = visit;
  return { address, bearer: readBearer(request), requestId, pageHost, socketServer };
}

function badHost(): AppError {
  return new AppError('BAD_REQUEST', 'Send one Host header, with the name of this server.');
}
