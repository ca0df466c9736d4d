import { afterAll, afterEach, expect, test } from 'bun:test';
import { createPageFeatures } from './page-features.ts';

/** A service controlled by the test. */
let answer: (request: Request) => Response | Promise<Response>;
const asked: Array<{ path: string; body: unknown }> = [];
const server = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  async fetch(request) {
    asked.push({ path: new URL(request.url).pathname, body: await request.json() });
    return answer(request);
  },
});
const features = createPageFeatures(
  { api: `${server.url}api/pages/7` },
  // The dialog has its own tests.
  { run: (work) => work() },
);

afterAll(() => server.stop(true));
afterEach(() => {
  asked.length = 0;
});

const SYSTEM = { system_prompt: 'Be brief.' };
const DONE = {
  type: 'done',
  usage: { inputTokens: 1, outputTokens: 2, totalTokens: 3 },
  credits: { deducted: 0.0012, remaining: 19 },
};
const line = (event: object) => `data: ${JSON.stringify(event)}\n\n`;
const delta = (content: string) => line({ type: 'delta', content });

/** A response with events that the test sends one by one. */
function openStream() {
  const { readable, writable } = new TransformStream<string, string>();
  const writer = writable.getWriter();
  const closed = Promise.withResolvers<void>();
  answer = (request) => {
    request.signal.addEventListener('abort', () => closed.resolve());
    return new Response(readable.pipeThrough(new TextEncoderStream()), {
      headers: { 'content-type': 'text/event-stream' },
    });
  };
  return {
    send: (text: string) => void writer.write(text).catch(() => undefined),
    end: () => void writer.close().catch(() => undefined),
    closed: closed.promise,
  };
}

test('each feature sends its arguments to its own path', async () => {
  answer = () => Response.json({ success: true });
  await features.chat({ ...SYSTEM, maxTokens: 5 });
  await features.generateImage('A fox');
  await features.generateImage({ prompt: 'A fox', aspectRatio: '16:9' });
  await features.searchImages('foxes');
  await features.searchImages({ query: 'foxes', count: 3 });
  await features.recognizeImage({ prompt: 'What?', image_url: 'https://example.com/a.png' });
  await features.spawn({ name: 'Mine' });
  expect(asked.map(({ path, body }) => [path.replace('/api/pages/7/page-api-', ''), body])).toEqual([
    ['ai', { ...SYSTEM, maxTokens: 5 }],
    ['image-gen', { prompt: 'A fox' }],
    ['image-gen', { prompt: 'A fox', aspectRatio: '16:9' }],
    ['image-search', { query: 'foxes' }],
    ['image-search', { query: 'foxes', count: 3 }],
    ['image-recognition', { prompt: 'What?', image_url: 'https://example.com/a.png' }],
    ['spawn', { name: 'Mine' }],
  ]);
});

test('a file of any size is sent as base64', async () => {
  answer = () => Response.json({ success: true });
  const bytes = crypto.getRandomValues(new Uint8Array(65_000));
  const big = new Blob(
    Array.from({ length: 9 }, () => bytes),
    { type: 'image/webp' },
  );
  await features.recognizeImage({ prompt: 'What?', image: big });
  expect(asked[0]?.body).toEqual({
    prompt: 'What?',
    image_base64: Buffer.from(await big.arrayBuffer()).toString('base64'),
    mime_type: 'image/webp',
  });
});

test.each([
  [403, { error: 'ai_disabled', message: 'Not on.' }, 'ai_disabled', 'Not on.'],
  [402, { insufficient_credits: true }, 'insufficient_credits', 'The visitor does not have enough credits.'],
  [429, { error: 'rate_limited' }, 'rate_limited', 'The service responded with the error rate_limited.'],
  [500, { error: 'Something broke.', code: 'INTERNAL' }, 'INTERNAL', 'Something broke.'],
  [502, 'no JSON', 'HTTP_502', 'The service responded with status 502.'],
])('a refusal with %i and %j rejects with %s', async (status, body, code, message) => {
  answer = () =>
    typeof body === 'string' ? new Response(body, { status }) : Response.json(body, { status });
  const failure = await features.chat(SYSTEM).catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(Error);
  expect(failure).toMatchObject({ name: 'QuireError', status, code, message, details: [] });
  const streamed = await features
    .chat({ ...SYSTEM, stream: true })
    .next()
    .catch((error: unknown) => error);
  expect(streamed).toMatchObject({ status, code, message });
});

test('a refusal because consent is missing has the URL of the consent screen', async () => {
  const consentUrl = 'http://localhost/consent?page=7';
  answer = () => Response.json({ consent_required: true, consentUrl }, { status: 402 });
  const failure = await features.spawn({ name: 'Mine' }).catch((error: unknown) => error);
  expect(failure).toMatchObject({ status: 402, code: 'consent_required', consentUrl });
});

test('a streamed chat yields its events and ends with the usage', async () => {
  const stream = openStream();
  const events = features.chat({ ...SYSTEM, stream: true });
  stream.send(delta('Hel'));
  expect(await events.next()).toEqual({ done: false, value: { type: 'delta', content: 'Hel' } });
  stream.send(`${delta('lo')}${delta(' you')}${line(DONE)}`);
  const rest = await Array.fromAsync(events);
  expect(rest).toEqual([
    { type: 'delta', content: 'lo' },
    { type: 'delta', content: ' you' },
    DONE,
  ] as typeof rest);
  expect(asked[0]?.body).toEqual({ ...SYSTEM, stream: true });
});

test.each([
  ['provider_error', 502],
  ['provider_timeout', 504],
])('the event %s makes the loop throw', async (error, status) => {
  const stream = openStream();
  stream.send(delta('Hel') + line({ type: 'error', error }));
  const events = features.chat({ ...SYSTEM, stream: true });
  expect((await events.next()).value).toEqual({ type: 'delta', content: 'Hel' });
  const failure = await events.next().catch((each: unknown) => each);
  expect(failure).toMatchObject({ name: 'QuireError', status, code: error });
  expect((await events.next()).done).toBe(true);
});

test('an event of an error with a sentence makes the loop throw that', async () => {
  const stream = openStream();
  stream.send(line({ type: 'error', error: 'provider_error', message: 'It does not fit.' }));
  const failure = await features
    .chat({ ...SYSTEM, stream: true })
    .next()
    .catch((each: unknown) => each);
  expect(failure).toMatchObject({ code: 'provider_error', message: 'It does not fit.' });
});

test('a response that ends too early throws', async () => {
  const stream = openStream();
  stream.send(delta('Hel'));
  stream.end();
  const events = features.chat({ ...SYSTEM, stream: true });
  await events.next();
  const failure = await events.next().catch((error: unknown) => error);
  expect(failure).toMatchObject({
    status: 0,
    code: 'UNREACHABLE',
    message: 'The connection was lost before the response was complete.',
  });
});

test('leaving the loop cancels the request', async () => {
  const stream = openStream();
  stream.send(delta('Hel'));
  for await (const { type } of features.chat({ ...SYSTEM, stream: true })) {
    expect(type).toBe('delta');
    break;
  }
  await stream.closed;
});

test('return() cancels the request, also while the next event is awaited', async () => {
  const stream = openStream();
  stream.send(delta('Hel'));
  const events = features.chat({ ...SYSTEM, stream: true });
  await events.next();
  const waiting = events.next().catch((error: Error) => error.name);
  await events.return();
  expect(await waiting).toBe('AbortError');
  await stream.closed;
});

test('a signal cancels a chat, streamed or not', async () => {
  const stream = openStream();
  stream.send(delta('Hel'));
  const stopping = new AbortController();
  const events = features.chat({ ...SYSTEM, stream: true, signal: stopping.signal });
  await events.next();
  stopping.abort();
  expect(events.next()).rejects.toThrow('abort');
  await stream.closed;

  const whole = openStream();
  const again = new AbortController();
  const answered = features.chat({ ...SYSTEM, signal: again.signal });
  whole.send('{"success"');
  again.abort();
  expect(answered).rejects.toThrow('abort');
});
