import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { callerHeaders } from '../../../server/product/functions/calls/who-calls.ts';
import type { PublishedPage, TestUser } from '../../support/app.ts';
import { join } from '../../support/data/data.ts';
import { ECHO, type FunctionApp, functionApp, handler } from '../../support/functions/app.ts';
import { type DnsServer, startDns } from '../../support/pages/dns.ts';
import { connectDomain } from '../../support/pages/domains.ts';
import { enterPage, openSandboxed } from '../../support/pages/sessions.ts';

/** What a function learns about the visitor of a page that calls it. */

const FORGED = {
  'x-quire-user-id': '1',
  'X-Quire-User-Name': 'root',
  'x-quire-team-role': 'owner',
  'x-quire-page-id': '1',
  'x-forwarded-x-quire-user-id': '1',
  x_quire_user_id: '1',
  'x-forwarded-for': '10.0.0.1',
  'x-forwarded-host': 'p1.pages.localhost:3000',
  forwarded: 'for=10.0.0.1;host=p1.pages.localhost:3000',
  connection: 'keep-alive, x-quire-user-id',
};
const DOMAIN = 'vote.example.com';

let app: FunctionApp;
let dns: DnsServer;
let visitor: TestUser;
let login: string;
let page: PublishedPage;
let slug: string;
let id: number;
beforeAll(async () => {
  dns = await startDns();
  app = await functionApp({ QUIRE_DNS_SERVERS: dns.address });
  visitor = await app.quire.user('visitor');
  login = await visitor.login();
  page = await app.owner.publish({ name: 'Poll', storage_mode: 'team_app' });
  slug = await app.deploy(ECHO);
  id = idIn((await app.owner.call('GET', `/api/functions/${slug}`)).body.workerUrl);
});
afterAll(async () => {
  await app.quire.stop();
  await dns.stop();
});

const idIn = (url: string) => Number(/\/\/f(\d+)\./.exec(url)?.[1]);
const toHost = ({ id: pageId }: { id: number }) => `http://p${pageId}.pages.localhost:3000`;

type Sent = Record<string, string>;

/** The headers about its caller that the function got, and the path. */
async function learned(url: string, headers: Sent = {}, method = 'POST', quire = app.quire) {
  const response = await quire.request(url, { method, headers });
  const { data } = (await response.json()) as { data: { headers: Sent; path: string } };
  const own = Object.entries(data.headers).filter(([name]) => /quire|page|cookie|ticket|session/.test(name));
  return { ...Object.fromEntries(own), path: data.path } as Sent;
}
const NOTHING: Sent = { path: '/' };
const who = (user: TestUser, on: PublishedPage, role?: string) => ({
  'x-quire-page-id': String(on.id),
  'x-quire-user-id': String(user.id),
  'x-quire-user-name': user.username,
  ...(role && { 'x-quire-team-role': role }),
});

describe('on the own host of a page', () => {
  const call = (headers: Sent, on = page, called = slug) =>
    learned(`${toHost(on)}/api/functions/${called}`, headers);

  test('a function learns who the visitor is, and their role', async () => {
    const cookie = await enterPage(app.quire, page, login);
    const from = { cookie, origin: toHost(page), 'sec-fetch-site': 'same-origin' };
    expect(await call(from)).toEqual({ ...NOTHING, ...who(visitor, page) });
    await join(app.quire, app.owner, page, visitor, 'viewer');
    expect(await call({ ...from, ...FORGED })).toEqual({ ...NOTHING, ...who(visitor, page, 'viewer') });
    const owner = await enterPage(app.quire, page, await app.owner.login());
    expect(await call({ ...from, cookie: owner })).toEqual({ ...NOTHING, ...who(app.owner, page, 'owner') });
  });

  test('a guest is a visitor of the page only if the browser says so', async () => {
    const origin = toHost(page);
    expect(await call({ origin })).toEqual({ ...NOTHING, 'x-quire-page-id': String(page.id) });
    expect(await call({})).toEqual(NOTHING);
    expect(await call({ origin: 'null' })).toEqual(NOTHING);
    expect(await call({ origin: app.quire.baseUrl })).toEqual(NOTHING);
  });

  test('another page cannot call in the name of its visitors', async () => {
    const other = await app.stranger.publish({ name: 'Evil' });
    const cookie = await enterPage(app.quire, page, login);
    for (const seen of [
      { origin: toHost(other) },
      { origin: 'null' },
      { 'sec-fetch-site': 'same-site' },
      { 'sec-fetch-site': 'cross-site' },
    ])
      expect(await call({ cookie, ...(seen as Sent) })).toEqual(NOTHING);
    // Nor with the cookie of a page on the host of another.
    expect(await call({ cookie, origin: toHost(other) }, other)).toEqual(NOTHING);
  });

  test("a function learns nothing about visitors of somebody else's page", async () => {
    const foreign = await app.deploy(ECHO, {}, app.stranger);
    const cookie = await enterPage(app.quire, page, login);
    expect(await call({ cookie, origin: toHost(page) }, page, foreign)).toEqual(NOTHING);
    const copied = await app.quire.user('copycat');
    const own = await copied.publish({ name: 'Copy' });
    const there = await enterPage(app.quire, own, login);
    expect(await call({ cookie: there, origin: toHost(own) }, own)).toEqual(NOTHING);
  });

  test('a visitor who has logged out, or whose session has ended, is a guest', async () => {
    const other = await app.quire.user('leaving');
    const session = await other.login();
    const cookie = await enterPage(app.quire, page, session);
    const from = { cookie, origin: toHost(page) };
    expect(await call(from)).toMatchObject({ 'x-quire-user-id': String(other.id) });
    await app.quire.call('POST', '/api/auth/logout', { cookie: session });
    expect(await call(from)).toEqual({ ...NOTHING, 'x-quire-page-id': String(page.id) });
    const [name, token = ''] = cookie.split('=');
    const forged = `${name}=${token.slice(0, -2)}AA`;
    expect(await call({ ...from, cookie: forged })).not.toHaveProperty('x-quire-user-id');
  });

  test('a visitor who cannot see the page any more is nobody', async () => {
    const secret = await app.owner.publish({ access: { mode: 'people', people: ['visitor'] } });
    const cookie = await enterPage(app.quire, secret, login);
    const from = { cookie, origin: toHost(secret) };
    expect(await call(from, secret)).toEqual({ ...NOTHING, ...who(visitor, secret) });
    expect(await call({ origin: toHost(secret) }, secret)).toEqual(NOTHING);
    await app.owner.call('PATCH', `/api/pages/${secret.id}`, { body: { access: { mode: 'private' } } });
    expect(await call(from, secret)).toEqual(NOTHING);
  });
});

test('headers from outside never reach a function, on any route', async () => {
  const own = `http://f${id}.functions.localhost:3000/a`;
  expect(await learned(`/api/functions/${slug}`, FORGED)).toEqual(NOTHING);
  expect(await learned(own, FORGED)).toEqual({ path: '/a' });
  const session = { 'x-page-session': 'forged', cookie: 'quire_page=forged', ...FORGED };
  expect(await learned(`/api/functions/${slug}?quire_ticket=forged.x`, session)).toEqual(NOTHING);
  expect(await learned(`${own}?quire_ticket=e30.x`, session, 'PUT')).toEqual({ path: '/a' });
  const tested = await app.owner.call('POST', `/api/functions/${slug}/test`, { headers: FORGED });
  expect(tested.body.body).not.toContain('x-quire-');
});

test('a function cannot say who calls another function', async () => {
  const { quire } = app;
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: (request) => quire.app.fetch(request, () => '127.0.0.1'),
  });
  const target = `http://127.0.0.1:${server.port}/api/functions/${slug}?quire_ticket=x`;
  const calling = await app.deploy(
    handler(`return fetch('${target}', { method: 'POST', headers: ${JSON.stringify(FORGED)} })`),
  );
  const cookie = await enterPage(quire, page, login);
  const from = { cookie, origin: toHost(page) };
  expect(await learned(`${toHost(page)}/api/functions/${calling}`, from)).toEqual(NOTHING);
  await server.stop(true);
});

describe('in sandbox isolation', () => {
  test('a function learns who the visitor is from the page session, and nothing about guests', async () => {
    const sandbox = await functionApp({
      QUIRE_ISOLATION: 'sandbox',
      QUIRE_BASE_URL: 'http://127.0.0.1:3000',
    });
    const { quire, owner } = sandbox;
    const own = await owner.publish({ access: { mode: 'password', password: 'open sesame' } });
    const called = await sandbox.deploy(ECHO);
    const reader = await quire.user('reader');
    const session = await reader.login();
    const pass = await quire.call('POST', `/api/pages/${own.id}/pass`, { body: { password: 'open sesame' } });
    const cookie = `${session}; quire_pass_${own.id}=${pass.body.pass}`;
    const headers = { 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document', cookie };
    const shown = await quire.request(`/p/${own.slug}`, { headers });
    const token = /data-page-session="([^"]+)"/.exec(await shown.text())?.[1] ?? '';
    try {
      const call = (sent: Sent) =>
        learned(`/api/functions/${called}`, { origin: 'null', ...sent }, 'POST', quire);
      const both = { 'x-page-session': token, 'x-page-pass': pass.body.pass };
      expect(await call(both)).toEqual({ ...NOTHING, ...who(reader, own) });
      expect(await call({ 'x-page-session': token })).toEqual(NOTHING);
      expect(await call({ 'x-page-pass': pass.body.pass })).toEqual(NOTHING);
      const preflight = await quire.request(`/api/functions/${called}`, {
        method: 'OPTIONS',
        headers: { origin: 'null', 'access-control-request-method': 'POST' },
      });
      expect(preflight.headers.get('access-control-allow-headers')).toContain('X-Page-Session');
      await quire.call('POST', '/api/auth/logout', { cookie: session });
      expect(await call(both)).toEqual(NOTHING);
    } finally {
      await quire.stop();
    }
  });

  test('a page session of one page says nothing to functions of another owner', async () => {
    const token = (await enterPage(app.quire, page, login)).split('=')[1] ?? '';
    const foreign = await app.deploy(ECHO, {}, app.stranger);
    expect(await learned(`/api/functions/${foreign}`, { 'x-page-session': token })).toEqual(NOTHING);
    expect(await openSandboxed(app.quire, page, login)).toBe('');
  });
});

test('on a domain of the page, a function learns the same', async () => {
  const own = await app.owner.publish({ name: 'Vote' });
  await connectDomain(dns, app.owner, own, DOMAIN);
  const cookie = await enterPage(app.quire, own, login);
  const at = (host: string) => `http://${host}:3000/api/functions/${slug}`;
  const origin = `http://${DOMAIN}:3000`;
  expect(await learned(at(DOMAIN), { cookie, origin })).toEqual({ ...NOTHING, ...who(visitor, own) });
  expect(await learned(at(DOMAIN), { origin })).toEqual({ ...NOTHING, 'x-quire-page-id': String(own.id) });
  expect(await learned(at(DOMAIN), { cookie, origin: toHost(page) })).toEqual(NOTHING);
});

describe('a call ticket', () => {
  const ask = async (headers: Sent, named = slug, on = page) =>
    app.quire.call('POST', `${toHost(on)}/api/pages/${on.id}/call-ticket`, {
      headers,
      body: { function: named },
    });
  const visiting = async () => ({ cookie: await enterPage(app.quire, page, login), origin: toHost(page) });
  const own = () => `http://f${id}.functions.localhost:3000`;

  test('names the role of a preview, also at the own address', async () => {
    const cookie = await app.owner.login();
    const { accessToken: token } = (await app.quire.call('POST', '/api/auth/session-token', { cookie })).body;
    const wish = { token, body: { as: 'member' } };
    const preview = (await app.quire.call('POST', `/api/pages/${page.id}/preview-session`, wish)).body;
    const headers = { 'x-page-session': preview.pageSession, origin: 'null' };
    const expected = { ...NOTHING, ...who(app.owner, page, 'member') };
    expect(await learned(`/api/functions/${slug}`, headers)).toEqual(expected);
    const { body } = await app.quire.call('POST', `/api/pages/${page.id}/call-ticket`, {
      headers,
      body: { function: slug },
    });
    expect(await learned(`${own()}/?quire_ticket=${body.ticket}`)).toEqual(expected);
  });

  test('tells the function at its own address who the visitor is, and is taken off', async () => {
    const { body } = await ask(await visiting());
    expect(body).toEqual({ url: `${own()}/`, ticket: expect.any(String), expiresIn: 60 });
    const expected = who(visitor, page, 'viewer');
    const at = (path: string) => learned(own() + path.replace('T', `quire_ticket=${body.ticket}`), {}, 'PUT');
    expect(await at('/a?T')).toEqual({ path: '/a', ...expected });
    expect(await at('/a?x=1&T&y=2')).toEqual({ path: '/a?x=1&y=2', ...expected });
    expect(await at('/a?T&y=%26')).toEqual({ path: '/a?y=%26', ...expected });
    expect(await at('/a?x=1&T')).toEqual({ path: '/a?x=1', ...expected });
    // Two of them are none, and none of them is passed on.
    expect(await at('/a?T&quire_ticket=x')).toEqual({ path: '/a' });
    // It also works through the API.
    const api = await learned(`/api/functions/${slug}?quire_ticket=${body.ticket}`);
    expect(api).toEqual({ ...NOTHING, ...expected });
  });

  test('is for one function, one minute, and while the login lasts', async () => {
    const other = await app.quire.user('passing');
    const session = await other.login();
    const cookie = await enterPage(app.quire, page, session);
    const { body } = await ask({ cookie, origin: toHost(page) });
    const second = await app.deploy(ECHO);
    const use = (called: string, ticket = body.ticket) =>
      learned(`/api/functions/${called}?quire_ticket=${ticket}`);
    expect(await use(slug)).toMatchObject({ 'x-quire-user-id': String(other.id) });
    expect(await use(second)).toEqual(NOTHING);
    // A page session is not a ticket, nor the other way round.
    expect(await use(slug, cookie.split('=')[1])).toEqual(NOTHING);
    expect(await learned(`/api/functions/${slug}`, { 'x-page-session': body.ticket })).toEqual(NOTHING);
    const late = await ask({ cookie, origin: toHost(page) });
    await app.quire.call('POST', '/api/auth/logout', { cookie: session });
    expect(await use(slug, late.body.ticket)).toEqual(NOTHING);
    const expiring = await ask(await visiting());
    app.quire.advance(61_000);
    expect(await use(slug, expiring.body.ticket)).toEqual(NOTHING);
  });

  test('of a guest says only the page, where the browser names it', async () => {
    const { body } = await ask({ origin: toHost(page) });
    const use = () => learned(`${own()}/?quire_ticket=${body.ticket}`);
    expect(await use()).toEqual({ ...NOTHING, 'x-quire-page-id': String(page.id) });
    expect((await ask({})).body.ticket).toBeNull();
    const atBase = await app.quire.call('POST', `/api/pages/${page.id}/call-ticket`, {
      headers: { origin: 'null' },
      body: { function: slug },
    });
    expect(atBase.body.ticket).toBeNull();
  });

  test('does not show the pass of a page, which is valid for much longer', async () => {
    const closed = await app.owner.publish({ access: { mode: 'password', password: 'open sesame' } });
    const given = await app.quire.call('POST', `/api/pages/${closed.id}/pass`, {
      body: { password: 'open sesame' },
    });
    const cookie = `quire_pass_${closed.id}=${given.body.pass}`;
    const { body } = await ask({ cookie, origin: toHost(closed) }, slug, closed);
    const shown = Buffer.from(body.ticket.split('.')[1], 'base64url').toString();
    expect(shown).toContain('"pass"');
    expect(shown).not.toContain(given.body.pass.split('.')[2]);
    const expected = { ...NOTHING, 'x-quire-page-id': String(closed.id) };
    const use = () => learned(`/api/functions/${slug}?quire_ticket=${body.ticket}`);
    expect(await use()).toEqual(expected);
    // And it ends with the pass.
    const access = { mode: 'password', password: 'another' };
    await app.owner.call('PATCH', `/api/pages/${closed.id}`, { body: { access } });
    expect(await use()).toEqual(NOTHING);
  });

  test('is null for a function of another owner, and private functions do not exist', async () => {
    const foreign = await app.deploy(ECHO, {}, app.stranger);
    expect((await ask(await visiting(), foreign)).body.ticket).toBeNull();
    const hidden = await app.deploy(ECHO, { isPublic: false });
    expect((await ask(await visiting(), hidden)).status).toBe(404);
    expect((await ask(await visiting(), 'no-such')).status).toBe(404);
  });

  test('is not given to who cannot see the page', async () => {
    const closed = await app.owner.publish({ access: { mode: 'private' } });
    expect((await ask({ origin: toHost(closed) }, slug, closed)).status).toBe(403);
  });

  test('is given to the login of the service itself, as pages in trusted isolation need it', async () => {
    const { body } = await app.quire.call('POST', `/api/pages/${page.id}/call-ticket`, {
      headers: { cookie: login, origin: app.quire.baseUrl },
      body: { function: slug },
    });
    const expected = { 'x-quire-user-id': String(visitor.id), 'x-quire-page-id': String(page.id) };
    expect(await learned(`/api/functions/${slug}?quire_ticket=${body.ticket}`)).toMatchObject(expected);
  });
});

test.each(['Ада Лавлейс', '愛達', 'a\r\nb: c', '👩‍💻 x', 'Zoë %', '\ud800'])(
  'the name %p is a safe header value',
  (username) => {
    const headers = callerHeaders(1, { userId: 2, username }, undefined);
    const value = new Headers(headers).get('x-quire-user-name') ?? '';
    expect(value).toMatch(/^[\x21-\x7e]+$/);
    expect(decodeURIComponent(value)).toBe(username.toWellFormed());
  },
);
