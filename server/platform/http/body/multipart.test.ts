import { expect, test } from 'bun:test';
import { readMultipart } from './multipart.ts';

const send = (body: string | Uint8Array, type = 'multipart/form-data; boundary=B') =>
  readMultipart(
    new Request('http://localhost/', { method: 'POST', body, headers: { 'content-type': type } }),
    100,
    'somebody',
  );
const part = (disposition: string, content = 'x', more = '') =>
  `--B\r\nContent-Disposition: ${disposition}\r\n${more}\r\n${content}\r\n`;
const text = (bytes: Uint8Array | undefined) => Buffer.from(bytes ?? []).toString();

const NAMES: Array<[written: string, read: string | undefined]> = [
  ['filename="a.txt"', 'a.txt'],
  ['filename=a.txt', 'a.txt'],
  ['filename="ü €.txt"', 'ü €.txt'],
  ['filename="a%22b.txt"', 'a"b.txt'],
  ['filename="a\\"b.txt"', 'a"b.txt'],
  ['filename="a%0D%0Ab.txt"', 'a\r\nb.txt'],
  ['filename="100%25.txt"', '100%25.txt'],
  ['filename="a;b.txt"', 'a;b.txt'],
  ['filename="a\0b.txt"', 'a\0b.txt'],
  ['filename="C:\\\\x\\\\y.txt"', 'C:\\x\\y.txt'],
  ['filename=""', ''],
  ['filename="x.txt"; filename*=UTF-8\'\'%e2%82%ac.txt', '€.txt'],
  ['', undefined],
];
test.each(NAMES)('%j is a file called %j', async (written, read) => {
  const [found] = await send(`${part(`form-data; name="file"; ${written}`)}--B--\r\n`);
  expect(found?.name).toBe('file');
  expect(found?.filename).toBe(read as string);
});

test('parts keep their bytes and their types, whatever they contain', async () => {
  const odd = '\r\n--B is not a boundary here: --B\r\n\r\n';
  const body = `before\r\n${part('form-data; name="a"', '')}${part('form-data; name="b"; filename="f"', 'two\r\n', 'Content-Type: a/b\r\n')}--B--\r\nafter`;
  const parts = await send(body);
  expect(parts.map(({ name, bytes, contentType }) => [name, text(bytes), contentType])).toEqual([
    ['a', '', undefined],
    ['b', 'two\r\n', 'a/b'],
  ]);
  const quoted = await send(
    `--Long B\r\nContent-Disposition: form-data; name="c"\r\n\r\n${odd}\r\n--Long B--`,
    'multipart/form-data; boundary="Long B"',
  );
  expect(text(quoted[0]?.bytes)).toBe(odd);
});

test('a real form can be read', async () => {
  const form = new FormData();
  form.append('file', new File([new Uint8Array([0, 255, 13, 10])], 'é.bin', { type: 'application/x-odd' }));
  const [found] = await readMultipart(
    new Request('http://localhost/', { method: 'POST', body: form }),
    100,
    'somebody',
  );
  expect(found).toMatchObject({ name: 'file', filename: 'é.bin', contentType: 'application/x-odd' });
  expect([...(found?.bytes ?? [])]).toEqual([0, 255, 13, 10]);
});

test.each([
  '',
  'garbage',
  '--B',
  '--B\r\n',
  '--B\r\nno headers\r\n--B--',
  part('form-data; name="file"; filename="a"'),
  `${part('attachment; name="file"')}--B--`,
  `${part('form-data; filename="a"')}--B--`,
  `${part('form-data; name="file"; filename*=UTF-8\'\'%ff')}--B--`,
  `${part('form-data; name="a"').repeat(21)}--B--`,
])('%j is refused', async (body) => {
  await expect(send(body)).rejects.toMatchObject({ code: 'BAD_REQUEST' });
});

test.each([
  'text/plain',
  'application/json',
  'multipart/form-data',
  'multipart/form-data; boundary=',
  `multipart/form-data; boundary=${'b'.repeat(71)}`,
])('%j is not a form', async (type) => {
  await expect(send('--B--', type)).rejects.toMatchObject({ code: 'UNSUPPORTED_MEDIA_TYPE' });
});

test('a body far over the limit is refused', async () => {
  const body = new Uint8Array(100 + 64 * 1024 + 1);
  await expect(send(body)).rejects.toMatchObject({ code: 'PAYLOAD_TOO_LARGE' });
});
