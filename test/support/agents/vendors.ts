import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/**
 * The providers as one small real server: OpenAI-compatible chat and images, Anthropic, Openverse and
 * Commons.
 */

/** Words of a provider that must never be shown outside. */
export const VENDOR_WORDS = 'quota-of-customer-4711-exceeded';
export const ANSWER = ['Hello', ' from', ' the', ' vendor.'];

export type Behaviour =
  | 'well'
  | 'garbage'
  /** The first words, then a broken connection. */
  | 'cut'
  /** The first words, then a clean end. */
  | 'half'
  /** An error after the first words. */
  | 'error midway'
  /** Accepts the request and never responds. */
  | 'silence'
  /** The first words, then nothing more. */
  | 'silence midway'
  | { status: number }
  /** Works, but with this usage; `undefined` leaves it out. */
  | { usage: { input: unknown; output: unknown } | undefined }
  /** Works, with this as the whole JSON body. */
  | { json: unknown };

export interface SeenRequest {
  method: string;
  path: string;
  query: URLSearchParams;
  headers: IncomingMessage['headers'];
  body: unknown;
}

type Served = Uint8Array | Promise<Uint8Array> | 'silence';

export interface Vendors {
  /** The base URLs, as an operator would set them. */
  urls: { chat: string; images: string; openverse: string; commons: string; root: string };
  seen: SeenRequest[];
  /** The requests for what `serve` was given. */
  fetched: SeenRequest[];
  behave(behaviour: Behaviour): void;
  /** Serves bytes, when there are some, or never responds, at `urls.root` + path. */
  serve(path: string, bytes: Served): void;
  /** Resolves when the reader of the next unfinished response disconnects. */
  nextHangUp(): Promise<void>;
  nextRequest(): Promise<void>;
  /** Closes every connection immediately. */
  cut(): void;
  stop(): Promise<void>;
}

export async function startVendors(): Promise<Vendors> {
  const seen: SeenRequest[] = [];
  const files = new Map<string, Served>();
  let behaviour: Behaviour = 'well';
  const fetched: SeenRequest[] = [];
  const hangUps: Array<() => void> = [];
  const arrivals: Array<() => void> = [];

  const server = createServer(async (request, response) => {
    response.on('close', () => {
      if (response.writableFinished) return;
      for (const resolve of hangUps.splice(0)) resolve();
    });
    response.on('error', () => undefined);
    const url = new URL(request.url ?? '/', 'http://vendor');
    const body = await readJson(request);
    const { method = '', headers } = request;
    const file = files.get(url.pathname);
    (file ? fetched : seen).push({ method, path: url.pathname, query: url.searchParams, headers, body });
    for (const resolve of arrivals.splice(0)) resolve();
    if (file === 'silence') return;
    if (file) return response.end(await file);
    answer(url.pathname, behaviour, response, `${headers.authorization} ${headers['x-api-key']}`);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const root = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  return {
    urls: {
      chat: `${root}/v1`,
      images: `${root}/v1`,
      openverse: `${root}/openverse/`,
      commons: `${root}/commons`,
      root,
    },
    seen,
    fetched,
    behave(next) {
      behaviour = next;
    },
    serve(path, bytes) {
      files.set(path, bytes);
    },
    nextHangUp: () => new Promise((resolve) => hangUps.push(resolve)),
    nextRequest: () => new Promise((resolve) => arrivals.push(resolve)),
    cut: () => server.closeAllConnections(),
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function readJson(request: IncomingMessage): Promise<unknown> {
  let text = '';
  for await (const chunk of request) text += chunk;
  return text ? JSON.parse(text) : undefined;
}

function answer(path: string, behaviour: Behaviour, response: ServerResponse, key: string) {
  if (behaviour === 'silence') return;
  if (typeof behaviour === 'object' && 'status' in behaviour) {
    const error = { type: 'error', message: `${VENDOR_WORDS} for ${key}`, code: VENDOR_WORDS };
    sendJson(response, { type: 'error', error }, behaviour.status);
    return;
  }
  if (behaviour === 'garbage') {
    response.end(`<html>${VENDOR_WORDS} ${key}\n\ndata: {"x": ${VENDOR_WORDS}\n\n`);
    return;
  }
  if (typeof behaviour === 'object' && 'json' in behaviour) return sendJson(response, behaviour.json);
  const usage = typeof behaviour === 'object' ? behaviour.usage : { input: 21, output: 7 };
  if (path === '/v1/chat/completions') return sendEvents(response, openAiEvents(usage), behaviour);
  if (path === '/v1/messages') return sendEvents(response, anthropicEvents(usage), behaviour);
  const body = LISTS[path];
  if (!body) return sendJson(response, { error: { message: VENDOR_WORDS } }, 404);
  if (behaviour === 'well') return sendJson(response, body());
  const text = JSON.stringify(body());
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': text.length });
  response.write(text.slice(0, text.length / 2), () => {
    if (behaviour !== 'silence midway') response.destroy();
  });
}

function sendJson(response: ServerResponse, body: unknown, status = 200): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
}

interface VendorEvent {
  name?: string;
  data: unknown;
  isWord?: boolean;
}

/** Sends all events, or those up to the second word and then what the behaviour says. */
function sendEvents(response: ServerResponse, events: VendorEvent[], behaviour: Behaviour): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const write = ({ name, data }: VendorEvent) =>
    new Promise<void>((resolve) => {
      const text = typeof data === 'string' ? data : JSON.stringify(data);
      response.write(`${name ? `event: ${name}\n` : ''}data: ${text}\n\n`, () => resolve());
    });
  void (async () => {
    let words = 0;
    for (const event of events) {
      await write(event);
      if (event.isWord) words++;
      if (words < 2 || typeof behaviour === 'object' || behaviour === 'well') continue;
      if (behaviour === 'cut') response.destroy();
      if (behaviour === 'half') response.end();
      if (behaviour === 'error midway') {
        await write({
          name: 'error',
          data: { type: 'error', error: { message: VENDOR_WORDS, type: 'overloaded_error' } },
        });
        response.end();
      }
      return;
    }
    response.end();
  })();
}

type Usage = { input: unknown; output: unknown } | undefined;

function openAiEvents(usage: Usage): VendorEvent[] {
  const chunk = (fields: object) => ({
    data: { id: 'c1', object: 'chat.completion.chunk', created: 1, model: 'm', ...fields },
  });
  return [
    chunk({ choices: [{ index: 0, delta: { role: 'assistant', content: '' } }] }),
    ...ANSWER.map((content) => ({ ...chunk({ choices: [{ index: 0, delta: { content } }] }), isWord: true })),
    chunk({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] }),
    ...(usage
      ? [chunk({ choices: [], usage: { prompt_tokens: usage.input, completion_tokens: usage.output } })]
      : []),
    { data: '[DONE]' },
  ];
}

function anthropicEvents(usage: Usage): VendorEvent[] {
  const event = (type: string, fields: object = {}) => ({ name: type, data: { type, ...fields } });
  const start = { id: 'm1', type: 'message', role: 'assistant', model: 'm', content: [], stop_reason: null };
  return [
    event('message_start', {
      message: { ...start, ...(usage && { usage: { input_tokens: usage.input, output_tokens: 1 } }) },
    }),
    event('content_block_start', { index: 0, content_block: { type: 'text', text: '' } }),
    ...ANSWER.map((text) => ({
      ...event('content_block_delta', { index: 0, delta: { type: 'text_delta', text } }),
      isWord: true,
    })),
    event('content_block_stop', { index: 0 }),
    event('message_delta', {
      delta: { stop_reason: 'end_turn', stop_sequence: null },
      ...(usage && { usage: { output_tokens: usage.output } }),
    }),
    event('message_stop'),
  ];
}

/** A PNG of one pixel. */
export const PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

const numbers = Array.from({ length: 20 }, (_, index) => index);

/** Complete responses, by path. */
const LISTS: Record<string, () => unknown> = {
  '/v1/images/generations': () => ({ created: 1, data: [{ b64_json: PIXEL.toString('base64') }] }),
  '/openverse/': () => ({
    result_count: 20,
    results: numbers.map((n) => ({
      id: `id-${n}`,
      title: n === 2 ? null : `Picture ${n}`,
      url: n === 1 ? `http://plain.example/${n}.jpg` : `https://photos.example/${n}.jpg`,
      thumbnail: `https://openverse.example/${n}/thumb/`,
      foreign_landing_url: `https://photos.example/pages/${n}`,
      source: 'flickr',
      provider: 'flickr',
      width: n === 3 ? null : 800,
      height: n === 3 ? null : 600,
    })),
  }),
  '/commons': () => ({
    batchcomplete: true,
    query: {
      pages: numbers.toReversed().map((n) => ({
        pageid: 100 + n,
        ns: 6,
        title: `File:Picture ${n}.jpg`,
        index: n + 1,
        // A file that was deleted meanwhile has none.
        ...(n !== 1 && {
          imageinfo: [
            {
              thumburl: `https://upload.example/330px-${n}.jpg`,
              url: `https://upload.example/${n}.jpg`,
              descriptionurl: `https://commons.example/wiki/File:${n}.jpg`,
              width: 800,
              height: 600,
            },
          ],
        }),
      })),
    },
  }),
};
