import { AppError } from '../../../../lib/errors.ts';
import { MAX_JSON_DEPTH } from '../../../../lib/json.ts';
import { type JsonText, jsonText, type Log, readJson } from '../../../../platform/http/index.ts';
import { Cancellations } from './cancellations.ts';
import {
  INVALID_REQUEST,
  isObject,
  isSmall,
  METHOD_NOT_FOUND,
  PARSE_ERROR,
  refusalText,
  splitMessage,
  tooLarge,
} from './message.ts';
import type { Offer } from './offer.ts';
import type { Serving } from './serving.ts';
import { UNNAMED_VERSION } from './versions.ts';

const MAX_MESSAGES = 50;
/** Characters of all responses to a list: short messages in it can ask for the same long response repeatedly. */
const MAX_LIST_CHARACTERS = 2 * 1024 * 1024;
/** The depth of a message: arguments are three levels deep, four in a batch, and can be as deep as the API accepts. */
const BODY_DEPTH = MAX_JSON_DEPTH + 8;

const LIST_TOO_LONG =
  'The responses to this list are too long. This message was not handled. Send it again in another list.';

interface EndpointOptions<Caller> {
  /** The offer of the server: for everyone, or for this caller. */
  offer: Offer<Caller> | ((caller: Caller) => Promise<Offer<Caller>>);
  baseUrl: string;
  /** The largest body, in bytes. */
  bodyLimit: number;
  log: Pick<Log, 'error'>;
  /** True for the origin of the app that the caller uses. */
  isRegisteredOrigin(origin: string, caller: Caller): boolean | Promise<boolean>;
}

/** Who sent a request. */
export interface Sender<Caller> {
  caller: Caller;
  /** The name that the memory for the body counts for. */
  name: string;
  address: string;
  requestId: string;
}

/** A request in progress, with what responds to it. */
interface Handled<Caller> extends Sender<Caller> {
  request: Request;
  offer: Offer<Caller>;
  serving: Serving<Caller>;
}

/**
 * An MCP server over streamable HTTP, https://modelcontextprotocol.io/specification: every POST gets one JSON response,
 * or a stream if the client asked for progress. There are no sessions.
 */
export class McpEndpoint<Caller> {
  readonly #options: EndpointOptions<Caller>;
  readonly #ownOrigin: string;
  readonly #cancellations = new Cancellations();
  #serving: Promise<Serving<Caller>> | undefined;

  constructor(options: EndpointOptions<Caller>) {
    this.#options = options;
    this.#ownOrigin = new URL(options.baseUrl).origin;
  }

  async respond(request: Request, sender: Sender<Caller>): Promise<Response | JsonText> {
    await this.#assertOrigin(request.headers.get('origin'), sender.caller);
    const body = await this.#read(request, sender.name);
    if (body instanceof AppError) return refuse(400, PARSE_ERROR, body.message);
    this.#serving ??= import('./serving.ts').then(({ Serving }) => new Serving<Caller>());
    const serving = await this.#serving;
    const { offer } = this.#options;
    const made = typeof offer === 'function' ? await offer(sender.caller) : offer;
    const handled = { ...sender, offer: made, serving, request };
    // Check before anything runs, because one refusal is the response to the whole list.
    for (const message of Array.isArray(body) ? body.slice(0, MAX_MESSAGES) : [body]) admit(message, handled);
    return Array.isArray(body)
      ? this.#respondToList(body, handled)
      : toResult(await this.#respondToOne(body, handled, true));
  }

  /** Checks the origin: another site must not use a token that it has got, nor pose as us with DNS rebinding. */
  async #assertOrigin(origin: string | null, caller: Caller): Promise<void> {
    if (origin === null || origin === this.#ownOrigin) return;
    if (await this.#options.isRegisteredOrigin(origin, caller)) return;
    throw new AppError(
      'FORBIDDEN',
      'A web page can send MCP requests only from {ownOrigin}, or with a token that its own app got from /oauth/authorize.',
      { ownOrigin: this.#ownOrigin },
    );
  }

  /** Reads the body. Invalid JSON gets a protocol error; a wrong type or size gets an HTTP error. */
  async #read(request: Request, sender: string): Promise<unknown> {
    try {
      return await readJson(request, { limit: this.#options.bodyLimit, depth: BODY_DEPTH, sender });
    } catch (error) {
      if (error instanceof AppError && error.code === 'BAD_REQUEST') return error;
      throw error;
    }
  }

  async #respondToOne(
    body: unknown,
    { serving, request, offer, ...sender }: Handled<Caller>,
    mayStream: boolean,
  ): Promise<Response> {
    const { message, input = {} } = splitMessage(body);
    if (!isSmall(message)) return answer(400, refusalText(INVALID_REQUEST, tooLarge(), message));
    const { method, id } = isObject(message) ? message : {};
    // There is nothing to subscribe to, and each subscription would keep a connection open.
    if (method === 'subscriptions/listen') {
      return answer(404, refusalText(METHOD_NOT_FOUND, 'Method not found', message));
    }
    const client = `${sender.name}\n${sender.address}\n${request.headers.get('user-agent')}`;
    if (method === 'notifications/cancelled' && isObject(message))
      this.#cancellations.cancel(client, message);
    const arrival = {
      offer,
      caller: sender.caller,
      input,
      isStructured: isStructured(request),
      signal: request.signal,
      beginCall: () => {
        const call = this.#cancellations.begin(client, id);
        return { ...call, signal: AbortSignal.any([request.signal, call.signal]) };
      },
      report: (error: unknown) => this.#report(error, sender.requestId),
    };
    return serving.respond(request, message, arrival, mayStream);
  }

  #report(error: unknown, requestId: string): string {
    this.#options.log.error({ requestId, err: error }, 'MCP request failed');
    return `Something went wrong on our side. Quote this id: ${requestId}.`;
  }

  /** Responds to a list one message after the other, so that it costs no more than its messages alone. */
  async #respondToList(messages: unknown[], handled: Handled<Caller>): Promise<Response | JsonText> {
    const { serving, request } = handled;
    const version = request.headers.get('mcp-protocol-version') ?? UNNAMED_VERSION;
    if (version !== UNNAMED_VERSION) {
      return refuse(
        400,
        INVALID_REQUEST,
        `Version ${version.slice(0, 40)} of the protocol has no lists of messages.`,
      );
    }
    if (messages.length === 0 || messages.length > MAX_MESSAGES) {
      return refuse(400, INVALID_REQUEST, `A list has 1 to ${MAX_MESSAGES} messages.`);
    }
    const texts: string[] = [];
    let characters = 0;
    for (const message of messages) {
      const isFit = isFitForList(serving, request, message);
      const refusal = characters > MAX_LIST_CHARACTERS ? LIST_TOO_LONG : 'This message cannot be in a list.';
      const response =
        isFit && characters <= MAX_LIST_CHARACTERS
          ? await this.#respondToOne(message, handled, false)
          : answer(400, refusalText(INVALID_REQUEST, refusal, message));
      const text = await response.text();
      characters += text.length;
      if (text !== '') texts.push(text);
    }
    return texts.length === 0 ? new Response(null, { status: 202 }) : jsonText(`[${texts.join(',')}]`);
  }
}

/** Whether a client reads `structuredContent`: since revision 2025-06-18, unless it asks for text. */
function isStructured({ headers, url }: Request): boolean {
  const version = headers.get('mcp-protocol-version') ?? UNNAMED_VERSION;
  return version !== UNNAMED_VERSION && new URL(url).searchParams.get('results') !== 'text';
}

/** Fails with an HTTP error if the caller needs another token for a tool, so that the client can ask for one. */
function admit<Caller>(body: unknown, { offer, caller }: Handled<Caller>): void {
  const { method, params } = isObject(body) ? body : {};
  if (method !== 'tools/call' || !isObject(params) || typeof params.name !== 'string') return;
  offer.tools.admit?.(params.name, isObject(params.arguments) ? params.arguments : {}, caller);
}

/** Whether a message may be in a list: `initialize` must come alone, and the stateless revisions have no lists. */
function isFitForList(
  serving: Pick<Serving<never>, 'isOfHandshake'>,
  request: Request,
  message: unknown,
): boolean {
  if (!isObject(message) || message.method === 'initialize') return false;
  const split = splitMessage(message);
  return isSmall(split.message) && serving.isOfHandshake(request, split.message);
}

function answer(status: number, text: string): Response {
  return new Response(text, { status, headers: { 'content-type': 'application/json' } });
}

function refuse(status: number, code: number, message: string): JsonText {
  return jsonText(refusalText(code, message), status);
}

/** Sends a JSON response like all other JSON: compressed, and not stored by caches. */
async function toResult(response: Response): Promise<Response | JsonText> {
  const isJson = response.headers.get('content-type')?.startsWith('application/json');
  if (isJson) return jsonText(await response.text(), response.status);
  response.headers.set('x-content-type-options', 'nosniff');
  return response;
}
