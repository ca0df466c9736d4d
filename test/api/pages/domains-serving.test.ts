import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { type PublishedPage, type TestApp, type TestUser, testApp } from '../../support/app.ts';
import { untilDecided } from '../../support/http/call.ts';
import { type DnsServer, startDns } from '../../support/pages/dns.ts';
import { connectDomain } from '../../support/pages/domains.ts';

const NAVIGATE = { 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' };
const FRAME = { 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'iframe', 'sec-fetch-site': 'cross-site' };

/** A page with two domains, its owner, and a logged-in visitor. */
interface Scene {
  dns: DnsServer;
  quire: TestApp;
  owner: TestUser;
  visitor: TestUser;
  page: PublishedPage;
  other: PublishedPage;
  login: string;
}

const [MAIN, SECOND] = ['shop.example.com', 'www.example.org'];
const host = (domain: string) => `http://${domain}:3000`;

async function scene(settings: Record<string, string>): Promise<Scene> {
  const dns = await startDns();
  const quire = await testApp({ QUIRE_DNS_SERVERS: dns.address, ...settings });
  const owner = await quire.user('owner');
  const visitor = await quire.user('visitor');
  const page = await owner.publish({
    name: 'Shop',
    html_content: '<title>Shop</title><p>Shop',
    storage_mode: 'solo_app',
  });
  const other = await owner.publish({ name: 'Other', storage_mode: 'solo_app' });
  for (const domain of [MAIN, SECOND]) await connectDomain(dns, owner, page, domain);
  return { dns, quire, owner, visitor, page, other, login: await visitor.login() };
}

const stop = async ({ quire, dns }: Scene) => {
  await quire.stop();
  await dns.stop();
};

/** Sends a request and reads where it leads, with what cookies. */
async function go(quire: TestApp, url: string, headers: Record<string, string>) {
  const response = await quire.request(url, { headers });
  const cookies = response.headers.getSetCookie().map((line) => (line.split(';')[0] ?? '').split('='));
  return {
    status: response.status,
    location: response.headers.get('location') ?? '',
    cookies: Object.fromEntries(cookies),
    text: await response.text(),
  };
}

/** Follows a navigation of the visitor from the base to the page's domain, and returns the cookie it has there. */
async function enter({ quire, page, login }: Scene): Promise<string> {
  const begun = await go(quire, `/p/${page.slug}?q=1`, { ...NAVIGATE, cookie: login });
  expect(begun.location).toStartWith(`${host(MAIN)}/~session?`);
  const asked = await go(quire, begun.location, NAVIGATE);
  const given = await go(quire, asked.location, { ...NAVIGATE, cookie: login });
  expect(given.location).toStartWith(`${host(MAIN)}/~session?ticket=`);
  const browser = `quire_browser=${asked.cookies.quire_browser}`;
  const entered = await go(quire, given.location, { ...NAVIGATE, cookie: browser });
  expect(entered.location).toBe('/?q=1');
  return `quire_page=${entered.cookies.quire_page}`;
}

describe.each([
  ['origin isolation', {}],
  ['sandbox isolation without a pages host', { QUIRE_ISOLATION: 'sandbox' }],
])('a domain with %s', (_, settings) => {
  let s: Scene;
  beforeAll(async () => {
    s = await scene(settings);
  });
  afterAll(() => stop(s));

  test('has the page without a sandbox, with its own address', async () => {
    const response = await s.quire.request(`${host(MAIN)}/`, { headers: NAVIGATE });
    expect([response.status, response.headers.get('content-security-policy')]).toEqual([200, null]);
    expect(response.headers.get('link')).toContain(`<${host(MAIN)}/llms.txt>; rel="alternate"`);
    expect(response.headers.get('link')).toContain(`<${host(MAIN)}/>; rel="canonical"`);
    expect(await response.text()).toContain(`<meta property="og:url" content="${host(MAIN)}/">`);
    const llms = await s.quire.request(`${host(MAIN)}/llms.txt`);
    expect(await llms.text()).toContain(`Page: ${host(MAIN)}\n`);
    const framed = await s.quire.request(`${host(MAIN)}/`, { headers: FRAME });
    expect(framed.headers.get('content-security-policy')).toStartWith('sandbox ');
  });

  test('is not the service if its name ends with a dot', async () => {
    for (const dotted of [`${MAIN}.`, `${MAIN.toUpperCase()}.`]) {
      const shown = await go(s.quire, `http://${dotted}:3000/`, {});
      expect(shown.text).toContain('<p>Shop');
      expect((await s.quire.request(`http://${dotted}:3000/login`)).status).toBe(404);
    }
  });

  test('exchanges a login for a page session of that host, by ticket', async () => {
    const cookie = await enter(s);
    const ask = (page: PublishedPage, headers: Record<string, string> = {}) =>
      s.quire.call('GET', `${host(MAIN)}/api/pages/${page.id}/visitor`, { headers: { cookie, ...headers } });
    expect((await ask(s.page)).body.user).toEqual({ id: s.visitor.id, username: 'visitor' });
    expect((await ask(s.other)).status).toBe(404);
    // Another site, and another domain of the same page, cannot use the cookie.
    expect((await ask(s.page, { origin: host(SECOND) })).body.user).toBeNull();
    const written = await s.quire.call('POST', `${host(MAIN)}/api/pages/${s.page.id}/solo-data/notes`, {
      headers: { cookie, origin: host(MAIN) },
      body: { data: { text: 'hi' } },
    });
    expect(written.status).toBe(201);
    const renewed = await s.quire.request(`${host(MAIN)}/api/pages/${s.page.id}/page-session`, {
      method: 'POST',
      headers: { cookie },
    });
    expect(renewed.headers.get('set-cookie')).toMatch(
      /^quire_page=[^;]+; Max-Age=7200; Path=\/; HttpOnly; SameSite=Lax$/,
    );
  });

  test('does not give a ticket to a domain that is not the page’s', async () => {
    const ask = (domain: string, page = s.page) =>
      go(s.quire, `/~ticket?page=${page.id}&browser=x&to=&domain=${domain}`, {
        ...NAVIGATE,
        cookie: s.login,
      });
    expect((await ask('evil.example')).status).toBe(404);
    expect((await ask(MAIN, s.other)).status).toBe(404);
    expect((await ask(SECOND)).location).toStartWith(`${host(SECOND)}/~session?ticket=`);
  });

  test('gives browsers its main address, and everything else what it asked for', async () => {
    const from = [s.page.url, `${host(SECOND)}/`];
    if (!('QUIRE_ISOLATION' in settings)) from.push(`http://p${s.page.id}.pages.localhost:3000/`);
    for (const url of from) {
      const tab = await go(s.quire, `${url}?a=b`, NAVIGATE);
      expect([url, tab.status, tab.location]).toEqual([url, 302, `${host(MAIN)}/?a=b`]);
      expect((await go(s.quire, url, {})).text).toContain('<p>Shop');
    }
    const session = await go(s.quire, `${host(SECOND)}/`, { ...NAVIGATE, cookie: 'quire_page=x' });
    expect(session.location).toBe(`${host(MAIN)}/~session?to=%2F`);
    const api = await s.quire.call('GET', `${host(SECOND)}/api/pages/${s.page.id}/visitor`);
    expect(api).toMatchObject({ status: 200, body: { user: null } });
    expect((await go(s.quire, `${host(MAIN)}/p/other`, NAVIGATE)).location).toBe(
      'http://localhost:3000/p/other',
    );
  });

  test('reaches nothing but that page, whatever the path and the credentials', async () => {
    const { token } = s.owner;
    const ownerLogin = await s.owner.login();
    for (const path of [
      '/login',
      '/dashboard',
      '/api/pages',
      '/api/auth/me',
      '/metrics',
      '/healthz',
      '/api/tls/allow?domain=a.b',
    ])
      for (const headers of [{ authorization: `Bearer ${token}` }, { cookie: ownerLogin }]) {
        const { status } = await s.quire.request(host(MAIN) + path, {
          headers: headers as Record<string, string>,
        });
        expect([path, status]).toEqual([path, 404]);
      }
    const patched = await s.owner.call('PATCH', `${host(MAIN)}/api/pages/${s.page.id}`, {
      body: { name: 'x' },
    });
    expect(patched.status).toBe(404);
    const loginThere = await s.quire.request(`${host(MAIN)}/api/pages/${s.page.id}/visitor`, {
      headers: { cookie: ownerLogin },
    });
    expect(await loginThere.json()).toMatchObject({ user: null });
  });

  test('has the MCP server of the page, and says how to get a token for it', async () => {
    const message = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} };
    const call = (headers: Record<string, string>) =>
      s.quire.call('POST', `${host(MAIN)}/mcp`, {
        body: message,
        headers: {
          accept: 'application/json, text/event-stream',
          'mcp-protocol-version': '2025-06-18',
          ...headers,
        },
      });
    expect((await call({ origin: host(MAIN) })).status).toBe(200);
    expect((await call({ origin: 'http://evil.example' })).status).toBe(403);
    const metadata = await s.quire.call('GET', `${host(MAIN)}/.well-known/oauth-protected-resource/mcp`);
    expect(metadata.body).toMatchObject({ resource: `${host(MAIN)}/mcp`, resource_name: 'Shop' });
  });

  test('lets the login screen lead back to it', async () => {
    const fetchPolicy = async (next: string) =>
      (await s.quire.request(`/login?next=${encodeURIComponent(next)}`)).headers.get(
        'content-security-policy',
      ) ?? '';
    expect(await fetchPolicy(`/p/${s.page.slug}?a`)).toContain(` ${host(MAIN)}`);
    expect(await fetchPolicy(`/p/${s.other.slug}`)).not.toContain('example.com');
  });

  test('is where a check opens the page', async () => {
    const checked = await s.owner.publish({
      name: 'Checked',
      html_content:
        '<title>t</title><script>PageUser.current().then((user) => console.log(location.href, user?.username))</script>',
    });
    const domain = 'checked.example.net';
    await connectDomain(s.dns, s.owner, checked, domain);
    const { body } = await untilDecided(() =>
      s.owner.call('POST', `/api/pages/${checked.id}/check`, { body: { as: 'owner' } }),
    );
    expect(body.console.map(({ text }: { text: string }) => text)).toEqual([`${host(domain)}/ owner`]);
    expect(body.failedRequests).toEqual([]);
  });

  test('stays closed with the page: to browsers, API calls and agents', async () => {
    const close = (access: unknown) => s.owner.call('PATCH', `/api/pages/${s.page.id}`, { body: { access } });
    for (const access of [{ mode: 'private' }, { mode: 'password', password: 'open sesame' }]) {
      expect((await close(access)).status).toBe(200);
      for (const url of [`${host(MAIN)}/`, `${host(MAIN)}/llms.txt`, `${host(SECOND)}/`])
        for (const headers of [NAVIGATE, {}]) {
          const seen = await go(s.quire, url, headers);
          expect([url, seen.text.includes('Shop')]).toEqual([url, false]);
          expect([302, 403]).toContain(seen.status);
        }
      const api = await s.quire.call('GET', `${host(MAIN)}/api/pages/${s.page.id}/visitor`);
      expect(api.status).toBe(403);
    }
    expect((await close({ mode: 'public' })).status).toBe(200);
    expect((await go(s.quire, `${host(MAIN)}/`, NAVIGATE)).text).toContain('Shop');
  });

  test('has the files of the page, and keeps the path when it redirects', async () => {
    const path = `/api/pages/${s.page.id}/files/docs/a.txt`;
    const sent = await s.quire.request(path, {
      method: 'PUT',
      headers: { authorization: `Bearer ${s.owner.token}`, 'content-type': 'text/plain' },
      body: 'a file',
    });
    expect(sent.status).toBeLessThan(300);
    expect((await go(s.quire, `${host(MAIN)}/docs/a.txt`, {})).text).toBe('a file');
    const elsewhere = await go(s.quire, `${host(SECOND)}/docs/a.txt?x`, NAVIGATE);
    expect(elsewhere.location).toBe(`${host(MAIN)}/docs/a.txt?x`);
    const base = await go(s.quire, `/p/${s.page.slug}/docs/a.txt`, NAVIGATE);
    expect(base.location).toBe(`${host(MAIN)}/docs/a.txt`);
  });

  test('shows a draft to nobody', async () => {
    await s.owner.call('PATCH', `/api/pages/${s.page.id}`, { body: { is_published: false } });
    expect((await go(s.quire, `${host(MAIN)}/`, NAVIGATE)).status).toBe(404);
    expect((await go(s.quire, `/p/${s.page.slug}`, NAVIGATE)).status).toBe(404);
    await s.owner.call('PATCH', `/api/pages/${s.page.id}`, { body: { is_published: true } });
    expect((await go(s.quire, `${host(MAIN)}/`, NAVIGATE)).status).toBe(200);
  });
});

describe('hosts for certificates', () => {
  let s: Scene;
  let functionId: number;
  beforeAll(async () => {
    s = await scene({ QUIRE_FUNCTION_CALLS_PER_MINUTE: '0' });
    const deployed = await s.owner.call('POST', '/api/functions', {
      body: { slug: 'hi', displayName: 'Hi', code: 'export default { fetch: () => new Response("hi") }' },
    });
    functionId = Number(/f(\d+)\./.exec(deployed.body.workerUrl ?? deployed.body.function?.workerUrl)?.[1]);
  });
  afterAll(() => stop(s));
  const ask = (domain: string, headers = {}, peer = '127.0.0.1') =>
    s.quire.call('GET', `/api/tls/allow?domain=${encodeURIComponent(domain)}`, { headers, peer });

  test('are those that we serve', async () => {
    const ours = [
      'localhost',
      MAIN,
      MAIN.toUpperCase(),
      `p${s.page.id}.pages.localhost`,
      `f${functionId}.functions.localhost`,
    ];
    for (const name of ours) expect([name, (await ask(name)).status]).toEqual([name, 200]);
    const others = [
      ...[
        'evil.example',
        'p99999.pages.localhost',
        'f99999.functions.localhost',
        'pages.localhost',
        `x.${MAIN}`,
      ],
      ...[
        'p0.pages.localhost',
        `p${s.page.id}.functions.localhost`,
        '',
        '*',
        `${MAIN}.`,
        `${MAIN}:443`,
        '127.0.0.1',
      ],
    ];
    for (const name of others) expect([name, (await ask(name)).status]).toEqual([name, 404]);
  });

  test('can be asked for by the proxy at any rate, and by others 60 times a minute', async () => {
    const many = async (headers: Record<string, string>, peer: string) => {
      const answers = await Promise.all(Array.from({ length: 70 }, () => ask('evil.example', headers, peer)));
      return answers.filter(({ status }) => status === 429).length;
    };
    expect(await many({}, '127.0.0.1')).toBe(0);
    expect(await many({}, '192.0.2.7')).toBe(10);
    // Forwarded by something on this machine, for someone else.
    expect(await many({ 'x-forwarded-for': '192.0.2.8' }, '127.0.0.1')).toBe(10);
  });
});
