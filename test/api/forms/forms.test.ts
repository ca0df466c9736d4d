import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type PublishedPage, type TestApp, type TestUser, testApp } from '../../support/app.ts';
import { readSql } from '../../support/engines/storage.ts';

const NAVIGATION = { 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' };

let quire: TestApp;
let owner: TestUser;
let stranger: TestUser;
let page: PublishedPage;
beforeAll(async () => {
  quire = await testApp({ QUIRE_PAGES_HOST: 'pages.example.com' });
  owner = await quire.user('owner');
  stranger = await quire.user('stranger');
  page = await owner.publish({ name: 'Bakery & Sons' });
});
afterAll(() => quire.stop());

let visitors = 0;
/** Another address each time, because each can send 10 a minute. */
const someone = () => `10.${(++visitors >> 16) & 255}.${(visitors >> 8) & 255}.${visitors & 255}`;

const toFormsPath = (at: PublishedPage) => `/api/pages/${at.id}/forms`;

interface Sent {
  status: number;
  // biome-ignore lint/suspicious/noExplicitAny: JSON
  body: any;
  text: string;
  headers: Headers;
}

async function send(
  body: Record<string, unknown> | FormData | URLSearchParams | string,
  options: {
    form?: string;
    at?: PublishedPage;
    peer?: string;
    headers?: Record<string, string>;
    host?: string;
  } = {},
): Promise<Sent> {
  const { form = 'contact', at = page, peer = someone(), headers = {}, host = '' } = options;
  const isJson = !(body instanceof FormData || body instanceof URLSearchParams || typeof body === 'string');
  const response = await quire.request(`${host}${toFormsPath(at)}/${form}`, {
    method: 'POST',
    headers: { ...(isJson && { 'content-type': 'application/json' }), ...headers },
    body: isJson ? JSON.stringify(body) : body,
    peer,
  });
  const text = await response.text();
  const isJsonBack = response.headers.get('content-type')?.startsWith('application/json');
  return {
    status: response.status,
    text,
    body: isJsonBack ? JSON.parse(text) : undefined,
    headers: response.headers,
  };
}

const fetchMessages = async (at: PublishedPage, form = 'contact', query = '') =>
  (await owner.call('GET', `${toFormsPath(at)}/${form}${query}`)).body;

const fileForm = (...files: File[]) => {
  const form = new FormData();
  form.append('name', 'Ada');
  for (const file of files) form.append('photo', file);
  return form;
};

const readUsage = async () => {
  const [row] = await readSql<{ bytes: number }>(
    quire,
    `select bytes from usage where user_id = ${owner.id}`,
  );
  return Number(row?.bytes);
};

describe('sending a form', () => {
  test('stores JSON, urlencoded and multipart messages without a login', async () => {
    const at = await owner.publish({ name: 'Three ways' });
    expect(
      await send({ name: 'Ada', age: 36, isHappy: true, none: null, tags: ['a', 'b'] }, { at }),
    ).toMatchObject({
      status: 201,
      body: { success: true, message: 'Thank you. Your message was sent.' },
    });
    expect((await send(new URLSearchParams('name=Grace&tag=x&tag=y&text=1%0D%0A2'), { at })).status).toBe(
      201,
    );
    const form = fileForm(new File(['bytes'], 'C:\\photos\\me\u202egpj.exe', { type: 'image/png' }));
    form.append('empty', new File([], ''));
    expect((await send(form, { at })).status).toBe(201);

    const { messages, total, unread } = await fetchMessages(at);
    expect([total, unread]).toEqual([3, 3]);
    expect(messages.map(({ fields }: { fields: unknown }) => fields)).toEqual([
      { name: 'Ada' },
      { name: 'Grace', tag: ['x', 'y'], text: '1\n2' },
      { name: 'Ada', age: '36', isHappy: 'true', none: '', tags: ['a', 'b'] },
    ]);
    expect(messages[0]).toMatchObject({
      form: 'contact',
      isRead: false,
      files: [{ field: 'photo', name: 'megpj.exe', size: 5, contentType: 'image/png' }],
    });
    // Nothing about the sender is stored.
    expect(Object.keys(messages[0]).sort()).toEqual(['createdAt', 'fields', 'files', 'form', 'id', 'isRead']);
  });

  test('keeps names such as __proto__ as they are', async () => {
    const at = await owner.publish({ name: 'Names' });
    const body = '{"__proto__":"a","constructor":"b","toString":["c","d"],"größe":"e","1":"f"}';
    const sent = await send(body, { at, headers: { 'content-type': 'application/json' } });
    expect(sent.status).toBe(201);
    const [message] = (await fetchMessages(at)).messages;
    expect(Object.entries(message.fields).sort()).toEqual([
      ['1', 'f'],
      ['__proto__', 'a'],
      ['constructor', 'b'],
      ['größe', 'e'],
      ['toString', ['c', 'd']],
    ]);
  });

  test('answers a filled honeypot like a success and drops the message', async () => {
    const at = await owner.publish({ name: 'Honey' });
    const real = await send({ name: 'Ada', _gotcha: '' }, { at });
    const trapped = await send({ name: 'Bot', _gotcha: 'x' }, { at });
    expect([trapped.status, trapped.text]).toEqual([real.status, real.text]);
    const away = await send({ name: 'Bot', _gotcha: 'x', _next: '?sent' }, { at });
    expect([away.status, away.headers.get('location')]).toEqual([303, `${at.url}?sent`]);
    expect((await fetchMessages(at)).messages.map(({ fields }: { fields: unknown }) => fields)).toEqual([
      { name: 'Ada' },
    ]);
  });

  test('thanks a browser with a screen that leads back to the page it came from', async () => {
    const body = new URLSearchParams({ name: 'Ada' });
    const atBase = await send(body, { headers: { ...NAVIGATION, origin: 'null' } });
    expect(atBase.status).toBe(201);
    expect(atBase.headers.get('content-type')).toContain('text/html');
    expect(atBase.text).toContain(`href="${page.url}">Back to Bakery &amp; Sons`);
    const host = `http://p${page.id}.pages.example.com:3000`;
    const onHost = await send(body, { host, headers: { ...NAVIGATION, referer: `${host}/about.html` } });
    expect(onHost.text).toContain(`href="${host}/about.html">Back`);
    const elsewhere = await send(body, {
      host,
      headers: { ...NAVIGATION, referer: 'https://evil.example/' },
    });
    expect(elsewhere.text).toContain(`href="${host}/">Back`);
  });

  test('shows a browser why its message was not sent', async () => {
    const sent = await send(new URLSearchParams({ name: '' }), { headers: NAVIGATION });
    expect(sent.status).toBe(400);
    expect(sent.headers.get('content-type')).toContain('text/html');
    expect(sent.text).toContain('Your message was not sent');
    expect(sent.text).toContain('The form is empty. Fill in at least one field.');
    expect((await send(new URLSearchParams({ name: '' }))).body.code).toBe('BAD_REQUEST');
    const missing = await quire.request('/api/pages/999999/forms/contact', {
      method: 'POST',
      headers: { ...NAVIGATION, 'content-type': 'application/json' },
      body: '{}',
      peer: someone(),
    });
    expect([missing.status, missing.headers.get('content-type')]).toEqual([404, 'text/html; charset=utf-8']);
  });

  test.each([
    ['a draft', { is_published: false }, 404],
    ['a private page', { access: { mode: 'private' } }, 403],
    ['a page with a password', { access: { mode: 'password', password: 'open sesame' } }, 403],
  ])('is possible for %s only for those who can see it', async (_, fields, status) => {
    const at = await owner.publish({ name: 'Not for everyone', ...fields });
    expect((await send({ name: 'Ada' }, { at })).status).toBe(status);
    const headers = { authorization: `Bearer ${owner.token}` };
    expect((await send({ name: 'Ada' }, { at, headers })).status).toBe(201);
  });

  test('can be read by pages in sandbox isolation, and not by other sites', async () => {
    const allowed = await send({ name: 'Ada' }, { headers: { origin: 'null' } });
    expect(allowed.headers.get('access-control-allow-origin')).toBe('null');
    const other = await send({ name: 'Ada' }, { headers: { origin: 'https://other.example' } });
    expect(other.headers.get('access-control-allow-origin')).toBeNull();
    const preflight = await quire.request(`${toFormsPath(page)}/contact`, {
      method: 'OPTIONS',
      headers: { origin: 'null', 'access-control-request-method': 'POST' },
    });
    expect(preflight.headers.get('access-control-allow-origin')).toBe('null');
  });

  test("is possible on the page's own host for that page only", async () => {
    const at = await owner.publish({ name: 'Neighbour' });
    const host = `http://p${page.id}.pages.example.com:3000`;
    expect((await send({ name: 'Ada' }, { host })).status).toBe(201);
    expect((await send({ name: 'Ada' }, { at, host })).status).toBe(404);
    // The inbox is not there.
    const read = await quire.request(`${host}${toFormsPath(page)}/contact`, {
      headers: { authorization: `Bearer ${owner.token}` },
    });
    expect(read.status).toBe(404);
  });
});

describe('_next', () => {
  const host = () => `http://p${page.id}.pages.example.com:3000`;
  test.each([
    ['/thanks.html', '/thanks.html', '/thanks.html'],
    ['thanks.html?a=1#b', '/thanks.html?a=1#b', '/thanks.html?a=1#b'],
    ['/', '/', ''],
    ['?sent=1', '/?sent=1', '?sent=1'],
    ['#sent', '/#sent', '#sent'],
    ['/p/SLUG/deep/er', '/deep/er', '/deep/er'],
    ['/p/SLUG', '/', ''],
    ['ü b.html', '/%C3%BC%20b.html', '/%C3%BC%20b.html'],
  ])('%s leads to the same page wherever it is', async (next, onHost, atBase) => {
    const given = next.replace('SLUG', page.slug);
    const sent = await send({ a: 'b', _next: given }, { host: host() });
    expect([sent.status, sent.headers.get('location')]).toEqual([303, host() + onHost]);
    const based = await send({ a: 'b', _next: given });
    expect([based.status, based.headers.get('location')]).toEqual([303, page.url + atBase]);
  });

  test('is left to a script that does not want to be redirected', async () => {
    const answer = async (_next: string) => {
      const path = `/api/pages/${page.id}/forms/contact?redirect=false`;
      const { status, body } = await quire.call('POST', path, { body: { a: 'b', _next } });
      return [status, body.next ?? body.code];
    };
    expect(await answer('/thanks.html')).toEqual([201, `${page.url}/thanks.html`]);
    expect(await answer('https://evil.example/')).toEqual([400, 'BAD_REQUEST']);
    expect(await answer('')).toEqual([201, undefined]);
  });

  test('can be a URL at one of the addresses of the page', async () => {
    const urls = [page.url, `${page.url}/a?b#c`, `${page.url}?sent`, `${host()}/a`, `${host()}/?x`];
    for (const url of urls) expect((await send({ a: 'b', _next: url })).headers.get('location')).toBe(url);
  });

  test.each([
    'https://evil.example/',
    '//evil.example',
    '///evil.example',
    '/\\evil.example',
    '\\\\evil.example',
    '/\t/evil.example',
    '\n//evil.example\u0001',
    'javascript:alert(1)',
    'JaVaScRiPt://%0aalert(1)',
    'data:text/html,x',
    'http://localhost:3000@evil.example/',
    'http://localhost:3000/p/SLUG-other',
    'http://localhost:3000/p/other',
    'http://localhost:3000/p/SLUG/../other',
    'http://localhost:3000/',
    'http://localhost:3000.evil.example/p/SLUG',
    'http://p1000.pages.example.com:3000/',
    'http://user@pID.pages.example.com:3000/',
    '/../../p/other',
    '/%2e%2e/p/other',
    '/p/other',
    '/%70/other',
    '/api/pages',
    '/~session?ticket=x',
    `/${'a'.repeat(2_000)}`,
  ])('%.60p is refused before anything is stored', async (next) => {
    const given = next.replace('SLUG', page.slug).replace('ID', String(page.id));
    for (const at of [host(), '']) {
      const sent = await send({ a: 'b', _next: given }, { form: 'refused', host: at });
      expect([sent.status, sent.body?.code]).toEqual([400, 'BAD_REQUEST']);
    }
    expect((await fetchMessages(page, 'refused')).total).toBe(0);
  });
});

describe('the inbox', () => {
  test('lists forms with unread counts, and messages in pages', async () => {
    const at = await owner.publish({ name: 'Lists' });
    for (const n of [1, 2, 3]) await send({ n }, { at });
    await send({ n: 4 }, { at, form: 'Other_form-2' });
    const { forms, unread } = (await owner.call('GET', toFormsPath(at))).body;
    expect(unread).toBe(4);
    expect(forms).toMatchObject([
      { name: 'Other_form-2', messages: 1, unread: 1, bytes: 9 },
      { name: 'contact', messages: 3, unread: 3, bytes: 27 },
    ]);
    const first = await fetchMessages(at, 'contact', '?limit=2');
    const ns = ({ messages }: { messages: Array<{ fields: { n: string } }> }) =>
      messages.map(({ fields }) => fields.n);
    expect(ns(first)).toEqual(['3', '2']);
    expect(ns(await fetchMessages(at, 'contact', `?before=${first.messages[1].id}`))).toEqual(['1']);
    const path = `${toFormsPath(at)}/contact/${first.messages[0].id}`;
    expect((await owner.call('PATCH', path, { body: { isRead: true } })).body.isRead).toBe(true);
    expect((await owner.call('PATCH', path, { body: { isRead: true } })).status).toBe(200);
    expect(await fetchMessages(at, 'contact', '?unread=true')).toMatchObject({ total: 3, unread: 2 });
    expect(ns(await fetchMessages(at, 'contact', '?unread=true'))).toEqual(['2', '1']);
    expect((await owner.call('GET', path)).body).toMatchObject({ isRead: true, fields: { n: '3' } });
    const all = await owner.call('PATCH', `${toFormsPath(at)}/contact`, { body: { isRead: true } });
    expect(all.body).toMatchObject({ messages: 3, unread: 0 });
    const none = await owner.call('PATCH', `${toFormsPath(at)}/contact`, { body: { isRead: false } });
    expect(none.body).toMatchObject({ messages: 3, unread: 3 });
    expect((await fetchMessages(at, 'contact', '?unread=true')).messages).toHaveLength(3);
  });

  test('deletes messages and forms with their files, and gives the quota back', async () => {
    const before = await readUsage();
    const at = await owner.publish({ name: 'Deletes' });
    const published = await readUsage();
    const file = () => new File(['x'.repeat(1_000)], 'a.txt', { type: 'text/plain' });
    await send(fileForm(file(), file()), { at });
    await send(fileForm(file()), { at });
    await send(fileForm(file()), { at, form: 'second' });
    const [newest, oldest] = (await fetchMessages(at)).messages;
    expect((await readUsage()) - published).toBe(3 * '{"name":"Ada"}'.length + 4_000);
    const toPath = (id: string) => join(quire.dataFolder, 'blobs/form-files', id.slice(-2), id);
    expect(existsSync(toPath(newest.files[0].id))).toBe(true);
    expect((await owner.call('DELETE', `${toFormsPath(at)}/contact/${newest.id}`)).status).toBe(204);
    expect((await owner.call('DELETE', `${toFormsPath(at)}/contact/${newest.id}`)).status).toBe(404);
    while (existsSync(toPath(newest.files[0].id))) await Bun.sleep(20);
    expect(await fetchMessages(at)).toMatchObject({ total: 1, unread: 1 });
    expect((await owner.call('DELETE', `${toFormsPath(at)}/contact`)).status).toBe(204);
    expect((await owner.call('DELETE', `${toFormsPath(at)}/contact`)).status).toBe(404);
    while (existsSync(toPath(oldest.files[0].id))) await Bun.sleep(20);
    const [second] = (await fetchMessages(at, 'second')).messages;
    expect((await owner.call('DELETE', `/api/pages/${at.id}`)).status).toBe(200);
    while (existsSync(toPath(second.files[0].id))) await Bun.sleep(20);
    expect(await readUsage()).toBe(before);
  });

  test('sends files to the owner as downloads that cannot run', async () => {
    const at = await owner.publish({ name: 'Files' });
    await send(fileForm(new File(['<script>'], 'Sch"ön.html', { type: 'text/html' })), { at });
    const [{ id, files }] = (await fetchMessages(at)).messages;
    const path = `${toFormsPath(at)}/contact/${id}/files/${files[0].id}`;
    const response = await quire.request(path, { headers: { authorization: `Bearer ${owner.token}` } });
    expect(await response.text()).toBe('<script>');
    const headers = Object.fromEntries(response.headers);
    expect(headers).toMatchObject({
      'content-disposition': `attachment; filename="Sch__n.html"; filename*=UTF-8''Sch%22%C3%B6n.html`,
      'content-security-policy': "sandbox; default-src 'none'",
      'x-content-type-options': 'nosniff',
      'cache-control': 'private, no-store',
    });
    expect((await stranger.call('GET', path)).status).toBe(403);
    expect((await quire.call('GET', path)).status).toBe(401);
  });

  test('exports CSV that spreadsheets cannot run', async () => {
    const at = await owner.publish({ name: 'Sheet' });
    await send({ name: 'Ada, "Countess"', text: 'one\ntwo' }, { at });
    for (const text of ['=1+1', '+1', '-1', '@a', '\tx', '\rx', '＝1']) await send({ text }, { at });
    await send({ '=field': ['a', 'b'] }, { at });
    const path = `${toFormsPath(at)}/contact/export`;
    const response = await quire.request(path, { headers: { authorization: `Bearer ${owner.token}` } });
    expect(response.headers.get('content-type')).toBe('text/csv; charset=utf-8');
    expect(response.headers.get('content-disposition')).toContain(`filename="${at.slug}-contact.csv"`);
    const [head, ...lines] = (await response.text()).split('\r\n');
    expect(head).toBe("id,createdAt,isRead,name,text,'=field,files");
    const rest = lines.map((line) => line.split(',').slice(3).join(','));
    expect(rest).toEqual([
      '"Ada, ""Countess""","one\ntwo",,',
      ...["'=1+1", "'+1", "'-1", "'@a", "'\tx", '"\'\rx"', "'＝1"].map((cell) => `,${cell},,`),
      ',,a; b,',
      '',
    ]);
  });

  test('exports any number of field names in 100 columns and one for the rest', async () => {
    const at = await owner.publish({ name: 'Columns' });
    for (const part of [0, 1, 2]) {
      const names = Array.from({ length: 40 }, (_, i) => [`f${part * 40 + i}`, 'v']);
      await send(Object.fromEntries(names), { at });
    }
    const response = await quire.request(`${toFormsPath(at)}/contact/export`, {
      headers: { authorization: `Bearer ${owner.token}` },
    });
    const [head = '', , , last = ''] = (await response.text()).split('\r\n');
    expect(head.split(',')).toHaveLength(3 + 100 + 2);
    expect(last).toContain('{""f100"":""v""');
  });

  test('is only for the owner and admins of the team, by token and scope', async () => {
    const at = await owner.publish({ name: 'Team', storage_mode: 'team_app' });
    const { body: invite } = await owner.call('POST', `/api/pages/${at.id}/team/invite`, {
      body: { role: 'admin' },
    });
    const admin = await quire.user();
    await admin.call('POST', `/api/join/${invite.inviteCode}`);
    await send({ a: 'b' }, { at });
    const [{ id }] = (await fetchMessages(at)).messages;
    const routes = [
      ['GET', ''],
      ['GET', '/contact'],
      ['GET', '/contact/export'],
      ['GET', `/contact/${id}`],
      ['PATCH', '/contact'],
      ['PATCH', `/contact/${id}`],
      ['DELETE', `/contact/${id}`],
      ['DELETE', '/contact'],
    ] as const;
    const { body: reader } = await owner.call('POST', '/api/auth/tokens', {
      body: { name: 'reader', scopes: ['pages:read'] },
    });
    for (const [method, path] of routes) {
      const options = method === 'PATCH' ? { body: { isRead: true } } : {};
      const url = toFormsPath(at) + path;
      expect((await stranger.call(method, url, options)).status).toBe(403);
      expect((await quire.call(method, url, options)).status).toBe(401);
      const limited = await quire.call(method, url, { ...options, token: reader.token });
      expect(limited.status).toBe(method === 'GET' ? 200 : 403);
    }
    expect((await admin.call('GET', `${toFormsPath(at)}/contact`)).body.total).toBe(1);
  });

  test('is not copied by a fork', async () => {
    const at = await owner.publish({ name: 'Original' });
    await send({ a: 'b' }, { at });
    const { body } = await owner.call('POST', `/api/pages/${at.id}/fork`);
    expect((await owner.call('GET', toFormsPath(body.page))).body).toEqual({ forms: [], unread: 0 });
  });
});
