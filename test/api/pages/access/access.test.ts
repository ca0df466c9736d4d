import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { Route } from '../../../../server/platform/http/index.ts';
import { type PublishedPage, type TestApp, type TestUser, testApp } from '../../../support/app.ts';

/** Nobody who is not let in may ever see one of these. */
const SECRETS = /zanzibar|turquoise|\/images\//i;
const HTML = '<!doctype html><title>Zanzibar</title><h1>Turquoise</h1>';
const NAVIGATE = { 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document', accept: 'text/html' };

const MODES: Record<string, object> = {
  password: { mode: 'password', password: 'open sesame' },
  people: { mode: 'people', people: ['friend'] },
  team: { mode: 'team' },
  private: { mode: 'private' },
  expired: { mode: 'public', expires_at: '2020-01-01T00:00:00Z' },
};

let quire: TestApp;
let owner: TestUser;
let stranger: TestUser;
let page: PublishedPage;
let picture: string;
beforeAll(async () => {
  quire = await testApp();
  owner = await quire.user('owner');
  stranger = await quire.user('stranger');
  await quire.user('friend');
  page = await owner.publish({ name: 'Old zanzibar', html_content: HTML, storage_mode: 'team_app' });
  const made = await owner.call('POST', `/api/pages/${page.id}/generate-preview-image`, { body: {} });
  picture = made.body.imageUrl;
  await owner.call('PATCH', `/api/pages/${page.id}`, {
    body: { slug: 'zanzibar', description: 'Turquoise', page_api_ai_enabled: true },
  });
  page.slug = 'zanzibar';
});
afterAll(() => quire.stop());

const close = (access: object) => owner.call('PATCH', `/api/pages/${page.id}`, { body: { access } });
const host = (path = '/') => `http://p${page.id}.pages.localhost:3000${path}`;

/** Path parameters of any route about a page. */
const PARAMS: Record<string, string> = { ':collection': 'notes', ':name': 'contact', ':domain': 'a.example' };
const toPath = ({ path }: Route, id: string) =>
  path.replace(/:(\w+)/g, (param) => (param === ':id' ? id : (PARAMS[param] ?? '1'))).replace('/*', '/a.txt');

/** Every request comes from another address, so that no limit hides the answer. */
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
  `/p/Zanzibar`,
  '/p/old-zanzibar',
  `/p/~${page.id}`,
  `/api/pages/lookup?slug=${page.slug}`,
  `/.well-known/oauth-protected-resource/p/${page.slug}/mcp`,
  `/consent?page=${page.id}`,
  picture,
  host(),
  host('/llms.txt'),
  host('/a.txt'),
  host('/mcp'),
  host(`/api/pages/${page.id}/visitor`),
];

const HOW: Record<string, Record<string, string>> = {
  'a program': {},
  'a browser': NAVIGATE,
  'an agent that reads Markdown': { accept: 'text/markdown' },
  'a script elsewhere': { origin: 'https://elsewhere.example', 'sec-fetch-site': 'cross-site' },
  'a link preview': { accept: 'text/html', 'user-agent': 'Twitterbot/1.0' },
};

/** What a response says, without what its sender has written in the request. */
async function said(response: Response): Promise<string> {
  const link = response.headers.get('link') ?? '';
  const text = `${link}${response.headers.get('location') ?? ''}${await response.text()}`;
  return text.replaceAll(/zanzibar\/mcp|%2Fp%2F[\w-]*zanzibar|name="next" value="[^"]*"/gi, '');
}

describe.each(Object.keys(MODES))('a page that is closed (%s)', (name) => {
  beforeAll(async () => {
    expect(await close(MODES[name] as object)).toMatchObject({ status: 200 });
  });

  test('refuses strangers on every route about a page, and says nothing about it', async () => {
    const routes = routesOfPages();
    expect(routes.length).toBeGreaterThan(60);
    for (const route of routes) {
      for (const [who, token] of [
        ['nobody', undefined],
        ['a stranger', stranger.token],
      ] as const) {
        for (const id of [String(page.id), page.slug]) {
          const headers = { ...(token && { authorization: `Bearer ${token}` }), accept: 'application/json' };
          const body = ['GET', 'DELETE'].includes(route.method) ? {} : { body: '{}' };
          const type = { 'content-type': 'application/json' };
          const response = await quire.request(toPath(route, id), {
            method: route.method,
            peer: newAddress(),
            headers: { ...headers, ...type },
            ...body,
          });
          // What the request named itself is no secret.
          const text = (await said(response)).replaceAll(`/${id}/`, '').replaceAll(`\\"${id}\\"`, '');
          const what = `${route.method} ${route.path} by ${who}: ${response.status} ${text}`;
          // 400, 415 and 426 are about the request, before anybody looks at the page.
          expect([400, 401, 403, 404, 415, 426], what).toContain(response.status);
          expect(text, what).not.toMatch(SECRETS);
        }
      }
    }
  });

  test.each(Object.keys(HOW))('shows %s nothing at any address', async (how) => {
    for (const path of addresses()) {
      const response = await quire.request(path, { headers: HOW[how] ?? {} });
      const text = await said(response);
      const what = `${path}: ${response.status} ${response.headers.get('location')} ${text}`;
      expect(text, what).not.toMatch(SECRETS);
      if (response.headers.get('access-control-allow-origin') === '*')
        expect(response.ok && !path.startsWith('/.well-known/'), what).toBe(false);
      if (response.status === 200) expect(path, what).toStartWith('/.well-known/');
      if (response.status === 403) expect(response.headers.get('cache-control'), what).toContain('no-store');
    }
  });

  test('stays as it is for its owner', async () => {
    const headers = { authorization: `Bearer ${owner.token}` };
    const response = await quire.request(`/p/${page.slug}`, { headers });
    expect(response.status).toBe(200);
    expect(await response.text()).toContain('Turquoise');
    expect(response.headers.get('cache-control')).toBe('private, no-store');
    expect(response.headers.get('x-robots-tag')).toBe('noindex');
    expect(response.headers.get('access-control-allow-origin')).toBeNull();
    expect((await quire.request(picture, { headers })).headers.get('cache-control')).toBe(
      'private, no-store',
    );
    expect((await owner.call('GET', `/api/pages/${page.id}/agent-spec`)).status).toBe(200);
    expect((await owner.call('GET', `/api/pages/${page.id}/team-data/notes`)).status).toBe(200);
  });
});

test('an open page is as public as before', async () => {
  await close({ mode: 'public', expires_at: null });
  const response = await quire.request(`/p/${page.slug}`);
  expect(response.status).toBe(200);
  expect(response.headers.get('cache-control')).toBe('no-cache');
  expect(response.headers.get('x-robots-tag')).toBeNull();
  expect((await quire.request(picture)).headers.get('cache-control')).toContain('public');
  expect((await quire.request('/p/old-zanzibar')).headers.get('location')).toBe('/p/zanzibar');
});
