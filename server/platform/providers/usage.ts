import { setImmediate } from 'node:timers/promises';

/** More than any real usage. The sum of two still fits into a 32-bit column. */
const MOST_TOKENS = 1_000_000_000;

/** A longer line means that the response is not an event stream. */
export const MAX_LINE_LENGTH = 4 * 1024 * 1024;

/** Reading so many lines takes a few milliseconds. */
const LINES_AT_ONCE = 100;

const CHARACTERS_PER_TOKEN = 4;

export interface Figures {
  input: number | undefined;
  output: number | undefined;
}

/** Estimates the tokens of a text, for when the vendor did not report them. */
export function estimateTokens(text: string): number {
  return toTokens(text.length);
}

export const toTokens = (characters: number): number => Math.ceil(characters / CHARACTERS_PER_TOKEN);

/** Converts a vendor's figure to an integer that can be charged. Undefined if it is not a number. */
export function readFigure(value: unknown): number | undefined {
  if (typeof value !== 'number' || Number.isNaN(value)) return undefined;
  return Math.min(Math.max(Math.trunc(value), 0), MOST_TOKENS);
}

/**
 * A fetch that records the usage figures in the event stream of one response and replaces them with harmless ones for
 * the SDK. The SDK would reject the whole response if a figure is not a number, and treats a missing figure as 0.
 */
export function meterUsage() {
  const figures: Figures = { input: undefined, output: undefined };

  async function meteredFetch(input: string | URL | Request, init?: RequestInit): Promise<Response> {
    // A redirect would take the key to another server.
    const response = await fetch(input, { ...init, redirect: 'error' });
    if (!response.ok || !response.body) return response;
    return new Response(response.body.pipeThrough(rewriteLines((line) => takeFigures(line, figures))), {
      status: response.status,
      headers: response.headers,
    });
  }

  return { figures, fetch: Object.assign(meteredFetch, { preconnect: fetch.preconnect }) };
}

/**
 * Rewrites every line of a stream, however the lines are split into chunks. After some lines it lets others work: what
 * reads them would otherwise not pause until all that has arrived is read, and a vendor can send very much at once.
 */
export function rewriteLines(rewrite: (line: string) => string): TransformStream<Uint8Array, Uint8Array> {
  const decoder = new TextDecoder();
  const encoder = new TextEncoder();
  /** The beginning of a line whose end has not arrived. */
  let started: string[] = [];
  let length = 0;
  return new TransformStream({
    async transform(chunk, controller) {
      const text = decoder.decode(chunk, { stream: true });
      const end = text.lastIndexOf('\n');
      const rest = text.slice(end + 1);
      const lines = end < 0 ? [] : (started.join('') + text.slice(0, end)).split('\n');
      if (end >= 0) [started, length] = [[], 0];
      started.push(rest);
      length += rest.length;
      if (length > MAX_LINE_LENGTH) throw new Error('A line of the stream is too long.');
      for (let at = 0; at < lines.length; at += LINES_AT_ONCE) {
        const some = lines.slice(at, at + LINES_AT_ONCE);
        controller.enqueue(encoder.encode(some.map((line) => `${rewrite(line)}\n`).join('')));
        await setImmediate();
      }
    },
    flush(controller) {
      const rest = started.join('') + decoder.decode();
      if (rest) controller.enqueue(encoder.encode(rewrite(rest)));
    },
  });
}

/** OpenAI: `usage` in a chunk. Anthropic: `message.usage` in `message_start`, `usage` in `message_delta`. */
function takeFigures(line: string, figures: Figures): string {
  if (!line.startsWith('data:') || !/"usage"|"message_(start|delta)"/.test(line)) return line;
  const event = parseObject(line.slice('data:'.length));
  if (!event) return line;
  const holder = event.type === 'message_start' ? event.message : event;
  if (!isObject(holder)) return line;
  if (isObject(holder.usage)) noteFigures(holder.usage, figures, event.type !== 'message_start');
  holder.usage = { input_tokens: 0, output_tokens: 0 };
  return `data: ${JSON.stringify(event)}`;
}

/** The start of a message also has an output figure, but it counts only the few tokens generated so far. */
function noteFigures(usage: Record<string, unknown>, figures: Figures, isEnd: boolean): void {
  const input = readFigure(usage.prompt_tokens ?? usage.input_tokens);
  // Anthropic reports cached tokens separately. OpenAI includes them in the input figure.
  const cached =
    (readFigure(usage.cache_read_input_tokens) ?? 0) + (readFigure(usage.cache_creation_input_tokens) ?? 0);
  if (input !== undefined) figures.input = readFigure(input + cached);
  if (isEnd) figures.output = readFigure(usage.completion_tokens ?? usage.output_tokens) ?? figures.output;
}

function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    // `[DONE]` or invalid data. The SDK handles both.
    return undefined;
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
