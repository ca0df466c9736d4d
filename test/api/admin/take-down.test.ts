import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { Route } from '../../../server/platform/http/index.ts';
import { type Administrator, administrator } from '../../support/accounts/administrator.ts';
import type { PublishedPage, TestUser } from '../../support/app.ts';
import { type LiveApp, liveApp } from '../../support/data/live.ts';

/** Pages that an administrator takes down, or whose owner is suspended: nobody sees anything of them, anywhere. */

const SECRETS = /zanzibar|turquoise|\/images\//i;
const HTML = '<!doctype html><title>Zanzibar</title><h1>Turquoise</h1>';
const NAVIGATE = { 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document', accept: 'text/html' };
const REASON = 'It copies the pages of a bank.';

let quire: LiveApp;
let boss: Administrator;
let owner: TestUser;
let colleague: TestUser;
let stranger: TestUser;
let page: PublishedPage;
let picture: string;
beforeAll(async () => {
  quire = await liveApp();
  boss = await administrator(quire, 'boss');
  owner = await quire.user('owner');
  colleague = await quire.user('colleague');
  stranger = await quire.user('stranger');
  page = await owner.publish({ name: 'Old zanzibar', html_content: HTML, storage_mode: 'team_app' });
  const path = `/api/pages/${page.id}`;
  picture = (await owner.call('POST', `${path}/generate-preview-image`, { body: {} })).body.imageUrl;
  await owner.call('PATCH', path, {
    body: { slug: 'zanzibar', description: 'Turquoise', page_api_ai_enabled: true, html_content: `${HTML}!` },
  });
  page.slug = 'zanzibar';
  const invited = await owner.call('POST', `${path}/team/invite`, { body: { role: 'admin' } });
  const code = String(invited.body.inviteUrl ?? invited.body.url)
    .split('/')
    .at(-1);
  expect(
    (await colleague.call('POST', `/api/join/${code}`, { cookie: await colleague.login() })).status,
  ).toBe(200);
});
afterAll(() => quire.stop());

const { port } = { port: () => new URL(quire.baseUrl).port };
const host = (path = '/') => `http://p${page.id}.pages.localhost:${port()}${path}`;
const takeDown = (reason = REASON) => boss.admin('POST', `/api/admin/pages/${page.id}/take-down`, { reason });
const restore = () => boss.admin('POST', `/api/admin/pages/${page.id}/restore`);

const PARAMS: Record<string, string> = { ':collection': 'notes', ':name': 'contact', ':domain': 'a.example' };
const toPath = ({ path }: Route, id: string) =>
  path.replace(/:(\w+)/g, (param) => (param === ':id' ? id : (PARAMS[param] ?? '1'))).replace('/*', '/a.txt');
let addressesUsed = 0;
const newAddress = () => `10.1.${addressesUsed >> 8}.${addressesUsed++ & 255}`;

/** All routes with a page in them: a new one is tested without a change here. */
const routesOfPages = () => quire.app.routes.filter(({ path }) => /^\/(api\/pages|p)\/:id/.test(path));

/** Addresses outside the API that show something of a page. */
const addresses = () => [
  `/p/${page.slug}`,
  `/p/${page.slug}/`,
  `/p/${page.slug}/llms.txt`,
  `/p/${page.slug}/a.txt`,
  '/p/Zanzibar',
  '/p/old-zanzibar',
  `/p/~${page.id}`,
  `/api/pages/${page.id}/agent-spec`,
  `/api/pages/${page.id}/visitor`,
  picture,
  host(),
  host('/llms.txt'),
  host('/a.txt'),
  host(`/api/pages/${page.id}/visitor`),
];

const said = async (response: Response) =>
  `${response.headers.get('link') ?? ''}${response.headers.get('location') ?? ''}${await response.text()}`.replaceAll(
    /zanzibar\/mcp|%2Fp%2F[\w-]*zanzibar|name="next" value="[^"]*"/gi,
    '',
  );

/** The ways to block a page, with the status that everybody gets. */
const BLOCKS = {
  'that is taken down': { status: 451, begin: () => takeDown(), end: () => restore() },
  'whose owner is suspended': {
    status: 403,
    begin: () => boss.admin('POST', `/api/admin/users/${owner.id}/suspend`, { reason: REASON }),
    end: () => boss.admin('POST', `/api/admin/users/${owner.id}/restore`),
  },
};

describe.each(Object.keys(BLOCKS) as Array<keyof typeof BLOCKS>)('a page %s', (name) => {
  const { status, begin, end } = BLOCKS[name];
  beforeAll(async () => {
    // In the memory of the server.
    expect((await quire.request(`/p/${page.slug}`)).status).toBe(200);
    expect((await quire.request(host())).status).toBe(200);
    expect((await begin()).status).toBe(200);
  });
  afterAll(async () => {
    expect((await end()).status).toBe(200);
    expect((await quire.request(`/p/${page.slug}`)).status).toBe(200);
    expect((await quire.request(host())).status).toBe(200);
    expect((await quire.request(picture)).status).toBe(200);
  });

  test.each([
    ['a program', {}],
    ['a browser', NAVIGATE],
    ['an agent that reads Markdown', { accept: 'text/markdown' }],
    ['a link preview', { accept: 'text/html', 'user-agent': 'Twitterbot/1.0' }],
  ])(`answers %s with ${status} at every address, without a reason`, async (_, headers) => {
    for (const path of addresses()) {
      const response = await quire.request(path, { headers: headers as Record<string, string> });
      const text = await said(response);
      expect(response.status, `${path}: ${text}`).toBe(status);
      expect(text, path).not.toMatch(SECRETS);
      expect(text, path).not.toContain(REASON);
      expect(response.headers.get('cache-control'), path).toContain('no-store');
      expect(response.headers.get('x-robots-tag') ?? 'noindex', path).toBe('noindex');
    }
  });

  test('answers strangers, and its team, on no route about a page', async () => {
    const routes = routesOfPages();
    expect(routes.length).toBeGreaterThan(60);
    let refused = 0;
    for (const route of routes) {
      for (const token of [undefined, stranger.token]) {
        const headers = { ...(token && { authorization: `Bearer ${token}` }), accept: 'application/json' };
        const body = ['GET', 'DELETE'].includes(route.method) ? {} : { body: '{}' };
        const response = await quire.request(toPath(route, String(page.id)), {
          method: route.method,
          peer: newAddress(),
          headers: { ...headers, 'content-type': 'application/json' },
          ...body,
        });
        const text = (await said(response)).replaceAll(`/${page.id}/`, '');
        const what = `${route.method} ${route.path}: ${response.status} ${text}`;
        // 400, 415 and 426 are about the request, before anybody looks at the page.
        expect([400, 401, 403, 404, 415, 426, status], what).toContain(response.status);
        expect(text, what).not.toMatch(SECRETS);
        expect(text, what).not.toContain(REASON);
        if (response.status === status) refused++;
      }
    }
    expect(refused).toBeGreaterThan(20);
  });

  test('cannot be copied or looked up, and shows its name to nobody', async () => {
    for (const who of [stranger, colleague]) {
      expect((await who.call('POST', `/api/pages/${page.id}/fork`)).status).toBe(status);
      expect((await who.call('GET', `/api/pages/lookup?slug=${page.slug}`)).status).toBe(status);
    }
    const teams = await colleague.call('GET', '/api/teams', { cookie: await colleague.login() });
    expect(JSON.stringify(teams.body)).not.toMatch(SECRETS);
  });
});

describe('the owner of a page that is taken down', () => {
  beforeAll(async () => {
    await takeDown('Not yet');
    await takeDown();
  });
  afterAll(() => restore());
  const path = () => `/api/pages/${page.id}`;

  test('sees why, and can read and export it', async () => {
    const { body } = await owner.call('GET', path());
    expect(body.page).toMatchObject({ html_content: `${HTML}!`, taken_down: { reason: REASON } });
    const { pages } = (await owner.call('GET', '/api/pages')).body;
    expect(pages[0].taken_down).toMatchObject({ at: expect.any(String), reason: REASON });
    const headers = { authorization: `Bearer ${owner.token}` };
    expect((await quire.request(`${path()}/export`, { headers })).status).toBe(200);
    expect((await owner.call('GET', `${path()}/versions/1`)).status).toBe(200);
    const seen = await quire.request(`/p/${page.slug}`, { headers });
    expect([seen.status, await seen.text()]).toEqual([451, expect.stringContaining(REASON)]);
  });

  test('reads why on its address in their language, with the way to the dashboard', async () => {
    const cookie = await owner.login();
    const open = (headers: Record<string, string>) =>
      quire.request(`/p/${page.slug}`, { headers: { ...NAVIGATE, 'accept-language': 'de', ...headers } });
    const own = await (await open({ cookie })).text();
    expect(own).toContain(`hat diese Seite gesperrt. Der Grund: ${REASON}`);
    expect(own).toContain(`href="${quire.baseUrl}/pages/${page.id}"`);
    const others = await (await open({})).text();
    expect(others).toContain('hat diese Seite gesperrt. Der Besitzer sieht den Grund im Dashboard.');
    expect(others).not.toContain(`/pages/${page.id}`);
  });

  test('cannot show it again', async () => {
    const changes = [
      { is_published: false },
      { is_published: true },
      { slug: 'zanzibar-2' },
      { slug: 'zanzibar' },
      { access: { mode: 'private' } },
      { access: { mode: 'public' } },
      { html_content: HTML },
      { storage_mode: 'page' },
      { storage_mode: 'team_app' },
    ];
    for (const body of changes) expect((await owner.call('PATCH', path(), { body })).status).toBe(200);
    expect((await owner.call('POST', `${path()}/versions/1/restore`)).status).toBe(200);
    expect((await quire.request(`/p/${page.slug}`)).status).toBe(451);
    expect((await owner.call('POST', `${path()}/fork`)).status).toBe(451);
    expect((await owner.call('PATCH', path(), { body: { taken_down: null } })).status).toBe(400);
  });

  test('can delete it', async () => {
    const other = await owner.publish();
    await boss.admin('POST', `/api/admin/pages/${other.id}/take-down`, { reason: REASON });
    expect((await owner.call('DELETE', `/api/pages/${other.id}`)).status).toBe(200);
    expect((await quire.request(`/p/${other.slug}`)).status).toBe(404);
  });
});

test('a draft that is taken down still does not exist for strangers', async () => {
  const draft = await owner.publish({ is_published: false });
  await boss.admin('POST', `/api/admin/pages/${draft.id}/take-down`, { reason: REASON });
  expect((await quire.request(`/p/${draft.slug}`)).status).toBe(404);
  expect((await stranger.call('GET', `/api/pages/${draft.id}/visitor`)).status).toBe(404);
});

test('open connections of a page end when it is taken down', async () => {
  const live = await quire.connect(page.id);
  const headers = { authorization: `Bearer ${colleague.token}` };
  const events = await quire.request(`/api/pages/${page.id}/events?collections=notes`, { headers });
  expect(events.status).toBe(200);
  const ended = events.text();
  await takeDown();
  expect(await live.closed).toBeGreaterThan(1000);
  await ended;
  expect(quire.connect(page.id)).rejects.toThrow();
  await restore();
});

test('what a person has open on pages of others ends when they are suspended', async () => {
  const visitor = await quire.user();
  const shared = await owner.publish({ storage_mode: 'social_app' });
  const live = await quire.connect(shared.id, { token: visitor.token });
  const headers = { authorization: `Bearer ${visitor.token}` };
  const events = await quire.request(`/api/pages/${shared.id}/events?collections=notes`, { headers });
  expect(events.status).toBe(200);
  const ended = events.text();
  await boss.admin('POST', `/api/admin/users/${visitor.id}/suspend`, { reason: REASON });
  expect(await live.closed).toBeGreaterThan(1000);
  await ended;
});

test('two pages of a suspended owner open only when the account is neither suspended nor taken down', async () => {
  const user = await quire.user();
  const [one, two] = [await user.publish(), await user.publish()];
  await boss.admin('POST', `/api/admin/pages/${one.id}/take-down`, { reason: REASON });
  await boss.admin('POST', `/api/admin/users/${user.id}/suspend`, { reason: REASON });
  const statuses = async () =>
    Promise.all([one, two].map(async ({ slug }) => (await quire.request(`/p/${slug}`)).status));
  expect(await statuses()).toEqual([451, 403]);
  await boss.admin('POST', `/api/admin/users/${user.id}/restore`);
  expect(await statuses()).toEqual([451, 200]);
  await boss.admin('POST', `/api/admin/pages/${one.id}/restore`);
  expect(await statuses()).toEqual([200, 200]);
});

test('administrators find pages by name, owner and state, without their content', async () => {
  const user = await quire.user('pagefinder');
  const closed = await user.publish({ name: 'Closed one', access: { mode: 'private' } });
  await user.publish({ name: 'Draft one', is_published: false });
  await boss.admin('POST', `/api/admin/pages/${closed.id}/take-down`, { reason: REASON });
  const find = async (query: string) => {
    const answer = await boss.admin('GET', `/api/admin/pages?owner=pagefinder&${query}`);
    expect(answer.status).toBe(200);
    expect(JSON.stringify(answer.body)).not.toContain('html');
    return answer.body.pages.map(({ name }: { name: string }) => name);
  };
  expect(await find('')).toEqual(['Draft one', 'Closed one']);
  expect(await find('limit=1&offset=1')).toEqual(['Closed one']);
  expect(await find('q=closed')).toEqual(['Closed one']);
  expect(await find('q=%25')).toEqual([]);
  expect(await find('state=draft')).toEqual(['Draft one']);
  expect(await find('state=published')).toEqual(['Closed one']);
  expect(await find('state=taken-down')).toEqual(['Closed one']);
  expect(await find('state=blocked')).toEqual([]);
  for (const bad of ['state=gone', 'limit=0', 'limit=101', `q=${'x'.repeat(201)}`])
    expect((await boss.admin('GET', `/api/admin/pages?${bad}`)).status).toBe(400);
  expect((await boss.admin('GET', `/api/admin/pages/${closed.id}`)).body.page).toMatchObject({
    owner: { id: user.id, username: 'pagefinder' },
    accessMode: 'private',
    isPublished: true,
    takenDown: { reason: REASON },
    isOwnerBlocked: false,
    versions: 1,
    bytes: expect.any(Number),
    domains: [],
  });
});
