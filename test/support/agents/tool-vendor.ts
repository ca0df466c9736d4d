import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A provider with tools as a small real server: OpenAI-compatible and Anthropic. It plays a script, turn by turn. */

/** What the model does in one turn. */
export interface Turn {
  /** What it thinks before it says something. */
  reasoning?: string;
  text?: string;
  calls?: { name: string /** An object, or the letters that the model writes. */; input: unknown }[];
  /** What an OpenAI-compatible model says after its calls. */
  after?: string;
  /** How the stream ends, if not well: after half of it, never after half of it, or never after all that is said. */
  ends?: 'half' | 'silence' | 'late silence';
  usage?: { input: number; output: number };
  status?: number;
  /** What it says with that status. */
  error?: unknown;
  /** Awaited before each event, with the part of the response that was sent: a slow model, or one that waits. */
  pace?: (part: number) => Promise<unknown> | undefined;
}

export interface SeenTurn {
  path: string;
  headers: IncomingMessage['headers'];
  body: { messages: unknown[]; tools?: unknown[]; max_tokens?: number } & Record<string, unknown>;
}

export interface ToolVendor {
  url: string;
  seen: SeenTurn[];
  /** The next turns. When they are over the model says `Done.`; a function is asked for every turn. */
  play(script: Turn[] | ((turn: number, seen: SeenTurn) => Turn)): void;
  /** Resolves when the reader of the next unfinished response disconnects. */
  nextHangUp(): Promise<void>;
  nextRequest(): Promise<void>;
  stop(): Promise<void>;
}

const PIECE = 7;

/** The models that it says it has. */
export const MODELS = ['model-a', 'model-b'];

export async function startToolVendor(): Promise<ToolVendor> {
  const seen: SeenTurn[] = [];
  const hangUps: Array<() => void> = [];
  const arrivals: Array<() => void> = [];
  let next: (turn: SeenTurn) => Turn = () => ({ text: 'Done.' });

  const server = createServer(async (request, response) => {
    response.on('error', () => undefined);
    // A client sends a request again if a kept connection was closed meanwhile, and that would take the next turn.
    response.setHeader('connection', 'close');
    response.on('close', () => {
      if (!response.writableFinished) for (const resolve of hangUps.splice(0)) resolve();
    });
    const { url = '', headers } = request;
    if (url.endsWith('/models')) {
      response.setHeader('content-type', 'application/json');
      return response.end(JSON.stringify({ data: MODELS.map((id) => ({ id })) }));
    }
    const turn = { path: url, headers, body: await readJson(request) };
    seen.push(turn);
    for (const resolve of arrivals.splice(0)) resolve();
    const played = next(turn);
    if (played.status) {
      response.writeHead(played.status, { 'content-type': 'application/json' });
      return response.end(JSON.stringify({ error: played.error ?? { message: 'no' } }));
    }
    await send(response, turn.path.endsWith('/messages') ? anthropic(played) : openAi(played), played);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    seen,
    play(script) {
      let turn = 0;
      const turns = typeof script === 'function' ? script : (at: number) => script[at] ?? { text: 'Done.' };
      next = (request) => turns(turn++, request);
    },
    nextHangUp: () => new Promise((resolve) => hangUps.push(resolve)),
    nextRequest: () => new Promise((resolve) => arrivals.push(resolve)),
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function readJson(request: IncomingMessage): Promise<SeenTurn['body']> {
  let text = '';
  for await (const chunk of request) text += chunk;
  return JSON.parse(text) as SeenTurn['body'];
}

async function send(response: ServerResponse, events: string[], { ends, pace }: Turn): Promise<void> {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const most = events.length - 3;
  const sent = ends
    ? events.slice(0, ends === 'late silence' ? most : Math.min(Math.ceil(events.length / 2), most))
    : events;
  const write = (bytes: Uint8Array | string) => new Promise((resolve) => response.write(bytes, resolve));
  if (pace)
    for (const [index, each] of sent.entries()) {
      await pace(index / sent.length);
      if (response.destroyed) return;
      await write(each);
    }
  // Several events in a chunk, and events in two chunks: nobody may count on whole ones.
  const bytes = pace ? Buffer.of() : Buffer.from(sent.join(''));
  for (let at = 0; at < bytes.length; at += 1_000) await write(bytes.subarray(at, at + 1_000));
  if (ends === undefined || ends === 'half') response.end();
}

const pieces = (text: string) => text.match(new RegExp(`[\\s\\S]{1,${PIECE}}`, 'g')) ?? [];
const toLetters = (input: unknown) => (typeof input === 'string' ? input : JSON.stringify(input));

function openAi({
  reasoning = '',
  text = '',
  after = '',
  calls = [],
  usage = { input: 100, output: 20 },
}: Turn): string[] {
  const chunk = (delta: object, finish_reason: string | null = null) =>
    event({
      id: 'c',
      object: 'chat.completion.chunk',
      created: 1,
      model: 'm',
      choices: [{ index: 0, delta, finish_reason }],
    });
  return [
    chunk({ role: 'assistant', content: '' }),
    ...pieces(reasoning).map((reasoning_content) => chunk({ reasoning_content })),
    ...pieces(text).map((content) => chunk({ content })),
    ...calls.flatMap(({ name, input }, index) => [
      chunk({
        tool_calls: [{ index, id: `call_${index}`, type: 'function', function: { name, arguments: '' } }],
      }),
      ...pieces(toLetters(input)).map((piece) =>
        chunk({ tool_calls: [{ index, function: { arguments: piece } }] }),
      ),
    ]),
    ...pieces(after).map((content) => chunk({ content })),
    chunk({}, calls.length ? 'tool_calls' : 'stop'),
    event({
      id: 'c',
      object: 'chat.completion.chunk',
      created: 1,
      model: 'm',
      choices: [],
      usage: { prompt_tokens: usage.input, completion_tokens: usage.output },
    }),
    'data: [DONE]\n\n',
  ];
}

function anthropic({
  reasoning = '',
  text = '',
  calls = [],
  usage = { input: 100, output: 20 },
}: Turn): string[] {
  const named = (type: string, fields: object = {}) => event({ type, ...fields }, type);
  const block = (index: number, content_block: object, deltas: object[]) => [
    named('content_block_start', { index, content_block }),
    ...deltas.map((delta) => named('content_block_delta', { index, delta })),
    named('content_block_stop', { index }),
  ];
  const message = { id: 'm', type: 'message', role: 'assistant', model: 'm', content: [], stop_reason: null };
  return [
    named('message_start', {
      message: { ...message, usage: { input_tokens: usage.input, output_tokens: 1 } },
    }),
    ...(reasoning
      ? block(
          0,
          { type: 'thinking', thinking: '', signature: '' },
          pieces(reasoning).map((piece) => ({ type: 'thinking_delta', thinking: piece })),
        )
      : []),
    ...(text
      ? block(
          0,
          { type: 'text', text: '' },
          pieces(text).map((piece) => ({ type: 'text_delta', text: piece })),
        )
      : []),
    ...calls.flatMap(({ name, input }, index) =>
      block(
        index + 1,
        { type: 'tool_use', id: `call_${index}`, name, input: {} },
        pieces(toLetters(input)).map((piece) => ({ type: 'input_json_delta', partial_json: piece })),
      ),
    ),
    named('message_delta', {
      delta: { stop_reason: calls.length ? 'tool_use' : 'end_turn', stop_sequence: null },
      usage: { output_tokens: usage.output },
    }),
    named('message_stop'),
  ];
}

const event = (data: object, name?: string) =>
  `${name ? `event: ${name}\n` : ''}data: ${JSON.stringify(data)}\n\n`;
