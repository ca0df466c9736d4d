import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { Branch } from '../../../contract/pages/branches/branches.ts';
import type { PublishedPage, TestUser } from '../../support/app.ts';
import { type BranchApp, branchApp, handler } from '../../support/branches/branches.ts';
import { join, readEvents } from '../../support/data/data.ts';
import { type DnsServer, startDns } from '../../support/pages/dns.ts';
import { connectDomain } from '../../support/pages/domains.ts';
import { enterPage } from '../../support/pages/sessions.ts';

/** What a page and its branch never get from each other: one test for each way. */

let dns: DnsServer;
let app: BranchApp;
let owner: TestUser;
beforeAll(async () => {
  dns = await startDns();
  app = await branchApp({ QUIRE_DNS_SERVERS: dns.address, QUIRE_CHROMIUM: 'off' });
  ({ owner } = app);
});
afterAll(async () => {
  await app.quire.stop();
  await dns.stop();
});

const NAVIGATE = { 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' };
const toHost = (id: number) => `http://p${id}.pages.localhost:3000`;
const bearer = ({ token }: TestUser) => ({ authorization: `Bearer ${token}` });

async function ask(method: string, path: string, body?: object) {
  const answer = await owner.call(method, path, body && { body });
  expect([path, answer.status < 300, answer.body?.error]).toEqual([path, true, undefined]);
  return answer.body;
}
const add = (id: number, text: string) =>
  ask('POST', `/api/pages/${id}/social-data/notes`, { data: { text } });
const setAccess = (id: number, access: object) => ask('PATCH', `/api/pages/${id}`, { access });
async function get(url: string, headers: Record<string, string> = {}) {
  const response = await app.quire.request(url, { headers });
  const text = await response.text();
  return {
    status: response.status,
    tag: response.headers.get('etag') ?? '',
    text,
    headers: response.headers,
  };
}

test('the cached document and files of a page are not those of its branch, nor the other way', async () => {
  const page = await owner.publish({ name: 'Cached', html_content: '<title>t</title><p>main' });
  const upload = (id: number, text: string) =>
    app.quire.request(`/api/pages/${id}/files/style.css`, {
      ...{ method: 'PUT', headers: bearer(owner), body: text },
    });
  expect((await upload(page.id, 'p { color: teal }')).status).toBe(200);
  const branch = await app.branch(page.id, 'cached');
  const id = branch.page.id;
  await setAccess(id, { mode: 'public' });
  const places = (path: string) => [`${toHost(page.id)}/${path}`, `${toHost(id)}/${path}`] as const;
  for (const path of ['', 'style.css']) {
    const [onPage, onBranch] = places(path);
    // Both are in memory, with the same content.
    const before = await get(onPage);
    expect([before.status, (await get(onBranch)).status]).toEqual([200, 200]);
    if (path === '') await ask('PATCH', `/api/pages/${id}`, { html_content: '<title>t</title><p>tried' });
    else expect((await upload(id, 'p { color: tan }')).status).toBe(200);
    const changed = await get(onBranch, { 'if-none-match': before.tag });
    expect([changed.status, changed.text.includes('main'), changed.text.includes('teal')]).toEqual([
      ...[200, false, false],
    ]);
    expect((await get(onPage)).text).toBe(before.text);
    expect((await get(onPage, { 'if-none-match': before.tag })).status).toBe(304);
    expect((await get(onPage, { 'if-none-match': changed.tag })).status).toBe(200);
  }
  // What is in memory is not for those who can no longer see the branch.
  const known = new Map<string, string>();
  for (const path of ['', 'style.css']) known.set(path, (await get(places(path)[1])).tag);
  await setAccess(id, { mode: 'team' });
  for (const [path, tag] of known) {
    const refused = await get(places(path)[1], { ...NAVIGATE, 'if-none-match': tag });
    expect([path, [200, 304].includes(refused.status), /tried|tan/.test(refused.text)]).toEqual([
      ...[path, false, false],
    ]);
    expect((await get(places(path)[0])).status).toBe(200);
  }
});

test('what a function puts into caches stays with it, on the page and on the branch', async () => {
  const slug = await app.deploy(
    handler(`const { put } = await request.json();
      const all = [caches.default, await caches.open('own')];
      const fresh = () => new Response(put, { headers: { 'cache-control': 'max-age=3600' } });
      if (put) for (const cache of all) await cache.put('https://example.com/a', fresh());
      const found = await Promise.all(all.map((cache) => cache.match('https://example.com/a')));
      return Response.json({ found: await Promise.all(found.map((each) => each?.text() ?? null)) });`),
  );
  const page = await owner.publish({ name: 'Kept', functions: [slug] });
  const call = async (id: number, body: object = {}) =>
    ((await app.callFrom(id, slug, body)).body as { found: unknown }).found;
  expect(await call(page.id, { put: 'main' })).toEqual(['main', 'main']);
  const branch = await app.branch(page.id, 'kept');
  expect(await call(branch.page.id)).toEqual([null, null]);
  expect(await call(branch.page.id, { put: 'tried' })).toEqual(['tried', 'tried']);
  expect(await call(page.id)).toEqual(['main', 'main']);
});

test('a stream of records has the changes of its own page only', async () => {
  const page = await owner.publish({ name: 'Streams', storage_mode: 'social_app' });
  await add(page.id, 'first');
  const branch = await app.branch(page.id, 'streams');
  const open = async (id: number) => {
    const path = `/api/pages/${id}/events?collections=notes`;
    const response = await app.quire.request(path, { headers: bearer(owner) });
    expect(response.status).toBe(200);
    const reading = readEvents(response);
    await reading.until(1, 'open');
    return reading;
  };
  const [onPage, onBranch] = [await open(page.id), await open(branch.page.id)];
  await add(branch.page.id, 'tried');
  await add(page.id, 'from the page');
  // The last change of each arrives after everything before it.
  await add(branch.page.id, 'last');
  await add(page.id, 'last');
  const [seen, tried] = [await onPage.until(2), await onBranch.until(2)];
  const texts = (events: typeof seen) =>
    events.map(({ data }) => (data as { record: { data: { text: string } } }).record.data.text);
  expect(texts(seen)).toEqual(['from the page', 'last']);
  expect(texts(tried)).toEqual(['tried', 'last']);
  await onPage.close();
  await onBranch.close();
});

test('a function of a branch reads no secret of the page while it runs, and the page none of the branch', async () => {
  const slug = await app.deploy(
    handler(`const names = Object.keys(env).filter((name) => name.endsWith('_KEY'));
      return Response.json({ names, value: env.PAY_KEY ?? null, all: JSON.stringify({ ...env }) });`),
  );
  const put = (name: string, value: string) =>
    ask('PUT', `/api/functions/${name}/secrets/PAY_KEY`, { value });
  await put(slug, 'secret-of-the-page');
  const page = await owner.publish({ name: 'Secrets', functions: [slug] });
  const call = async (id: number) => (await app.callFrom(id, slug)).body;
  expect(await call(page.id)).toMatchObject({ names: ['PAY_KEY'], value: 'secret-of-the-page' });
  const branch = await app.branch(page.id, 'secrets');
  const empty = await call(branch.page.id);
  expect(empty).toMatchObject({ names: [], value: null });
  expect(JSON.stringify(empty)).not.toContain('secret-of-the-page');
  await put(`${slug}--secrets`, 'secret-of-the-branch');
  expect(await call(branch.page.id)).toMatchObject({ value: 'secret-of-the-branch' });
  expect(await call(page.id)).toMatchObject({ value: 'secret-of-the-page' });
  // A merge brings code and no secrets.
  await ask('PATCH', `/api/functions/${slug}--secrets`, {
    code: handler(`return Response.json({ value: env.PAY_KEY ?? null, merged: true })`),
  });
  await ask('POST', `/api/pages/${page.id}/branches/secrets/merge`, {});
  expect(await call(page.id)).toEqual({ value: 'secret-of-the-page', merged: true });
}, 60_000);

/** A page for its team, with a branch, a record on each, and a member who is logged in. */
async function teamStage(name: string) {
  const page = await owner.publish({
    name,
    storage_mode: 'team_app',
    html_content: `<title>t</title><p>main`,
  });
  await setAccess(page.id, { mode: 'team' });
  const member = await app.quire.user(`member-${name.toLowerCase()}`);
  await join(app.quire, owner, page, member, 'member');
  const branch = await app.branch(page.id, 'try');
  return { page, branch, login: await member.login() };
}
const readNotes = async (host: string, id: number, headers: Record<string, string>) =>
  (await get(`${host}/api/pages/${id}/team-data/notes`, { origin: host, ...headers })).status;

test('the session of a visitor on the host of a page is none on the host of its branch, and back', async () => {
  const { page, branch, login } = await teamStage('Sessions');
  const sides: Array<Pick<PublishedPage, 'id' | 'slug'>> = [page, branch.page];
  const cookies = [];
  for (const side of sides) cookies.push(await enterPage(app.quire, side, login));
  for (const [own, other] of [
    [0, 1],
    [1, 0],
  ] as const) {
    const [side, cookie, foreign] = [sides[own], cookies[own] ?? '', cookies[other] ?? ''];
    if (!side) throw new Error('there is no such side');
    const [host, elsewhere] = [toHost(side.id), toHost(sides[other]?.id ?? 0)];
    expect(await readNotes(host, side.id, { cookie })).toBe(200);
    expect([401, 403]).toContain(await readNotes(host, side.id, { cookie: foreign }));
    expect((await get(`${host}/`, { ...NAVIGATE, cookie })).status).toBe(200);
    expect((await get(`${host}/`, { ...NAVIGATE, cookie: foreign })).text).not.toContain('<p>main');
    // Its own session does not open the data of the other, whichever host is asked.
    for (const place of [host, elsewhere])
      expect([401, 403, 404]).toContain(await readNotes(place, sides[other]?.id ?? 0, { cookie }));
  }
});

test('a login ticket for the host of a page opens nothing on the host of its branch, and back', async () => {
  const { page, branch, login } = await teamStage('Tickets');
  const go = async (url: string, cookie = '') => {
    const { headers } = await get(url, { ...NAVIGATE, cookie });
    const cookies = headers.getSetCookie().map((line) => (line.split(';')[0] ?? '').split('='));
    return { location: headers.get('location') ?? '', cookies: Object.fromEntries(cookies) };
  };
  for (const [own, other] of [
    [page, branch.page],
    [branch.page, page],
  ] as const) {
    const begun = await go(`/p/${own.slug}`, login);
    const asked = await go(begun.location);
    const given = await go(asked.location, login);
    expect(given.location).toStartWith(`${toHost(own.id)}/~session?ticket=`);
    const browser = `quire_browser=${asked.cookies.quire_browser}`;
    const moved = given.location.replace(toHost(own.id), toHost(other.id));
    expect((await go(moved, browser)).cookies.quire_page).toBeUndefined();
  }
});

test('the pass for the password of a page does not open its branch, and back', async () => {
  const slug = await app.deploy(handler('return Response.json({})'));
  const page = await owner.publish({ name: 'Passes', storage_mode: 'social_app', functions: [slug] });
  const branch = await app.branch(page.id, 'try');
  const both = [page.id, branch.page.id] as const;
  // Also with the same password.
  for (const id of both) await setAccess(id, { mode: 'password', password: 'open sesame' });
  const pass = async (id: number) =>
    (await app.quire.call('POST', `/api/pages/${id}/pass`, { body: { password: 'open sesame' } })).body.pass;
  const [onPage, onBranch] = [await pass(page.id), await pass(branch.page.id)];
  const read = async (id: number, given: string) =>
    (await get(`/api/pages/${id}/social-data/notes`, { 'x-page-pass': given })).status;
  expect([await read(page.id, onPage), await read(branch.page.id, onBranch)]).toEqual([200, 200]);
  for (const [id, given] of [
    [page.id, onBranch],
    [branch.page.id, onPage],
  ] as const)
    expect([401, 403]).toContain(await read(id, given));
  const call = async (given: string) =>
    (
      await app.quire.request(`/api/functions/${slug}--try`, {
        method: 'POST',
        headers: { 'x-page-pass': given },
      })
    ).status;
  expect([await call(onBranch), await call(onPage)]).toEqual([200, 404]);
});

test('the own domain of a page serves and calls the page, and nothing of its branch', async () => {
  const slug = await app.deploy(handler("return Response.json({ side: 'main' })"));
  const page = await owner.publish({
    ...{
      name: 'Shop',
      storage_mode: 'social_app',
      functions: [slug],
      html_content: '<title>t</title><p>main',
    },
  });
  await add(page.id, 'first');
  await connectDomain(dns, owner, page, 'shop.example.com');
  const branch: Branch = await app.branch(page.id, 'domain');
  const id = branch.page.id;
  await ask('PATCH', `/api/functions/${slug}--domain`, {
    code: handler("return Response.json({ side: 'tried' })"),
  });
  await ask('PATCH', `/api/pages/${id}`, { html_content: '<title>t</title><p>tried' });
  await add(id, 'tried');
  const domain = 'http://shop.example.com:3000';
  // The owner, who can see the branch, is logged in on the domain.
  const cookie = await enterPage(app.quire, page, await owner.login());
  const call = async (path: string, headers: Record<string, string> = {}) => {
    const response = await app.quire.request(`${domain}${path}`, {
      ...{ method: 'POST', headers: { origin: domain, cookie, ...headers } },
    });
    return [response.status, ((await response.json()) as { side?: string }).side];
  };
  expect(await call(`/api/functions/${slug}`)).toEqual([200, 'main']);
  const referer = branch.page.url ?? '';
  for (const path of [`/api/functions/${slug}`, `/api/functions/${slug}?quire_branch=${id}`])
    for (const headers of [{}, { referer }] as Array<Record<string, string>>)
      expect((await call(path, headers))[1]).not.toBe('tried');
  for (const path of [`/api/functions/${slug}--domain`, `/api/functions/${slug}--domain?quire_branch=${id}`])
    expect([path, await call(path)]).toEqual([path, [404, undefined]]);
  for (const path of ['/', `/p/${branch.page.slug}`, `/p/${branch.page.slug}/`]) {
    const { text } = await get(domain + path, { ...NAVIGATE, cookie });
    expect([path, text.includes('tried')]).toEqual([path, false]);
  }
  const read = async (pageId: number, path: string) =>
    (await get(`${domain}/api/pages/${pageId}/${path}`, { cookie, origin: domain })).status;
  expect(await read(page.id, 'social-data/notes')).toBe(200);
  expect([401, 403, 404]).toContain(await read(id, 'social-data/notes'));
  expect([401, 403, 404]).toContain(await read(id, 'events?collections=notes'));
  // A copy takes no domain along.
  expect((await ask('GET', `/api/pages/${id}/domains`)).domains).toEqual([]);
});
