import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import {
  ANONYMOUS_PAGES_PER_DAY,
  MAX_UNCLAIMED_BYTES,
  MAX_UNCLAIMED_PAGES,
} from '../../../contract/pages/anonymous/anonymous.ts';
import { MAX_HTML_BYTES } from '../../../contract/rules/limits.ts';
import type { Route } from '../../../server/platform/http/index.ts';
import { administrator } from '../../support/accounts/administrator.ts';
import { type TestApp, type TestUser, testApp } from '../../support/app.ts';
import { readSql, runSql } from '../../support/engines/storage.ts';

const HTML = '<!doctype html><title>Plans &amp; notes</title><h1>Turquoise</h1>';
const NAVIGATE = { 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document', accept: 'text/html' };
const FRAMED = { ...NAVIGATE, 'sec-fetch-dest': 'iframe' };
const HOUR_MS = 3600 * 1000;
const ON = { QUIRE_ANONYMOUS_PAGES: 'on' };

let quire: TestApp;
let owner: TestUser;
beforeAll(async () => {
  quire = await testApp(ON);
  owner = await quire.user('claimer');
});
afterAll(() => quire.stop());

/** Every request comes from another address, unless the limit of one is tested. */
let addressesUsed = 0;
const newAddress = () => `10.2.${addressesUsed >> 8}.${addressesUsed++ & 255}`;

const send = (html_content: unknown = HTML, peer = newAddress()) =>
  quire.call('POST', '/api/publish', { body: { html_content }, peer });

interface Made {
  id: number;
  url: string;
  slug: string;
  expires_at: string;
  claim: string;
  code: string;
}

async function publish(html = HTML): Promise<Made> {
  const { status, body } = await send(html);
  expect(status, JSON.stringify(body)).toBe(201);
  const link = new URL(body.claim);
  return {
    ...body,
    id: Number(link.pathname.split('/').at(-1)),
    code: link.searchParams.get('code') ?? '',
  };
}

const path = (url: string) => url.slice(quire.baseUrl.length);
const host = ({ id }: { id: number }, at = '/') => `http://p${id}.pages.localhost:3000${at}`;

const claim = ({ id, code }: Pick<Made, 'id' | 'code'>, cookie?: string, headers = {}) =>
  quire.request(`/claim/${id}`, {
    method: 'POST',
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      ...(cookie && { cookie }),
      ...headers,
    },
    body: new URLSearchParams({ code }).toString(),
    peer: newAddress(),
  });

const usage = async (username: string) => {
  const [row] = await readSql<{ pages: number; bytes: number }>(
    { dataFolder: quire.dataFolder, databaseUrl: quire.databaseUrl },
    `select pages, bytes from usage join users on users.id = usage.user_id where username = '${username}'`,
  );
  return row && { pages: Number(row.pages), bytes: Number(row.bytes) };
};

describe('while it is off', () => {
  test('the address does not exist', async () => {
    const off = await testApp();
    try {
      const refused = await off.call('POST', '/api/publish', { body: { html_content: HTML } });
      const unknown = await off.call('POST', '/api/published', { body: { html_content: HTML } });
      expect([refused.status, refused.body.code]).toEqual([404, 'NOT_FOUND']);
      expect(refused.body.error.replace('/api/publish', '')).toBe(
        unknown.body.error.replace('/api/published', ''),
      );
      const { body } = await off.call('GET', '/api/openapi.json');
      expect(body.paths['/api/publish']).toBeUndefined();
    } finally {
      await off.stop();
    }
  });
});

describe('publishing without an account', () => {
  test('makes an unlisted page for a day, named by its title, with a link to claim it', async () => {
    const { status, body, headers } = await send();
    expect(status).toBe(201);
    expect(Object.keys(body).sort()).toEqual(['claim', 'expires_at', 'slug', 'url']);
    expect(body.slug).toMatch(/^page-[0-9a-f]{12}$/);
    expect(body.url).toBe(`${quire.baseUrl}/p/${body.slug}`);
    expect(Math.abs(Date.parse(body.expires_at) - Date.now() - 24 * HOUR_MS)).toBeLessThan(HOUR_MS);
    expect(body.claim).toMatch(/\/claim\/\d+\?code=[\w-]{43}$/);
    expect(headers.get('access-control-allow-origin')).toBeNull();
    const { body: bar } = await quire.call('GET', path(body.url));
    expect(bar).toContain('<title>Plans &amp; notes</title>');
  });

  test('takes as many as one address may publish in a day, and not one more', async () => {
    const sent = Array.from({ length: ANONYMOUS_PAGES_PER_DAY }, () => send(HTML, '10.3.0.1'));
    for (const { status } of await Promise.all(sent)) expect(status).toBe(201);
    const refused = await send(HTML, '10.3.0.1');
    expect([refused.status, refused.body.code]).toEqual([429, 'RATE_LIMITED']);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(23 * 3600);
    expect((await send(HTML, '10.3.0.2')).status).toBe(201);
  });

  test('counts a whole IPv6 network as one address', async () => {
    for (let i = 0; i < ANONYMOUS_PAGES_PER_DAY; i++)
      expect((await send(HTML, `2001:db8:1:2::${i + 1}`)).status).toBe(201);
    expect((await send(HTML, '2001:db8:1:2:ffff::1')).status).toBe(429);
    expect((await send(HTML, '2001:db8:1:3::1')).status).toBe(201);
  });

  test('takes the largest document, and not a byte more, which costs no attempt', async () => {
    const largest = HTML + ' '.repeat(MAX_HTML_BYTES - HTML.length);
    expect((await send(largest)).status).toBe(201);
    for (let i = 0; i <= ANONYMOUS_PAGES_PER_DAY; i++) {
      const refused = await send(`${largest} `, '10.3.0.3');
      expect([refused.status, refused.body.code]).toEqual([413, 'PAYLOAD_TOO_LARGE']);
    }
  });

  test.each([
    [{}, 400],
    [{ html_content: '' }, 400],
    [{ html_content: 7 }, 400],
    [{ html_content: 'a\0b' }, 400],
    [{ html_content: HTML, name: 'PayPal' }, 400],
    [{ html_content: HTML, slug: 'login' }, 400],
    [{ html_content: HTML, storage_mode: 'social_app' }, 400],
    [{ html_content: HTML, page_api_ai_enabled: true }, 400],
  ])('refuses %p', async (body, status) => {
    expect((await quire.call('POST', '/api/publish', { body, peer: newAddress() })).status).toBe(status);
  });

  test('is not possible from a form of another site', async () => {
    for (const type of ['text/plain', 'application/x-www-form-urlencoded']) {
      const refused = await quire.request('/api/publish', {
        method: 'POST',
        headers: { 'content-type': type, origin: 'https://elsewhere.example' },
        body: JSON.stringify({ html_content: HTML }),
      });
      expect(refused.status).toBe(415);
    }
  });

  test.each([
    ['<title>a</title><title>b</title>', 'a'],
    ['<script>"<title>no</title>"</script><title>yes</title>', 'yes'],
    ['<!-- <title>no</title> --><p>x', 'Untitled page'],
    ['<title> \u202e \u200b </title>', 'Untitled page'],
    ['<title>&lt;b&gt;\n  two\tlines</title>', '&lt;b&gt; two lines'],
    ['<title>never closed', 'never closed'],
    ['<title'.repeat(10_000), 'Untitled page'],
    [`${' '.repeat(70_000)}<title>too late</title>`, 'Untitled page'],
  ])('reads the title of %p', async (html, name) => {
    const { url } = await publish(html);
    const { body } = await quire.call('GET', path(url));
    expect(body).toContain(`<title>${name}</title>`);
  });

  test('stops at the limit of the whole server, whatever addresses they come from', async () => {
    const full = await testApp(ON);
    const place = { dataFolder: full.dataFolder, databaseUrl: full.databaseUrl };
    const post = () =>
      full.call('POST', '/api/publish', { body: { html_content: HTML }, peer: newAddress() });
    const isAnonymous = "user_id = (select id from users where username = 'anonymous pages')";
    try {
      expect((await post()).status).toBe(201);
      await runSql(place, `update usage set pages = ${MAX_UNCLAIMED_PAGES - 1} where ${isAnonymous}`);
      expect((await post()).status).toBe(201);
      const tooMany = await post();
      expect([tooMany.status, tooMany.body.code]).toEqual([503, 'UNAVAILABLE']);
      expect(tooMany.body.error).toContain('Log in to publish');
      const bytes = MAX_UNCLAIMED_BYTES - HTML.length;
      await runSql(place, `update usage set pages = 2, bytes = ${bytes} where ${isAnonymous}`);
      expect((await post()).status).toBe(201);
      expect((await post()).status).toBe(503);
    } finally {
      await full.stop();
    }
  });
});

describe('an unclaimed page', () => {
  let made: Made;
  beforeAll(async () => {
    made = await publish();
  });

  test('is shown below a bar of the service, which it cannot reach, and not indexed', async () => {
    for (const [where, at] of [
      [`/p/${made.slug}`, `/p/${made.slug}/~unclaimed`],
      [`/p/${made.slug}/`, `/p/${made.slug}/~unclaimed`],
      [host(made), '/~unclaimed'],
    ] as const) {
      const { status, headers, body } = await quire.call('GET', where);
      expect(status).toBe(200);
      expect(body).toContain('Published anonymously');
      expect(body).toContain('in 24 hours');
      expect(body).toContain('<meta name="robots" content="noindex">');
      expect(body).toContain(`<iframe src="${at}"`);
      expect(body).not.toContain('Turquoise');
      expect(body).not.toContain('allow-same-origin');
      expect(body).not.toContain('allow-top-navigation');
      expect(headers.get('x-robots-tag')).toBe('noindex');
      expect(headers.get('x-frame-options')).toBe('DENY');
      expect(headers.get('content-security-policy')).toContain("default-src 'none'");
      expect(headers.get('cache-control')).toBe('no-store');
    }
  });

  test('leads a browser to its own host, as every page', async () => {
    const response = await quire.request(`/p/${made.slug}`, { headers: NAVIGATE });
    expect([response.status, response.headers.get('location')]).toEqual([302, host(made)]);
  });

  test.each(['sandbox', 'trusted', 'origin'])('has no origin with %s isolation', async (isolation) => {
    const app = await testApp({ ...ON, QUIRE_ISOLATION: isolation });
    try {
      const { body } = await app.call('POST', '/api/publish', { body: { html_content: HTML } });
      const frame = `${path(body.url)}/~unclaimed`;
      const cookie = await (await app.user('isolated')).login();
      const response = await app.request(frame, { headers: { ...FRAMED, cookie } });
      const text = await response.text();
      expect(response.status).toBe(200);
      expect(text).toContain('Turquoise');
      expect(text).not.toContain('data-page-session');
      const policy = response.headers.get('content-security-policy') ?? '';
      expect(policy).toStartWith('sandbox allow-scripts');
      expect(policy).not.toContain('allow-same-origin');
      expect(policy).toEndWith(`frame-ancestors ${app.baseUrl}`);
      expect(response.headers.get('referrer-policy')).toBe('no-referrer');
      expect(response.headers.get('x-robots-tag')).toBe('noindex');
      expect(response.headers.get('set-cookie')).toBeNull();
    } finally {
      await app.stop();
    }
  });

  test('is never in a tab without the bar', async () => {
    const base = await quire.request(`/p/${made.slug}/~unclaimed`, { headers: NAVIGATE });
    expect([base.status, base.headers.get('location')]).toEqual([302, `/p/${made.slug}`]);
    const own = await quire.request(host(made, '/~unclaimed'), { headers: NAVIGATE });
    expect([own.status, own.headers.get('location')]).toEqual([302, '/']);
    for (const headers of [
      {},
      { 'sec-fetch-dest': 'object' },
      { referer: 'https://elsewhere.example/' },
      { referer: `${quire.baseUrl}.elsewhere.example/` },
    ] as Record<string, string>[])
      expect((await quire.request(`/p/${made.slug}/~unclaimed`, { headers })).status).toBe(302);
    const plain = { headers: { referer: `${quire.baseUrl}/p/${made.slug}` } };
    expect((await quire.request(`/p/${made.slug}/~unclaimed`, plain)).status).toBe(200);
    const framed = await quire.request(host(made, '/~unclaimed'), { headers: FRAMED });
    expect(framed.headers.get('content-security-policy')).toEndWith(
      `frame-ancestors ${new URL(host(made)).origin}`,
    );
    expect(await framed.text()).toContain('Turquoise');
  });

  test('does not reveal its claim link, and neither does the log', async () => {
    for (const at of [
      `/p/${made.slug}`,
      `/p/${made.slug}/~unclaimed`,
      host(made),
      host(made, '/~unclaimed'),
    ]) {
      const response = await quire.request(at, { headers: FRAMED });
      const text = `${JSON.stringify([...response.headers])}${await response.text()}`;
      expect(text).not.toContain(made.code);
      expect(text).not.toContain('/claim/');
    }
    await quire.request(path(made.claim));
    expect(quire.logs.join('\n')).not.toContain(made.code);
    const rows = await readSql<{ claim_hash: string }>(
      { dataFolder: quire.dataFolder, databaseUrl: quire.databaseUrl },
      `select claim_hash from pages where id = ${made.id}`,
    );
    expect(rows[0]?.claim_hash).not.toContain(made.code);
  });

  const routesOfPages = () => quire.app.routes.filter(({ path: at }) => /^\/(api\/pages|p)\/:id/.test(at));
  const toPath = ({ path: at }: Route) =>
    at.replace(/:(\w+)/g, (name) => (name === ':id' ? String(made.id) : 'notes')).replace('/*', '/a.txt');

  test('has no data, features, forms or anything else, for nobody and for people with an account', async () => {
    const routes = routesOfPages();
    expect(routes.length).toBeGreaterThan(60);
    for (const route of routes)
      for (const token of [undefined, owner.token]) {
        const response = await quire.request(toPath(route), {
          method: route.method,
          peer: newAddress(),
          headers: { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) },
          ...(!['GET', 'DELETE'].includes(route.method) && { body: '{}' }),
        });
        const text = await response.text();
        const what = `${route.method} ${route.path}: ${response.status} ${text}`;
        expect([400, 401, 403, 404, 415, 426], what).toContain(response.status);
        expect(text, what).not.toContain('Turquoise');
      }
  });

  test.each([
    ['GET', '/visitor', undefined],
    ['GET', '/social-data/notes', undefined],
    ['POST', '/forms/contact', { message: 'hello' }],
    ['GET', '/agent-spec', undefined],
  ])('says what to do next: %s %s', async (method, at, body) => {
    const refused = await quire.call(method, `/api/pages/${made.id}${at}`, {
      ...(body && { body }),
      headers: { origin: 'null' },
    });
    expect([refused.status, refused.body.code]).toEqual([403, 'FORBIDDEN']);
    expect(refused.body.error).toContain('Open its claim link and log in');
  });

  test('is in no list, has no text for agents, and cannot be copied', async () => {
    expect((await owner.call('GET', '/api/pages')).body.pages).toEqual([]);
    expect((await quire.call('GET', '/api/gallery')).body.pages).toEqual([]);
    expect((await owner.call('GET', `/api/pages/lookup?slug=${made.slug}`)).status).toBe(403);
    expect((await owner.call('POST', `/api/pages/${made.id}/fork`)).status).toBe(403);
    for (const at of [`/p/${made.slug}/llms.txt`, host(made, '/llms.txt'), `/p/${made.slug}/other`])
      expect((await quire.request(at)).status).toBe(404);
    const hidden = await quire.request(`/p/~${made.id}`, { headers: NAVIGATE });
    expect(hidden.status).toBe(403);
    expect(await hidden.text()).not.toContain(made.slug);
  });

  test('belongs to an account that nobody can log in to', async () => {
    for (const username of ['anonymous pages', 'anonymous-pages@invalid'])
      for (const password of ['', 'correct horse battery']) {
        const body = { username, password };
        expect((await quire.call('POST', '/api/auth/login', { body })).status).toBeOneOf([400, 401]);
      }
    const taken = { username: 'anonymous pages', email: 'x@example.com', password: 'correct horse battery' };
    expect((await quire.call('POST', '/api/auth/register', { body: taken })).status).toBe(400);
    const mail = { username: 'anon', email: 'anonymous-pages@invalid', password: 'correct horse battery' };
    expect((await quire.call('POST', '/api/auth/register', { body: mail })).status).toBe(400);
  });
});

describe('claiming', () => {
  test('shows what is claimed, asks guests to log in, and changes nothing when it is opened', async () => {
    const made = await publish();
    const response = await quire.request(path(made.claim), { headers: NAVIGATE });
    const text = await response.text();
    expect(response.status).toBe(200);
    expect(text).toContain('Plans &amp; notes');
    expect(text).toContain(`/p/${made.slug}`);
    const next = encodeURIComponent(path(made.claim));
    expect(text).toContain(`/login?next=${next}`);
    expect(text).toContain(`/register?next=${next}`);
    expect(text).not.toContain('<form');
    expect(response.headers.get('referrer-policy')).toBe('strict-origin');
    expect(response.headers.get('cache-control')).toBe('no-store');
    const cookie = await owner.login();
    const asked = await quire.request(path(made.claim), { headers: { ...NAVIGATE, cookie } });
    expect(await asked.text()).toContain('<form method="post"');
    expect((await quire.call('GET', `/p/${made.slug}`)).body).toContain('Published anonymously');
  });

  test('makes it an ordinary page of the claimer, unlisted and without an end', async () => {
    const person = await quire.user('first-claimer');
    const before = await usage('anonymous pages');
    const made = await publish();
    const response = await claim(made, await person.login());
    expect([response.status, response.headers.get('location')]).toEqual([303, `/pages/${made.id}`]);
    const { body } = await person.call('GET', `/api/pages/${made.id}`);
    expect(body.page).toMatchObject({ name: 'Plans & notes', is_unlisted: true, is_published: true });
    expect(body.page.access).toEqual({ mode: 'public' });
    expect(body.role).toBe('owner');
    const { versions } = (await person.call('GET', `/api/pages/${made.id}/versions`)).body;
    expect(versions[0].author).toBe('first-claimer');
    const served = await quire.request(`/p/${made.slug}`);
    expect(await served.text()).toContain('Turquoise');
    expect(served.headers.get('x-robots-tag')).toBe('noindex');
    expect((await quire.request(`/p/${made.slug}/~unclaimed`)).status).toBe(301);
    expect((await quire.request(host(made, '/~unclaimed'))).status).toBe(404);
    expect((await quire.call('GET', `/api/pages/${made.id}/visitor`)).status).toBe(200);
    expect(await usage('anonymous pages')).toEqual(before);
    expect(await usage('first-claimer')).toEqual({ pages: 1, bytes: HTML.length });
    const again = await claim(made, await owner.login());
    expect(again.status).toBe(404);
    quire.advance(25 * HOUR_MS);
    await quire.app.sweep();
    expect((await quire.request(`/p/${made.slug}`)).status).toBe(200);
  });

  test('needs a login, and comes back after it', async () => {
    const made = await publish();
    const response = await claim(made);
    expect([response.status, response.headers.get('location')]).toEqual([
      303,
      `/login?next=${encodeURIComponent(path(made.claim))}`,
    ]);
  });

  test('is not possible from another site, or from a page', async () => {
    const made = await publish();
    const cookie = await owner.login();
    for (const headers of [
      { origin: 'https://elsewhere.example', 'sec-fetch-site': 'cross-site' },
      { origin: 'null', 'sec-fetch-site': 'cross-site' },
      { origin: new URL(host(made)).origin, 'sec-fetch-site': 'same-site' },
    ])
      expect((await claim(made, cookie, headers)).status).toBe(403);
    expect((await quire.call('GET', `/p/${made.slug}`)).body).toContain('Published anonymously');
  });

  test('does not take a wrong code, that of another page, or many of them', async () => {
    const [made, other] = [await publish(), await publish()];
    const cookie = await owner.login();
    for (const code of ['', 'x', `${made.code}x`, made.code.slice(1), other.code])
      expect((await claim({ id: made.id, code }, cookie)).status).toBe(404);
    expect((await claim({ id: 999_999, code: made.code }, cookie)).status).toBe(404);
    expect((await claim({ id: made.id, code: 'x'.repeat(101) }, cookie)).status).toBe(400);
    const guess = () => quire.request(`/claim/${made.id}?code=x`, { peer: '10.3.0.4' });
    for (let i = 0; i < 30; i++) expect((await guess()).status).toBe(404);
    expect((await guess()).status).toBe(429);
  });

  test('of two people at once, one gets it and the other is told', async () => {
    const people = await Promise.all(['racer-1', 'racer-2', 'racer-3'].map((name) => quire.user(name)));
    const cookies = await Promise.all(people.map((person) => person.login()));
    const made = await publish();
    const responses = await Promise.all([...cookies, ...cookies].map((cookie) => claim(made, cookie)));
    const statuses = responses.map(({ status }) => status).sort();
    expect(statuses).toEqual([303, 404, 404, 404, 404, 404]);
    const loser = responses.find(({ status }) => status === 404);
    expect(await loser?.text()).toContain('somebody has claimed the page');
    const owned = await Promise.all(people.map((person) => usage(person.username)));
    expect(owned.map((row) => row?.pages).sort()).toEqual([0, 0, 1]);
  });

  test('is within the quota of the claimer, and the page stays as it is otherwise', async () => {
    const admin = await administrator(quire, 'quota-admin');
    const person = await quire.user('full-claimer');
    const quota = (pages: number) =>
      admin.admin('PUT', `/api/admin/users/${person.id}/quota`, { pages, functions: null, bytes: null });
    expect((await quota(1)).status).toBe(200);
    const [first, second] = [await publish(), await publish()];
    const cookie = await person.login();
    expect((await claim(first, cookie)).status).toBe(303);
    const refused = await claim(second, cookie);
    expect(refused.status).toBe(403);
    expect(await refused.text()).toContain('quota');
    expect((await quire.call('GET', `/p/${second.slug}`)).body).toContain('Published anonymously');
    expect((await quota(2)).status).toBe(200);
    expect((await claim(second, cookie)).status).toBe(303);
  });
});

describe('after a day', () => {
  test('the page is gone at once, and its rows with the next sweep', async () => {
    const made = await publish();
    const before = (await usage('anonymous pages'))?.pages ?? 0;
    quire.advance(24 * HOUR_MS);
    for (const at of [`/p/${made.slug}`, `/p/${made.slug}/~unclaimed`, host(made), host(made, '/~unclaimed')])
      expect((await quire.request(at)).status, at).toBe(404);
    expect((await quire.call('GET', `/api/pages/${made.id}/visitor`)).status).toBe(404);
    expect((await claim(made, await owner.login())).status).toBe(404);
    await quire.app.sweep();
    const place = { dataFolder: quire.dataFolder, databaseUrl: quire.databaseUrl };
    expect(await readSql(place, `select id from pages where id = ${made.id}`)).toEqual([]);
    expect(await readSql(place, `select page_id from page_versions where page_id = ${made.id}`)).toEqual([]);
    expect((await usage('anonymous pages'))?.pages).toBeLessThan(before);
    expect(await usage('anonymous pages')).toEqual({ pages: 0, bytes: 0 });
  });
});

describe('administrators', () => {
  test('see unclaimed pages, take one down, and block all of them', async () => {
    const admin = await administrator(quire, 'anonymous-admin');
    const [bad, good] = [await publish(), await publish()];
    const { body } = await admin.admin('GET', '/api/admin/pages?state=unclaimed');
    const listed = body.pages.find(({ id }: { id: number }) => id === bad.id);
    expect(listed).toMatchObject({
      owner: { username: 'anonymous pages' },
      unclaimedUntil: bad.expires_at,
      isUnlisted: true,
    });
    const all = (await admin.admin('GET', '/api/admin/pages')).body.pages;
    expect(all.filter((page: { unclaimedUntil: unknown }) => page.unclaimedUntil === null).length).toBe(
      all.length - body.total,
    );
    const down = { reason: 'Phishing' };
    expect((await admin.admin('POST', `/api/admin/pages/${bad.id}/take-down`, down)).status).toBe(200);
    expect((await quire.request(`/p/${bad.slug}`)).status).toBe(451);
    expect((await quire.request(`/p/${bad.slug}/~unclaimed`)).status).toBe(451);
    expect((await claim(bad, await owner.login())).status).toBe(404);
    const { owner: account } = listed;
    const suspend = { reason: 'Too much of it' };
    expect((await admin.admin('POST', `/api/admin/users/${account.id}/suspend`, suspend)).status).toBe(200);
    expect((await quire.request(`/p/${good.slug}`)).status).toBe(403);
    expect((await claim(good, await owner.login())).status).toBe(404);
    expect((await send()).status).toBe(503);
    expect((await admin.admin('POST', `/api/admin/users/${account.id}/restore`)).status).toBe(200);
    expect((await quire.request(`/p/${good.slug}`)).status).toBe(200);
    expect((await claim(good, await owner.login())).status).toBe(303);
    const { entries } = (await admin.admin('GET', '/api/admin/audit')).body;
    const actions = entries.map(({ action, target }: { action: string; target: { name: string } }) => [
      action,
      target.name,
    ]);
    expect(actions).toContainEqual(['page.take_down', bad.slug]);
    expect(actions).toContainEqual(['page.claim', good.slug]);
  });
});
