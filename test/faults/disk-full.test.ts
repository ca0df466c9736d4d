import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { type DiskServer, makeSmallDisk, type SmallDisk, startServerOn } from '../support/faults/disk.ts';
import { rounds } from '../support/faults/rounds.ts';
import { PASSWORD, type TestResponse } from '../support/http/call.ts';
import { call, login, publish, register } from '../support/http/client.ts';
import { waitUntil } from '../support/server.ts';

const HTML = `<!doctype html><title>t</title><p>${'Hello '.repeat(2_000)}`;
const SPEC = '# What this page is for';

let disk: SmallDisk;
let server: DiskServer;
let token: string;
let freshToken: string;
let cookie: string;
let cached: { id: number; slug: string };
let uncached: { id: number; slug: string };
let doomed: Array<{ id: number }>;
let accountToken: string;

beforeAll(async () => {
  disk = await makeSmallDisk(24);
  server = await startServerOn(disk);
  ({ token } = await register(server, 'ada'));
  cookie = await login(server, 'ada');
  cached = await publish(server, token, { name: 'Cached', html_content: HTML });
  uncached = await publish(server, token, { name: 'Uncached', html_content: HTML });
  await call(server, 'PUT', `/api/pages/${cached.id}/agent-spec`, { token, body: { spec: SPEC } });
  expect((await call(server, 'GET', `/p/${cached.slug}`)).status).toBe(200);
  expect((await readPage()).views).toBe(1);
  const made = await call(server, 'POST', '/api/auth/token', {
    body: { username: 'ada', password: PASSWORD },
  });
  freshToken = made.body.accessToken;
  doomed = [await publish(server, token), await publish(server, token)];
  const forAccount = await call(server, 'POST', '/api/auth/token', {
    body: { username: 'ada', password: PASSWORD, scopes: ['account', 'pages:read'] },
  });
  accountToken = forAccount.body.accessToken;
});
afterAll(async () => {
  await server.kill();
  await disk.remove();
});

describe('on a full disk', () => {
  beforeEach(async () => {
    await disk.fill();
    await untilLow();
  });
  afterEach(makeSpace);

  test('everything that stores something gets 507', async () => {
    const page = `/api/pages/${cached.id}`;
    const registration = { username: 'bob', email: 'bob@example.com', password: PASSWORD };
    const writes: Array<[string, string, object]> = [
      ['POST', '/api/pages', { name: 'New', html_content: HTML }],
      ['POST', '/api/pages', { name: 'New', html_content: HTML.repeat(100) }],
      ['PATCH', page, { html_content: '<p>changed' }],
      ['PATCH', page, { html_content: HTML.repeat(100) }],
      ['PATCH', page, { name: 'Changed', slug: 'changed' }],
      ['PUT', `${page}/agent-spec`, { spec: 'changed' }],
      ['POST', `${page}/messages`, { role: 'user', content: 'hello' }],
      ['POST', '/api/auth/register', registration],
      ['POST', `${page}/forms/contact`, { name: 'Bob' }],
      ['POST', `${page}/solo-data/notes`, { data: { text: 'hello' } }],
    ];
    for (const [method, path, body] of writes) {
      const answer = await call(server, method, path, { token, body });
      expect({ method, path, status: answer.status, code: answer.body.code }).toEqual({
        method,
        path,
        status: 507,
        code: 'INSUFFICIENT_STORAGE',
      });
      expect(answer.body.error).toBeString();
    }
  });

  test('people can log in, get tokens, end sessions and delete', async () => {
    const credentials = { username: 'ada', password: PASSWORD };
    for (let times = 0; times < rounds(5, 100); times++) {
      const screen = await fetch(`http://127.0.0.1:${server.port}/login`, {
        method: 'POST',
        body: new URLSearchParams(credentials),
        redirect: 'manual',
      });
      expect(screen.status).toBe(303);
      const loggedIn = await login(server, 'ada');
      expect((await call(server, 'GET', '/api/auth/me', { cookie: loggedIn })).status).toBe(200);
      const made = await call(server, 'POST', '/api/auth/token', { body: credentials });
      expect(made.status).toBe(200);
      expect((await call(server, 'POST', '/api/auth/logout', { cookie: loggedIn })).status).toBeLessThan(300);
    }
    const named = { name: 'ci', scopes: ['pages:read'] };
    expect(
      (await call(server, 'POST', '/api/auth/tokens', { token: accountToken, body: named })).status,
    ).toBe(201);
    for (const { id } of doomed)
      expect((await call(server, 'DELETE', `/api/pages/${id}`, { token })).status).toBeLessThan(300);
    doomed = [];
  });

  test('the probe and the metrics say so', async () => {
    const { body } = await call(server, 'GET', '/readyz');
    expect(body).toMatchObject({ status: 'ready', degraded: ['disk'], freeBytes: expect.any(Number) });
    expect((await call(server, 'GET', '/metrics')).body).toMatch(/^quire_disk_low 1$/m);
  });

  test('reading works, also for pages with views that cannot be saved yet', async () => {
    const page = `/api/pages/${cached.id}`;
    for (const { slug } of [cached, uncached, cached]) {
      const served = await call(server, 'GET', `/p/${slug}`);
      expect({ slug, status: served.status }).toEqual({ slug, status: 200 });
      expect(served.body).toContain('Hello Hello');
    }
    const reads: Array<[string, { token?: string; cookie?: string }]> = [
      [page, { token }],
      ['/api/pages', { token }],
      [`/api/pages/lookup?slug=${cached.slug}`, { token }],
      [`${page}/versions`, { token }],
      [`${page}/versions/1`, { token }],
      [`${page}/agent-spec`, {}],
      ['/api/auth/me', { token }],
      ['/api/auth/me', { cookie }],
      ['/api/auth/sessions', { cookie }],
      [`${page}/visitor`, { cookie }],
      ['/', { cookie }],
      ['/healthz', {}],
      ['/api/openapi.json', {}],
    ];
    const answers = await Promise.all(reads.map(([path, options]) => call(server, 'GET', path, options)));
    const failing = answers.flatMap(({ status, body }, at) =>
      status === 200 ? [] : { read: reads[at]?.[0], status, body },
    );
    expect(failing).toEqual([]);
  });

  test('a token that was never used before can read', async () => {
    const answer = await call(server, 'GET', '/api/auth/me', { token: freshToken });
    expect(answer.status).toBe(200);
  });
});

describe('when there is space again', () => {
  test('no refused write exists, and every earlier one does', async () => {
    const before = await readPage();
    await disk.fill();
    try {
      for (let round = 0; round < rounds(3, 10); round++) {
        const html = HTML.repeat(1 + round * 10);
        const results = await Promise.all([
          call(server, 'POST', '/api/pages', { token, body: { name: 'New', html_content: html } }),
          call(server, 'PATCH', `/api/pages/${cached.id}`, {
            token,
            body: { name: 'Other', html_content: html },
          }),
          call(server, 'POST', '/api/auth/register', {
            body: { username: 'carol', email: 'carol@example.com', password: PASSWORD },
          }),
        ]);
        expect(results.map(({ status }) => status)).toEqual([507, 507, 507]);
      }
    } finally {
      await makeSpace();
    }
    expect(await readPage()).toEqual(before);
    expect(await versionCount()).toBe(1);
    const list = await call(server, 'GET', '/api/pages', { token });
    expect(list.body.pages.map(({ slug }: { slug: string }) => slug).sort()).toEqual(['cached', 'uncached']);
    const spec = await call(server, 'GET', `/api/pages/${cached.id}/agent-spec`);
    expect(spec.body.spec).toBe(SPEC);
    await register(server, 'carol');
  });

  test('writing works without a restart, and the views from the meantime are counted', async () => {
    const { views } = await readPage();
    await disk.fill();
    try {
      for (let seen = 0; seen < 5; seen++) {
        expect((await call(server, 'GET', `/p/${cached.slug}`)).status).toBe(200);
      }
      expect((await write('full')).status).toBe(507);
    } finally {
      await disk.free();
    }
    expect((await write('free')).status).toBe(201);
    expect((await readPage()).views).toBe(views + 5);
    expect((await call(server, 'GET', '/p/free')).status).toBe(200);
    expect((await call(server, 'GET', '/p/full')).status).toBe(404);
  });
});

test('a server on a full disk stops with everything saved, and starts again', async () => {
  expect((await call(server, 'GET', `/p/${cached.slug}`)).status).toBe(200);
  await disk.fill();
  try {
    expect((await call(server, 'GET', `/p/${cached.slug}`)).status).toBe(200);
    expect((await write('again-full')).status).toBe(507);
    expect(await server.stop()).toBe(0);
  } finally {
    await server.kill();
    await disk.free();
  }
  server = await startServerOn(disk);
  expect(await versionCount()).toBe(1);
  expect((await readPage()).html_content).toBe(HTML);
  expect((await write('again-free')).status).toBe(201);
});

const isLow = async () => (await call(server, 'GET', '/readyz')).body.degraded.includes('disk');
const untilLow = () => waitUntil(isLow);

/** Until the server holds some of it back again. */
async function makeSpace(): Promise<void> {
  await disk.free();
  await waitUntil(async () => !(await isLow()));
}

async function readPage() {
  return (await call(server, 'GET', `/api/pages/${cached.id}`, { token })).body.page;
}

async function versionCount(): Promise<number> {
  return (await call(server, 'GET', `/api/pages/${cached.id}`, { token })).body.versionCount;
}

function write(name: string): Promise<TestResponse> {
  return call(server, 'POST', '/api/pages', { token, body: { name, html_content: HTML } });
}
