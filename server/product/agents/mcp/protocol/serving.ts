import {
  classifyInboundRequest,
  createMcpHandler,
  type McpHttpHandler,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';
import { KnownLists } from './known-lists.ts';
import { isObject } from './message.ts';
import type { Offer } from './offer.ts';
import { type Arrival, createServer } from './server.ts';

/** The types that clients of the older revisions must accept. Many hand-written clients do not say so. */
const ACCEPTS = 'application/json, text/event-stream';
/** How often to write to an idle stream. A proxy may close it after a minute. */
const KEEP_ALIVE_MS = 15_000;

/**
 * Responds to messages with the SDK. Only this file and `server.ts` use it, and it is loaded with the first message: it
 * takes longer to load than the rest of the server.
 */
export class Serving<Caller> {
  /** Serves the stateless revisions. */
  readonly #stateless: McpHttpHandler;
  readonly #arrivals = new WeakMap<Request, Arrival<Caller>>();
  readonly #lists = new KnownLists();

  constructor() {
    this.#stateless = createMcpHandler(({ requestInfo }) => this.#serverFor(requestInfo), {
      legacy: 'reject',
      keepAliveMs: KEEP_ALIVE_MS,
    });
  }

  /** True if a message belongs to a revision that begins with `initialize`. */
  isOfHandshake(request: Request, message: unknown): boolean {
    const header = (name: string) => request.headers.get(name) ?? undefined;
    const [version, method, name] = ['mcp-protocol-version', 'mcp-method', 'mcp-name'].map(header);
    const outcome = classifyInboundRequest({
      httpMethod: 'POST',
      body: message,
      ...(version !== undefined && { protocolVersionHeader: version }),
      ...(method !== undefined && { mcpMethodHeader: method }),
      ...(name !== undefined && { mcpNameHeader: name }),
    });
    return outcome.kind === 'legacy';
  }

  /** Responds to one message. A message of a list cannot get a stream. */
  async respond(
    request: Request,
    message: unknown,
    arrival: Arrival<Caller>,
    mayStream: boolean,
  ): Promise<Response> {
    if (this.isOfHandshake(request, message)) {
      const isStream = mayStream && streams(message, arrival.offer);
      const list = () => arrival.offer.tools.list(arrival.caller);
      const { isStructured } = arrival;
      return this.#lists.respond({ request, message, list, isStructured }, () =>
        this.#respondAfterHandshake(request, message, arrival, isStream),
      );
    }
    this.#arrivals.set(request, arrival);
    return this.#stateless.fetch(request, { parsedBody: message });
  }

  async #respondAfterHandshake(
    request: Request,
    message: unknown,
    arrival: Arrival<Caller>,
    isStream: boolean,
  ): Promise<Response> {
    const server = createServer(arrival.offer, arrival);
    const transport = new WebStandardStreamableHTTPServerTransport({
      enableJsonResponse: !isStream,
      keepAliveMs: KEEP_ALIVE_MS,
    });
    await server.connect(transport);
    // Nothing has to be closed: a stream ends with its last message, and nothing is kept after that.
    return transport.handleRequest(acceptingBoth(request), { parsedBody: message });
  }

  #serverFor(request: Request | undefined) {
    const arrival = request && this.#arrivals.get(request);
    if (!arrival) throw new Error('the SDK asked for a server without a message');
    return createServer(arrival.offer, arrival);
  }
}

/** Whether a message gets a stream, for progress and log messages. Everything else is one JSON response. */
function streams(message: unknown, { capabilities }: Pick<Offer<never>, 'capabilities'>): boolean {
  if (!isObject(message) || message.method !== 'tools/call' || !isObject(message.params)) return false;
  if (capabilities?.logging) return true;
  const { _meta: meta } = message.params;
  return isObject(meta) && meta.progressToken !== undefined;
}

/** The request with an Accept header for both types, without its body, which has been read. */
function acceptingBoth(request: Request): Request {
  const { url, headers, signal } = request;
  const accepts = headers.get('accept') ?? '';
  if (accepts.includes('application/json') && accepts.includes('text/event-stream')) return request;
  const accepting = new Headers(headers);
  accepting.set('accept', ACCEPTS);
  return new Request(url, { method: 'POST', headers: accepting, signal });
}
