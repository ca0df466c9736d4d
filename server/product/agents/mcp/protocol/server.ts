import {
  type CompleteRequestParams,
  ProtocolError,
  ProtocolErrorCode,
  ResourceNotFoundError,
  Server,
  type ServerCapabilities,
  type ServerContext,
  type Tool,
} from '@modelcontextprotocol/server';
import { AppError } from '../../../../lib/errors.ts';
import type { Exchange, Offer } from './offer.ts';
import { takePage } from './pages.ts';
import { HANDSHAKE_VERSIONS } from './versions.ts';

/** One message of a caller. */
export interface Arrival<Caller> {
  /** The offer for this caller. */
  offer: Offer<Caller>;
  caller: Caller;
  /** The arguments of the tool that is called. */
  input: Record<string, unknown>;
  /** Whether the client reads `structuredContent`, which revision 2025-06-18 has introduced. */
  isStructured: boolean;
  /** Aborts when the client disconnects. */
  signal: AbortSignal;
  /** Begins a call that the client can cancel. `end` must follow. */
  beginCall(): { signal: AbortSignal; end(): void };
  /** Reports an error that is not the client's. Returns the text that the client sees. */
  report(error: unknown): string;
}

type Paged = { cursor?: string | undefined } | undefined;
type MakeExchange<Caller> = (context: ServerContext) => Exchange<Caller>;
type MethodHandler<Params, Result, Caller> = (
  params: Params,
  exchange: Exchange<Caller>,
) => Promise<Result> | Result;

/** The SDK's server with the methods of an offer, for one message: nothing is kept between two messages. */
export function createServer<Caller>(offer: Offer<Caller>, arrival: Arrival<Caller>): Server {
  const { info } = offer;
  const capabilities = listCapabilities(offer);
  const server = new Server(info, {
    capabilities,
    instructions: offer.instructions(arrival.caller),
    supportedProtocolVersions: HANDSHAKE_VERSIONS,
  });
  const toExchange: MakeExchange<Caller> = (context) => ({
    caller: arrival.caller,
    isStructured: arrival.isStructured,
    signal: arrival.signal,
    progress: createProgress(context),
    context,
  });
  /** Makes a handler of the SDK. Every error of an offer becomes one of the protocol. */
  const handler =
    <Params, Result>(answer: MethodHandler<Params, Result, Caller>) =>
    async ({ params }: { params?: Params }, context: ServerContext): Promise<Result> => {
      try {
        return await answer(params as Params, toExchange(context));
      } catch (error) {
        throw toProtocolError(error, params, arrival);
      }
    };
  const { tools } = offer;
  server.setRequestHandler(
    'tools/list',
    handler((params: Paged) => {
      const { page, ...rest } = takePage(tools.list(arrival.caller), params?.cursor);
      return { tools: arrival.isStructured ? page : page.map(withoutOutput), ...rest };
    }),
  );
  server.setRequestHandler(
    'tools/call',
    handler(async ({ name }: { name: string }, exchange) => {
      const { signal, end } = arrival.beginCall();
      try {
        return await tools.call(name, arrival.input, { ...exchange, signal });
      } finally {
        end();
      }
    }),
  );
  addResources(server, offer.resources, handler);
  addPrompts(server, offer.prompts, handler);
  addCompletions(server, offer.complete?.bind(offer), handler);
  return server;
}

/** A tool whose results are text. */
function withoutOutput({ outputSchema: _, ...tool }: Tool): Tool {
  return tool;
}

type MakeHandler<Caller> = <Params, Result>(
  answer: MethodHandler<Params, Result, Caller>,
) => (request: { params?: Params }, context: ServerContext) => Promise<Result>;

function addResources<Caller>(
  server: Server,
  resources: Offer<Caller>['resources'],
  handler: MakeHandler<Caller>,
): void {
  if (!resources) return;
  server.setRequestHandler(
    'resources/list',
    handler((params: Paged, exchange) => resources.list(params?.cursor, exchange)),
  );
  server.setRequestHandler(
    'resources/templates/list',
    handler((params: Paged) => {
      const { page, ...rest } = takePage(resources.templates, params?.cursor);
      return { resourceTemplates: page, ...rest };
    }),
  );
  server.setRequestHandler(
    'resources/read',
    handler(({ uri }: { uri: string }, exchange) => resources.read(uri, exchange)),
  );
}

function addPrompts<Caller>(
  server: Server,
  prompts: Offer<Caller>['prompts'],
  handler: MakeHandler<Caller>,
): void {
  if (!prompts) return;
  server.setRequestHandler(
    'prompts/list',
    handler((params: Paged) => {
      const { page, ...rest } = takePage(prompts.list, params?.cursor);
      return { prompts: page, ...rest };
    }),
  );
  server.setRequestHandler(
    'prompts/get',
    handler(
      (
        { name, arguments: input = {} }: { name: string; arguments?: Record<string, string> | undefined },
        exchange,
      ) => prompts.get(name, input, exchange),
    ),
  );
}

/** The most suggestions that the protocol allows. */
const MAX_SUGGESTIONS = 100;

function addCompletions<Caller>(
  server: Server,
  complete: Offer<Caller>['complete'],
  handler: MakeHandler<Caller>,
): void {
  if (!complete) return;
  server.setRequestHandler(
    'completion/complete',
    handler(async (params: CompleteRequestParams, exchange) => {
      const values = await complete(params, exchange);
      return {
        completion: { values: values.slice(0, MAX_SUGGESTIONS), hasMore: values.length > MAX_SUGGESTIONS },
      };
    }),
  );
}

function listCapabilities<Caller>({
  capabilities,
  resources,
  prompts,
  complete,
}: Offer<Caller>): ServerCapabilities {
  return {
    ...capabilities,
    tools: {},
    ...(resources && { resources: {} }),
    ...(prompts && { prompts: {} }),
    ...(complete && { completions: {} }),
  };
}

function createProgress({ mcpReq }: ServerContext): Exchange<unknown>['progress'] {
  const progressToken = mcpReq._meta?.progressToken;
  if (progressToken === undefined) return undefined;
  return (progress, message) => {
    const params = { progressToken, progress, message };
    // Ignore errors: a client that has disconnected does not get its progress.
    mcpReq.notify({ method: 'notifications/progress', params }).catch(() => undefined);
  };
}

function toProtocolError(
  error: unknown,
  params: unknown,
  { report }: Pick<Arrival<unknown>, 'report'>,
): Error {
  if (error instanceof ProtocolError) return error;
  if (!(error instanceof AppError)) return new ProtocolError(ProtocolErrorCode.InternalError, report(error));
  const { uri } = (params ?? {}) as { uri?: unknown };
  if (error.code === 'NOT_FOUND' && typeof uri === 'string')
    return new ResourceNotFoundError(uri, error.message);
  const isOurs = error.status >= 500;
  const code = isOurs ? ProtocolErrorCode.InternalError : ProtocolErrorCode.InvalidParams;
  return new ProtocolError(code, error.message);
}
