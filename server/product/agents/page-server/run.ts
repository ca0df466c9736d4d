import { findInputFaults } from '../../../../contract/agents/input-faults.ts';
import { buildPath } from '../../../../contract/call.ts';
import { OWN_ANSWER_HEADER } from '../../../../contract/functions/functions.ts';
import { AppError, badRequest, notFound } from '../../../lib/errors.ts';
import { releaseBody, type Visit } from '../../../platform/http/index.ts';
import type { Exchange } from '../mcp/protocol/index.ts';
import { readFunctionResponse } from '../mcp/tools/results/function-response.ts';
import { compose, type Failure, refusedResult, type ToolResult } from '../mcp/tools/results/result.ts';
import { parseShallow } from '../mcp/tools/results/shallow.ts';
import { cancelled, MAX_IN_URL, showProgress } from '../mcp/tools/run-tool.ts';
import type { PageCaller } from './caller.ts';
import { nextStep } from './next-steps.ts';
import { type Input, LOG_IN, type PageTool } from './tools/tool.ts';

type PageExchange = Pick<Exchange<PageCaller>, 'caller' | 'signal' | 'progress'>;

export type RunPageTool = (tool: PageTool, input: Input, exchange: PageExchange) => Promise<ToolResult>;

/**
 * Runs the tools of pages through the service's own routes, with the credentials and address of the caller, on the host
 * that the caller used. The gate, rights, limits and quotas are those of the page's own script.
 */
export function createRunPageTool(options: {
  baseUrl: string;
  call(request: Request, visit: Visit): Promise<Response>;
}): RunPageTool {
  return async (tool, input, exchange) => {
    const ended = showProgress(tool, exchange);
    try {
      if (tool.isFunction) assertFits(tool, input);
      else assertKnown(tool, input);
      const request = toRequest(tool, input, exchange, options.baseUrl);
      try {
        const response = await options.call(request, visitFor(tool, exchange.caller));
        return await toResult(tool, input, response, exchange.caller);
      } finally {
        releaseBody(request);
      }
    } catch (error) {
      // Such an error quotes the schema, which the owner of the page wrote.
      const isQuote = tool.isFunction && error instanceof AppError && error.code === 'BAD_REQUEST';
      if (error instanceof AppError)
        return refused(tool, { status: error.status, ...error.toBody() }, isQuote);
      if (exchange.signal.aborted) return refused(tool, { status: 499, ...cancelled().toBody() });
      throw error;
    } finally {
      ended();
    }
  };
}

/** The visit of a call. A function learns who its visitor is from us, and gets nothing of theirs. */
function visitFor({ isFunction }: PageTool, { visit, visitor }: PageCaller): Visit {
  return isFunction ? { ...visit, visitor } : visit;
}

function toRequest(tool: PageTool, input: Input, { caller, signal }: PageExchange, baseUrl: string): Request {
  const { endpoint, fixed } = tool;
  const { method } = endpoint;
  const names = [...endpoint.path.matchAll(/:(\w+)/g)].map(([, name = '']) => name);
  const inPath = names.filter((name) => !Object.hasOwn(fixed, name));
  const params = { ...fixed, ...Object.fromEntries(inPath.map((name) => [name, toPart(input[name])])) };
  const others = Object.entries(input).filter(([name]) => !inPath.includes(name));
  const hasBody = method !== 'GET' && method !== 'DELETE';
  const query = hasBody ? {} : Object.fromEntries(others.map(([name, value]) => [name, asText(value)]));
  const url = (caller.visit.pageHost?.origin ?? baseUrl) + buildPath(endpoint, { params, query });
  if (url.length > MAX_IN_URL) throw new AppError('PAYLOAD_TOO_LARGE', 'The arguments are too long.');
  // Owner code must not get the credentials of its visitors.
  const headers = new Headers(tool.isFunction ? {} : caller.credentials);
  if (!hasBody) return new Request(url, { method, headers, signal });
  headers.set('content-type', 'application/json');
  return new Request(url, { method, headers, signal, body: JSON.stringify(Object.fromEntries(others)) });
}

/** A value as text for a URL. Values that are not text are written as JSON. */
const asText = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value));

/** A value as one part of a path. A value such as `..` must not change the path. */
function toPart(value: unknown): string {
  const text = asText(value);
  const isName = text !== '' && text !== '.' && text !== '..' && text.isWellFormed();
  if (!isName) throw notFound('What the arguments name was not found.');
  return text;
}

/** The most faults that an error names. Nobody reads more. */
const MAX_FAULTS = 50;

function assertKnown({ inputSchema }: PageTool, input: Input): void {
  const { properties = {}, required = [] } = inputSchema;
  const missing = required
    .filter((name) => input[name] === undefined)
    .map((name) => ({ path: name, message: 'is required' }));
  const unknown = Object.keys(input)
    .filter((name) => !Object.hasOwn(properties, name))
    .slice(0, MAX_FAULTS)
    .map((name) => ({ path: name, message: 'is not a known argument' }));
  if (missing.length + unknown.length > 0) throw badRequest([...missing, ...unknown]);
}

/** Fails if the input of a function does not fit the schema that the page names for it, before the function runs. */
function assertFits({ inputSchema }: PageTool, input: Input): void {
  const faults = findInputFaults({ ...inputSchema }, input);
  if (faults.length > 0) throw badRequest(faults);
}

async function toResult(
  tool: PageTool,
  input: Input,
  response: Response,
  { actor }: PageCaller,
): Promise<ToolResult> {
  const extent = { input, from: 0, tokens: undefined };
  if (tool.isFunction && !response.headers.has(OWN_ANSWER_HEADER)) {
    const needsLogin = response.status === 401 && !actor;
    return compose(tool, await readFunctionResponse(response), extent, {
      isError: !response.ok,
      lead: needsLogin
        ? `You are not connected as anybody. Call ${LOG_IN}, then ${tool.name} again.`
        : undefined,
    });
  }
  const text = await response.text();
  if (response.ok) return compose(tool, text === '' ? { success: true } : parseShallow(text), extent);
  return refused(tool, { status: response.status, ...(JSON.parse(text) as object) });
}

/** Makes the result for an error. Errors of features have a word instead of a sentence, and one has only a URL. */
function refused(tool: PageTool, failure: Failure, isQuote?: boolean): ToolResult {
  const { message, ...rest } = failure;
  const error = typeof message === 'string' ? message : (failure.error ?? 'The call was refused.');
  return refusedResult({ ...rest, error }, nextStep(tool, failure), isQuote);
}
