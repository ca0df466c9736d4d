import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test';
import type { PublishedPage } from '../../../support/app.ts';
import { type FilesApp, filesApp, sha256 } from '../../../support/pages/files.ts';
import { waitUntil } from '../../../support/server.ts';
import { makeZip, type ZipPart } from '../../../support/zip.ts';

const MEGABYTE = 1024 * 1024;

let app: FilesApp;
let page: PublishedPage;
let before: string[];
beforeAll(async () => {
  app = await filesApp();
  page = await app.owner.publish({ html_content: '<p>kept</p>' });
  await app.replace(page, { 'a.txt': 'kept' });
  before = app.stored();
});
afterAll(() => app.quire.stop());

/** Whatever was refused has left nothing behind. */
afterEach(async () => {
  expect(app.stored()).toEqual(before);
  expect(await app.fetchVersion(page)).toBe(2);
  expect(await app.read(page, 'a.txt')).toBe('kept');
});

const part = (disposition: string, content = 'x') =>
  `--B\r\nContent-Disposition: form-data; ${disposition}\r\n\r\n${content}\r\n`;
const named = (name: string) => part(`name="${name}"; filename="f"`);

const PATHS: Array<[path: string, why: string]> = [
  ['../x', 'as a segment'],
  ['a/../../x', 'as a segment'],
  ['/etc/passwd', 'relative'],
  ['C:/x', 'relative'],
  ['..\\x', 'backslash'],
  ['a\\b', 'backslash'],
  ['.htaccess', 'starts with a dot'],
  ['a//b', 'empty segment'],
  ['x\u0007', 'control characters'],
  ['\u202eexe.gpj', 'control characters'],
  ['api/pages/x', 'the service uses itself'],
  ['~x', 'the service uses itself'],
  ['x'.repeat(256), 'more than 255 bytes'],
  ['x/'.repeat(600), 'at most 1,000 bytes'],
];

describe('a path is refused', () => {
  test.each(PATHS)('in an archive: %j', async (path, why) => {
    const { status, body } = await app.sendZip(
      page,
      makeZip([{ name: 'ok', content: '1' }, { name: `${path}.x` }]),
    );
    expect([status, body.error.includes(why)]).toEqual([400, true]);
  });

  test.each(PATHS)('in a form and among those to keep: %j', async (path, why) => {
    const name = path.replaceAll('\\', '\\\\');
    const form = await app.sendForm(page, `${named('ok')}${named(`${name}.x`)}--B--\r\n`);
    expect([form.status, form.body.error.includes(why)]).toEqual([400, true]);
    const keep = await app.replace(page, {}, { [`${path}.x`]: sha256('kept') });
    expect([keep.status, keep.body.error.includes(why)]).toEqual([400, true]);
  });

  const PAIRS: Array<[first: string, second: string, why: string]> = [
    ['a.png', 'A.PNG', 'only in upper and lower case'],
    ['caf\u00e9', 'cafe\u0301', 'is there twice'],
    ['a', 'a', 'is there twice'],
    ['index.html', 'index.html', 'is there twice'],
    ['a', 'a/b', 'needs a folder where a is a file'],
    ['a/b', 'a', 'is a file, but a/b needs a folder'],
    ['x', 'Index.html', 'only in upper and lower case'],
  ];
  test.each(PAIRS)('next to another one: %j and %j', async (first, second, why) => {
    const zip = await app.sendZip(page, makeZip([first, second].map((name) => ({ name, content: 'new' }))));
    expect([zip.status, zip.body.error]).toEqual([400, expect.stringContaining(why)]);
    const form = await app.sendForm(page, `${named(first)}${named(second)}--B--\r\n`);
    expect([form.status, form.body.error]).toEqual([400, expect.stringContaining(why)]);
  });
});

describe('an archive is refused that', () => {
  const zeros = new Uint8Array(25 * MEGABYTE + 1);
  const ARCHIVES: Array<[why: string, parts: ZipPart[], status: number]> = [
    ['has a file of more than 25 MB', [{ name: 'a', content: zeros, deflate: true }], 413],
    ['claims a small size for a large file', [{ name: 'a', content: zeros, deflate: true, size: 5 }], 400],
    ['is a link', [{ name: 'a', content: '/etc/passwd', mode: 0o120777 }], 400],
    ['has 2,001 files', Array.from({ length: 2_001 }, (_, at) => ({ name: `${at}` })), 413],
    ['has 100,000 entries', Array.from({ length: 100_000 }, (_, at) => ({ name: `${at}/` })), 413],
    ['has an index.html that is not text', [{ name: 'index.html', content: new Uint8Array([0xff]) }], 400],
    [
      'has an index.html of more than 4 MB',
      [{ name: 'index.html', content: new Uint8Array(4 * MEGABYTE + 1).fill(32), deflate: true }],
      413,
    ],
  ];
  test.each(ARCHIVES)('%s', async (_, parts, status) => {
    expect((await app.sendZip(page, makeZip(parts))).status).toBe(status);
  });

  test('unpacks to more than 200 MB', async () => {
    const packed = { content: new Uint8Array(25 * MEGABYTE), deflate: true };
    const zip = makeZip(Array.from({ length: 9 }, (_, at) => ({ name: `${at}`, ...packed })));
    expect(zip.length).toBeLessThan(MEGABYTE);
    expect((await app.sendZip(page, zip)).status).toBe(413);
  });

  test.each(['', 'PK', 'not an archive'])('is %j', async (text) => {
    expect((await app.sendZip(page, Buffer.from(text))).status).toBe(400);
  });
});

describe('a form is refused that', () => {
  test.each([
    ['has 100,000 parts', () => named('a').repeat(100_000)],
    ['has 2,003 parts', () => Array.from({ length: 2_003 }, (_, at) => named(`${at}`)).join('')],
    ['has 2,001 files', () => Array.from({ length: 2_001 }, (_, at) => named(`${at}`)).join('')],
    ['has a file without a name', () => part('name="file"')],
    ['has a part without headers', () => '--B\r\n\r\nx\r\n'],
    ['keeps what is not JSON', () => part('name="keep"', '{')],
    ['keeps a list', () => part('name="keep"', '[]')],
    ['keeps what is not a hash', () => part('name="keep"', '{"a":"x"}')],
    ['keeps index.html', () => part('name="keep"', `{"index.html":"${sha256('x')}"}`)],
    ['keeps twice', () => part('name="keep"', '{}').repeat(2)],
    ['keeps deep JSON', () => part('name="keep"', '['.repeat(1_000_000))],
    ['keeps 2,001 files', () => part('name="keep"', JSON.stringify(many(2_001)))],
  ])('%s', async (_, body) => {
    const { status } = await app.sendForm(page, `${body()}--B--\r\n`);
    expect([400, 413]).toContain(status);
  });

  test('ends too early, or is of another kind', async () => {
    expect((await app.sendForm(page, named('a'))).status).toBe(400);
    expect((await app.sendForm(page, '')).status).toBe(400);
    for (const type of [
      'application/json',
      'text/plain',
      'multipart/form-data',
      'multipart/mixed; boundary=B',
    ])
      expect((await app.call('PUT', app.toPath(page), { body: named('a'), type })).status).toBe(415);
  });
});

const many = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`${at}`, sha256('kept')]));

test('an answer does not repeat a name as long as the upload', async () => {
  const keep = part('name="keep"', JSON.stringify({ ['\u0001'.repeat(600_000)]: 'x' }));
  const { status, body } = await app.sendForm(page, `${keep}--B--\r\n`);
  expect(status).toBe(400);
  expect(JSON.stringify(body).length).toBeLessThan(10_000);
});

test('a body larger than any upload is refused by its header', async () => {
  const response = await app.quire.request(app.toPath(page), {
    method: 'PUT',
    headers: {
      authorization: `Bearer ${app.owner.token}`,
      'content-type': 'application/zip',
      'content-length': String(300 * MEGABYTE),
    },
    body: 'x',
  });
  expect(response.status).toBe(413);
});

test('a file of 25 MB and files of 200 MB fit, and a byte more does not', async () => {
  const largest = new Uint8Array(25 * MEGABYTE);
  const hash = sha256(largest);
  const full = await app.owner.publish();
  expect((await app.put(full, '0', new Uint8Array(largest.length + 1))).status).toBe(413);
  expect((await app.put(full, '0', largest)).body.file.size).toBe(25 * MEGABYTE);
  // The same bytes under each path: they are stored once, and count each time.
  const keep = Object.fromEntries(Array.from({ length: 8 }, (_, at) => [at, hash]));
  const tooMuch = await app.replace(full, { one: 'x' }, keep);
  expect([tooMuch.status, tooMuch.body.error]).toEqual([413, expect.stringContaining('209,715,200 bytes')]);
  const { status, body } = await app.replace(full, {}, keep);
  expect([status, body.totalBytes]).toEqual([200, 200 * MEGABYTE]);
  expect((await app.put(full, 'one', 'x')).status).toBe(413);
  expect((await app.put(full, 'empty', '')).status).toBe(200);
  expect(app.stored()).toHaveLength(before.length + 2);
  expect((await app.owner.call('DELETE', `/api/pages/${full.id}`)).status).toBe(200);
  await waitUntil(async () => app.stored().length === before.length);
});

test('2,000 files fit, in names of any script, and one more does not', async () => {
  const full = await app.owner.publish();
  const zip = makeZip([
    { name: 'index.html', content: '<p>2000' },
    ...Array.from({ length: 1_999 }, (_, at) => ({ name: `папка/${at}`, content: 'the same' })),
    { name: '写真/猫.jpg', content: 'cat' },
  ]);
  expect((await app.sendZip(full, zip)).body.files).toHaveLength(2_000);
  expect((await app.put(full, 'another', 'x')).status).toBe(413);
  expect((await app.put(full, '%E5%86%99%E7%9C%9F/%E7%8C%AB.jpg', 'another cat')).status).toBe(200);
  expect((await app.owner.call('DELETE', `/api/pages/${full.id}`)).status).toBe(200);
  await waitUntil(async () => app.stored().length === before.length);
});
