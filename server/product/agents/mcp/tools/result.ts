import type { CallToolResult } from '@modelcontextprotocol/server';
import type { Fault } from '../../../../../contract/errors.ts';
import { OWN_ANSWER_HEADER, type TestedCall } from '../../../../../contract/functions/functions.ts';
import type { AppError } from '../../../../lib/errors.ts';
import { readFunctionResponse } from './function-response.ts';
import { nextStep, quotesOthers } from './next-steps.ts';
import type { PictureBlock } from './picture.ts';
import { readBytes } from './read-bytes.ts';
import { parseShallow } from './shallow.ts';
import { firstEndpoint, type Tool } from './tools.ts';
import { makeNotice, oneLine, showing } from './untrusted.ts';

/** The result of a tool. */
export interface ToolResult extends CallToolResult {
  content: [{ type: 'text'; text: string }, ...PictureBlock[]];
  structuredContent: { notice?: string; data?: unknown; cut?: string; part?: string; failure?: Failure };
}

/** An error of the API, with its status and the next step. */
export interface Failure extends Record<string, unknown> {
  status: number;
  error?: unknown;
  code?: unknown;
}

/** A response longer than this, as JSON, is cut: the reader pays for every character. */
const MAX_RESULT_CHARACTERS = 60_000;

/** Turns a response of the API into a tool result. */
export async function toResult(tool: Tool, response: Response, from: number): Promise<ToolResult> {
  if (tool.wholeBody && !response.headers.has(OWN_ANSWER_HEADER)) {
    const wait = response.headers.get('retry-after');
    const retry = wait === null ? {} : { retryAfter: Number(wait) };
    return compose(tool, { ...(await readFunctionResponse(response)), ...retry }, !response.ok, 0);
  }
  if (tool.bytesResult && response.ok) return compose(tool, await readBytes(response), false, from);
  const text = await response.text();
  if (response.ok) return compose(tool, text === '' ? { success: true } : parseShallow(text), false, from);
  return failed(tool, { status: response.status, ...(JSON.parse(text) as object) });
}

/** Makes the result that an owner gets for a call of their own function. */
export async function toOwnersResult(tool: Tool, response: Response): Promise<ToolResult> {
  const text = await response.text();
  if (!response.ok) return failed(tool, { status: response.status, ...(JSON.parse(text) as object) });
  const { status, headers, body, bodyTruncated, exception, logs } = JSON.parse(text) as TestedCall;
  const note = describeBody(body, bodyTruncated);
  const data = {
    status,
    contentType: headers['content-type'] ?? null,
    body: body !== null && !bodyTruncated ? parseShallow(body) : body,
    ...(note && { note }),
    exception,
    logs,
  };
  const lead = exception && 'The function threw an exception. Correct the code with update_function.';
  return compose(tool, data, status >= 400, 0, lead ?? undefined);
}

function describeBody(body: string | null, isCut: boolean): string | undefined {
  if (body === null) return 'The body is not text.';
  return isCut ? 'The response is longer, or did not end in time. The rest was not read.' : undefined;
}

/** Makes the result for an error before the call, in the shape of the API. */
export function failedResult(tool: Tool, error: AppError): ToolResult {
  return failed(tool, { status: error.status, ...error.toBody() });
}

const ERRORS = 'an error, which can contain what others wrote';

/**
 * Makes the result for an error: what happened and what to do next in our words, then JSON. If it can quote others, it
 * comes after a notice, and our words do not repeat it.
 */
function failed(tool: Tool, failure: Failure): ToolResult {
  return refusedResult(
    failure,
    nextStep({ name: tool.name, path: firstEndpoint(tool).endpoint.path }, failure),
  );
}

/** Makes the result for an error with this next step. */
export function refusedResult(given: Failure, next: string | undefined): ToolResult {
  const failure = withoutKeys(given);
  const { status, error } = failure;
  const quotes = quotesOthers(failure);
  const what = quotes.inMessage
    ? `The call failed with status ${status}`
    : oneLine(String(error)).replace(/\.$/, '');
  const notice = quotes.anywhere ? makeNotice(ERRORS) : undefined;
  const data = { ...failure, ...(next && { next }) };
  const lines = [next ? `${what}. ${next}` : `${what}.`, notice, showing(JSON.stringify(data))];
  return {
    content: [{ type: 'text', text: lines.filter((line) => line !== undefined).join('\n') }],
    structuredContent: { ...(notice && { notice }), failure: data },
    isError: true,
  };
}

/** Models read the message. What translations need would only repeat it. */
function withoutKeys({ text, values, details, ...failure }: Failure): Failure {
  if (!Array.isArray(details)) return failure;
  return { ...failure, details: details.map(({ path, message }: Fault) => ({ path, message })) };
}

/**
 * Makes a result. The notice is first in text and data: clients show models one of them. The text has JSON on its last
 * line, so no text in it can end the line and continue as if it were ours. Structured data is not changed, because
 * programs compare it and write it back.
 */
export function compose(
  tool: Pick<Tool, 'source' | 'more'>,
  data: unknown,
  isError: boolean,
  from: number,
  lead?: string,
): ToolResult {
  const notice = tool.source && makeNotice(tool.source);
  const json = JSON.stringify(data);
  const isWhole = from === 0 && json.length <= MAX_RESULT_CHARACTERS;
  const part = isWhole ? json : cutPart(json, from);
  const shown = showing(part);
  const cut = isWhole ? undefined : cutText(tool, from, from + part.length, json.length);
  return {
    content: [
      { type: 'text', text: [lead, notice, cut, shown].filter((line) => line !== undefined).join('\n') },
    ],
    structuredContent: { ...(notice && { notice }), ...(cut ? { cut, part: shown } : { data }) },
    ...(isError && { isError }),
  };
}

function cutPart(json: string, from: number): string {
  const part = json.slice(from, from + MAX_RESULT_CHARACTERS);
  // A character that would be cut in half is left for the next part.
  return part.isWellFormed() ? part : part.slice(0, -1);
}

function cutText(tool: Pick<Tool, 'more'>, from: number, to: number, total: number): string {
  const rest = tool.more ?? (to < total ? `Continue with from=${to}.` : 'This is the end.');
  const figures = [from, to, total].map((figure) => figure.toLocaleString('en'));
  return `This is part of the JSON: characters ${figures[0]} to ${figures[1]} of ${figures[2]}. ${rest}`;
}
