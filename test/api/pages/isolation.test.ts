import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { type PublishedPage, type TestApp, type TestUser, testApp } from '../../support/app.ts';

const NAVIGATE = { 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' };

/** A service with two users: the owner of two pages, and a logged-in visitor. */
interface Scene {
  quire: TestApp;
  owner: TestUser;
  visitor: TestUser;
  cookie: string;
  page: PublishedPage;
  other: PublishedPage;
}

async function scene(settings: Record<string, string>): Promise<Scene> {
  const quire = await testApp(settings);
  const owner = await quire.user('owner');
  const visitor = await quire.user('visitor');
  const page = await owner.publish({ name: 'Page' });
  const other = await owner.publish({ name: 'Other' });
  return { quire, owner, visitor, cookie: await visitor.login(), page, other };
}

describe('origin isolation', () => {
  let s: Scene;
  beforeAll(async () => {
    s = await scene({});
  });
  afterAll(() => s.quire.stop());
  const host = (id: number) => `http://p${id}.pages.localhost:3000`;
  const fetchVisitor = (id: number, headers: Record<string, string>) =>
    s.quire.call('GET', `${host(id)}/api/pages/${id}/visitor`, { headers });

  /** The redirect target of a response, and the cookies it sets. */
  const readRedirect = (response: Response) => ({
    location: response.headers.get('location') ?? '',
    cookies: Object.fromEntries(
      response.headers.getSetCookie().map((line) => (line.split(';')[0] ?? '').split('=')),
    ),
  });

  /**
   * Follows a navigation up to the ticket. Returns the cookies of the host of the page, and the ticket URL.
   */
  async function askTicket(login = s.cookie, page = s.page): Promise<{ browser: string; ticket: string }> {
    const navigate = (url: string, cookie = '') => s.quire.request(url, { headers: { ...NAVIGATE, cookie } });
    const begin = readRedirect(await navigate(`/p/${page.slug}?q=1`, login));
    const asked = readRedirect(await navigate(begin.location));
    const given = readRedirect(await navigate(asked.location, login));
    return { browser: `quire_browser=${asked.cookies.quire_browser}`, ticket: given.location };
  }

  const redeem = async (ticket: string, browser: string) =>
    readRedirect(await s.quire.request(ticket, { headers: { ...NAVIGATE, cookie: browser } }));

  /** Follows a logged-in navigation to the host of the page and returns the cookie it sets. */
  async function enter(): Promise<{ ticket: string; browser: string; cookie: string }> {
    const { ticket, browser } = await askTicket();
    const { cookies } = await redeem(ticket, browser);
    return { ticket, browser, cookie: `quire_page=${cookies.quire_page}` };
  }

  test('redirects a navigation to the host of the page; everything else gets the page in a sandbox', async () => {
    const navigation = await s.quire.request(`/p/${s.page.slug}?a=b`, { headers: NAVIGATE });
    expect([navigation.status, navigation.headers.get('location')]).toEqual([302, `${host(s.page.id)}/?a=b`]);
    const fetched = await s.quire.request(`/p/${s.page.slug}`, { headers: { cookie: s.cookie } });
    expect(fetched.status).toBe(200);
    expect(fetched.headers.get('content-security-policy')).toStartWith('sandbox ');
    expect(fetched.headers.get('content-security-policy')).not.toContain('allow-same-origin');
    expect(await fetched.text()).not.toContain('data-page-session');
    const there = await s.quire.request(`${host(s.page.id)}/`);
    expect([there.status, there.headers.get('content-security-policy')]).toEqual([200, null]);
  });

  test('exchanges a login for a page session with a ticket that works once', async () => {
    const { ticket, browser, cookie } = await enter();
    expect(ticket).toStartWith(`${host(s.page.id)}/~session?ticket=`);
    const { body } = await fetchVisitor(s.page.id, { cookie });
    expect(body).toEqual({ user: { id: s.visitor.id, username: 'visitor' }, role: null });
    const again = await redeem(ticket, browser);
    expect([again.cookies.quire_page, again.location]).toEqual([undefined, '/?q=1']);
  });

  test('limits a ticket to its page, its browser, and 30 seconds', async () => {
    const elsewhere = await askTicket();
    const moved = elsewhere.ticket.replace(host(s.page.id), host(s.other.id));
    expect((await redeem(moved, elsewhere.browser)).cookies.quire_page).toBeUndefined();
    const stolen = await askTicket();
    const other = await askTicket();
    expect((await redeem(stolen.ticket, '')).cookies.quire_page).toBeUndefined();
    expect((await redeem(stolen.ticket, other.browser)).cookies.quire_page).toBeUndefined();
    expect((await redeem(stolen.ticket, stolen.browser)).cookies.quire_page).toBeDefined();
    const late = await askTicket();
    s.quire.advance(31_000);
    expect((await redeem(late.ticket, late.browser)).cookies.quire_page).toBeUndefined();
  });

  test('creates a ticket only for a navigation of a logged-in user, and only for the page', async () => {
    const ask = (headers: Record<string, string>, search = '') =>
      s.quire.request(`/~ticket?page=${s.page.id}&browser=x&to=${encodeURIComponent(search)}`, {
        headers,
      });
    expect((await ask({ ...NAVIGATE })).headers.get('location')).toBe(`${host(s.page.id)}/`);
    expect((await ask({ cookie: s.cookie, 'sec-fetch-mode': 'cors' })).headers.get('location')).not.toContain(
      'ticket',
    );
    for (const bad of ['?page=0', '?page=x', '?page=99999999999', '']) {
      expect((await s.quire.request(`/~ticket${bad}`, { headers: NAVIGATE })).status).toBe(404);
    }
    const target = `${host(s.page.id)}/~session?ticket=x&to=`;
    for (const away of ['https://evil.example/', '//evil.example', '/\\evil.example', '@evil.example']) {
      expect((await redeem(target + encodeURIComponent(away), '')).location).toBe('/');
      expect((await ask({ ...NAVIGATE }, away)).headers.get('location')).toBe(`${host(s.page.id)}/`);
    }
  });

  test('accepts a page session only on its own host, for its own page, from its own origin', async () => {
    const { cookie } = await enter();
    const own = host(s.page.id);
    const user = async (id: number, headers: Record<string, string>) =>
      (await fetchVisitor(id, headers)).body.user;
    expect(await user(s.page.id, { cookie, origin: own, 'sec-fetch-site': 'same-origin' })).not.toBeNull();
    expect(await user(s.page.id, { cookie, origin: host(s.other.id) })).toBeNull();
    expect(await user(s.page.id, { cookie, 'sec-fetch-site': 'same-site' })).toBeNull();
    expect(await user(s.page.id, { cookie, origin: 'null' })).toBeNull();
    expect(await user(s.other.id, { cookie })).toBeNull();
    const atBase = await s.quire.call('GET', `/api/pages/${s.page.id}/visitor`, { cookie });
    expect(atBase.body.user).toBeNull();
    const token = cookie.split('=')[1] ?? '';
    const replayed = await s.quire.call('GET', `/api/pages/${s.other.id}/visitor`, {
      headers: { 'x-page-session': token },
    });
    expect(replayed.body.user).toBeNull();
  });

  test('serves only the visitors of a page on its host', async () => {
    const { cookie } = await enter();
    const paths: Array<[string, string]> = [
      ['GET', '/api/pages'],
      ['POST', '/api/pages'],
      ['GET', `/api/pages/${s.page.id}`],
      ['DELETE', `/api/pages/${s.page.id}`],
      ['GET', `/api/pages/${s.other.id}/visitor`],
      ['GET', `/api/pages/${s.other.slug}/visitor`],
      ['GET', '/api/auth/me'],
      ['POST', '/api/auth/login'],
      ['POST', '/api/auth/session-token'],
      ['GET', '/login'],
      ['GET', '/docs/api'],
      ['GET', '/healthz'],
      ['GET', '/anything'],
    ];
    for (const [method, path] of paths) {
      const response = await s.quire.call(method, host(s.page.id) + path, {
        headers: { cookie: `${cookie}; ${s.cookie}`, authorization: `Bearer ${s.owner.token}` },
      });
      expect([method, path, response.status]).toEqual([method, path, 404]);
    }
    const call = await s.quire.call('POST', `${host(s.page.id)}/api/functions/no-such-function`, {
      body: {},
    });
    expect([call.status, call.body.success]).toEqual([404, false]);
    const link = await s.quire.request(`${host(s.page.id)}/p/other?x=1`);
    expect([link.status, link.headers.get('location')]).toEqual([302, `${s.quire.baseUrl}/p/other?x=1`]);
    expect((await s.quire.request('http://p999999.pages.localhost:3000/')).status).toBe(404);
  });

  test('ends a page session with its login', async () => {
    const { cookie: page } = await enter();
    expect((await fetchVisitor(s.page.id, { cookie: page })).body.user).not.toBeNull();
    await s.quire.call('POST', '/api/auth/logout', { cookie: s.cookie });
    expect((await fetchVisitor(s.page.id, { cookie: page })).body.user).toBeNull();
    s.cookie = await s.visitor.login();
  });

  test('shows a draft on its host to its owner only', async () => {
    const draft = await s.owner.publish({ name: 'Draft', is_published: false });
    const ownerCookie = await s.owner.login();
    expect((await s.quire.request(`${host(draft.id)}/`)).status).toBe(404);
    expect(
      (await s.quire.request(`/p/${draft.slug}`, { headers: { ...NAVIGATE, cookie: s.cookie } })).status,
    ).toBe(404);
    const { ticket, browser } = await askTicket(ownerCookie, draft);
    const cookie = `quire_page=${(await redeem(ticket, browser)).cookies.quire_page}`;
    expect((await s.quire.request(`${host(draft.id)}/`, { headers: { cookie } })).status).toBe(200);
    expect((await s.quire.call('GET', `${host(draft.id)}/api/pages/${draft.id}/visitor`)).status).toBe(404);

    // Links from other sites lead to it, but other sites cannot read it or act on it.
    const from = (site: string, more: Record<string, string>) =>
      s.quire.request(`${host(draft.id)}/`, { headers: { cookie, 'sec-fetch-site': site, ...more } });
    for (const site of ['cross-site', 'same-site']) {
      expect((await from(site, NAVIGATE)).status).toBe(200);
      expect((await from(site, { ...NAVIGATE, 'sec-fetch-dest': 'iframe' })).status).toBe(404);
      expect((await from(site, { 'sec-fetch-mode': 'cors', 'sec-fetch-dest': 'empty' })).status).toBe(404);
      const post = await s.quire.request(`${host(draft.id)}/api/pages/${draft.id}/page-session`, {
        method: 'POST',
        headers: { cookie, 'sec-fetch-site': site, ...NAVIGATE },
      });
      expect(post.status).toBe(401);
    }
  });

  test('keeps a page session for two hours, and longer if it is renewed', async () => {
    const { cookie: first } = await enter();
    const renew = (cookie: string) =>
      s.quire.call('POST', `${host(s.page.id)}/api/pages/${s.page.id}/page-session`, { headers: { cookie } });
    s.quire.advance(3600_000);
    const renewed = await renew(first);
    expect([renewed.status, renewed.body]).toEqual([200, { expiresIn: 7200 }]);
    const second = (renewed.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
    s.quire.advance(3600_000 + 1000);
    expect((await fetchVisitor(s.page.id, { cookie: first })).body.user).toBeNull();
    expect((await fetchVisitor(s.page.id, { cookie: second })).body.user).not.toBeNull();
    expect((await renew(first)).status).toBe(401);
  });

  test('sends a copy for a frame in full and uncached, so that its policy stays with the frame', async () => {
    const get = (headers: Record<string, string>) => s.quire.request(`${host(s.page.id)}/`, { headers });
    const plain = await get(NAVIGATE);
    expect(plain.headers.get('content-security-policy')).toBeNull();
    const framed = await get({
      'sec-fetch-mode': 'navigate',
      'sec-fetch-dest': 'iframe',
      'sec-fetch-site': 'same-site',
      'if-none-match': plain.headers.get('etag') ?? '',
    });
    expect([framed.status, framed.headers.get('cache-control')]).toEqual([200, 'private, no-store']);
    expect(framed.headers.get('content-security-policy')).toStartWith('sandbox ');
  });
});

describe('sandbox isolation', () => {
  let s: Scene;
  beforeAll(async () => {
    s = await scene({ QUIRE_BASE_URL: 'http://127.0.0.1:3000' });
  });
  afterAll(() => s.quire.stop());

  const open = (headers: Record<string, string>) =>
    s.quire.request(`/p/${s.page.slug}`, { headers: { ...NAVIGATE, ...headers } });
  const tokenIn = (html: string) => /data-page-session="([^"]+)"/.exec(html)?.[1] ?? '';

  test('puts a page session into the page of a logged-in visitor, and prevents caching', async () => {
    const guest = await open({});
    expect(guest.headers.get('content-security-policy')).toStartWith('sandbox ');
    expect(guest.headers.get('etag')).not.toBeNull();
    expect(tokenIn(await guest.text())).toBe('');
    const response = await open({ cookie: s.cookie });
    expect(response.headers.get('content-security-policy')).toStartWith('sandbox ');
    expect([response.headers.get('etag'), response.headers.get('cache-control')]).toEqual([
      null,
      'private, no-store',
    ]);
    const session = tokenIn(await response.text());
    const ask = (id: number) =>
      s.quire.call('GET', `/api/pages/${id}/visitor`, {
        headers: { 'x-page-session': session, origin: 'null' },
      });
    const own = await ask(s.page.id);
    expect(own.body.user.username).toBe('visitor');
    expect(own.headers.get('access-control-allow-origin')).toBe('null');
    expect(own.headers.get('access-control-allow-credentials')).toBeNull();
    expect((await ask(s.other.id)).body.user).toBeNull();
  });

  test('gives a token only to a navigation', async () => {
    for (const mode of ['cors', 'no-cors', 'same-origin', 'websocket']) {
      const response = await s.quire.request(`/p/${s.page.slug}`, {
        headers: { 'sec-fetch-mode': mode, cookie: s.cookie },
      });
      expect(tokenIn(await response.text())).toBe('');
    }
    const plain = await s.quire.request(`/p/${s.page.slug}`, { headers: { cookie: s.cookie } });
    expect(tokenIn(await plain.text())).toBe('');
  });

  test('renews the token while the login is valid', async () => {
    const session = tokenIn(await (await open({ cookie: s.cookie })).text());
    const renew = () =>
      s.quire.call('POST', `/api/pages/${s.page.id}/page-session`, {
        headers: { 'x-page-session': session },
      });
    expect((await renew()).body).toEqual({ pageSession: expect.any(String), expiresIn: 7200 });
    await s.quire.call('POST', '/api/auth/logout', { cookie: s.cookie });
    expect((await renew()).status).toBe(401);
  });

  test('allows the preflight of the sandboxed page', async () => {
    const response = await s.quire.request(`/api/pages/${s.page.id}/visitor`, {
      method: 'OPTIONS',
      headers: {
        origin: 'null',
        'access-control-request-method': 'GET',
        'access-control-request-headers': 'x-page-session',
      },
    });
    expect(response.status).toBe(204);
    expect(response.headers.get('access-control-allow-origin')).toBe('null');
    expect(response.headers.get('access-control-allow-headers')?.toLowerCase()).toContain('x-page-session');
  });

  test('allows the preflight for files, and GET decides who can read them', async () => {
    const ask = (path: string, headers: Record<string, string>) =>
      s.quire.request(path, { method: 'OPTIONS', headers: { origin: 'null', ...headers } });
    const asked = { 'access-control-request-method': 'GET', 'access-control-request-headers': 'hx-request' };
    for (const path of [`/p/${s.page.slug}/part.html`, '/p/nothing-is-here/part.html']) {
      const { status, headers } = await ask(path, asked);
      expect([status, headers.get('access-control-allow-origin')]).toEqual([204, '*']);
      expect(headers.get('access-control-allow-headers')).toBe('*');
      expect(headers.get('access-control-allow-methods')).toBe('GET, HEAD');
      expect(headers.has('access-control-allow-credentials')).toBe(false);
    }
    const missing = await s.quire.request('/p/nothing-is-here/part.html', { headers: { origin: 'null' } });
    expect([missing.status, missing.headers.get('access-control-allow-origin')]).toEqual([404, null]);
    const written = await s.quire.request(`/p/${s.page.slug}`, { method: 'PUT', body: 'x' });
    expect([written.status, written.headers.get('allow')]).toEqual([405, 'GET, HEAD, OPTIONS']);
  });

  test('treats forged and foreign tokens as anonymous', async () => {
    for (const token of ['x', 'a.b', 'a.b.c', `${btoa('{"session":1,"page":1,"exp":9999999999999}')}.AAAA`]) {
      const answer = await s.quire.call('GET', `/api/pages/${s.page.id}/visitor`, {
        headers: { 'x-page-session': token },
      });
      expect(answer.body).toEqual({ user: null, role: null });
    }
  });
});

describe('relative URLs of a page, in both isolations', () => {
  let origin: Scene;
  let sandbox: Scene;
  beforeAll(async () => {
    origin = await scene({});
    sandbox = await scene({ QUIRE_BASE_URL: 'http://127.0.0.1:3000' });
    for (const { owner, page, other } of [origin, sandbox]) {
      for (const { id } of [page, other]) {
        await owner.call('PATCH', `/api/pages/${id}`, { body: { storage_mode: 'social_app' } });
      }
    }
  });
  afterAll(() => Promise.all([origin.quire.stop(), sandbox.quire.stop()]));

  test.each<[string, string, number]>([
    ['GET', '/api/functions', 200],
    ['GET', '/api/functions?limit=1', 200],
    ['HEAD', '/api/functions', 200],
    ['GET', '/api/functions/unfurl-url', 200],
    ['GET', '/api/functions/no-such-function', 404],
    ['POST', '/api/functions/no-such-function', 404],
    ['GET', '/api/pages/:own/agent-spec', 200],
    ['GET', '/api/pages/page/agent-spec', 200],
    ['GET', '/api/pages/:other/agent-spec', 200],
    ['GET', '/api/pages/other/agent-spec', 200],
    ['GET', '/api/pages/99999/agent-spec', 404],
    ['GET', '/api/pages/:own/social-data', 200],
    ['GET', '/api/pages/:own/social-data/notes', 200],
    ['GET', '/api/pages/:own/social-data/notes/count', 200],
    ['GET', '/api/pages/:other/social-data/notes', 200],
    ['GET', '/api/pages/other/social-data/notes', 200],
    ['GET', '/api/pages/:own/events?collections=notes', 200],
    ['POST', '/api/pages/:own/social-data/notes', 401],
    ['GET', '/api/pages/:own/solo-data/notes', 401],
    ['GET', '/api/pages/:own/team', 401],
    ['GET', '/api/pages/:own/visitor', 200],
    ['POST', '/api/pages/:own/page-api-ai', 401],
    ['POST', '/api/pages/:own/page-api-image-gen', 401],
    ['POST', '/api/pages/:own/page-api-image-search', 401],
    ['POST', '/api/pages/:own/page-api-image-recognition', 401],
    ['POST', '/api/pages/:own/page-api-spawn', 401],
    ['GET', '/images/nothing.png', 404],
  ])('%s %s gets %d', async (method, path, status) => {
    const ask = async ({ quire, page, other }: Scene, at: string, headers: Record<string, string>) => {
      const address = at + path.replace(':own', String(page.id)).replace(':other', String(other.id));
      const body = method === 'POST' ? { body: '{}' } : {};
      const type = { 'content-type': 'application/json' };
      const response = await quire.request(address, { method, headers: { ...headers, ...type }, ...body });
      await response.body?.cancel();
      return response;
    };
    const host = `http://p${origin.page.id}.pages.localhost:3000`;
    const onHost = await ask(origin, host, { origin: host, 'sec-fetch-site': 'same-origin' });
    const inSandbox = await ask(sandbox, '', { origin: 'null', 'sec-fetch-site': 'cross-site' });
    expect([onHost.status, inSandbox.status]).toEqual([status, status]);
    expect(inSandbox.headers.get('access-control-allow-origin')).toBeOneOf(['*', 'null']);
  });

  test.each([
    ['GET', '/api/pages'],
    ['POST', '/api/pages'],
    ['GET', '/api/pages/:own'],
    ['PATCH', '/api/pages/:own'],
    ['PUT', '/api/pages/:own/agent-spec'],
    ['DELETE', '/api/pages/:own/agent-spec'],
    ['POST', '/api/functions'],
    ['PATCH', '/api/functions/unfurl-url'],
    ['DELETE', '/api/functions/unfurl-url'],
    ['GET', '/api/functions/unfurl-url/code'],
    ['GET', '/api/functions/unfurl-url/logs'],
    ['POST', '/api/functions/unfurl-url/database'],
    ['POST', '/api/auth/token'],
    ['POST', '/api/auth/register'],
    ['GET', '/api/auth/tokens'],
    ['GET', '/api/openapi.json'],
    ['GET', '/metrics'],
  ])('%s %s does not exist on the host of the page, with any token', async (method, path) => {
    const address = `http://p${origin.page.id}.pages.localhost:3000${path.replace(':own', String(origin.page.id))}`;
    const headers = { authorization: `Bearer ${origin.owner.token}`, 'content-type': 'application/json' };
    const body = method === 'GET' ? {} : { body: '{}' };
    expect((await origin.quire.request(address, { method, headers, ...body })).status).toBe(404);
  });
});

describe('trusted isolation', () => {
  test('is plain same origin', async () => {
    const s = await scene({ QUIRE_ISOLATION: 'trusted' });
    const response = await s.quire.request(`/p/${s.page.slug}`, {
      headers: { ...NAVIGATE, cookie: s.cookie },
    });
    expect([response.status, response.headers.get('content-security-policy')]).toEqual([200, null]);
    const visitor = await s.quire.call('GET', `/api/pages/${s.page.id}/visitor`, {
      cookie: s.cookie,
      headers: { origin: s.quire.baseUrl, 'sec-fetch-site': 'same-origin' },
    });
    expect(visitor.body.user.username).toBe('visitor');
    await s.quire.stop();
  });
});
