import type { CallToolResult } from '@modelcontextprotocol/server';
import type { Fault } from '../../../../../../contract/errors.ts';
import type { AppError } from '../../../../../lib/errors.ts';
import type { Input } from '../definition.ts';
import { chooseVariant, mainVariant, type Tool } from '../tools.ts';
import { nameTools, withAdvice } from './advice.ts';
import { nextStep, quotesOthers } from './next-steps.ts';
import type { PictureBlock } from './picture.ts';
import { parseShallow } from './shallow.ts';
import { lengthWithin } from './tokens.ts';
import { hidesLetters, makeNotice, oneLine, showing } from './untrusted.ts';

/** The result of a tool, before it is known what the client reads. */
export interface ToolResult {
  /** All of it as text: our words, then one line of JSON. */
  text: string;
  /** Our words only, for clients that read `structured`. */
  brief: string;
  structured: { notice?: string; data?: unknown; more?: string; part?: string; failure?: Failure };
  pictures: PictureBlock[];
  isError: boolean;
}

/** An error of the API, with its status and the next step. */
export interface Failure extends Record<string, unknown> {
  status: number;
  error?: unknown;
  code?: unknown;
}

/** Tokens of a result, without the notice: the reader pays for each of them. */
const MAX_RESULT_TOKENS = 3_700;

/** Characters that can have so few tokens, and more. */
const MAX_PART = 200_000;

/** What is asked for, and how much of it is returned. */
interface Extent {
  input: Input;
  from: number;
  tokens: number | undefined;
}

const HIDDEN = 'Some of its characters cannot be seen.';
const IS_STRUCTURED = 'The result is in structuredContent. As text: connect to /mcp?results=text.';

/**
 * The result for a client. Clients since revision 2025-06-18 get data once, as `structuredContent`; older ones, and
 * those that ask for it, get text.
 */
export function toCallResult(result: ToolResult, isStructured: boolean): CallToolResult {
  const { text, brief, structured, pictures, isError } = result;
  const [first, others] = isStructured
    ? [brief || IS_STRUCTURED, { structuredContent: structured }]
    : [text, {}];
  return { content: [{ type: 'text', text: first }, ...pictures], ...others, ...(isError && { isError }) };
}

/** Turns a response of the API into a tool result. */
export async function toResult(tool: Tool, response: Response, extent: Extent): Promise<ToolResult> {
  if (response.ok) return compose(tool, await readData(response), extent);
  const failure = { status: response.status, ...(JSON.parse(await response.text()) as object) };
  return failed(tool, failure, extent.input);
}

async function readData(response: Response): Promise<unknown> {
  const text = await response.text();
  return text === '' ? { success: true } : withAdvice(parseShallow(text));
}

/** Makes the result for an error before the call, in the shape of the API. */
export function failedResult(tool: Tool, error: AppError, input: Input): ToolResult {
  return failed(tool, { status: error.status, ...error.toBody() }, input);
}

const ERRORS = 'an error, which can contain what others wrote';

/**
 * Makes the result for an error: what happened and what to do next in our words, then JSON. If it can quote others, it
 * comes after a notice, and our words do not repeat it.
 */
function failed(tool: Tool, given: Failure, input: Input): ToolResult {
  const { error } = given;
  const failure = { ...given, ...(typeof error === 'string' && { error: nameTools(error) }) };
  const { endpoint } = chooseVariant(tool, input) ?? mainVariant(tool);
  return refusedResult(failure, nextStep({ name: tool.name, path: endpoint.path }, failure));
}

/** Makes the result for an error with this next step. `isQuote` says that others than we have written words of it. */
export function refusedResult(given: Failure, next: string | undefined, isQuote = false): ToolResult {
  const failure = withoutKeys(given);
  const { status, error } = failure;
  const quotes = isQuote ? { inMessage: true, anywhere: true } : quotesOthers(failure);
  const what = quotes.inMessage
    ? `The call failed with status ${status}`
    : oneLine(String(error)).replace(/\.$/, '');
  const notice = quotes.anywhere ? makeNotice(ERRORS) : undefined;
  const data = { ...failure, ...(next && { next }) };
  const brief = next ? `${what}. ${next}` : `${what}.`;
  return {
    text: join(brief, notice, showing(JSON.stringify(data))),
    brief,
    structured: { ...(notice && { notice }), failure: data },
    pictures: [],
    isError: true,
  };
}

/** Models read the message. What translations need would only repeat it. */
function withoutKeys({ text, values, details, ...failure }: Failure): Failure {
  if (!Array.isArray(details)) return failure;
  return { ...failure, details: details.map(({ path, message }: Fault) => ({ path, message })) };
}

const join = (...lines: (string | undefined)[]) => lines.filter((line) => line !== undefined).join('\n');

/**
 * Makes a result. The notice is first in text and data: clients show models one of them. The text has JSON on its last
 * line, so no text in it can end the line and continue as if it were ours.
 */
export function compose(
  tool: Pick<Tool, 'source' | 'more' | 'effect' | 'cut' | 'shape' | 'findPicture'>,
  response: unknown,
  { input, from, tokens = MAX_RESULT_TOKENS }: Extent,
  { isError = false, lead }: { isError?: boolean; lead?: string | undefined } = {},
): ToolResult {
  const notice = tool.source && makeNotice(tool.source);
  const whole = tool.shape && !isError ? tool.shape(response as never, input) : response;
  const fits = (part: unknown) => isWithin(JSON.stringify(part), tokens);
  const isWhole = from === 0 && fits(whole);
  const cut = isWhole || from > 0 ? undefined : tool.cut?.(whole as never, input, fits);
  const data = cut ? cut.data : whole;
  const json = JSON.stringify(data);
  const part = isWhole || cut ? undefined : cutPart(json, from, tokens);
  const more = cut?.more ?? (part && describePart(tool, from, from + part.length, json.length));
  return {
    text: join(lead, notice, more, showing(part ?? json)),
    // A picture is not in the structured data, and neither is what says that others made it.
    brief: join(lead, tool.findPicture && notice, more),
    structured: {
      // Structured data is not changed, because programs compare it and write it back. Clients show it to models too.
      ...(notice && { notice: hidesLetters(json) ? `${notice} ${HIDDEN}` : notice }),
      ...(more && { more }),
      ...(part === undefined ? { data } : { part: showing(part) }),
    },
    pictures: [],
    isError,
  };
}

const isWithin = (json: string, tokens: number) => lengthWithin(json, tokens) === json.length;

function cutPart(json: string, from: number, tokens: number): string {
  const rest = json.slice(from, from + MAX_PART);
  // A part is a text in the JSON of the result, where quotes are escaped once more.
  const share = rest.length / JSON.stringify(rest).length;
  const part = rest.slice(0, Math.max(lengthWithin(rest, tokens * share), 2));
  // A character that would be cut in half is left for the next part.
  return part.isWellFormed() ? part : part.slice(0, -1);
}

function describePart(tool: Pick<Tool, 'more' | 'effect'>, from: number, to: number, total: number): string {
  const next = tool.effect === 'read' ? `Continue with from=${to}.` : 'The rest is not shown.';
  const rest = tool.more ?? (to < total ? next : 'This is the end.');
  const figures = [from, to, total].map((figure) => figure.toLocaleString('en'));
  return `This is part of the JSON: characters ${figures[0]} to ${figures[1]} of ${figures[2]}. ${rest}`;
}
