import { type Api, refusal } from '../client/api.ts';
import { readEvents } from '../client/events.ts';
import { lines } from '../lines.ts';
import { buildHeaders } from './headers.ts';
import { agreedVersion, type Message, parseMessage } from './message.ts';

/** The code of errors that are not of the protocol: no connection, no login. */
const SERVER_ERROR = -32_000;
const PARSE_ERROR = -32_700;

/** A function has 30 seconds to respond and 5 minutes to finish. */
const CALL_MS = 6 * 60_000;

interface BridgeOptions {
  api: Api;
  write(line: string): Promise<void>;
  complain(text: string): void;
}

/**
 * Passes messages from standard input to the MCP server of Quire over HTTP, and its responses to standard output. Each
 * line is one message.
 */
export class Bridge {
  readonly #options: BridgeOptions;
  /** Requests without a response yet, by their id. */
  readonly #open = new Map<string | number, AbortController>();
  /** Distinguishes this client from others that use the same token and the same ids. */
  readonly #userAgent = `quire-mcp/${crypto.randomUUID()}`;
  /** The revision that `initialize` agreed on. */
  #version: string | undefined;

  constructor(options: BridgeOptions) {
    this.#options = options;
  }

  /** Ends when the input has ended and every request has its response. */
  async run(input: AsyncIterable<Uint8Array>): Promise<void> {
    const working = new Set<Promise<void>>();
    for await (const { text } of lines(input)) {
      if (text.trim() === '') continue;
      const work = this.#pass(text).finally(() => working.delete(work));
      working.add(work);
    }
    await Promise.all(working);
  }

  async #pass(text: string): Promise<void> {
    const message = parseMessage(text);
    if (!message) return this.#fail(undefined, PARSE_ERROR, 'This line is not a JSON-RPC message.');
    const { id, method } = message;
    if (method === 'notifications/cancelled') return this.#cancel(message.params?.requestId);
    const controller = new AbortController();
    if (id !== undefined && method !== undefined) this.#open.set(id, controller);
    try {
      await this.#send(text, message, controller.signal);
    } catch (error) {
      // The client does not wait for the response of a request that it has cancelled.
      if (controller.signal.aborted) return;
      await this.#fail(message, SERVER_ERROR, error instanceof Error ? error.message : String(error));
    } finally {
      if (id !== undefined) this.#open.delete(id);
    }
  }

  /** Over HTTP, a client cancels a request by disconnecting. */
  #cancel(requestId: unknown): void {
    if (typeof requestId === 'string' || typeof requestId === 'number') this.#open.get(requestId)?.abort();
  }

  async #send(text: string, message: Message, signal: AbortSignal): Promise<void> {
    const { api, write } = this.#options;
    const headers = { ...buildHeaders(message, this.#version), 'user-agent': this.#userAgent };
    const response = await api.request('POST', '/mcp', {
      body: text,
      headers,
      signal: AbortSignal.any([signal, AbortSignal.timeout(CALL_MS)]),
    });
    const type = response.headers.get('content-type') ?? '';
    if (type.startsWith('text/event-stream') && response.body) {
      for await (const event of readEvents(response.body)) await write(JSON.stringify(event));
      return;
    }
    const body = await response.text();
    if (body === '') return;
    const answer = parseMessage(body);
    if (!answer) throw refusal(response, body, api.baseUrl);
    if (message.method === 'initialize') this.#version = agreedVersion(answer);
    // JSON of the server can have several lines.
    await write(JSON.stringify(JSON.parse(body)));
  }

  /** A request gets the error as its response. Nobody waits for anything else. */
  async #fail(message: Message | undefined, code: number, problem: string): Promise<void> {
    this.#options.complain(problem);
    if (message && (message.id === undefined || message.method === undefined)) return;
    const error = { code, message: problem };
    await this.#options.write(JSON.stringify({ jsonrpc: '2.0', id: message?.id ?? null, error }));
  }
}
