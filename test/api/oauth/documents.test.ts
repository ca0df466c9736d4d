import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { type TestApp, testApp } from '../../support/app.ts';
import { runSql } from '../../support/engines/storage.ts';
import {
  answerConsent,
  authorizeQuery,
  openConsent,
  pkce,
  REDIRECT,
  readRedirect,
  token,
} from '../../support/oauth.ts';

/** Apps whose id is the URL of a document about them, which the service has to fetch. */

type Document = Record<string, unknown>;
let requests: string[] = [];
let answer: (url: URL) => Response | Promise<Response>;
let server: ReturnType<typeof Bun.serve>;
let quire: TestApp;
let cookie: string;
let at: (path: string) => string;

beforeAll(async () => {
  server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch(request) {
      requests.push(new URL(request.url).pathname);
      return answer(new URL(request.url));
    },
  });
  at = (path) => `http://127.0.0.1:${server.port}${path}`;
  // Documents on this machine are accepted only where the service is on this machine and the operator allows it.
  quire = await testApp({ QUIRE_EGRESS_ALLOW: '127.0.0.1/32' });
  cookie = await (await quire.user('ada')).login();
});
afterAll(async () => {
  await quire.stop();
  await server.stop(true);
});

let count = 0;
/** A new app with this document. */
function app(document: (id: string) => Document | Response | Promise<Response>): string {
  const id = at(`/client-${++count}.json`);
  requests = [];
  answer = (url) => {
    if (url.href !== id) return new Response('elsewhere', { status: 404 });
    const given = document(id);
    return given instanceof Response || given instanceof Promise ? given : Response.json(given);
  };
  return id;
}
const good = (id: string): Document => ({
  client_id: id,
  client_name: 'Documented',
  redirect_uris: [REDIRECT],
});
const open = (client_id: string, who: TestApp = quire, as = cookie) =>
  openConsent(who, authorizeQuery({ client_id, ...pkce() }), as);

describe('an app with a document', () => {
  test('is asked about by its name and its host, and connected', async () => {
    const id = app(good);
    const keys = pkce();
    const screen = await openConsent(quire, authorizeQuery({ client_id: id, ...keys }), cookie);
    expect(screen.status).toBe(200);
    expect(screen.body).toContain('Documented');
    expect(screen.body).toContain(`Published at 127.0.0.1:${server.port}.`);
    expect(screen.body).not.toContain('The app chose this name itself');
    const { params } = readRedirect(await answerConsent(quire, screen, cookie));
    const form = {
      grant_type: 'authorization_code',
      client_id: id,
      code: params.code,
      code_verifier: keys.verifier,
    };
    expect((await token(quire, form)).status).toBe(200);
    // The second request, of the form, used what the first one had read.
    expect(requests).toEqual([new URL(id).pathname]);
  });

  test('is not asked about at all before the person has logged in', async () => {
    const id = app(good);
    const answered = await open(id, quire, '');
    expect(answered.headers.get('location')).toStartWith('/login');
    expect(requests).toEqual([]);
  });

  test('can change its document, which counts after ten minutes', async () => {
    let name = 'Before';
    const id = app((own) => ({ ...good(own), client_name: name }));
    expect((await open(id)).body).toContain('Before');
    name = 'After';
    expect((await open(id)).body).toContain('Before');
    quire.advance(10 * 60_000 + 1_000);
    expect((await open(id)).body).toContain('After');
    quire.advance(-10 * 60_000 - 1_000);
  });
});

test('a login that ends while the document is read connects nothing', async () => {
  const eva = await quire.user('eva');
  const [thief, owner] = [await eva.login(), await eva.login()];
  let hold: Promise<void> | undefined;
  const reached = Promise.withResolvers<void>();
  const id = app((own) => {
    if (!hold) return good(own);
    reached.resolve();
    return hold.then(() => Response.json(good(own)));
  });
  const screen = await open(id, quire, thief);
  const released = Promise.withResolvers<void>();
  hold = released.promise;
  quire.advance(10 * 60_000 + 1_000);
  const answering = answerConsent(quire, screen, thief);
  await reached.promise;
  const body = { current: eva.password, next: 'a whole new password' };
  expect((await quire.call('POST', '/api/auth/password', { cookie: owner, body })).status).toBe(200);
  released.resolve();
  const answered = await answering;
  quire.advance(-10 * 60_000 - 1_000);
  expect(answered.headers.get('location')).toStartWith('/login?next=%2Foauth%2Fauthorize');
});

describe('a document is refused', () => {
  const refused: Array<[what: string, reason: string, document: Parameters<typeof app>[0]]> = [
    ['with another client_id', 'not its own address', (id) => ({ ...good(id), client_id: `${id}x` })],
    ['without a client_id', 'not its own address', (id) => ({ ...good(id), client_id: undefined })],
    ['with a secret', 'must not have a secret', (id) => ({ ...good(id), client_secret: 'x' })],
    [
      'with a shared secret',
      'must not have a secret',
      (id) => ({ ...good(id), token_endpoint_auth_method: 'client_secret_post' }),
    ],
    [
      'with a bad redirect URI',
      'redirect URI',
      (id) => ({ ...good(id), redirect_uris: ['javascript:alert(1)'] }),
    ],
    [
      'with too many redirect URIs',
      'does not describe',
      (id) => ({ ...good(id), redirect_uris: Array(11).fill(REDIRECT) }),
    ],
    ['with our name', 'looks like the name of', (id) => ({ ...good(id), client_name: 'Quire' })],
    [
      'with a name like ours',
      'looks like the name of',
      (id) => ({ ...good(id), client_name: 'Qu\u200bіre App' }),
    ],
    ['that is a list', 'does not describe', () => Response.json([])],
    [
      'that is not JSON',
      'cannot be used',
      () => new Response('{', { headers: { 'content-type': 'application/json' } }),
    ],
    [
      'that is HTML',
      'not JSON',
      (id) => new Response(JSON.stringify(good(id)), { headers: { 'content-type': 'text/html' } }),
    ],
    ['that is not found', 'status 404', () => new Response('', { status: 404 })],
    ['that redirects', 'redirects', (id) => Response.redirect(`${id}?x`, 302)],
    ['that redirects to a private address', 'redirects', () => Response.redirect('http://10.0.0.1/', 302)],
    [
      'that is larger than 16 KB',
      'larger than',
      (id) => Response.json({ ...good(id), x: 'x'.repeat(17_000) }),
    ],
    [
      'that never ends',
      'cannot be used',
      () =>
        new Response(new ReadableStream({ start: (controller) => controller.enqueue('{') }), {
          headers: { 'content-type': 'application/json' },
        }),
    ],
  ];
  test.each(refused)('%s', async (_, reason, document) => {
    const screen = await open(app(document));
    expect(screen.status).toBe(400);
    expect(screen.body).toContain(reason);
    expect(screen.body).not.toContain('name="proof"');
  });

  test('and not read again at once', async () => {
    const id = app(() => new Response('', { status: 500 }));
    for (let n = 0; n < 3; n++) expect((await open(id)).status).toBe(400);
    expect(requests).toHaveLength(1);
  });

  test('if its URL is not a usual one', async () => {
    const id = app(good);
    const { port } = server;
    for (const url of [
      `http://127.0.0.1:${port}`,
      `http://127.0.0.1:${port}/`,
      `${id}#x`,
      id.replace('//', '//user@'),
      id.replace('http', 'HTTP'),
      id.replace('/client', '/x/../client'),
      `http://127.1:${port}/client.json`,
      `ftp://127.0.0.1:${port}/client.json`,
      `${id}?${'x'.repeat(500)}`,
    ])
      expect([url, (await open(url)).status]).toEqual([url, 400]);
    expect(requests).toEqual([]);
  });

  test('while eight others are being read', async () => {
    const released = Promise.withResolvers<void>();
    requests = [];
    const all = Promise.withResolvers<void>();
    answer = async (url) => {
      if (requests.length === 8) all.resolve();
      await released.promise;
      return Response.json(good(url.href));
    };
    const first = Array.from({ length: 8 }, (_, n) => open(at(`/busy-${n}.json`)));
    await all.promise;
    const ninth = await open(at('/busy-8.json'));
    expect([ninth.status, requests.length]).toEqual([400, 8]);
    expect(ninth.body).toContain('busy');
    released.resolve();
    for (const each of await Promise.all(first)) expect(each.status).toBe(200);
    expect((await open(at('/busy-8.json'))).status).toBe(200);
  });

  test('by address after 60 new ones in an hour', async () => {
    const peer = '192.0.2.99';
    const ask = (form: Record<string, string>) =>
      quire.request('/oauth/device_authorization', {
        method: 'POST',
        peer,
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        body: String(new URLSearchParams(form)),
      });
    const statuses: number[] = [];
    for (let n = 0; n < 61; n++) statuses.push((await ask({ client_id: app(good) })).status);
    expect(statuses.slice(0, 60).every((status) => status === 200)).toBe(true);
    expect(statuses[60]).toBe(429);
  });
});

describe('a document on a host of the service', () => {
  test.each(['127.0.0.1', 'localhost'])('at %s is not even read', async (host) => {
    const own = await testApp({
      ...{ QUIRE_BASE_URL: `http://${host}:${server.port}`, QUIRE_EGRESS_ALLOW: '127.0.0.1/32' },
    });
    try {
      const as = await (await own.user('ada')).login();
      const screen = await open(app(good), own, as);
      expect(screen.status).toBe(400);
      expect(screen.body).toContain('it is on this service, where anyone can publish one');
      expect(requests).toEqual([]);
    } finally {
      await own.stop();
    }
  });

  test('that was accepted once no longer says who an app is', async () => {
    const ben = await quire.user('ben');
    const id = app(good);
    const keys = pkce();
    const as = await ben.login();
    const screen = await openConsent(quire, authorizeQuery({ client_id: id, ...keys }), as);
    const { params } = readRedirect(await answerConsent(quire, screen, as));
    const given = { client_id: id, code: params.code, code_verifier: keys.verifier };
    expect((await token(quire, { grant_type: 'authorization_code', ...given })).status).toBe(200);
    const isVerified = async () => (await ben.call('GET', '/api/auth/apps')).body.apps[0].isVerified;
    expect(await isVerified()).toBe(true);
    const ours = `${quire.baseUrl}/p/page/client.json`;
    await runSql(quire, `update oauth_grants set client_id = '${ours}' where user_id = ${ben.id}`);
    expect(await isVerified()).toBe(false);
  });
});

describe('a private address', () => {
  test('is never fetched for a client id', async () => {
    const strict = await testApp({ QUIRE_EGRESS_ALLOW: '' });
    try {
      const as = await (await strict.user('ada')).login();
      const id = app(good);
      for (const url of [
        id,
        id.replace('http:', 'https:'),
        'https://10.0.0.1/client.json',
        'https://[::1]/client.json',
        'https://169.254.169.254/latest/meta-data',
        'https://localhost/client.json',
      ]) {
        const screen = await open(url, strict, as);
        expect([url, screen.status]).toEqual([url, 400]);
      }
      expect(requests).toEqual([]);
    } finally {
      await strict.stop();
    }
  });

  test('is not even a document where the service is public', async () => {
    const settings = { QUIRE_BASE_URL: 'https://quire.example.com', QUIRE_EGRESS_ALLOW: '127.0.0.1/32' };
    const open443 = await testApp(settings);
    try {
      const as = await (await open443.user('ada')).login();
      const screen = await open(app(good), open443, as);
      expect(screen.status).toBe(400);
      expect(screen.body).toContain('not registered');
      expect(requests).toEqual([]);
    } finally {
      await open443.stop();
    }
  });
});
