import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { SCOPES } from '../../contract/scopes.ts';
import { openShell, type Shell } from '../support/cli/cli.ts';
import { PASSWORD } from '../support/http/call.ts';
import { type Account, call, login, register } from '../support/http/client.ts';
import { hiddenFields } from '../support/oauth.ts';
import { freePort, startServer, type TestServer } from '../support/server.ts';

let server: TestServer;
let ada: Account;
let shell: Shell;

beforeAll(async () => {
  server = await startServer({ settings: { QUIRE_LOG_LEVEL: 'silent' } });
  ada = await register(server, 'ada');
});
afterAll(async () => {
  await server.stop();
});
beforeEach(() => {
  shell = openShell();
});
afterEach(() => shell.stop());

const logIn = (password = PASSWORD, ...more: string[]) =>
  shell.run(['login', server.baseUrl, '--username', 'ada', '--password-stdin', ...more], {
    stdin: `${password}\n`,
  });
const file = () => join(shell.home, '.config/quire/config.json');

test('stores a login that only its user can read, and never prints a token', async () => {
  const done = await logIn();
  expect(done).toMatchObject({ code: 0, stdout: `Logged in to ${server.baseUrl} as ada.\n` });
  expect(statSync(file()).mode & 0o777).toBe(0o600);
  const kept = JSON.parse(readFileSync(file(), 'utf8'));
  expect(kept).toEqual({
    base_url: server.baseUrl,
    token: expect.stringMatching(/^qr_/),
    session: expect.stringMatching(/^[\w-]+=.+/),
    used_at: expect.any(Number),
  });

  const who = await shell.run(['whoami', '--json']);
  expect(who.json()).toMatchObject({ base_url: server.baseUrl, username: 'ada' });
  const said = await shell.run(['whoami']);
  expect(said.stdout).toMatch(new RegExp(`^ada at ${server.baseUrl}, \\d+ credits`));
  const { body } = await call(server, 'GET', '/api/auth/tokens', { token: ada.token });
  expect(body.tokens).toMatchObject([{ name: `quire on ${hostname()}` }]);
  for (const { stdout, stderr } of [done, who]) {
    expect(stdout + stderr).not.toContain(kept.token);
    expect(stdout + stderr).not.toContain(kept.session);
  }
});

test('whoami says what a token must not do', async () => {
  const body = { name: 'reader', scopes: ['pages:read'] };
  const { token } = (await call(server, 'POST', '/api/auth/tokens', { token: ada.token, body })).body;
  const env = { QUIRE_URL: server.baseUrl, QUIRE_TOKEN: token };
  expect((await shell.run(['whoami'], { env })).stdout).toContain(
    '. Not allowed: pages:write, functions:read',
  );
  expect((await shell.run(['whoami', '--json'], { env })).json()).toMatchObject({
    username: 'ada',
    scopes: ['pages:read'],
    missing_scopes: expect.arrayContaining(['functions:write', 'team-data:read']),
  });
});

test('logging out removes the token here and on the server', async () => {
  await logIn();
  const { token } = JSON.parse(readFileSync(file(), 'utf8'));
  expect((await call(server, 'GET', '/api/auth/me', { token })).status).toBe(200);
  expect(await shell.json(['logout'])).toEqual({ signed_out: true, base_url: server.baseUrl, revoked: true });
  expect((await call(server, 'GET', '/api/auth/me', { token })).status).toBe(401);
  expect((await shell.run(['whoami'])).code).toBe(3);
  expect((await shell.run(['logout'])).code).toBe(0);
});

test('uses the session once a day, so that login and token stay valid', async () => {
  await logIn();
  const kept = JSON.parse(readFileSync(file(), 'utf8'));
  await shell.json(['whoami']);
  expect(JSON.parse(readFileSync(file(), 'utf8'))).toEqual(kept);
  writeFileSync(file(), JSON.stringify({ ...kept, used_at: kept.used_at - 25 * 3600 * 1000 }));
  await shell.json(['whoami']);
  const { used_at, ...rest } = JSON.parse(readFileSync(file(), 'utf8'));
  expect(used_at).toBeGreaterThan(kept.used_at);
  expect({ ...rest, used_at: kept.used_at }).toEqual(kept);
});

test('logging in again replaces the token and ends the old one', async () => {
  await logIn();
  const first = JSON.parse(readFileSync(file(), 'utf8'));
  await logIn();
  const second = JSON.parse(readFileSync(file(), 'utf8'));
  expect(second.token).not.toBe(first.token);
  expect((await call(server, 'GET', '/api/auth/me', { token: first.token })).status).toBe(401);
});

test('a wrong password gets the message of the service, and nothing is stored', async () => {
  const { code, stdout, stderr } = await logIn('not the password');
  expect({ code, stdout, stderr }).toEqual({
    code: 3,
    stdout: '',
    stderr: 'The username or the password is wrong. Check both and try again.\n',
  });
  expect(existsSync(file())).toBe(false);
  const asJson = await logIn('not the password', '--json');
  expect(asJson.code).toBe(3);
  expect(asJson.json()).toMatchObject({ code: 'INVALID_CREDENTIALS', status: 401 });
});

test('accepts a token, and does not store a wrong one', async () => {
  expect((await shell.run(['login', server.baseUrl, '--token', 'qr_wrong'])).code).toBe(3);
  expect(existsSync(file())).toBe(false);
  const { code, stdout, stderr } = await shell.run(['login', server.baseUrl, '--token', '-'], {
    stdin: `${ada.token}\n`,
  });
  expect(code).toBe(0);
  expect(stdout + stderr).not.toContain(ada.token);
  expect((await shell.json(['logout'])).revoked).toBe(false);
});

test('a token for the features of pages needs a limit, and the command says which option sets it', async () => {
  await logIn();
  const create = (...more: string[]) =>
    shell.run(['tokens', 'create', 'bot', '--scopes', 'features', ...more]);
  expect(await create()).toMatchObject({
    code: 2,
    stdout: '',
    stderr:
      'The scope features lets the token spend your credits, so it needs a limit. Add --credit-limit <credits>.\n',
  });
  expect(await create('--credit-limit', '5')).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^qr_/),
  });
});

test('the environment has priority over the file, and its token is sent to no other server', async () => {
  await logIn();
  const env = { QUIRE_URL: server.baseUrl, QUIRE_TOKEN: 'qr_wrong' };
  expect((await shell.run(['whoami'], { env })).code).toBe(3);
  const elsewhere = { QUIRE_URL: 'http://127.0.0.1:1', QUIRE_TOKEN: 'qr_wrong' };
  expect((await shell.run(['whoami', '--server', server.baseUrl], { env: elsewhere })).code).toBe(0);
});

test('the exit code says whether a login, a server or a password is missing', async () => {
  const nobody = `http://127.0.0.1:${await freePort()}`;
  expect(await shell.run(['pages', 'list'])).toMatchObject({ code: 3, stdout: '' });
  expect((await shell.run(['whoami', '--server', server.baseUrl])).code).toBe(3);
  expect((await shell.run(['login', server.baseUrl, '--username', 'ada'])).code).toBe(2);
  expect((await shell.run(['login', 'ftp://x', '--token', 'x'])).code).toBe(2);
  const away = await shell.run(['whoami'], { env: { QUIRE_URL: nobody, QUIRE_TOKEN: 'x' } });
  expect(away).toMatchObject({ code: 6, stderr: `Cannot connect to ${nobody}.\n` });
});

describe('with a code from the browser', () => {
  /** Types the code that the command shows, and answers the question. */
  async function answerFor(shown: string, answer: 'allow' | 'deny', scopes: readonly string[] = SCOPES) {
    const cookie = await login(server, 'ada');
    const [, user_code = ''] = /shows this code: ([A-Z-]+)/.exec(shown) ?? [];
    const screen = await call(server, 'POST', '/device', { cookie, body: { user_code } });
    const form = { ...hiddenFields(screen.body), preset: 'own', scope: scopes, sure: 'yes', answer };
    expect((await call(server, 'POST', '/device', { cookie, body: form })).status).toBe(200);
  }

  test('logs in, renews its token, and logs out', async () => {
    const running = shell.start(['login', server.baseUrl]);
    const shown = await running.until(/Waiting/, 'stderr');
    expect(shown).toContain(`Open ${server.baseUrl}/device?user_code=`);
    await answerFor(shown, 'allow');
    await running.until(/Logged in to .* as ada\./);
    const kept = JSON.parse(readFileSync(file(), 'utf8'));
    expect(kept).toEqual({
      base_url: server.baseUrl,
      token: expect.stringMatching(/^qra_/),
      refresh_token: expect.stringMatching(/^qrr_/),
      expires_at: expect.any(Number),
    });
    expect(statSync(file()).mode & 0o777).toBe(0o600);
    expect((await shell.json(['whoami'])).username).toBe('ada');
    expect(JSON.parse(readFileSync(file(), 'utf8'))).toEqual(kept);

    // Commands that run together renew the token once: using a refresh token twice would end the login.
    writeFileSync(file(), JSON.stringify({ ...kept, expires_at: 0 }));
    const names = await Promise.all([1, 2, 3].map(async () => (await shell.json(['whoami'])).username));
    expect(names).toEqual(['ada', 'ada', 'ada']);
    const renewed = JSON.parse(readFileSync(file(), 'utf8'));
    expect(renewed.token).not.toBe(kept.token);
    expect(existsSync(`${file()}.lock`)).toBe(false);

    const { apps } = (await call(server, 'GET', '/api/auth/apps', { token: ada.token })).body;
    expect(apps).toMatchObject([{ name: 'Quire command line', scopes: [...SCOPES] }]);
    expect((await shell.json(['logout'])).revoked).toBe(true);
    expect((await call(server, 'GET', '/api/auth/me', { token: renewed.token })).status).toBe(401);
    expect((await call(server, 'GET', '/api/auth/apps', { token: ada.token })).body.apps).toEqual([]);
  });

  test('says what was not allowed, when a login has ended, and stores nothing if it was not allowed at all', async () => {
    const refused = openShell();
    try {
      const [running, denied] = [
        shell.start(['login', server.baseUrl]),
        refused.start(['login', server.baseUrl]),
      ];
      await answerFor(await running.until(/Waiting/, 'stderr'), 'allow', ['pages:read']);
      await answerFor(await denied.until(/Waiting/, 'stderr'), 'deny');
      await running.until(/Logged in/);
      expect(await running.until(/did not allow/, 'stderr')).toContain('pages:write');
      const { apps } = (await call(server, 'GET', '/api/auth/apps', { token: ada.token })).body;
      await call(server, 'DELETE', `/api/auth/apps/${apps[0].id}`, { token: ada.token });
      const kept = JSON.parse(readFileSync(file(), 'utf8'));
      writeFileSync(file(), JSON.stringify({ ...kept, expires_at: 0 }));
      const after = await shell.run(['whoami']);
      expect(after).toMatchObject({
        code: 3,
        stderr: expect.stringContaining(`quire login ${server.baseUrl}`),
      });
      const ended = await denied.until(/nothing else/).catch((error: Error) => error.message);
      expect(ended).toContain('ended with 3');
      expect(ended).toContain('You did not allow it in the browser.');
      expect(existsSync(join(refused.home, '.config/quire/config.json'))).toBe(false);
    } finally {
      await refused.stop();
    }
  });
});

test('says when a server is not Quire, or cannot be reached', async () => {
  using other = Bun.serve({
    port: 0,
    fetch: (request) =>
      new URL(request.url).pathname === '/api/auth/me'
        ? Response.redirect('https://quire.example.com/api/auth/me', 301)
        : new Response('<h1>Welcome</h1>', { headers: { 'content-type': 'text/html' } }),
  });
  const env = { QUIRE_URL: other.url.origin, QUIRE_TOKEN: 'qr_secret' };
  const moved = await shell.run(['whoami'], { env });
  expect(moved).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('quire login https://quire.example.com'),
  });
  const foreign = await shell.run(['pages', 'list'], { env });
  expect(foreign).toMatchObject({ code: 1, stderr: expect.stringContaining('is not from Quire') });
  expect(moved.stderr + foreign.stderr).not.toContain('qr_secret');
});

test('with several servers the last login is used, and --server selects another', async () => {
  await logIn();
  const other = await startServer({ settings: { QUIRE_LOG_LEVEL: 'silent' } });
  try {
    await register(other, 'berta');
    const args = ['login', other.baseUrl, '--username', 'berta', '--password-stdin'];
    expect((await shell.run(args, { stdin: PASSWORD })).code).toBe(0);
    expect((await shell.json(['whoami'])).username).toBe('berta');
    expect((await shell.json(['whoami', '--server', server.baseUrl])).username).toBe('ada');
    expect((await shell.json(['--server', server.baseUrl, 'whoami'])).username).toBe('ada');
    await shell.run(['logout']);
    expect((await shell.json(['whoami'])).username).toBe('ada');
  } finally {
    await other.stop();
  }
});

test('asks for the password on a terminal and does not show it', async () => {
  const answers: Array<[string, string]> = [['Password', `${PASSWORD}\r`]];
  const { code, seen } = await shell.onTerminal(['login', server.baseUrl, '--username', 'ada'], answers);
  expect(code).toBe(0);
  expect(seen).toContain('as ada.');
  expect(seen).not.toContain(PASSWORD);
  expect((await shell.json(['whoami'])).username).toBe('ada');
});

test('creates, lists and revokes personal tokens', async () => {
  await logIn();
  const made = await shell.run([
    'tokens',
    'create',
    'agent',
    '--scopes',
    'pages:read',
    '--credit-limit',
    '5',
    '--days',
    '2',
  ]);
  expect(made.code).toBe(0);
  const token = made.stdout.trim();
  expect(token).toStartWith('qr_');
  const { tokens } = await shell.json(['tokens', 'list']);
  const agent = tokens.find(({ name }: { name: string }) => name === 'agent');
  expect(agent).toMatchObject({ scopes: ['pages:read', 'features'], creditLimit: 5, creditsUsed: 0 });
  const listed = await shell.run(['tokens', 'list']);
  expect(listed.stdout).toContain('0 of 5');
  expect(listed.stdout).not.toContain(token);
  expect((await call(server, 'GET', '/api/pages', { token })).status).toBe(200);
  expect((await shell.run(['tokens', 'delete', String(agent.id)])).code).toBe(0);
  expect((await call(server, 'GET', '/api/pages', { token })).status).toBe(401);
  expect((await shell.run(['tokens', 'create', 'agent', '--credit-limit', '0'])).code).toBe(2);
  const denied = await shell.run(['tokens', 'list'], {
    env: { QUIRE_URL: server.baseUrl, QUIRE_TOKEN: token },
  });
  expect(denied.code).toBe(3);
});
