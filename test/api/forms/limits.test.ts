import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { type PublishedPage, type TestApp, type TestUser, testApp } from '../../support/app.ts';
import { runSql } from '../../support/engines/storage.ts';

const MB = 1024 * 1024;
const QUOTA = 300 * MB;

let quire: TestApp;
let owner: TestUser;
let page: PublishedPage;
beforeAll(async () => {
  quire = await testApp({ QUIRE_QUOTA_BYTES: String(QUOTA) });
  owner = await quire.user('owner');
  page = await owner.publish();
});
afterAll(() => quire.stop());

let visitors = 0;
/** Another address each time, because each can send 10 a minute. */
const someone = () => `10.${(++visitors >> 16) & 255}.${(visitors >> 8) & 255}.${visitors & 255}`;

interface Options {
  form?: string;
  at?: PublishedPage;
  peer?: string;
  type?: string;
}

async function post(body: RequestInit['body'], options: Options = {}) {
  const { form = 'contact', at = page, peer = someone(), type } = options;
  const response = await quire.request(`/api/pages/${at.id}/forms/${form}`, {
    method: 'POST',
    headers: type === undefined ? {} : { 'content-type': type },
    body,
    peer,
  });
  const answer = (await response.json()) as { code?: string; error?: string };
  return { status: response.status, ...answer, headers: response.headers };
}
const json = (body: unknown, options: Options = {}) =>
  post(typeof body === 'string' ? body : JSON.stringify(body), { type: 'application/json', ...options });
const urlencoded = (body: string) => post(body, { type: 'application/x-www-form-urlencoded' });
const multipart = (parts: string, boundary = 'B') =>
  post(parts, { type: `multipart/form-data; boundary=${boundary}` });
const part = (disposition: string, content = 'x') =>
  `--B\r\nContent-Disposition: ${disposition}\r\n\r\n${content}\r\n`;

const many = <T>(count: number, make: (n: number) => T) => Array.from({ length: count }, (_, n) => make(n));
const makeFields = (count: number) => Object.fromEntries(many(count, (n) => [`f${n}`, 'v']));
const fetchTotal = async (at: PublishedPage, form = 'contact') =>
  (await owner.call('GET', `/api/pages/${at.id}/forms/${form}`)).body.total as number;

test('each address can send 10 a minute, to all pages together', async () => {
  const [peer, other] = [someone(), await owner.publish()];
  const first = await Promise.all(many(10, (n) => json({ n }, { peer, at: n % 2 ? page : other })));
  expect(first.map(({ status }) => status)).toEqual(many(10, () => 201));
  const eleventh = await json({ n: 11 }, { peer });
  expect([eleventh.status, eleventh.code]).toEqual([429, 'RATE_LIMITED']);
  expect(Number(eleventh.headers.get('retry-after'))).toBeLessThanOrEqual(60);
  expect((await json({ n: 11 })).status).toBe(201);
});

test('each page takes 1,000 a day, and refuses without storing', async () => {
  const at = await owner.publish();
  // What is refused or dropped does not count.
  await json({ _gotcha: 'x' }, { at });
  await json({}, { at });
  for (let n = 0; n < 1_000; n += 100) {
    const some = await Promise.all(many(100, () => json({ n }, { at })));
    expect(some.every(({ status }) => status === 201)).toBe(true);
  }
  const next = await json({ n: 1_001 }, { at });
  expect([next.status, next.error]).toEqual([
    429,
    expect.stringContaining('This page has received too many messages today.'),
  ]);
  expect(await fetchTotal(at)).toBe(1_000);
});

describe('of fields', () => {
  test.each([
    ['50 fields', makeFields(50), 201],
    ['51 fields', makeFields(51), 400],
    ['10,000 fields', makeFields(10_000), 400],
    ['200 values', { a: many(200, String) }, 201],
    ['201 values', { a: many(201, String) }, 400],
    ['a name of 100 characters', { ['é'.repeat(100)]: 'v' }, 201],
    ['a name of 101 characters', { ['é'.repeat(101)]: 'v' }, 400],
    ['an empty name', { '': 'v' }, 400],
    ['a name with a control character', { 'a\u0007': 'v' }, 400],
    ['a value of 20,000 characters', { a: '😀'.repeat(20_000) }, 201],
    ['a value of 20,001 characters', { a: 'a'.repeat(20_001) }, 413],
    ['a value of 1 MB', { a: 'a'.repeat(MB) }, 413],
    [
      '100 KB',
      { ...Object.fromEntries(many(5, (n) => [`a${n}`, 'a'.repeat(19_000)])), b: 'b'.repeat(7_352) },
      201,
    ],
    [
      'a byte more',
      { ...Object.fromEntries(many(5, (n) => [`a${n}`, 'a'.repeat(19_000)])), b: 'b'.repeat(7_353) },
      413,
    ],
    ['control and direction characters in a value', { a: '\u0007\u001b[31m\u202e' }, 201],
    ['a NUL', { a: 'a\0' }, 400],
    ['half a surrogate pair', '{"a":"\\ud800"}', 400],
    ['an object as a value', { a: { b: 'c' } }, 400],
    ['a list of lists', { a: [['b']] }, 400],
    ['deep JSON', `${'['.repeat(50_000)}${']'.repeat(50_000)}`, 400],
    ['a list', ['a'], 400],
    ['a text', '"a"', 400],
    ['null', 'null', 400],
    ['no JSON', '{', 400],
    ['nothing', {}, 400],
    ['only empty values', { a: '', b: ' ' }, 400],
  ])('%s', async (_, body, status) => {
    expect((await json(body)).status).toBe(status);
  });

  test('also in urlencoded bodies', async () => {
    const pairs = (count: number) => many(count, () => 'a=b').join('&');
    expect((await urlencoded(pairs(200))).status).toBe(201);
    expect((await urlencoded(pairs(201))).status).toBe(400);
    expect((await urlencoded('&'.repeat(100_000))).status).toBe(400);
    expect((await urlencoded(`a=${'a'.repeat(500_000)}`)).status).toBe(413);
    expect((await urlencoded('a=%00')).status).toBe(400);
    expect((await urlencoded('a=%ff')).status).toBe(201);
    expect((await urlencoded('')).status).toBe(400);
  });

  test.each(['text/plain', 'application/octet-stream', 'text/html', ''])('not as %p', async (type) => {
    expect((await post(new TextEncoder().encode('a=b'), { type })).status).toBe(415);
  });
});

describe('of files', () => {
  const files = (...sizes: number[]) => {
    const form = new FormData();
    for (const size of sizes) form.append('file', new File(['x'.repeat(size)], 'a.txt'));
    return form;
  };
  test.each([
    ['one of 5 MB', [5 * MB], 201],
    ['one a byte larger', [5 * MB + 1], 413],
    ['10 MB together', [5 * MB, 5 * MB], 201],
    ['a byte more together', [5 * MB, 5 * MB, 1], 413],
    ['five', [1, 1, 1, 1, 1], 201],
    ['six', [1, 1, 1, 1, 1, 1], 400],
  ])('%s', async (_, sizes, status) => {
    const at = await owner.publish();
    expect((await post(files(...sizes), { at })).status).toBe(status);
    await owner.call('DELETE', `/api/pages/${at.id}`);
  });

  test('multipart that is broken or strange', async () => {
    expect((await post('x', { type: 'multipart/form-data' })).status).toBe(415);
    expect((await multipart('no boundary at all')).status).toBe(400);
    expect((await multipart(part('form-data; name="a"'))).status).toBe(400);
    expect((await multipart(`${part('form-data')}--B--\r\n`)).status).toBe(400);
    expect((await multipart(`${part('form-data; name="a"').repeat(206)}--B--\r\n`)).status).toBe(400);
    const strange =
      part('form-data; name="file"; filename="/etc/../\u0007"') + part('form-data; name="b"; filename=""');
    expect((await multipart(`${strange}--B--\r\n`)).status).toBe(201);
    const { messages } = (await owner.call('GET', `/api/pages/${page.id}/forms/contact`)).body;
    expect(messages[0].files).toMatchObject([
      { field: 'file', name: 'file', contentType: 'application/octet-stream' },
      { field: 'b', name: 'file', size: 1 },
    ]);
  });
});

test.each(['a'.repeat(64), 'A1_-', '0'])('a form can be called %s', async (form) => {
  expect((await json({ a: 'b' }, { form })).status).toBe(201);
});
test.each(['a'.repeat(65), '-a', '_a', 'a.b', 'a%20b', '%C3%A9', 'a%2Fb', '__proto__'])(
  'a form cannot be called %s',
  async (form) => {
    expect((await json({ a: 'b' }, { form })).status).toBe(404);
  },
);

test('strangers can make up 200 names, and the forms that the page names still work', async () => {
  const at = await owner.publish({ html_content: '<form data-quire-form="contact"></form>' });
  for (const n of many(200, (n) => n))
    expect((await json({ n }, { at, form: `made-up-${n}` })).status).toBe(201);
  const more = await json({ a: 'b' }, { at, form: 'made-up-200' });
  expect([more.status, more.code]).toEqual([403, 'QUOTA_EXCEEDED']);
  expect((await json({ a: 'b' }, { at, form: 'made-up-0' })).status).toBe(201);
  expect((await json({ a: 'b' }, { at, form: 'contact' })).status).toBe(201);
});

test('an address can make up 20 of them a day', async () => {
  const unhurried = await testApp({ QUIRE_FORMS_PER_MINUTE: '0' });
  try {
    const author = await unhurried.user();
    const at = await author.publish({ html_content: '<form data-quire-form="contact"></form>' });
    const fetchStatus = async (form: string, peer = '10.9.9.9') => {
      const path = `/api/pages/${at.id}/forms/${form}`;
      return (await unhurried.call('POST', path, { body: { a: 'b' }, peer })).status;
    };
    for (const n of many(20, (n) => n)) expect(await fetchStatus(`made-up-${n}`)).toBe(201);
    expect(await fetchStatus('made-up-20')).toBe(429);
    expect([await fetchStatus('made-up-0'), await fetchStatus('contact')]).toEqual([201, 201]);
    expect(await fetchStatus('made-up-20', '10.9.9.8')).toBe(201);
  } finally {
    await unhurried.stop();
  }
});

describe('of the inbox', () => {
  const fill = (at: PublishedPage, messages: number, bytes: number) =>
    runSql(
      quire,
      `insert into page_forms (page_id, name, messages, unread, bytes, last_message_at)
        values (${at.id}, 'old', ${messages}, 0, ${bytes}, 1)`,
    );
  test('10,000 messages', async () => {
    const at = await owner.publish();
    await fill(at, 9_999, 0);
    expect((await json({ a: 'b' }, { at })).status).toBe(201);
    const next = await json({ a: 'b' }, { at });
    expect([next.status, next.code, next.error]).toEqual([
      403,
      'QUOTA_EXCEEDED',
      'The owner of this page has no space left for messages, so yours was not sent. Please reach them in another way, or try again later.',
    ]);
  });
  test('200 MB', async () => {
    const at = await owner.publish();
    await fill(at, 1, 200 * MB - '{"a":"b"}'.length);
    expect((await json({ a: 'b' }, { at })).status).toBe(201);
    expect((await json({ a: 'b' }, { at })).status).toBe(403);
  });
  test('150 MB for files, and text still arrives', async () => {
    const at = await owner.publish();
    const withFile = () => {
      const form = new FormData();
      form.append('file', new File(['x'], 'a.txt'));
      return post(form, { at });
    };
    await fill(at, 1, 150 * MB - '{}x'.length);
    expect((await withFile()).status).toBe(201);
    const next = await withFile();
    expect([next.status, next.code, next.error]).toEqual([
      403,
      'QUOTA_EXCEEDED',
      'The owner of this page has no space left for files, so your message was not sent. Send it without files.',
    ]);
    expect((await json({ a: 'b' }, { at })).status).toBe(201);
  });
});

test("a visitor learns kindly that the owner's quota is full, and nothing is stored", async () => {
  const full = await quire.user('full');
  const at = await full.publish({ html_content: 'x' });
  await runSql(quire, `update usage set bytes = ${QUOTA - 9} where user_id = ${full.id}`);
  expect((await json({ a: 'b' }, { at })).status).toBe(201);
  const form = new FormData();
  form.append('file', new File(['x'], 'a.txt'));
  const blobs = () => [...new Bun.Glob('**/*').scanSync({ cwd: join(quire.dataFolder, 'blobs') })].length;
  const before = blobs();
  const refused = await post(form, { at });
  expect([refused.status, refused.error]).toEqual([
    403,
    expect.stringContaining('The owner of this page has no space left for messages'),
  ]);
  // Those of pages that were deleted above may go in the meantime.
  expect(blobs()).toBeLessThanOrEqual(before);
  const { forms } = (await full.call('GET', `/api/pages/${at.id}/forms`)).body;
  expect(forms).toMatchObject([{ messages: 1, bytes: 9 }]);
});
