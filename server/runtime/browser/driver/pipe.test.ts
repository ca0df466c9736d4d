import { expect, test } from 'bun:test';
import { Duplex } from 'node:stream';
import { NoAnswerError, type Params, Pipe } from './pipe.ts';

/** A browser that sends what it is told, and keeps what it gets. */
function browser() {
  const sent: Params[] = [];
  const events: Array<[string, Params, string | undefined]> = [];
  const stream = new Duplex({
    read: () => undefined,
    write(chunk: Buffer, _, done) {
      sent.push(JSON.parse(chunk.toString().replace('\0', '')));
      done();
    },
  });
  const pipe = new Pipe(stream, (...event) => void events.push(event));
  return { sent, events, pipe, stream };
}

const settled = () => new Promise((resolve) => setTimeout(resolve, 0));

test('reads messages that arrive in pieces, and several at once', async () => {
  const { events, stream } = browser();
  const text = '{"method":"A","params":{"text":"ä"}}\0{"method":"B","sessionId":"s"}\0{"method":"C"}\0';
  for (const byte of Buffer.from(text)) stream.push(Buffer.from([byte]));
  await settled();
  stream.push(text);
  await settled();
  const once = [
    ['A', { text: 'ä' }, undefined],
    ['B', {}, 's'],
    ['C', {}, undefined],
  ];
  expect(events as unknown[]).toEqual([...once, ...once]);
});

test('drops a message above the limit, and reads the next one', async () => {
  const { events, stream, pipe } = browser();
  const megabyte = Buffer.alloc(1024 * 1024, 'x');
  stream.push('{"method":"Large","params":{"text":"');
  for (let count = 0; count < 33; count++) stream.push(megabyte);
  stream.push('"}}\0{"method":"Next"}\0');
  await settled();
  expect(events.map(([method]) => method)).toEqual(['Next']);
  expect(pipe.dropped).toBe(1);
});

test('ignores what is not a message', async () => {
  const { events, stream } = browser();
  stream.push('not JSON\0null\0[]\0{"id":99,"result":{}}\0{"method":"Next"}\0');
  await settled();
  expect(events.map(([method]) => method)).toEqual(['Next']);
});

test('gives each answer to the command that waits for it', async () => {
  const { sent, stream, pipe } = browser();
  const first = pipe.send('First', { a: 1 }, { withinMs: 5_000 });
  const second = pipe.send('Second', {}, { session: 's', withinMs: 5_000 });
  await settled();
  expect(sent).toEqual([
    { id: 1, method: 'First', params: { a: 1 } },
    { id: 2, method: 'Second', params: {}, sessionId: 's' },
  ]);
  stream.push('{"id":2,"error":{"message":"refused"}}\0{"id":1,"result":{"b":2}}\0');
  expect(await first).toEqual({ b: 2 });
  expect(second).rejects.toThrow('refused');
});

test('rejects commands that are not answered in time, or after the browser has ended', async () => {
  const { stream, pipe } = browser();
  expect(pipe.send('Slow', {}, { withinMs: 1 })).rejects.toBeInstanceOf(NoAnswerError);
  expect(pipe.send('Late', {}, { withinMs: 0 })).rejects.toBeInstanceOf(NoAnswerError);
  const waiting = pipe.send('Waiting', {}, { withinMs: 60_000 });
  stream.destroy();
  expect(waiting).rejects.toBeInstanceOf(NoAnswerError);
  await waiting.catch(() => undefined);
  expect(pipe.send('After', {}, { withinMs: 60_000 })).rejects.toBeInstanceOf(NoAnswerError);
});
