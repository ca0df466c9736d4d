import { expect, test } from 'bun:test';
import { connect } from 'node:net';
import { type EventStream, EventStreams, encodeEvent } from './event-stream.ts';

const { signal } = new AbortController();

test('an event is sent with its id, its name and its data', async () => {
  const streams = new EventStreams();
  const response = streams.open(signal, (stream) => {
    stream.send(encodeEvent({ id: '7', name: 'note', data: { text: 'two\nlines' } }));
    stream.send(encodeEvent({ data: 1 }));
    stream.end();
    return () => undefined;
  });
  expect(response.headers.get('content-type')).toBe('text/event-stream');
  expect(await response.text()).toBe(':\n\nid: 7\nevent: note\ndata: {"text":"two\\nlines"}\n\ndata: 1\n\n');
});

test('what a stream started is stopped once: when it ends, its reader leaves, or the service stops', async () => {
  const ways: Array<
    (open: { stream: EventStream; response: Response; leave(): void; endAll(): void }) => unknown
  > = [
    ({ stream }) => stream.end(),
    ({ response }) => response.body?.cancel(),
    ({ leave }) => leave(),
    ({ endAll }) => endAll(),
  ];
  for (const end of ways) {
    const streams = new EventStreams();
    const leaving = new AbortController();
    let stopped = 0;
    let stream: EventStream | undefined;
    const response = streams.open(leaving.signal, (opened) => {
      stream = opened;
      return () => void stopped++;
    });
    expect(streams.size).toBe(1);
    if (!stream) throw new Error('the stream was not begun');
    await end({ stream, response, leave: () => leaving.abort(), endAll: () => streams.end() });
    stream.end();
    stream.send(encodeEvent({ data: 'too late' }));
    expect([stopped, streams.size]).toEqual([1, 0]);
  }
});

test('a stream opened while the service stops ends immediately', async () => {
  const streams = new EventStreams();
  streams.end();
  const response = streams.open(signal, () => () => undefined);
  expect(await response.text()).toBe(':\n\n');
  expect(streams.size).toBe(0);
});

test('a reader who does not read is disconnected', async () => {
  const streams = new EventStreams();
  const event = encodeEvent({ data: 'x'.repeat(8_000) });
  const letGo = Promise.withResolvers<void>();
  let stream: EventStream | undefined;
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: (request) =>
      streams.open(request.signal, (opened) => {
        stream = opened;
        return letGo.resolve;
      }),
  });
  const socket = connect(server.port ?? 0, '127.0.0.1');
  socket.pause();
  socket.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n');
  while (!stream) await Bun.sleep(1);
  for (let sent = 0; sent < 20_000 && streams.size > 0; sent++) {
    stream.send(event);
    if (sent % 100 === 0) await Bun.sleep(1);
  }
  await letGo.promise;
  expect(streams.size).toBe(0);
  socket.destroy();
  await server.stop(true);
});

test('a stream that cannot start is not kept alive', () => {
  const streams = new EventStreams();
  const fail = () => {
    throw new Error('nothing to follow');
  };
  expect(() => streams.open(signal, fail)).toThrow('nothing to follow');
  expect(streams.size).toBe(0);
});

test('one address gets a quarter of the streams, and gets others for those that ended', async () => {
  const streams = new EventStreams({ maxStreams: 8 });
  const open = (address: string) => streams.open(signal, () => () => undefined, { address });
  const [first] = [open('10.0.0.1'), open('10.0.0.1')];
  expect(() => open('10.0.0.1')).toThrow('Your address has too many open event streams.');
  expect(open('10.0.0.2').status).toBe(200);
  await first?.body?.cancel();
  expect(open('10.0.0.1').status).toBe(200);
  expect(() => open('10.0.0.1')).toThrow('Your address');
  for (const address of ['10.0.0.3', '10.0.0.4']) for (let i = 0; i < 2; i++) open(address);
  open('10.0.0.5');
  expect(() => open('10.0.0.6')).toThrow('The server has too many open event streams.');
  streams.end();
  expect(streams.size).toBe(0);
});

test('any stream of events ends with its login, not with another one, and what makes it learns that', async () => {
  const streams = new EventStreams();
  const left = Promise.withResolvers<void>();
  const body = new ReadableStream({
    start: (controller) => controller.enqueue(encodeEvent({ data: 1 })),
    cancel: () => left.resolve(),
  });
  const headers = { 'content-type': 'text/event-stream' };
  let actor: object | undefined = {};
  const checks: Array<() => void> = [];
  const response = streams.endWithLogin(
    new Response(body, { headers }),
    7,
    streams.loginEndings,
    async () => {
      checks.shift()?.();
      return actor;
    },
  );
  const reader = (response.body as ReadableStream<Uint8Array>).getReader();
  expect((await reader.read()).value).toEqual(encodeEvent({ data: 1 }));
  streams.endUserStreams(8);
  const checked = new Promise<void>((resolve) => checks.push(resolve));
  streams.endUserStreams(7);
  await checked;
  const next = reader.read();
  expect(await Promise.race([next, Bun.sleep(0).then(() => 'open')])).toBe('open');
  actor = undefined;
  streams.endUserStreams(7);
  await left.promise;
  expect((await next).done).toBeTrue();
});

test('a stream whose login ended while it was opened ends at once', () => {
  const streams = new EventStreams();
  const since = streams.loginEndings;
  streams.endUserStreams(7);
  for (const [userId, left] of [
    [8, 1],
    [7, 0],
  ] as const) {
    const response = streams.open(signal, () => () => undefined, { userId });
    streams.endWithLogin(response, userId, since, async () => undefined);
    expect(streams.size).toBe(left);
    streams.endUserStreams(8);
  }
});

test('a response that is not a stream of events stays as it is', () => {
  const streams = new EventStreams();
  const response = new Response('{}', { headers: { 'content-type': 'application/json' } });
  expect(streams.endWithLogin(response, 7, 0, async () => undefined)).toBe(response);
});
