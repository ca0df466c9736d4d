import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { TestResponse } from '../support/http/call.ts';
import { call, publish } from '../support/http/client.ts';
import { exchange } from '../support/http/socket.ts';
import { startServer, type TestServer, untilPrinted, waitUntil } from '../support/server.ts';

/** Long and unique: if one of these is in the log, it leaked. */
const PASSWORDS = {
  first: 'hush-first-password-7f3a',
  second: 'hush-second-password-9b1c',
  wrong: 'hush-wrong-password-2e4d',
  misplaced: 'hush-misplaced-password-5c6f',
};

let server: TestServer;
let replies: Array<{ asked: string; reply: TestResponse }>;

beforeAll(async () => {
  server = await startServer({ settings: { QUIRE_LOG_LEVEL: 'debug', QUIRE_LOGLEVEL: 'error' } });
  replies = [];
});
afterAll(() => server.kill());

test('names a misspelt setting at startup', async () => {
  const warned = await untilPrinted(server, /^.*QUIRE_LOGLEVEL.*$/m);
  expect(JSON.parse(warned)).toMatchObject({
    level: 'warn',
    msg: 'QUIRE_LOGLEVEL is not a setting and has no effect. Did you mean QUIRE_LOG_LEVEL?',
  });
});

test('never prints a password, token, cookie, ticket or setup code, except the setup link for the terminal', async () => {
  const secrets: string[] = Object.values(PASSWORDS);
  const setupCode = await untilPrinted(server, /\/setup\?code=([\w-]+)\n/);
  expect(setupCode.length).toBeGreaterThan(20);

  // Tokens: every way to create, use and misuse them.
  const account = { username: 'ada', password: PASSWORDS.first };
  const registered = await ask('POST', '/api/auth/register', {
    body: { ...account, email: 'ada@example.com' },
  });
  const pair = await ask('POST', '/api/auth/token', { body: account });
  const refreshed = await ask('POST', '/api/auth/token/refresh', {
    body: { refreshToken: pair.body.refreshToken },
  });
  const token: string = registered.body.accessToken;
  const wanted = { name: 'ci', scopes: ['pages:read', 'pages:write'] };
  const personal = await ask('POST', '/api/auth/tokens', { token, body: wanted });
  await ask('GET', '/api/pages', { token: personal.body.token });
  await ask('GET', '/api/pages', { token: `${personal.body.token}x` });
  await ask('POST', '/api/auth/token/refresh', { body: { refreshToken: pair.body.refreshToken } });
  for (const { body } of [registered, pair, refreshed]) secrets.push(body.accessToken, body.refreshToken);
  secrets.push(personal.body.token);

  // Logins, right and wrong, and everything a cookie gives access to.
  const loggedIn = await ask('POST', '/api/auth/login', { body: account });
  const cookie = readCookie(loggedIn);
  await ask('POST', '/api/auth/login', { body: { ...account, password: PASSWORDS.wrong } });
  const dashboard = await ask('POST', '/api/auth/session-token', { cookie });
  secrets.push(cookie.split('=')[1] ?? '', dashboard.body.accessToken);
  const { slug, id } = await publish(server, token);
  secrets.push(...(await visitAsBrowser(`/p/${slug}?a=b`, cookie, id)));
  const change = { current: PASSWORDS.first, next: PASSWORDS.second };
  expect((await ask('POST', '/api/auth/password', { cookie, body: change })).status).toBe(200);

  // Secrets in the wrong places.
  await ask('POST', '/api/auth/login', { body: { ...account, passwort: PASSWORDS.misplaced } });
  await ask('GET', `/api/pages?token=${token}&password=${PASSWORDS.misplaced}`, { token });
  await ask('GET', `/login?next=/${PASSWORDS.misplaced}`);
  await exchange(
    server.port,
    `POST /api/auth/login HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n` +
      `Content-Length: 44\r\n\r\n{"password":"${PASSWORDS.misplaced}`,
    500,
  ).catch(() => undefined);

  // Setup.
  await ask('GET', `/setup?code=${setupCode}`);
  const form = new URLSearchParams({ code: setupCode, username: 'ada', password: PASSWORDS.second });
  const promoted = await fetch(`http://127.0.0.1:${server.port}/setup`, {
    method: 'POST',
    body: form,
    redirect: 'manual',
  });
  expect(promoted.status).toBe(303);
  secrets.push((promoted.headers.get('set-cookie') ?? '').split(';')[0]?.split('=')[1] ?? '');

  expect(secrets.filter((secret) => secret.length < 20)).toEqual([]);
  await server.stop();
  const output = server.output();
  expect(secrets.filter((secret) => output.includes(secret))).toEqual([]);
  // The banner has the link, and a reminder when somebody opens a screen; the log has it nowhere.
  const withCode = output.split('\n').filter((line) => line.includes(setupCode));
  const link = `${server.baseUrl}/setup?code=${setupCode}`;
  expect(withCode).toEqual([`  ${link}`, `  There is no administrator yet. To become one, open ${link}`]);
});

test('every response has its own request id, and the log line of the request has it too', async () => {
  server = await startServer({ settings: { QUIRE_LOG_LEVEL: 'debug', QUIRE_LOGLEVEL: 'error' } });
  replies = [];
  const registration = { username: 'ada', email: 'ada@example.com', password: PASSWORDS.first };
  const { token } = {
    token: (await ask('POST', '/api/auth/register', { body: registration })).body.accessToken,
  };
  const { id, slug } = await publish(server, token);
  await ask('GET', `/api/pages/${id}`, { token });
  await ask('GET', '/api/pages/999999', { token });
  await ask('GET', '/api/pages');
  await ask('POST', '/api/auth/login', { body: { nonsense: true } });
  await ask('POST', '/api/pages', { token, body: 'x'.repeat(100) });
  await ask('PUT', '/api/pages', { token });
  await ask('OPTIONS', '/api/pages');
  await ask('GET', '/nowhere');
  await ask('GET', '/login');
  await ask('GET', '/healthz');
  const logged = replies.length;
  // Published pages have an id too, but no log line, because there are too many.
  await ask('GET', `/p/${slug}`);
  await ask('HEAD', `/p/${slug}`);
  await ask('GET', '/p/nothing-here');
  const etag = replies[logged]?.reply.headers.get('etag') ?? '';
  await ask('GET', `/p/${slug}`, { headers: { 'if-none-match': etag } });

  const ids = replies.map(({ reply }) => reply.headers.get('x-request-id'));
  const without = replies.filter((_, at) => !ids[at]).map(({ asked }) => asked);
  expect(without).toEqual([]);
  expect(new Set(ids).size).toBe(ids.length);
  const lines = () =>
    server
      .output()
      .split('\n')
      .filter((line) => line.startsWith('{'));
  const hasLine = ({ asked, reply }: { asked: string; reply: TestResponse }) =>
    lines()
      .map((line) => JSON.parse(line))
      .some(
        (line) =>
          line.requestId === reply.headers.get('x-request-id') &&
          `${line.method} ${line.path}` === asked &&
          line.status === reply.status,
      );
  await waitUntil(async () => replies.slice(0, logged).every(hasLine));
});

async function ask(
  method: string,
  path: string,
  options: Parameters<typeof call>[3] = {},
): Promise<TestResponse> {
  const reply = await call(server, method, path, options);
  replies.push({ asked: `${method} ${path}`, reply });
  return reply;
}

/**
 * Follows redirects between the service and the host of the page like a browser, and returns the secrets it
 * saw.
 */
async function visitAsBrowser(path: string, loginCookie: string, pageId: number): Promise<string[]> {
  const base = new URL(server.baseUrl).host;
  const jars = new Map([[base, new Map([loginCookie.split('=') as [string, string]])]]);
  const tickets: string[] = [];
  let address = new URL(path, server.baseUrl);
  for (let hops = 0; hops < 10; hops++) {
    const jar = jars.get(address.host) ?? new Map<string, string>();
    jars.set(address.host, jar);
    const cookie = [...jar].map((pair) => pair.join('=')).join('; ');
    const headers = { host: address.host, cookie, 'sec-fetch-mode': 'navigate' };
    const reply = await ask('GET', address.pathname + address.search, { headers });
    for (const line of reply.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (value) jar.set(name, value);
    }
    const location = reply.headers.get('location');
    if (location === null) break;
    address = new URL(location, address);
    tickets.push(...address.searchParams.getAll('ticket'));
  }
  const ownHost = [...jars.keys()].find((host) => host !== base) ?? '';
  const pageJar = jars.get(ownHost) ?? new Map<string, string>();
  const cookie = [...pageJar].map((pair) => pair.join('=')).join('; ');
  const visitor = await ask('GET', `/api/pages/${pageId}/visitor`, { headers: { host: ownHost, cookie } });
  expect(visitor.body.user.username).toBe('ada');
  expect(tickets.length).toBeGreaterThan(0);
  return [...tickets, ...pageJar.values()];
}

function readCookie(reply: TestResponse): string {
  return (reply.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
}
