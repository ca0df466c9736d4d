import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { type PublishedPage, type TestApp, type TestUser, testApp } from '../../../support/app.ts';
import { runSql } from '../../../support/engines/storage.ts';

const NAVIGATE = { 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document', accept: 'text/html' };
const PASSWORD_ACCESS = { mode: 'password', password: 'open sesame' };
const HOUR = 3600 * 1000;

let quire: TestApp;
let owner: TestUser;
let friend: TestUser;
beforeAll(async () => {
  quire = await testApp();
  owner = await quire.user('owner');
  friend = await quire.user('friend');
});
afterAll(() => quire.stop());

let peers = 0;
const newPeer = () => `10.2.${peers >> 8}.${peers++ & 255}`;

const publish = (access: object, more: object = {}) =>
  owner.publish({ storage_mode: 'social_app', access, ...more });
const set = (page: PublishedPage, access: object) =>
  owner.call('PATCH', `/api/pages/${page.id}`, { body: { access } });
const give = (page: { id: number }, password: string, peer = newPeer()) =>
  quire.call('POST', `/api/pages/${page.id}/pass`, { body: { password }, peer });
const withPass = async (page: { id: number }) => {
  const { body } = await give(page, 'open sesame');
  return { 'x-page-pass': body.pass as string };
};
const fetchStatus = async (page: PublishedPage, headers: Record<string, string> = {}) =>
  (await quire.request(`/p/${page.slug}`, { headers })).status;
const bearer = (user: TestUser) => ({ authorization: `Bearer ${user.token}` });

describe('a page with a password', () => {
  test('lets in who has a pass, everywhere', async () => {
    const page = await publish(PASSWORD_ACCESS);
    const headers = await withPass(page);
    const paths = [
      `/p/${page.slug}`,
      `/p/${page.slug}/llms.txt`,
      `/api/pages/${page.id}/visitor`,
      `/api/pages/${page.id}/agent-spec`,
      `/api/pages/${page.id}/social-data`,
      `/api/pages/${page.id}/social-data/notes`,
    ];
    for (const path of paths) expect((await quire.request(path, { headers })).status, path).toBe(200);
    const write = await quire.call('POST', `/api/pages/${page.id}/social-data/notes`, {
      headers: { ...headers, ...bearer(friend) },
      body: { data: { text: 'hello' } },
    });
    expect(write.status).toBe(201);
    const sent = await quire.call('POST', `/api/pages/${page.id}/forms/contact`, {
      headers,
      body: { text: 'hello' },
    });
    expect(sent.status).toBe(201);
    const mcp = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} };
    const accept = { accept: 'application/json, text/event-stream' };
    const agent = (more: object) =>
      quire.call('POST', `/p/${page.slug}/mcp`, { headers: { ...accept, ...more }, body: mcp });
    expect((await agent(headers)).status).toBe(200);
    expect((await agent({})).status).toBe(403);
  });

  test('gives no pass for another password, page or mode', async () => {
    const page = await publish(PASSWORD_ACCESS);
    const other = await publish(PASSWORD_ACCESS);
    const wrong = await give(page, 'Open sesame');
    expect(wrong).toMatchObject({ status: 403, body: { code: 'FORBIDDEN' } });
    expect(await fetchStatus(page, await withPass(other))).toBe(403);
    expect(await fetchStatus(page, { 'x-page-pass': 'made.up' })).toBe(403);
    const open = await owner.publish();
    expect(await give(open, 'x')).toMatchObject({ status: 409 });
    const hidden = await publish({ mode: 'private' });
    expect(await give(hidden, 'x')).toMatchObject({ status: 403 });
    const draft = await publish(PASSWORD_ACCESS, { is_published: false });
    expect(await give(draft, 'open sesame')).toMatchObject({ status: 404 });
  });

  test.each<[string, object]>([
    ['the password changes', { mode: 'password', password: 'another' }],
    ['the same password is set again', { mode: 'password', password: 'open sesame' }],
    ['the mode changes', { mode: 'private' }],
    ['access expires', { mode: 'password', expires_at: '2020-01-01T00:00:00Z' }],
  ])('ends passes when %s', async (_, access) => {
    const page = await publish(PASSWORD_ACCESS);
    const pass = await withPass(page);
    expect(await fetchStatus(page, pass)).toBe(200);
    await set(page, access);
    expect(await fetchStatus(page, pass)).toBe(403);
    expect((await quire.call('GET', `/api/pages/${page.id}/social-data`, { headers: pass })).status).toBe(
      403,
    );
  });

  test('keeps passes when something else changes', async () => {
    const page = await publish(PASSWORD_ACCESS);
    const pass = await withPass(page);
    await owner.call('PATCH', `/api/pages/${page.id}`, { body: { name: 'New name' } });
    await set(page, { mode: 'password', expires_at: '2090-01-01T00:00:00Z' });
    expect(await fetchStatus(page, pass)).toBe(200);
  });

  test('never returns the password, and stores only its hash', async () => {
    const page = await publish({ mode: 'password', password: 'find me if you can' });
    const { body } = await owner.call('GET', `/api/pages/${page.id}`);
    expect(body.page.access).toEqual({ mode: 'password' });
    const list = await owner.call('GET', '/api/pages?limit=100');
    expect(JSON.stringify([body, list.body, quire.logs])).not.toContain('find me');
  });
});

describe('guessing passwords', () => {
  test('is limited by address and page, and keeps nobody else out', async () => {
    const page = await publish(PASSWORD_ACCESS);
    const other = await publish(PASSWORD_ACCESS);
    const attacker = newPeer();
    for (let tries = 1; tries <= 10; tries++) expect((await give(page, 'wrong', attacker)).status).toBe(403);
    expect(await give(page, 'open sesame', attacker)).toMatchObject({ status: 429 });
    expect((await give(page, 'open sesame')).status).toBe(200);
    expect((await give(other, 'open sesame', attacker)).status).toBe(200);
  });

  test('is limited by address for all pages together', async () => {
    const pages = await Promise.all(Array.from({ length: 11 }, () => publish(PASSWORD_ACCESS)));
    const last = pages.pop() as PublishedPage;
    const attacker = newPeer();
    const guesses = pages.map(async (page) => {
      for (let tries = 1; tries <= 10; tries++) expect((await give(page, 'x', attacker)).status).toBe(403);
    });
    await Promise.all(guesses);
    expect(await give(last, 'open sesame', attacker)).toMatchObject({ status: 429 });
    expect((await give(last, 'open sesame')).status).toBe(200);
  });

  test('counts wrong passwords only', async () => {
    const page = await publish(PASSWORD_ACCESS);
    const peer = newPeer();
    for (let tries = 1; tries <= 12; tries++)
      expect((await give(page, 'open sesame', peer)).status).toBe(200);
  });
});

describe('the form of the password screen', () => {
  const send = (url: string, fields: Record<string, string>, headers: Record<string, string> = {}) =>
    quire.request(url, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded', ...NAVIGATE, ...headers },
      body: new URLSearchParams(fields).toString(),
      peer: newPeer(),
    });

  test('sets a cookie for that host, and leads back', async () => {
    const page = await publish(PASSWORD_ACCESS);
    const host = `http://p${page.id}.pages.localhost:3000`;
    const shown = await quire.request(`${host}/?a=1`, { headers: NAVIGATE });
    expect(shown.status).toBe(403);
    expect(await shown.text()).toContain(`action="/api/pages/${page.id}/pass"`);
    const fields = { password: 'open sesame', next: '/?a=1' };
    const origin = { origin: host, 'sec-fetch-site': 'same-origin' };
    const sent = await send(`${host}/api/pages/${page.id}/pass`, fields, origin);
    expect([sent.status, sent.headers.get('location')]).toEqual([303, '/?a=1']);
    const [cookie = ''] = (sent.headers.get('set-cookie') ?? '').split(';');
    expect(sent.headers.get('set-cookie')).toMatch(/HttpOnly.*SameSite=Lax/);
    const open = await quire.request(`${host}/?a=1`, { headers: { ...NAVIGATE, cookie } });
    expect(open.status).toBe(200);
    const script = { cookie, 'sec-fetch-site': 'same-origin' };
    const visitor = (headers: Record<string, string>) =>
      quire.request(`${host}/api/pages/${page.id}/visitor`, { headers });
    expect((await visitor(script)).status).toBe(200);
    // To browsers, the host of another page is the same site: they send the cookie from there too.
    expect((await visitor({ cookie, 'sec-fetch-site': 'same-site' })).status).toBe(403);
    // A navigation that does not say where it goes may be one in a frame.
    const unsure = { cookie, 'sec-fetch-mode': 'navigate', 'sec-fetch-site': 'same-site' };
    expect((await quire.request(`${host}/`, { headers: unsure })).status).toBe(403);
  });

  test('asks again after a wrong password, and sets no cookie', async () => {
    const page = await publish(PASSWORD_ACCESS);
    const sent = await send(`/api/pages/${page.id}/pass`, { password: '<b>', next: '/p/x' });
    expect([sent.status, sent.headers.get('set-cookie')]).toEqual([403, null]);
    const text = await sent.text();
    expect(text).toContain('This password is wrong.');
    expect(text).not.toContain('<b>');
    expect(text).toContain('value="/p/x"');
  });

  test.each([
    'https://evil.example/',
    '//evil.example/',
    '/\\evil.example',
    '/.//evil.example',
    'javascript:1',
  ])('never leads to another place (%s)', async (next) => {
    const page = await publish(PASSWORD_ACCESS);
    const sent = await send(`/api/pages/${page.id}/pass`, { password: 'open sesame', next });
    expect([sent.status, sent.headers.get('location')]).toEqual([303, `/p/~${page.id}`]);
  });

  test.each<[string, Record<string, string>]>([
    ['another site', { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }],
    ['a page in a sandbox', { origin: 'null', 'sec-fetch-site': 'cross-site' }],
    ['the host of another page', { origin: 'http://p1.pages.localhost:3000', 'sec-fetch-site': 'same-site' }],
  ])('is not accepted from %s', async (_, headers) => {
    const page = await publish(PASSWORD_ACCESS);
    const sent = await send(`/api/pages/${page.id}/pass`, { password: 'open sesame' }, headers);
    expect([sent.status, sent.headers.get('set-cookie')]).toEqual([403, null]);
  });
});

describe('a page for people', () => {
  test('lets in who is named, in any case, while they are', async () => {
    const page = await publish({ mode: 'people', people: [' Friend ', 'friend', 'Somebody@Example.com'] });
    const { body } = await owner.call('GET', `/api/pages/${page.id}`);
    expect(body.page.access).toEqual({ mode: 'people', people: ['friend', 'somebody@example.com'] });
    expect(await fetchStatus(page, bearer(friend))).toBe(200);
    expect(await fetchStatus(page)).toBe(403);
    expect(await fetchStatus(page, bearer(await quire.user()))).toBe(403);
    await set(page, { mode: 'people', people: ['somebody'] });
    expect(await fetchStatus(page, bearer(friend))).toBe(403);
  });

  test('does not let in who only says that an address is theirs', async () => {
    const claimant = await quire.user('claimant');
    const page = await publish({ mode: 'people', people: ['claimant@example.com'] });
    expect(await fetchStatus(page, bearer(claimant))).toBe(403);
    await runSql(quire, `update users set email_confirmed_at = 1 where username = 'claimant'`);
    expect(await fetchStatus(page, bearer(claimant))).toBe(200);
  });

  test('asks for a login, and says who is logged in', async () => {
    const page = await publish({ mode: 'people', people: ['somebody'] });
    const asked = await quire.request(`/p/${page.slug}`, { headers: NAVIGATE });
    expect(asked.status).toBe(403);
    expect(await asked.text()).toContain('Log in to see this page');
    const cookie = await friend.login();
    const refused = await quire.request(`/p/${page.slug}`, { headers: { ...NAVIGATE, cookie } });
    expect(refused.status).toBe(403);
    expect(await refused.text()).toContain('You are logged in as <strong>friend</strong>');
  });

  test('leads back from the login to the address that was asked for', async () => {
    const page = await publish({ mode: 'people', people: ['friend'] });
    const file = { method: 'PUT', body: 'About us', headers: bearer(owner) };
    expect((await quire.request(`/api/pages/${page.id}/files/about.html`, file)).status).toBe(200);
    const host = `http://p${page.id}.pages.localhost:3000`;
    const linkAt = async (path: string) => {
      const asked = await quire.request(host + path, { headers: NAVIGATE });
      return decodeURIComponent(/login\?next=([^"]+)/.exec(await asked.text())?.[1] ?? '');
    };
    expect(await linkAt('/')).toBe(`/p/~${page.id}`);
    const next = await linkAt('/about?a=1');
    expect(next).toBe(`/p/~${page.id}/about?a=1`);
    const back = await quire.request(next, { headers: bearer(friend) });
    expect([back.status, back.headers.get('location')]).toEqual([301, `/p/${page.slug}/about?a=1`]);
  });

  test('asks an agent without a token to log in, as MCP clients expect', async () => {
    const page = await publish({ mode: 'people', people: ['friend'] });
    const body = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} };
    const accept = { accept: 'application/json, text/event-stream' };
    const { status, headers } = await quire.call('POST', `/p/${page.slug}/mcp`, { headers: accept, body });
    expect([status, headers.get('www-authenticate') !== null]).toEqual([401, true]);
  });
});

describe('a page for its team', () => {
  test('lets in every member, and names itself to who is invited', async () => {
    const page = await owner.publish({ name: 'Quokkas', storage_mode: 'team_app', access: { mode: 'team' } });
    expect(await fetchStatus(page, bearer(friend))).toBe(403);
    const { body } = await owner.call('POST', `/api/pages/${page.id}/team/invite`, { body: {} });
    const invite = () => quire.call('GET', `/api/join/${body.inviteCode}`);
    expect((await invite()).body.page.name).toBe('Quokkas');
    await set(page, { mode: 'private' });
    expect((await invite()).body.page).toEqual({
      id: page.id,
      name: 'A page with limited access',
      slug: `~${page.id}`,
    });
    await set(page, { mode: 'team' });
    await friend.call('POST', `/api/join/${body.inviteCode}`, { body: {} });
    expect(await fetchStatus(page, bearer(friend))).toBe(200);
    await set(page, { mode: 'private' });
    const { body: listed } = await friend.call('GET', '/api/teams');
    expect(JSON.stringify(listed)).not.toContain('uokka');
    expect((await friend.call('GET', `/api/pages/${page.id}/team`)).status).toBe(403);
    expect((await friend.call('DELETE', `/api/pages/${page.id}/team/me`)).status).toBe(204);
  });

  test('needs the storage mode with a team', async () => {
    const page = await publish({ mode: 'public' });
    expect(await set(page, { mode: 'team' })).toMatchObject({
      status: 400,
      body: { details: [{ path: 'access.mode' }] },
    });
    const team = await owner.publish({ storage_mode: 'team_app', access: { mode: 'team' } });
    const change = (fields: object) => owner.call('PATCH', `/api/pages/${team.id}`, { body: fields });
    expect((await change({ storage_mode: 'page' })).status).toBe(400);
    expect((await change({ storage_mode: 'page', access: { mode: 'private' } })).status).toBe(200);
  });
});

describe('events', () => {
  /** Returns when the stream has begun. */
  async function follow(page: PublishedPage, headers: Record<string, string>): Promise<Response> {
    const url = `/api/pages/${page.id}/events?collections=notes`;
    const response = await quire.request(url, { headers });
    expect(response.status).toBe(200);
    return response;
  }

  test.each<[string, object]>([
    ['the password changes', { mode: 'password', password: 'another' }],
    ['the page is closed', { mode: 'private' }],
    ['access expires', { mode: 'password', expires_at: '2020-01-01T00:00:00Z' }],
  ])('end when %s', async (_, access) => {
    const page = await publish(PASSWORD_ACCESS);
    const stream = await follow(page, await withPass(page));
    await set(page, access);
    expect(await stream.text()).toContain('event: open');
  });

  test('end at the moment when access expires', async () => {
    const page = await publish({ mode: 'public' });
    const stream = await follow(page, {});
    await set(page, { mode: 'public', expires_at: new Date(Date.now() + 500).toISOString() });
    expect(await stream.text()).toContain('event: open');
    expect(await fetchStatus(page)).toBe(403);
  });
});

describe('settings', () => {
  const people = (count: number) => Array.from({ length: count }, (_, at) => `person-${at}`);
  test.each<[string, object, string | undefined]>([
    ['a password of one character', { mode: 'password', password: 'x' }, undefined],
    ['a password of 200 characters', { mode: 'password', password: '😀'.repeat(200) }, undefined],
    ['a password of 201 characters', { mode: 'password', password: 'x'.repeat(201) }, 'access.password'],
    ['an empty password', { mode: 'password', password: '' }, 'access.password'],
    ['no password', { mode: 'password' }, 'access.password'],
    ['a password in another mode', { mode: 'private', password: 'x' }, 'access.password'],
    ['200 people', { mode: 'people', people: people(200) }, undefined],
    ['201 people', { mode: 'people', people: people(201) }, 'access.people'],
    ['no people', { mode: 'people' }, 'access.people'],
    ['an empty list', { mode: 'people', people: [] }, 'access.people'],
    ['somebody with a space', { mode: 'people', people: ['a b'] }, 'access.people.0'],
    ['half an address', { mode: 'people', people: ['a@'] }, 'access.people.0'],
    ['an unknown mode', { mode: 'secret' }, 'access.mode'],
    ['an unknown field', { mode: 'private', until: 1 }, 'access'],
    ['a day', { mode: 'private', expires_at: '2030-01-01' }, 'access.expires_at'],
    ['a time without a zone', { mode: 'private', expires_at: '2030-01-01T00:00:00' }, 'access.expires_at'],
    ['a time with a zone', { mode: 'private', expires_at: '2030-01-01T00:00:00+02:00' }, undefined],
    ['no end', { mode: 'private', expires_at: null }, undefined],
  ])('with %s', async (_, access, fault) => {
    const create = () => owner.call('POST', '/api/pages', { body: { name: 'x', html_content: 'x', access } });
    const page = await owner.publish();
    const [created, changed] = [await create(), await set(page, access)];
    expect([created.status, changed.status]).toEqual(fault ? [400, 400] : [201, 200]);
    if (fault) expect(changed.body.details[0].path).toStartWith(fault);
    const { body } = await owner.call('GET', `/api/pages/${page.id}`);
    if (fault) expect(body.page.access).toEqual({ mode: 'public' });
  });

  test('are in the responses to who sets them, without the password', async () => {
    const access = { mode: 'people', people: ['Friend', 'a@example.com'] };
    const page = await publish(access);
    const known = { mode: 'people', people: ['a@example.com', 'friend'] };
    const created = await owner.call('POST', '/api/pages', {
      body: { name: 'x', html_content: 'x', access },
    });
    expect(created.body.page.access).toEqual(known);
    const expires_at = '2090-01-01T00:00:00.000Z';
    const later = await set(page, { mode: 'people', expires_at });
    expect(later.body.access).toEqual({ ...known, expires_at });
    expect((await set(page, PASSWORD_ACCESS)).body.access).toEqual({ mode: 'password', expires_at });
    const renamed = await owner.call('PATCH', `/api/pages/${page.id}`, { body: { name: 'y' } });
    expect(renamed.body).not.toHaveProperty('access');
  });

  test('keep what is left out while the mode stays, and forget it with the mode', async () => {
    const page = await publish(PASSWORD_ACCESS);
    await set(page, { mode: 'password', expires_at: '2090-01-01T00:00:00Z' });
    expect((await give(page, 'open sesame')).status).toBe(200);
    await set(page, { mode: 'private' });
    expect((await set(page, { mode: 'password' })).status).toBe(400);
    const { body } = await owner.call('GET', `/api/pages/${page.id}`);
    expect(body.page.access).toEqual({ mode: 'private', expires_at: '2090-01-01T00:00:00.000Z' });
  });

  test('are only for people who can change the page', async () => {
    const page = await publish({ mode: 'people', people: ['friend'] });
    const path = `/api/pages/${page.id}`;
    expect((await friend.call('PATCH', path, { body: { access: { mode: 'public' } } })).status).toBe(403);
    expect((await friend.call('GET', path)).status).toBe(403);
  });

  test('of a fork of a closed page are private, and the fork is for who can see the page', async () => {
    const page = await publish({ mode: 'people', people: ['friend'] });
    expect((await (await quire.user()).call('POST', `/api/pages/${page.id}/fork`)).status).toBe(403);
    const { body } = await friend.call('POST', `/api/pages/${page.id}/fork`);
    const fork = await friend.call('GET', `/api/pages/${body.page.id}`);
    expect(fork.body.page.access).toEqual({ mode: 'private' });
  });
});

test('a pass lasts seven days', async () => {
  const page = await publish(PASSWORD_ACCESS);
  const pass = await withPass(page);
  quire.advance(7 * 24 * HOUR - 60_000);
  expect(await fetchStatus(page, pass)).toBe(200);
  quire.advance(61_000);
  expect(await fetchStatus(page, pass)).toBe(403);
});
