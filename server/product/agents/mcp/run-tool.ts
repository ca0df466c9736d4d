import { AppError, notFound } from '../../../lib/errors.ts';
import { type Actor, badRequest, bearerOf, type Visit } from '../../../platform/http/index.ts';
import { failedResult, type ToolResult, toResult } from './result.ts';
import { allowedEndpoints, FROM, type Tool } from './tools.ts';

/** The caller of a tool, and the request. */
export interface Caller {
  request: Request;
  actor: Actor;
  address: string;
  requestId: string;
}

export type Input = Record<string, unknown>;

export type CallTool = (tool: Tool, input: Input, caller: Caller) => Promise<ToolResult>;

/**
 * Runs tools through the service's own routes, with the token and address of the caller: gate, scopes, limits, quotas
 * and messages are those of the API, and there is no other way in.
 */
export function createCallTool(options: {
  baseUrl: string;
  call(request: Request, visit: Visit): Promise<Response>;
}): CallTool {
  return async (tool, input, caller) => {
    try {
      const from = readFrom(tool, input);
      const request = toRequest(tool, input, caller, options.baseUrl);
      const { address, requestId } = caller;
      return await toResult(tool, await options.call(request, { address, requestId }), from);
    } catch (error) {
      if (error instanceof AppError) return failedResult(error);
      throw error;
    }
  };
}

/** The API request for a tool call. What the API checks itself is not checked here. */
function toRequest(tool: Tool, input: Input, caller: Caller, baseUrl: string): Request {
  assertKnown(tool, input);
  const route = routeFor(tool, input, caller.actor.scopes);
  const refusal = tool.refuse?.(input);
  if (refusal) throw new AppError('BAD_REQUEST', refusal);

  const url = new URL(baseUrl + pathFor(tool, input, route));
  for (const name of tool.inQuery) {
    if (input[name] !== undefined) url.searchParams.set(name, asText(input[name]));
  }
  const headers = new Headers({ authorization: `Bearer ${bearerOf(caller.request)}` });
  const body = bodyFor(tool, input, route);
  if (body !== undefined) headers.set('content-type', 'application/json');
  return new Request(url.href, {
    method: tool.method,
    headers,
    signal: caller.request.signal,
    ...(body !== undefined && { body }),
  });
}

/** Nobody reads more. */
const MAX_UNKNOWN = 50;

function assertKnown(tool: Tool, input: Input): void {
  const missing = [...tool.inPath, ...tool.inQuery.filter((name) => tool.required.includes(name))]
    .filter((name) => input[name] === undefined)
    .map((name) => ({ path: name, message: 'is required' }));
  const unknown = Object.keys(input)
    .filter((name) => !Object.hasOwn(tool.properties, name))
    .slice(0, MAX_UNKNOWN)
    .map((name) => ({ path: name, message: 'is not a known argument' }));
  if (missing.length + unknown.length > 0) throw badRequest([...missing, ...unknown]);
}

function routeFor(tool: Tool, input: Input, scopes: readonly string[]) {
  const chosen = tool.endpoints.find(({ type }) => type === undefined || type === input.type);
  if (!chosen) {
    const types = tool.endpoints.map(({ type }) => type).join(', ');
    throw new AppError('BAD_REQUEST', `type: must be one of ${types}.`, {
      details: [{ path: 'type', message: `must be one of ${types}` }],
    });
  }
  // Also for public data: a token without the scope was not made to read it.
  if (allowedEndpoints(tool, scopes).includes(chosen)) return chosen.route;
  const { scope = '' } = chosen;
  throw new AppError('INSUFFICIENT_SCOPE', `The tool ${tool.name} needs a token with the scope ${scope}.`, {
    body: { scope },
  });
}

/** Fills in the path. A value must not change the path, such as `..`. */
function pathFor(tool: Tool, input: Input, route: Tool['endpoints'][number]['route']): string {
  const names = tool.inPath.filter((name) => name !== 'type');
  const params = Object.fromEntries(names.map((name) => [name, asText(input[name])]));
  const isName = (text: string) => text !== '' && text !== '.' && text !== '..' && text.isWellFormed();
  if (!Object.values(params).every(isName) || route.params?.safeParse(params).success === false) {
    throw notFound(`What ${names.join(' and ')} name${names.length > 1 ? '' : 's'}`);
  }
  return route.path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(params[name] ?? ''));
}

function bodyFor(tool: Tool, input: Input, route: Tool['endpoints'][number]['route']): string | undefined {
  if (tool.wholeBody) return JSON.stringify(input[tool.wholeBody] ?? {});
  if (!route.body) return undefined;
  const elsewhere = [...tool.inPath, ...tool.inQuery, FROM];
  return JSON.stringify(
    Object.fromEntries(Object.entries(input).filter(([name]) => !elsewhere.includes(name))),
  );
}

function readFrom(tool: Tool, input: Input): number {
  const from = Object.hasOwn(tool.properties, FROM) ? (input[FROM] ?? 0) : 0;
  if (Number.isSafeInteger(from) && Number(from) >= 0) return Number(from);
  throw new AppError('BAD_REQUEST', `${FROM}: must be a whole number from 0.`);
}

/** URLs contain text: other values are written as JSON. */
function asText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
