import { buildPath } from '../../../../../contract/call.ts';
import type { Endpoint } from '../../../../../contract/endpoint.ts';
import { AppError, badRequest, notFound } from '../../../../lib/errors.ts';
import { type Actor, releaseBody, type Visit } from '../../../../platform/http/index.ts';
import type { Exchange } from '../protocol/index.ts';
import type { Api, Input, ToolGroup } from './definition.ts';
import { readPicture } from './results/picture.ts';
import { compose, failedResult, type ToolResult, toResult } from './results/result.ts';
import { allowedEndpoints, chooseVariant, FROM, scopeFor, type Tool } from './tools.ts';

/** The caller of a tool. */
export interface ToolCaller {
  actor: Actor;
  /** The token of the caller, which every call of the API gets. */
  bearer: string;
  address: string;
  requestId: string;
  /** The groups of tools that the client asks for. All of them by default. */
  groups?: readonly ToolGroup[] | undefined;
}

/** A tool call. It can be part of a message, or of the way to a resource. */
export interface ToolExchange extends Pick<Exchange<ToolCaller>, 'caller' | 'signal' | 'progress'> {
  /** The most tokens of the result. By default, what is good for a model that pays for each. */
  tokens?: number;
}

export type CallTool = (tool: Tool, input: Input, exchange: ToolExchange) => Promise<ToolResult>;

/**
 * Runs tools through the service's own routes, with the token and address of the caller: gate, scopes, limits, quotas
 * and messages are those of the API. Tools use nothing else of the service, but that a moment may be kept before them.
 */
export function createCallTool(options: {
  baseUrl: string;
  call(request: Request, visit: Visit): Promise<Response>;
  /** Called before a tool does something. */
  keepBefore(tool: Tool, input: Input, caller: ToolCaller): Promise<void>;
}): CallTool {
  return async (tool, input, exchange) => {
    const ended = showProgress(tool, exchange);
    const { address, requestId } = exchange.caller;
    const call = (one: Request) => options.call(one, { address, requestId });
    try {
      const from = readFrom(tool, input);
      const extent = { input, from, tokens: exchange.tokens };
      assertKnown(tool, input);
      assertScope(tool, input, exchange.caller.actor.scopes);
      await options.keepBefore(tool, input, exchange.caller);
      if (tool.work) {
        const outcome = await tool.work.run(input, createApi(exchange, options.baseUrl, call));
        return outcome instanceof Response
          ? await toResult(tool, outcome, extent)
          : compose(tool, outcome.data, extent, outcome);
      }
      const request = toRequest(tool, input, exchange, options.baseUrl);
      try {
        const response = await call(request);
        const read = (path: string) => call(new Request(options.baseUrl + path));
        const pictures = tool.findPicture ? await readPicture(tool, response.clone() as Response, read) : [];
        return { ...(await toResult(tool, response, extent)), pictures };
      } finally {
        releaseBody(request);
      }
    } catch (error) {
      if (error instanceof AppError) return failedResult(tool, error, input);
      if (exchange.signal.aborted) return failedResult(tool, cancelled(), input);
      throw error;
    } finally {
      ended();
    }
  };
}

/** Requests of a tool that makes several of them. */
function createApi(
  { caller, signal }: ToolExchange,
  baseUrl: string,
  call: (request: Request) => Promise<Response>,
): Api {
  return {
    scopes: caller.actor.scopes,
    async request(endpoint, { params = {}, query = {}, json, ...given }) {
      const headers = new Headers({ authorization: `Bearer ${caller.bearer}` });
      const { body, type } =
        json === undefined ? given : { body: JSON.stringify(json), type: 'application/json' };
      if (type !== undefined) headers.set('content-type', type);
      const texts = Object.entries(params).map(([name, value]) => [name, asText(value)]);
      const path = toAddress(endpoint, Object.fromEntries(texts), query);
      const { method } = endpoint;
      const request = new Request(baseUrl + path, {
        method,
        headers,
        signal,
        ...(body !== undefined && { body }),
      });
      try {
        return await call(request);
      } finally {
        releaseBody(request);
      }
    },
  };
}

const PROGRESS_EVERY_MS = 5_000;

/** Reports progress of a slow tool to a client that asked for it. Nobody knows how long owner code takes. */
export function showProgress(
  { slow }: Pick<Tool, 'slow'>,
  { progress }: Pick<ToolExchange, 'progress'>,
): () => void {
  if (!slow || !progress) return () => undefined;
  let seconds = 0;
  const show = () => progress(seconds, seconds === 0 ? slow : `${slow} (${seconds} s)`);
  show();
  const timer = setInterval(() => {
    seconds += PROGRESS_EVERY_MS / 1000;
    show();
  }, PROGRESS_EVERY_MS);
  return () => clearInterval(timer);
}

/** The error after the client has disconnected or cancelled. Nobody reads it. */
export function cancelled(): AppError {
  return new AppError(
    'OUTCOME_UNKNOWN',
    'The call was cancelled. It may or may not have done its work. Check before you call it again.',
  );
}

/** Makes the API request for a tool call. What the API checks itself is not checked here. */
function toRequest(tool: Tool, input: Input, { caller, signal }: ToolExchange, baseUrl: string): Request {
  const endpoint = requireEndpoint(tool, input);
  assertFits(tool, input, endpoint);
  const headers = new Headers({ authorization: `Bearer ${caller.bearer}` });
  const body = bodyFor(tool, input, endpoint);
  if (body !== undefined) headers.set('content-type', 'application/json');
  return new Request(baseUrl + addressFor(tool, input, endpoint), {
    method: endpoint.method,
    headers,
    signal,
    ...(body !== undefined && { body }),
  });
}

/** The most unknown arguments that an error names. Nobody reads more. */
const MAX_UNKNOWN = 50;

function assertKnown(tool: Tool, input: Input): void {
  const { required, properties } = tool.takes();
  const { inPath, inQuery } = tool.takes(chooseVariant(tool, input)?.endpoint);
  const inUrl = [...inPath, ...inQuery];
  const missing = [...new Set([...inPath, ...required.filter((name) => inUrl.includes(name))])]
    .filter((name) => input[name] === undefined)
    .map((name) => ({ path: name, message: 'is required' }));
  const unknown = Object.keys(input)
    .filter((name) => !Object.hasOwn(properties, name))
    .slice(0, MAX_UNKNOWN)
    .map((name) => ({ path: name, message: 'is not a known argument' }));
  if (missing.length + unknown.length > 0) throw badRequest([...missing, ...unknown]);
}

/** Characters of a URL. Routes rely on the limit that HTTP has. */
export const MAX_IN_URL = 64 * 1024;

/** Fails if an argument belongs to another endpoint of the tool. */
function assertFits(tool: Tool, input: Input, endpoint: Endpoint): void {
  const { properties } = tool.takes(endpoint);
  const others = Object.keys(input).filter(
    (name) => !Object.hasOwn(properties, name) && isOfAnother(tool, name),
  );
  const { given } = chooseVariant(tool, input) ?? {};
  const message = given === undefined ? 'needs another argument beside it' : `cannot be used with ${given}`;
  const wrong = others.filter((name) => name !== given);
  if (wrong.length > 0) throw badRequest(wrong.map((path) => ({ path, message })));
}

/** Whether an argument belongs to another endpoint of the tool. */
const isOfAnother = (tool: Tool, name: string) =>
  tool.endpoints.some(({ endpoint }) => Object.hasOwn(tool.takes(endpoint).properties, name));

function requireEndpoint(tool: Tool, input: Input): Endpoint {
  const chosen = chooseVariant(tool, input);
  if (!chosen) {
    const types = [...new Set(tool.endpoints.map(({ type }) => type))].join(', ');
    throw new AppError(
      'BAD_REQUEST',
      'type: must be one of {types}.',
      { types },
      {
        details: [{ path: 'type', message: `must be one of ${types}` }],
      },
    );
  }
  return chosen.endpoint;
}

/** Fails if the token lacks the scope of a tool, even for public data: the token was not made to read it. */
export function assertScope(tool: Tool, input: Input, scopes: readonly string[]): void {
  const chosen = chooseVariant(tool, input);
  if (!chosen || allowedEndpoints(tool, scopes).includes(chosen)) return;
  throw lacksScope(tool, String(scopeFor(tool, chosen.endpoint)));
}

function lacksScope({ name }: Tool, scope: string): AppError {
  return new AppError(
    'INSUFFICIENT_SCOPE',
    'The tool {name} needs a token with the scope {scope}.',
    { name, scope },
    { body: { scope } },
  );
}

/** The path and query of a tool call. */
function addressFor(tool: Tool, input: Input, endpoint: Endpoint): string {
  const { inPath, inQuery } = tool.takes(endpoint);
  const texts = (wanted: string[]) => Object.fromEntries(wanted.map((name) => [name, asText(input[name])]));
  return toAddress(
    endpoint,
    texts(inPath.filter((name) => name !== 'type')),
    texts(inQuery.filter((name) => input[name] !== undefined)),
  );
}

/** The address of a request. A value such as `..` must not change the path. */
function toAddress(
  endpoint: Endpoint,
  params: Record<string, string>,
  query: Record<string, string | number | undefined>,
): string {
  const long = Object.entries({ ...params, ...query }).filter(([, text]) => String(text).length > MAX_IN_URL);
  if (long.length > 0) throw badRequest(long.map(([path]) => ({ path, message: 'is too long' })));
  const names = Object.keys(params);
  const isName = (text: string) =>
    text.isWellFormed() && text.split('/').every((part) => part !== '' && part !== '.' && part !== '..');
  if (!Object.values(params).every(isName) || endpoint.params?.safeParse(params).success === false) {
    throw notFound(
      names.length > 1 ? 'What {names} name was not found.' : 'What {names} names was not found.',
      { names: names.join(' and ') },
    );
  }
  return buildPath(endpoint, { params, query });
}

function bodyFor(tool: Tool, input: Input, endpoint: Endpoint): string | undefined {
  if (!endpoint.body) return undefined;
  const { inPath, inQuery, properties } = tool.takes(endpoint);
  const ownOnly = (tool.adds ?? []).filter((name) => !Object.hasOwn(properties, name));
  const elsewhere = [...inPath, ...inQuery, ...ownOnly, FROM];
  return JSON.stringify(
    Object.fromEntries(Object.entries(input).filter(([name]) => !elsewhere.includes(name))),
  );
}

function readFrom(tool: Tool, input: Input): number {
  const from = Object.hasOwn(tool.takes().properties, FROM) ? (input[FROM] ?? 0) : 0;
  if (Number.isSafeInteger(from) && Number(from) >= 0) return Number(from);
  throw new AppError('BAD_REQUEST', '{from}: must be a whole number from 0.', { from: FROM });
}

/** A value as text for a URL. Values that are not text are written as JSON. */
function asText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
