import { expect, test } from 'bun:test';
import { MAX_HEAD_BYTES, parsePayload, readStream } from './payload.ts';

const encode = (text: string) => new TextEncoder().encode(text);
const parse = (text: string) => {
  const payload = parsePayload(encode(text));
  return (
    payload && { ...payload, headers: [...payload.headers], body: new TextDecoder().decode(payload.body) }
  );
};

test('reads the text of a response', () => {
  const text =
    'HTTP/1.1 404 Not Here\r\nX-One: 1\r\nContent-Length: 5\r\nSet-Cookie: a\r\nset-cookie: b\r\n\r\nhello';
  expect(parse(text)).toEqual({
    status: 404,
    statusText: 'Not Here',
    headers: [
      ['x-one', '1'],
      ['set-cookie', 'a'],
      ['set-cookie', 'b'],
    ],
    body: 'hello',
  });
  expect(parse('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n')?.body).toBe('5\r\n');
});

test.each([
  '',
  'hello',
  'HTTP/1.1 200 OK\r\nX-One: 1\r\n',
  'HTTP/1.1 99 OK\r\n\r\n',
  'HTTP/1.1 101 Switching\r\n\r\n',
  'HTTP/1.1 999 No\r\n\r\n',
  'HTTP/1.1 200 OK\r\nnot a header\r\n\r\n',
  'HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nhello',
])('refuses %p', (text) => {
  expect(parse(text)).toBeUndefined();
});

test('refuses headers that are too long', () => {
  const sized = (bytes: number) => {
    const start = 'HTTP/1.1 200 OK\r\nx: ';
    return `${start}${'y'.repeat(bytes - start.length)}\r\n\r\n`;
  };
  expect(parse(sized(MAX_HEAD_BYTES))?.status).toBe(200);
  expect(parse(sized(MAX_HEAD_BYTES + 1))).toBeUndefined();
});

test('reads a stream to its end, also when it is too long', async () => {
  let pulled = 0;
  const stream = () =>
    new ReadableStream<Uint8Array>({
      pull(controller) {
        if (++pulled % 5 === 0) controller.close();
        else controller.enqueue(encode(`${pulled % 5}`));
      },
    });
  expect(new TextDecoder().decode(await readStream(stream(), () => true))).toBe('1234');
  let left = 2;
  expect(await readStream(stream(), () => left-- > 0)).toBeUndefined();
  expect(pulled).toBe(10);
});
