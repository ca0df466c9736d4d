import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { type PublishedPage, testApp } from '../../support/app.ts';
import { join } from '../../support/data/data.ts';
import { ECHO, functionApp, handler } from '../../support/functions/app.ts';
import { waitUntil } from '../../support/server.ts';

const { quire, owner, stranger, deploy, call } = await functionApp();
afterAll(() => quire.stop());

const tested = (slug: string, body: unknown = {}, query = '') =>
  owner.call('POST', `/api/functions/${slug}/test${query}`, { body });
const fetchLogs = async (slug: string): Promise<Array<{ kind: string; message: string }>> =>
  (await owner.call('GET', `/api/functions/${slug}/logs`)).body.logs;

describe('a test call', () => {
  test('returns what a caller gets, the lines of this call and what it threw', async () => {
    const slug = await deploy(
      handler(`console.log('got %s', await request.text(), { a: 1 });
        await new Promise((resolve) => setTimeout(resolve, 5));
        console.warn('careful');
        throw new TypeError('too bad');`),
    );
    const { status, body } = await tested(slug, { x: 1 });
    expect(status).toBe(200);
    expect(body).toMatchObject({ status: 500, bodyBase64: null, bodyTruncated: false, logsTruncated: false });
    expect(JSON.parse(body.body)).toEqual((await call(slug)).body);
    expect(body.exception.message).toBe('TypeError: too bad');
    expect(body.exception.stack).toMatch(/^TypeError: too bad\n {4}at .*\(function\.js:4:\d+\)$/);
    expect(body.logs).toEqual([
      {
        timestamp: expect.any(String),
        kind: 'console',
        level: 'log',
        message: expect.stringMatching(/^got .*"x":1/),
      },
      { timestamp: expect.any(String), kind: 'console', level: 'warn', message: 'careful' },
    ]);
    // The log has the same lines, without any mark.
    const logged = (await fetchLogs(slug)).map(({ kind, message }) => `${kind} ${message.split('\n')[0]}`);
    expect(logged).toContain('console careful');
    expect(logged).toContain('exception TypeError: too bad');
    expect(logged).toContain('call threw an exception');
    expect(logged.join()).not.toContain('quire-trace');
  });

  test('passes on body, query and headers as a call does, and no mark', async () => {
    const slug = await deploy(ECHO);
    const { body } = await tested(slug, { a: 1 }, '?b=2');
    expect(body).toMatchObject({ status: 200, exception: null, logs: [] });
    expect(body.headers).toMatchObject({
      'content-type': 'application/json',
      'content-security-policy': 'sandbox',
    });
    const { data } = JSON.parse(body.body);
    expect(data).toMatchObject({ body: '{"a":1}', path: '/?b=2', method: 'POST' });
    expect(Object.keys(data.headers).filter((name) => name.startsWith('x-quire'))).toEqual([]);
    expect(data.headers.authorization).toBeUndefined();
  });

  test('has the lines of this call only, while others run in the same process', async () => {
    const slug = await deploy(
      handler(`const { name } = await request.json();
        for (let i = 0; i < 5; i++) { console.log(name, i); await new Promise((resolve) => setTimeout(resolve, 10)); }
        return new Response(name);`),
    );
    await call(slug, { name: 'warm' });
    const [one, , two] = await Promise.all([
      tested(slug, { name: 'one' }),
      call(slug, { name: 'other' }),
      tested(slug, { name: 'two' }),
    ]);
    const lines = ({ body }: typeof one) => body.logs.map(({ message }: { message: string }) => message);
    expect(lines(one)).toEqual([0, 1, 2, 3, 4].map((i) => `one ${i}`));
    expect(lines(two)).toEqual([0, 1, 2, 3, 4].map((i) => `two ${i}`));
    const logged = (await fetchLogs(slug)).filter(({ message }) => message.startsWith('other'));
    expect(logged).toHaveLength(5);
  });

  test('has at most 100 lines, 64 KB of them and 1 MB of the body', async () => {
    const slug = await deploy(
      handler(`const { lines, letters, bytes } = await request.json();
        for (let i = 0; i < lines; i++) console.log('x'.repeat(letters));
        return new Response(new Uint8Array(bytes).fill(97));`),
    );
    const cases = [
      [{ lines: 100, letters: 1, bytes: 1024 * 1024 }, 100, false, 1024 * 1024, false],
      [{ lines: 101, letters: 1, bytes: 1024 * 1024 + 1 }, 100, true, 1024 * 1024, true],
      [{ lines: 16, letters: 4096, bytes: 0 }, 16, false, 0, false],
      [{ lines: 17, letters: 4096, bytes: 0 }, 16, true, 0, false],
    ] as const;
    for (const [sent, lines, logsTruncated, bytes, bodyTruncated] of cases) {
      const { body } = await tested(slug, sent);
      expect(body).toMatchObject({ logsTruncated, bodyTruncated });
      expect([body.logs.length, body.body.length]).toEqual([lines, bytes]);
      // The log takes 200 lines a second.
      quire.advance(1000);
      await fetchLogs(slug);
    }
  });

  test('has the same database, secrets and handler as other calls', async () => {
    const slug = await deploy(
      `import { WorkerEntrypoint } from 'cloudflare:workers';
       export default class extends WorkerEntrypoint {
         async fetch() {
           await this.env.DB.exec('CREATE TABLE IF NOT EXISTS t (a)');
           await this.env.DB.prepare('INSERT INTO t VALUES (1)').run();
           this.ctx.waitUntil(Promise.resolve());
           const { n } = await this.env.DB.prepare('SELECT count(*) AS n FROM t').first();
           return Response.json({ n, key: this.env.KEY });
         }
       }`,
      { enableDatabase: true },
    );
    await owner.call('PUT', `/api/functions/${slug}/secrets/KEY`, { body: { value: 'k' } });
    expect((await call(slug)).body).toEqual({ n: 1, key: 'k' });
    expect(JSON.parse((await tested(slug)).body.body)).toEqual({ n: 2, key: 'k' });
  });

  test('returns a body that is not text in base64', async () => {
    const slug = await deploy(handler('return new Response(new Uint8Array([255, 254, 0]))'));
    expect((await tested(slug)).body).toMatchObject({ body: null, bodyBase64: '//4A' });
  });

  test('says why a function has no response at all', async () => {
    const slug = await deploy(
      handler('fetch("http://10.0.0.1/").catch(() => 0); return await new Promise(() => 0)'),
    );
    const { body } = await tested(slug);
    expect(body.status).toBeGreaterThanOrEqual(500);
    expect(JSON.parse(body.body)).toMatchObject({ success: false });
  });

  test('is for the owner alone', async () => {
    const slug = await deploy(handler('console.log("secret"); throw new Error("secret")'));
    const hidden = await deploy(ECHO, { isPublic: false });
    const path = `/api/functions/${slug}/test`;
    expect((await quire.call('POST', path)).status).toBe(401);
    expect((await stranger.call('POST', path)).status).toBe(403);
    expect((await stranger.call('POST', `/api/functions/${hidden}/test`)).status).toBe(404);
    expect((await owner.call('POST', '/api/functions/unfurl-url/test')).status).toBe(403);
    expect((await owner.call('POST', '/api/functions/not-there/test')).status).toBe(404);
    expect((await fetchLogs(slug)).length).toBe(0);
  });

  test('needs a token that can call functions and read their output', async () => {
    const slug = await deploy(handler('console.log("ran")'));
    const hidden = await deploy(ECHO, { isPublic: false });
    for (const [scopes, missing] of [
      [['pages:read', 'pages:write'], 'functions:write'],
      [['functions:read'], 'functions:write'],
      [['functions:write'], 'functions:read'],
    ] as const) {
      const { body } = await quire.call('POST', '/api/auth/token', {
        body: { username: owner.username, password: owner.password, scopes },
      });
      const token: string = body.accessToken;
      const tried = await quire.call('POST', `/api/functions/${slug}/test`, { token });
      expect(tried.body).toMatchObject({ code: 'INSUFFICIENT_SCOPE', scope: missing });
      // A plain call needs no scope.
      expect((await quire.call('POST', `/api/functions/${hidden}`, { token })).status).toBe(200);
    }
    expect((await fetchLogs(slug)).length).toBe(0);
  });
});

describe('a test as a visitor of its page', () => {
  let page: PublishedPage;
  let slug: string;
  beforeAll(async () => {
    slug = await deploy(ECHO);
    page = await owner.publish({ name: 'Tested', storage_mode: 'team_app', functions: [slug] });
    await join(quire, owner, page, stranger, 'viewer');
  });
  const as = (who: string, called = slug, user = owner) =>
    user.call('POST', `/api/functions/${called}/test?a=1&quire_as=${who}&b=2`, { body: {} });
  const learned = async (who: string) => {
    const { data } = JSON.parse((await as(who)).body.body);
    expect(data.path).toBe('/?a=1&b=2');
    return Object.fromEntries(Object.entries(data.headers).filter(([name]) => name.startsWith('x-quire-')));
  };

  test('says who that is, and that it is a test', async () => {
    const test = { 'x-quire-page-id': String(page.id), 'x-quire-test': '1' };
    expect(await learned('nobody')).toEqual(test);
    const mine = { 'x-quire-user-id': String(owner.id), 'x-quire-user-name': owner.username };
    expect(await learned('owner')).toEqual({ ...test, ...mine, 'x-quire-team-role': 'owner' });
    expect(await learned(owner.username)).toEqual(await learned('owner'));
    expect(await learned(stranger.username)).toEqual({
      ...test,
      'x-quire-user-id': String(stranger.id),
      'x-quire-user-name': stranger.username,
      'x-quire-team-role': 'viewer',
    });
    const plain = await owner.call('POST', `/api/functions/${slug}/test`, { body: {} });
    expect(plain.body.body).not.toContain('x-quire-');
  });

  test('is in the log, if it was in the name of a member', async () => {
    const lines = async () => (await fetchLogs(slug)).filter(({ kind }) => kind === 'system').length;
    const before = await lines();
    await as('owner');
    expect(await lines()).toBe(before);
    await as(stranger.username);
    expect(await lines()).toBe(before + 1);
  });

  test('is refused for somebody who is not a member, and for a function without a page', async () => {
    const outsider = await quire.user('outsider');
    for (const who of [outsider.username, 'no-such-person', '', '%00', 'OWNER'])
      expect([who, (await as(who)).status]).toEqual([who, 400]);
    expect((await as('x'.repeat(33))).status).toBe(400);
    expect((await as('owner', await deploy(ECHO))).body.error).toContain('belongs to a page');
    const social = await deploy(ECHO);
    await owner.publish({ name: 'Social', storage_mode: 'social_app', functions: [social] });
    expect((await as('owner', social)).status).toBe(200);
    expect((await as(stranger.username, social)).status).toBe(400);
    // A member cannot test in the name of the owner.
    expect((await as('owner', slug, stranger)).status).toBe(403);
  });
});

describe('a call by others', () => {
  test('cannot be traced, and shows nothing of what happened', async () => {
    const slug = await deploy(handler('console.log("secret"); throw new Error("secret")'));
    for (const headers of [{}, { authorization: `Bearer ${owner.token}` }]) {
      const response = await quire.request(`/api/functions/${slug}`, {
        method: 'POST',
        headers: { ...headers, 'x-quire-trace': 'mine' },
      });
      expect(await response.json()).toEqual({ success: false, error: 'The function threw an exception' });
      expect(JSON.stringify([...response.headers])).not.toMatch(/secret|trace/);
    }
  });

  test('cannot hide lines from the log with what looks like a mark', async () => {
    const slug = await deploy(handler('console.log(await request.text()); return new Response()'));
    const forged = ['quire-trace:mine quire-trace-end', 'quire-trace:mine hidden', 'quire-trace:'];
    for (const line of forged) await quire.request(`/api/functions/${slug}`, { method: 'POST', body: line });
    await waitUntil(
      async () => (await fetchLogs(slug)).filter(({ kind }) => kind === 'console').length === 3,
    );
    const lines = (await fetchLogs(slug)).filter(({ kind }) => kind === 'console');
    expect(lines.map(({ message }) => message)).toEqual(forged);
  });
});

test('test calls count towards the limit of calls', async () => {
  const limited = await testApp({ QUIRE_FUNCTION_CALLS_PER_MINUTE: '2' });
  const user = await limited.user('ada');
  await user.call('POST', '/api/functions', { body: { slug: 'echo', code: ECHO } });
  const statuses = [];
  for (const path of ['echo/test', 'echo', 'echo/test'])
    statuses.push((await user.call('POST', `/api/functions/${path}`, { body: {} })).status);
  await limited.stop();
  expect(statuses).toEqual([200, 200, 429]);
});
