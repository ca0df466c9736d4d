import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { rmSync } from 'node:fs';
import {
  MAX_TRIALS,
  TRIAL_SECONDS,
  TRIAL_SENT_BYTES,
  TRIALS_PER_ADDRESS,
} from '../../../contract/templates/wishes.ts';
import { administrator } from '../../support/accounts/administrator.ts';
import { type TestApp, type TestUser, testApp } from '../../support/app.ts';
import { readSql, runSql } from '../../support/engines/storage.ts';
import { waitUntil } from '../../support/server.ts';

/** Trying a template before there is an account. */

const NAVIGATE = { 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document', accept: 'text/html' };
const FRAMED = { ...NAVIGATE, 'sec-fetch-dest': 'iframe', 'sec-fetch-site': 'same-origin' };
const PICTURE = 'This is a picture of it.';
const PROMISE = 'Two minutes to try it';
const PAST_IT = (TRIAL_SECONDS + 10) * 1000;

let quire: TestApp;
let stranger: TestUser;
beforeAll(async () => {
  quire = await testApp();
  stranger = await quire.user('trial-stranger');
});
afterAll(() => quire.stop());
beforeEach(async () => {
  quire.advance(PAST_IT);
  await quire.app.sweep();
});

/** Every trial comes from another address, unless the limit of one is tested. */
let addressesUsed = 0;
const newAddress = () => `10.7.${addressesUsed >> 8}.${addressesUsed++ & 255}`;

interface Opened {
  status: number;
  html: string;
  cookie: string;
  headers: Headers;
}

async function open(
  query: Record<string, string>,
  {
    peer = newAddress(),
    cookie = '',
    headers = FRAMED,
  }: { peer?: string; cookie?: string; headers?: object } = {},
): Promise<Opened> {
  const response = await quire.request(`/try/live?${new URLSearchParams(query)}`, {
    headers: { ...headers, ...(cookie && { cookie }) },
    peer,
  });
  const set = response.headers.get('set-cookie')?.split(';')[0] ?? '';
  return { status: response.status, html: await response.text(), cookie: set, headers: response.headers };
}

const rows = (sql: string) => readSql(quire, sql);
const trials = () =>
  rows(`select p.id, p.slug, p.name, p.is_published from pages p join users u on u.id = p.owner_id
    where u.username = 'a visitor'`) as Promise<
    Array<{ id: number; slug: string; name: string; is_published: number }>
  >;

describe('a trial', () => {
  test('is a page with the name, for one browser, in a frame without an origin', async () => {
    const opened = await open({ template: 'wall', name: 'Choir & friends' });
    expect(opened.status).toBe(200);
    expect(opened.html).toContain('Choir &amp; friends');
    const policy = opened.headers.get('content-security-policy') ?? '';
    expect(policy).toContain('sandbox allow-scripts');
    expect(policy).not.toContain('allow-same-origin');
    expect(policy).toContain(`frame-ancestors ${quire.baseUrl}`);
    expect(opened.headers.get('x-robots-tag')).toBe('noindex');
    expect(opened.headers.get('cache-control')).toContain('no-store');
    expect(await trials()).toMatchObject([{ name: 'Choir & friends', is_published: 0 }]);
  });

  test('is not among the pages that administrators see, unless they ask for it', async () => {
    const admin = await administrator(quire, 'trial-admin');
    const own = await stranger.publish();
    await open({ template: 'blank', name: 'Only tried' });
    const [trial] = await trials();
    const list = async (query: string) => (await admin.admin('GET', `/api/admin/pages?${query}`)).body;
    expect(await list('')).toMatchObject({ pages: [{ id: own.id }], total: 1 });
    expect(await list('state=draft')).toMatchObject({ pages: [], total: 0 });
    expect(await list('owner=a+visitor')).toMatchObject({ pages: [{ id: trial?.id }], total: 1 });
    expect((await admin.admin('GET', `/api/admin/pages/${trial?.id}`)).status).toBe(200);
  });

  test('has a function that administrators see only if they ask for it', async () => {
    const admin = await administrator(quire, 'trial-function-admin');
    const list = async (query: string) => (await admin.admin('GET', `/api/admin/functions?${query}`)).body;
    const { total } = await list('');
    expect(total).toBeGreaterThan(0);
    await open({ template: 'poll', name: 'Only tried' });
    expect((await list('')).total).toBe(total);
    expect(await list('owner=a+visitor')).toMatchObject({
      functions: [{ owner: { username: 'a visitor' } }],
    });
  });

  test('is the same one when the frame loads again, and another one for another browser', async () => {
    const first = await open({ template: 'blank', name: 'Mine' });
    await open({ template: 'blank', name: 'Mine' }, { cookie: first.cookie });
    expect(await trials()).toHaveLength(1);
    await open({ template: 'blank', name: 'Mine' });
    expect(await trials()).toHaveLength(2);
  });

  test('replaces the one before in the same browser', async () => {
    const first = await open({ template: 'blank', name: 'First' });
    await open({ template: 'blank', name: 'Second' }, { cookie: first.cookie });
    expect(await trials()).toMatchObject([{ name: 'Second' }]);
  });

  test('does not exist for anyone else', async () => {
    const opened = await open({ template: 'wall', name: 'Private' });
    const [page] = await trials();
    const cookie = await stranger.login();
    for (const headers of [NAVIGATE, { ...NAVIGATE, cookie }, { ...NAVIGATE, cookie: opened.cookie }]) {
      const { status } = await quire.request(`/p/${page?.slug}`, { headers });
      expect(status).toBe(404);
    }
    const data = `/api/pages/${page?.id}/social-data/notes`;
    expect((await quire.call('GET', data)).status).toBe(404);
    expect((await stranger.call('GET', data)).status).toBe(404);
    expect((await stranger.call('GET', `/api/pages/${page?.id}`)).status).toBe(404);
    const session = readSession(opened.html);
    const headers = { 'x-page-session': session, origin: 'null' };
    expect((await quire.call('GET', data, { headers })).status).toBe(200);
    const other = await stranger.publish({ storage_mode: 'social_app' });
    const elsewhere = `/api/pages/${other.id}/social-data/notes`;
    const written = await quire.call('POST', elsewhere, { headers, body: { data: { text: 'hello' } } });
    expect([401, 403]).toContain(written.status);
    for (const path of ['/api/gallery', '/api/functions', '/sitemap.xml'])
      expect(await (await quire.request(path)).text()).not.toContain('try-');
  });

  test('lets its visitor use what needs a login, and forgets it', async () => {
    const opened = await open({ template: 'todo', name: 'Chores' });
    const [page] = await trials();
    const headers = { 'x-page-session': readSession(opened.html), origin: 'null' };
    const path = `/api/pages/${page?.id}/solo-data/todos`;
    const body = { data: { title: 'Dishes', done: false } };
    expect((await quire.call('POST', path, { headers, body })).status).toBe(201);
    quire.advance(TRIAL_SECONDS * 1000);
    expect((await quire.call('GET', path, { headers })).status).toBe(401);
    quire.advance(10_000);
    await quire.app.sweep();
    expect(await trials()).toEqual([]);
    expect(
      await rows(
        `select count(*) as count from records where created_by in (select id from users where username = 'a visitor')`,
      ),
    ).toMatchObject([{ count: 0 }]);
    const usage = `select pages, functions, bytes from usage u join users on users.id = u.user_id where username = 'a visitor'`;
    expect(await rows(usage)).toEqual([{ pages: 0, functions: 0, bytes: 0 }]);
  });

  test('can call its own function, and not that of somebody else’s trial', async () => {
    const sessions: string[] = [];
    for (const name of ['One', 'Two'])
      sessions.push(readSession((await open({ template: 'questions', name })).html));
    const functions = (await rows(
      `select f.id, f.slug from functions f join users u on u.id = f.owner_id where u.username = 'a visitor' order by f.id`,
    )) as Array<{ id: number; slug: string }>;
    const call = (index: number, session: string | undefined) =>
      functions[index] &&
      Promise.all(
        [
          `/api/functions/${functions[index].slug}`,
          `http://f${functions[index].id}.functions.localhost:3000/`,
        ].map(async (address) => {
          const headers = {
            'content-type': 'application/json',
            ...(session && { 'x-page-session': session }),
          };
          const body = JSON.stringify({ action: 'list', key: 'k'.repeat(20) });
          return (await quire.request(address, { method: 'POST', headers, body })).status;
        }),
      );
    expect(await call(0, sessions[0])).toEqual([200, 200]);
    expect(await call(1, sessions[1])).toEqual([200, 200]);
    expect(await call(1, sessions[0])).toEqual([404, 404]);
    expect(await call(0, undefined)).toEqual([404, 404]);
  });

  test('cannot spend or publish anything', async () => {
    const opened = await open({ template: 'wall', name: 'Poor' });
    const [page] = await trials();
    const headers = { 'x-page-session': readSession(opened.html), origin: 'null' };
    const paths = [`/api/pages/${page?.id}/page-api-ai`, `/api/pages/${page?.id}/page-api-spawn`];
    for (const path of paths)
      expect((await quire.call('POST', path, { headers, body: { name: 'x' } })).status).toBe(403);
  });

  test('cannot be opened as a page, or in a frame of others', async () => {
    for (const headers of [
      NAVIGATE,
      { ...FRAMED, 'sec-fetch-site': 'cross-site' },
      { accept: 'text/html' },
    ]) {
      const { status } = await open({ template: 'blank', name: 'Alone' }, { headers });
      expect(status).toBe(303);
    }
    expect(await trials()).toEqual([]);
  });

  test('contains hostile words as text', async () => {
    const name = '<script>alert(1)</script>"\'&__NAME__';
    const { html } = await open({ template: 'event', name });
    expect(html).not.toContain('<script>alert(1)');
    expect(html).toContain('&lt;script&gt;alert(1)');
    const screen = await quire.request(`/try?${new URLSearchParams({ wish: name.repeat(400), name })}`, {
      headers: NAVIGATE,
    });
    expect(screen.status).toBe(200);
    expect(await screen.text()).not.toContain('<script>alert');
  });

  test('is made from the nearest template if the one in the address does not exist', async () => {
    const { html } = await open({ template: '../../etc/passwd', name: 'Odd' });
    expect(html).toContain('Odd');
    expect(await trials()).toHaveLength(1);
  });
});

describe('the limits of trials', () => {
  test('let one address have six in ten minutes, and show a picture after that', async () => {
    quire.advance(600_000);
    const peer = newAddress();
    const screen = async () =>
      (await quire.request('/try?template=blank&name=New', { headers: NAVIGATE, peer })).text();
    for (let count = 1; count < TRIALS_PER_ADDRESS; count++)
      await open({ template: 'blank', name: `Page ${count}` }, { peer });
    // To look at the screen takes nothing.
    for (let count = 0; count < 2; count++) expect(await screen()).toContain(PROMISE);
    expect((await open({ template: 'blank', name: 'The last' }, { peer })).html).not.toContain(PICTURE);
    const over = await open({ template: 'blank', name: 'One more' }, { peer });
    expect([over.status, over.html.includes(PICTURE)]).toEqual([200, true]);
    expect(await screen()).not.toContain(PROMISE);
    expect(over.headers.get('content-security-policy')).toContain(`frame-ancestors ${quire.baseUrl}`);
    expect((await open({ template: 'blank', name: 'Elsewhere' })).html).not.toContain(PICTURE);
  });

  test('let one trial store its share, in records and by its function, and others theirs', async () => {
    const store = async (session: string, bytes: number) => {
      const [{ id } = { id: 0 }] = (await trials()).filter(({ name }) => session.includes(name));
      const headers = { 'x-page-session': session.slice(session.indexOf(' ') + 1), origin: 'null' };
      const body = { data: { src: 'x'.repeat(bytes) } };
      return quire.call('POST', `/api/pages/${id}/social-data/extra`, { headers, body });
    };
    const enter = async (name: string) =>
      `${name} ${readSession((await open({ template: 'album', name })).html)}`;
    const [greedy, other] = [await enter('Greedy'), await enter('Modest')];
    const piece = 200 * 1024;
    const fitting = Math.floor(TRIAL_SENT_BYTES / (piece + 1024));
    for (let count = 0; count < fitting; count++) expect((await store(greedy, piece)).status).toBe(201);
    const over = await store(greedy, piece);
    expect([over.status, over.body.error]).toEqual([429, expect.stringContaining('Publish it')]);
    expect((await store(other, piece)).status).toBe(201);

    const session = readSession((await open({ template: 'questions', name: 'Asking' })).html);
    const [called] = (await rows(
      `select f.slug from functions f join users u on u.id = f.owner_id where u.username = 'a visitor'`,
    )) as Array<{ slug: string }>;
    const ask = (bytes: number) =>
      quire.call('POST', `/api/functions/${called?.slug}`, {
        headers: { 'x-page-session': session },
        body: { action: 'list', key: 'k'.repeat(20), more: 'x'.repeat(bytes) },
      });
    expect((await ask(10)).status).toBe(200);
    expect((await ask(TRIAL_SENT_BYTES)).status).toBe(429);
  });

  test('let the server have twenty at a time', async () => {
    for (let count = 0; count < MAX_TRIALS; count++)
      expect((await open({ template: 'blank', name: `Page ${count}` })).html).not.toContain(PICTURE);
    expect(await trials()).toHaveLength(MAX_TRIALS);
    const screen = () => quire.request('/try?template=blank&name=New', { headers: NAVIGATE });
    expect(await (await screen()).text()).not.toContain(PROMISE);
    expect((await open({ template: 'blank', name: 'One more' })).html).toContain(PICTURE);
    quire.advance(PAST_IT);
    await quire.app.sweep();
    expect((await open({ template: 'blank', name: 'Again' })).html).not.toContain(PICTURE);
  });
});

test('a server that was killed removes with its functions what it had left behind', async () => {
  const first = await testApp();
  // The trial is made in the past, because the next server has the time of this machine.
  first.advance(-2 * PAST_IT);
  const made = await first.request('/try/live?template=quiz&name=Left', { headers: FRAMED });
  expect(await made.text()).not.toContain(PICTURE);
  const count = async () => {
    const sql =
      'select (select count(*) from pages) + (select count(*) from functions where owner_id is not null) as sum';
    const [row] = await readSql<{ sum: number }>(first, sql);
    return Number(row?.sum);
  };
  expect(await count()).toBe(2);
  await first.app.stop();
  expect(await count()).toBe(2);
  const { dataFolder, databaseUrl } = first;
  const second = await testApp({
    QUIRE_DATA: dataFolder,
    ...(databaseUrl && { DATABASE_URL: databaseUrl }),
  });
  await waitUntil(async () => (await count()) === 0);
  await second.stop();
  rmSync(dataFolder, { recursive: true });
});

describe('publishing what somebody tries', () => {
  const post = (fields: Record<string, string>, cookie = '', origin = quire.baseUrl) =>
    quire.request('/try/publish', {
      method: 'POST',
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        origin,
        'sec-fetch-site': origin === quire.baseUrl ? 'same-origin' : 'cross-site',
        ...(cookie && { cookie }),
      },
      body: new URLSearchParams(fields).toString(),
    });
  const firstCookie = (response: Response) => response.headers.get('set-cookie')?.split(';')[0] ?? '';

  test('asks for an account, and goes on by itself afterwards', async () => {
    const asked = await post({ wish: 'a birthday party for Zoe', template: 'event', name: 'Zoe’s birthday' });
    expect(asked.status).toBe(303);
    const door = new URL(asked.headers.get('location') ?? '', quire.baseUrl);
    expect(door.pathname).toBe('/register');
    const next = door.searchParams.get('next') ?? '';
    expect(next).toContain('/try/publish?');
    const opened = await quire.request(door.href.slice(quire.baseUrl.length), {
      headers: { ...NAVIGATE, cookie: firstCookie(asked) },
    });
    expect(await opened.text()).toContain('Then your page goes live at once.');
    const person = await quire.user('trial-zoe');
    const cookie = `${await person.login()}; ${firstCookie(asked)}`;
    const done = await quire.request(next, { headers: { ...NAVIGATE, cookie } });
    expect([done.status, done.headers.get('location')]).toEqual([
      303,
      expect.stringMatching(/^\/pages\/\d+\/share\?template=[\w-]+$/),
    ]);
    const { body } = await person.call('GET', '/api/pages');
    expect(body.pages).toMatchObject([{ name: 'Zoe’s birthday', is_published: true }]);
    expect(body.pages[0].slug).toBe('zoes-birthday');
    // The cookie is used up: coming back asks.
    expect(done.headers.get('set-cookie')).toContain('Max-Age=0');
  });

  test('asks a person who came with a link of somebody else', async () => {
    const person = await quire.user('trial-linked');
    const cookie = await person.login();
    const headers = { ...NAVIGATE, cookie };
    const response = await quire.request('/try/publish?template=blank&name=Trap', { headers });
    expect(response.status).toBe(200);
    expect(await response.text()).toContain('Publish Trap?');
    expect((await post({ template: 'blank', name: 'Trap' }, cookie, 'https://evil.example')).status).toBe(
      403,
    );
    expect((await person.call('GET', '/api/pages')).body.total).toBe(0);
    expect((await post({ template: 'blank', name: 'Wanted' }, cookie)).status).toBe(303);
    expect((await person.call('GET', '/api/pages')).body.pages).toMatchObject([{ name: 'Wanted' }]);
  });

  test('asks a person whose browser has got the address before, without their doing', async () => {
    const person = await quire.user('trial-lured');
    const address = '/try/publish?template=blank&name=Lure';
    // A picture in the page of somebody else: it comes without the login.
    const picture = { 'sec-fetch-mode': 'no-cors', 'sec-fetch-dest': 'image', 'sec-fetch-site': 'same-site' };
    for (const headers of [picture, NAVIGATE]) {
      const got = await quire.request(address, { headers });
      expect([got.status, got.headers.get('set-cookie')]).toEqual([303, null]);
      const door = await quire.request(got.headers.get('location') ?? '', { headers: NAVIGATE });
      expect(await door.text()).toContain('Then you can publish your page.');
    }
    const cookie = await person.login();
    const asked = await quire.request(address, { headers: { ...NAVIGATE, cookie } });
    expect(await asked.text()).toContain('Publish Lure?');
    expect((await person.call('GET', '/api/pages')).body.total).toBe(0);
  });

  test('makes one page, also if the browser asks again because the response was lost', async () => {
    const person = await quire.user('trial-offline');
    const screen = await quire.request('/try?template=blank', { headers: NAVIGATE });
    const key = /name="key" value="([^"]+)"/.exec(await screen.text())?.[1] ?? '';
    const cookie = await person.login();
    const pages = async () => (await person.call('GET', '/api/pages')).body.total;
    const wish = { template: 'blank', name: 'Lost', key };
    const places = [await post(wish, cookie), await post(wish, cookie)].map(({ headers }) =>
      headers.get('location'),
    );
    expect(places[0]).toMatch(/^\/pages\/\d+\/share/);
    expect([places[1], await pages()]).toEqual([places[0], 1]);
    // Without an account at first: the cookie has the key.
    const asked = await post({ template: 'blank', name: 'Lost too', key });
    const next = new URL(asked.headers.get('location') ?? '', quire.baseUrl).searchParams.get('next') ?? '';
    const headers = { ...NAVIGATE, cookie: `${cookie}; ${firstCookie(asked)}` };
    const done = [await quire.request(next, { headers }), await quire.request(next, { headers })];
    expect(done.map(({ status }) => status)).toEqual([303, 303]);
    expect(await pages()).toBe(2);
  });

  test('frees the place of the trial', async () => {
    const person = await quire.user('trial-leaver');
    const { cookie } = await open({ template: 'blank', name: 'Kept' });
    expect(await trials()).toHaveLength(1);
    await post({ template: 'blank', name: 'Kept' }, `${await person.login()}; ${cookie}`);
    expect(await trials()).toEqual([]);
  });

  test('says what is wrong and keeps the words', async () => {
    const person = await quire.user('trial-full');
    const quota = `update users set quota_pages = 1 where id = ${person.id}`;
    await runSql(quire, quota);
    await person.publish();
    const response = await post({ template: 'blank', name: 'Too many' }, await person.login());
    const html = await response.text();
    expect(response.status).toBe(403);
    expect(html).toContain('This would exceed your quota');
    expect(html).toContain('value="Too many"');
  });
});

describe('a server without open registration', () => {
  test.each([
    ['invite', 'Ask an administrator of this server for an invite.'],
    ['closed', 'The operator of this server can give you one.'],
  ])('with registration %s runs nothing for strangers and says what to do', async (mode, text) => {
    const closed = await testApp({ QUIRE_REGISTRATION: mode });
    try {
      const screen = await closed.request('/try?wish=a+quiz', { headers: NAVIGATE });
      expect(await screen.text()).toContain(text);
      const frame = await closed.request('/try/live?template=blank&name=Me', { headers: FRAMED });
      expect(await frame.text()).toContain(PICTURE);
      const asked = await closed.request('/try/publish', {
        method: 'POST',
        headers: { 'content-type': 'application/x-www-form-urlencoded', origin: closed.baseUrl },
        body: 'template=blank&name=Me',
      });
      expect(asked.headers.get('location')).toStartWith('/login?next=');
    } finally {
      await closed.stop();
    }
  });
});

/** The page session in a document. */
function readSession(html: string): string {
  const found = html.match(/[\w-]{20,}\.[\w-]{43}/)?.[0];
  if (!found) throw new Error('there is no page session in the document');
  return found;
}
