import { PAGE_BODY_LIMIT } from '../../../../contract/pages.ts';
import { AppError } from '../../../lib/errors.ts';
import { MAX_JSON_DEPTH } from '../../../lib/json.ts';
import { type Actor, type JsonText, jsonText, readJson, senderOf } from '../../../platform/http/index.ts';
import {
  type Answer,
  failure,
  INVALID_REQUEST,
  PARSE_ERROR,
  RpcError,
  readMessage,
  success,
} from './json-rpc.ts';
import { createMethods } from './methods.ts';
import type { Caller, CallTool } from './run-tool.ts';
import type { Tool } from './tools.ts';
import { PROTOCOL_VERSIONS, UNNAMED_VERSION } from './versions.ts';

/**
 * The Model Context Protocol over streamable HTTP, https://modelcontextprotocol.io/specification: every POST gets a
 * JSON response, and there are no sessions or streams. Every request needs a bearer token and cookies are ignored, so a
 * page that poses as this host (DNS rebinding) can do no more here than a stranger.
 */

const MAX_MESSAGES = 50;
/** A page as an argument, and the message around it. */
export const MCP_BODY_LIMIT = PAGE_BODY_LIMIT + 64 * 1024;
/** Arguments are three levels deep, four in a batch, and can have as many values as the API accepts. */
const BODY_DEPTH = MAX_JSON_DEPTH + 8;

interface McpOptions {
  version: string;
  baseUrl: string;
  tools: Tool[];
  callTool: CallTool;
}

/** Responds to messages of the protocol. */
export class Mcp {
  readonly #methods: ReturnType<typeof createMethods>;

  constructor(options: McpOptions) {
    this.#methods = createMethods(options);
  }

  async respond(
    request: Request,
    actor: Actor,
    visit: { address: string; requestId: string },
  ): Promise<Response | JsonText> {
    const version = request.headers.get('mcp-protocol-version') ?? UNNAMED_VERSION;
    if (!PROTOCOL_VERSIONS.some((known) => known === version)) {
      const known = PROTOCOL_VERSIONS.join(', ');
      return refuse(new RpcError(INVALID_REQUEST, `MCP-Protocol-Version must be one of ${known}.`));
    }
    const body = await readMessages(request, senderOf(actor, visit.address));
    if (body instanceof RpcError) return refuse(body);
    const caller: Caller = { request, actor, ...visit };
    if (!Array.isArray(body)) return this.#respondToOne(body, caller);
    if (version !== UNNAMED_VERSION) {
      return refuse(
        new RpcError(INVALID_REQUEST, `Version ${version} of the protocol has no lists of messages.`),
      );
    }
    return this.#respondToList(body, caller);
  }

  async #respondToOne(message: unknown, caller: Caller): Promise<Response | JsonText> {
    const read = readMessage(message);
    if (read === 'no answer') return new Response(null, { status: 202 });
    if ('fault' in read) return refuse(read.fault, read.id);
    return jsonText(JSON.stringify(await this.#call(read.call, caller)));
  }

  async #respondToList(messages: unknown[], caller: Caller): Promise<Response | JsonText> {
    if (messages.length === 0 || messages.length > MAX_MESSAGES) {
      return refuse(new RpcError(INVALID_REQUEST, `A list has 1 to ${MAX_MESSAGES} messages.`));
    }
    const answers: Answer[] = [];
    for (const message of messages) {
      const read = readMessage(message);
      if (read === 'no answer') continue;
      if ('fault' in read) answers.push(failure(read.id, read.fault));
      else if (read.call.method === 'initialize') {
        answers.push(failure(read.call.id, new RpcError(INVALID_REQUEST, 'initialize must come alone.')));
      } else answers.push(await this.#call(read.call, caller));
    }
    if (answers.length === 0) return new Response(null, { status: 202 });
    return jsonText(JSON.stringify(answers));
  }

  async #call(call: Parameters<ReturnType<typeof createMethods>>[0], caller: Caller): Promise<Answer> {
    try {
      return success(call.id, await this.#methods(call, caller));
    } catch (error) {
      if (error instanceof RpcError) return failure(call.id, error);
      throw error;
    }
  }
}

/** A body that is not JSON gets a protocol error; one of the wrong type or size gets an HTTP error. */
async function readMessages(request: Request, sender: string): Promise<unknown> {
  try {
    return await readJson(request, { limit: MCP_BODY_LIMIT, depth: BODY_DEPTH, sender });
  } catch (error) {
    if (error instanceof AppError && error.code === 'BAD_REQUEST')
      return new RpcError(PARSE_ERROR, error.message);
    throw error;
  }
}

function refuse(error: RpcError, id: string | number | null = null): JsonText {
  return jsonText(JSON.stringify(failure(id, error)), 400);
}
