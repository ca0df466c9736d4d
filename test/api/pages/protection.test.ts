import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { Changes } from '../../../contract/endpoint.ts';
import { readChanges } from '../../../contract/protection.ts';
import { SCOPES } from '../../../contract/scopes.ts';
import type { Route } from '../../../server/platform/http/index.ts';
import { type PublishedPage, type TestApp, type TestUser, testApp } from '../../support/app.ts';
import { connect, refreshWith } from '../../support/oauth.ts';

const HTML = '<!doctype html><title>Shop</title><h1>Shop</h1>';
const CODE = 'export default { async fetch() { return new Response("ok"); } };';

let quire: TestApp;
let owner: TestUser;
let stranger: TestUser;
let page: PublishedPage;
/** Who asks, by what they are. */
const tokens: Record<string, string> = {};

beforeAll(async () => {
  quire = await testApp();
  owner = await quire.user('owner');
  stranger = await quire.user('stranger');
  tokens['a personal token'] = await makeToken(owner);
  tokens['a connected app'] = (await connect(quire, owner, [...SCOPES])).access;
  tokens['a token for branches'] = await makeToken(owner, { branches_only: true });
  tokens['an app for branches'] = (await connect(quire, owner, [...SCOPES], {}, { branches: 'yes' })).access;
  await owner.call('POST', '/api/functions', {
    body: { slug: 'shop-api', code: CODE, enableDatabase: true },
  });
  page = await owner.publish({
    name: 'Shop',
    html_content: HTML,
    storage_mode: 'social_app',
    functions: ['shop-api'],
    protected: true,
  });
}, 30_000);
afterAll(() => quire.stop());

async function makeToken(user: TestUser, more: object = {}): Promise<string> {
  const body = { name: 'agent', scopes: SCOPES, ...more };
  return (await user.call('POST', '/api/auth/tokens', { body })).body.token;
}

const ask = (who: string, method: string, path: string, body?: unknown) =>
  quire.call(method, path, { token: tokens[who] as string, ...(body !== undefined && { body }) });
const at = (path = '') => `/api/pages/${page.id}${path}`;

/** Everything that a token can reach of a page, of its functions and of its data, by what it changes. */
const routesThat = (changes: Changes): Route[] =>
  quire.app.routes.filter(
    (route) => readChanges(route) === changes && /^\/api\/(pages\/:id|functions\/:slug)/.test(route.path),
  );

const UUID = '0d2f9c6e-6f0a-7c0e-9c53-0c6d1f4a7b11';
const PARAMS: Record<string, string> = {
  ':slug': 'shop-api',
  ':name': 'contact',
  ':collection': 'orders',
  ':messageId': UUID,
  ':fileId': UUID,
  ':recordId': UUID,
  ':key': '0123456789abcdef',
  ':at': '2030-01-01T00:00:00Z',
};
/** Bodies that decide what is changed. */
const BODIES: Record<string, unknown> = {
  'POST /api/functions/:slug/database': { sql: 'delete from t' },
  'POST /api/pages/:id/restore': { at: '2030-01-01T00:00:00Z' },
};

/** The code of a refusal, or the status. Only what is refused as protected has the code `PROTECTED`. */
async function outcome(who: string, { method, path, bodyType, body }: Route): Promise<string> {
  const to = path
    .replace(/:(\w+)/g, (param) => (param === ':id' ? String(page.id) : (PARAMS[param] ?? '1')))
    .replace('*path', 'a.txt');
  const isRaw = bodyType !== undefined && body === undefined;
  const response = await quire.request(to, {
    method,
    headers: {
      authorization: `Bearer ${tokens[who]}`,
      'content-type': isRaw ? bodyType : 'application/json',
    },
    ...(method !== 'DELETE' && { body: isRaw ? 'x' : JSON.stringify(BODIES[`${method} ${path}`] ?? {}) }),
  });
  const text = await response.text();
  const found = response.headers.get('content-type')?.includes('json') ? JSON.parse(text).code : undefined;
  return String(found ?? response.status);
}

describe.each(['a personal token', 'a connected app', 'a token for branches', 'an app for branches'])(
  'to %s',
  (who) => {
    test('every endpoint that changes the application is refused, and a new one will be', async () => {
      const routes = routesThat('application');
      expect(routes.length).toBeGreaterThan(45);
      const outcomes: string[] = [];
      for (const route of routes) outcomes.push(`${route.method} ${route.path} ${await outcome(who, route)}`);
      expect(outcomes.filter((each) => !each.endsWith(' PROTECTED'))).toEqual([]);
      expect((await owner.call('GET', at())).body.versionCount).toBe(1);
    });

    test('drafts, checks and reading stay possible', async () => {
      const harmless = routesThat('nothing').filter(({ method, access }) => method !== 'GET' && access.scope);
      expect(harmless.length).toBeGreaterThan(10);
      for (const route of harmless)
        expect([route.path, await outcome(who, route)]).not.toEqual([route.path, 'PROTECTED']);
      const draft = await ask(who, 'POST', at('/drafts'), { html_content: '<h1>Better</h1>' });
      expect(draft.status).toBe(201);
      const publish = await ask(who, 'POST', at(`/drafts/${draft.body.draft.id}/publish`), {});
      expect(publish).toMatchObject({ status: 403, body: { code: 'PROTECTED' } });
      expect(publish.body.error).toContain('branches');
      const read = await ask(who, 'POST', '/api/functions/shop-api/database', { sql: 'select 1' });
      expect(read.status).toBe(200);
    });
  },
);

test('a program that is limited to branches makes one and changes it, and the page stays as it is', async () => {
  const who = 'a token for branches';
  const made = await ask(who, 'POST', at('/branches'), { name: 'try', data: 'schema' });
  expect(made.status).toBe(201);
  const path = `/api/pages/${made.body.page.id}`;
  expect((await ask(who, 'PATCH', path, { html_content: '<h1>Broken</h1>' })).status).toBe(200);
  const [{ slug }] = made.body.functions;
  expect((await ask(who, 'PATCH', `/api/functions/${slug}`, { code: CODE.replace('ok', 'no') })).status).toBe(
    200,
  );
  expect((await owner.call('GET', at())).body.page.html_content).toBe(HTML);
  expect((await ask(who, 'DELETE', at('/branches/try'))).status).toBe(200);
});

test('single records can be written by programs, but not by those that are limited to branches', async () => {
  for (const route of routesThat('single')) {
    for (const who of ['a token for branches', 'an app for branches'])
      expect([route.path, await outcome(who, route)]).toEqual([route.path, 'PROTECTED']);
    expect([route.path, await outcome('a personal token', route)]).not.toEqual([route.path, 'PROTECTED']);
  }
  const add = (who: string) => ask(who, 'POST', at('/social-data/orders'), { data: { item: 'tea' } });
  expect((await add('a personal token')).status).toBe(201);
  expect((await add('a token for branches')).body.code).toBe('PROTECTED');
});

test('programs that are limited to branches change no other page, function or list of pages', async () => {
  const open = await owner.publish({ name: 'Open', html_content: HTML });
  await owner.call('POST', '/api/functions', { body: { slug: 'free', code: CODE } });
  const others = await stranger.publish({ name: 'Wall', html_content: HTML, storage_mode: 'social_app' });
  const hidden = await stranger.publish({ name: 'Hidden', html_content: HTML, is_published: false });
  const requests: Array<[string, string, unknown]> = [
    ['PATCH', `/api/pages/${open.id}`, { name: 'x' }],
    ['DELETE', `/api/pages/${open.id}`, undefined],
    ['POST', `/api/pages/${open.id}/fork`, undefined],
    ['POST', '/api/pages', { name: 'New', html_content: HTML }],
    ['PATCH', '/api/functions/free', { code: CODE }],
    ['POST', '/api/functions', { slug: 'for-branch', code: CODE }],
    ['POST', `/api/pages/${others.id}/social-data/notes`, { data: { text: 'x' } }],
  ];
  for (const [method, path, body] of requests) {
    const refused = await ask('a token for branches', method, path, body);
    expect([method, path, refused.status, refused.body?.code]).toEqual([method, path, 403, 'PROTECTED']);
  }
  expect((await ask('a token for branches', 'PATCH', `/api/pages/${hidden.id}`, { name: 'x' })).status).toBe(
    404,
  );
});

test('a new function cannot use the database of a protected page', async () => {
  const body = { slug: 'beside', code: CODE, useDatabase: 'shop-api' };
  expect((await ask('a personal token', 'POST', '/api/functions', body)).body.code).toBe('PROTECTED');
});

test('functions of other pages, and of none, do not reach the database of a protected page', async () => {
  const shared = { code: CODE, useDatabase: 'shop-api' };
  for (const slug of ['side', 'other-api'])
    expect((await owner.call('POST', '/api/functions', { body: { slug, ...shared } })).status).toBe(201);
  const other = await owner.publish({ name: 'Other', html_content: HTML, functions: ['other-api'] });
  const restore = `/api/pages/${other.id}/restore`;
  const { at: moment } = (
    await owner.call('POST', `/api/pages/${other.id}/moments`, { body: { name: 'first' } })
  ).body;
  for (const who of ['a personal token', 'a connected app']) {
    const refused: Array<[string, string, object | undefined]> = [
      ...['side', 'other-api'].flatMap(
        (slug): Array<[string, string, object | undefined]> => [
          ['POST', `/api/functions/${slug}/database`, { sql: 'create table t (a)' }],
          ['PATCH', `/api/functions/${slug}`, { code: CODE.replace('ok', 'no') }],
          ['POST', '/api/functions', { slug: 'third', code: CODE, useDatabase: slug }],
          ['DELETE', `/api/functions/${slug}`, undefined],
        ],
      ),
      ['POST', restore, { at: moment }],
      ['POST', restore, { at: moment, parts: ['databases'] }],
      ['POST', `/api/pages/${other.id}/branches/none/merge`, {}],
    ];
    for (const [method, path, body] of refused) {
      const { status, body: said } = await ask(who, method, path, body);
      expect([method, path, status, said.code]).toEqual([method, path, 403, 'PROTECTED']);
      expect(said.error).toContain(`The page ${page.id} is protected`);
    }
    const allowed: Array<[string, string, object]> = [
      ['POST', '/api/functions/side/database', { sql: 'select 1' }],
      ['POST', restore, { at: moment, dry_run: true }],
      ['POST', restore, { at: moment, parts: ['page', 'records'] }],
      ['PATCH', `/api/pages/${other.id}`, { name: 'Another' }],
    ];
    for (const [method, path, body] of allowed)
      expect([path, (await ask(who, method, path, body)).status]).toEqual([path, 200]);
  }
});

test('what changes a shared database keeps moments of all pages that use it', async () => {
  const count = async () =>
    (await owner.call('GET', at('/moments'))).body.moments.flatMap(
      (each: { causes: Array<{ kind: string }> }) => each.causes.filter(({ kind }) => kind === 'import'),
    ).length;
  const before = await count();
  const imported = await quire.request('/api/functions/side/database/import', {
    method: 'POST',
    headers: { authorization: `Bearer ${owner.token}`, 'content-type': 'application/sql' },
    body: 'create table imported (a);',
  });
  expect(imported.status).toBe(200);
  expect(await count()).toBe(before + 1);
});

test('says nothing about a page to tokens of people who have no role on it', async () => {
  tokens.stranger = await makeToken(stranger);
  expect((await ask('stranger', 'PATCH', at(), { name: 'x' })).body.code).toBe('FORBIDDEN');
  await owner.call('PATCH', at(), { body: { is_published: false } });
  expect((await ask('stranger', 'PATCH', at(), { name: 'x' })).status).toBe(404);
  await owner.call('PATCH', at(), { body: { is_published: true } });
});

test('people change the page as before, and only they turn the protection off', async () => {
  const cookie = await owner.login();
  const session = await quire.call('POST', '/api/auth/session-token', { headers: { cookie }, body: {} });
  tokens.dashboard = session.body.accessToken;
  expect((await ask('dashboard', 'PATCH', at(), { name: 'Shop 2' })).status).toBe(200);
  expect((await owner.call('PATCH', at(), { body: { name: 'Shop 3' } })).body.page).toMatchObject({
    protected: true,
  });
  const off = { protected: false };
  expect((await ask('a personal token', 'PATCH', at(), off)).body.code).toBe('PROTECTED');
  expect((await ask('dashboard', 'PATCH', at(), off)).body.page).toMatchObject({ protected: false });
  expect((await ask('a personal token', 'PATCH', at(), { name: 'Shop 4' })).status).toBe(200);
  expect((await ask('a personal token', 'PATCH', at(), { protected: true })).status).toBe(200);
  expect((await ask('a personal token', 'PATCH', at(), off)).body.code).toBe('PROTECTED');
});

test('the limit stays with the app when it refreshes its token, and lists name it', async () => {
  const { clientId, refresh } = await connect(quire, owner, ['pages:write'], {}, { branches: 'yes' });
  const { body } = await refreshWith(quire, clientId, refresh);
  tokens.refreshed = body.access_token;
  const made = await ask('refreshed', 'POST', '/api/pages', { name: 'New', html_content: HTML });
  expect(made.body.code).toBe('PROTECTED');
  const { apps } = (await owner.call('GET', '/api/auth/apps')).body;
  expect(apps.map((app: { branches_only: boolean }) => app.branches_only)).toContain(true);
  const list = (await owner.call('GET', '/api/auth/tokens')).body.tokens;
  expect(list.map((token: { branches_only: boolean }) => token.branches_only).sort()).toEqual([false, true]);
});
