import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { startDatabase } from '../support/engines/process-postgres.ts';
import { isRunning } from '../support/faults/process.ts';
import { startWire, type Wire } from '../support/faults/proxy.ts';
import { rounds } from '../support/faults/rounds.ts';
import { call, login, publish, register } from '../support/http/client.ts';
import { startServer, type TestServer, untilPrinted, waitUntil } from '../support/server.ts';

/** Ends a call that hangs. The server gives up on its database much sooner. */
const ANSWER_MS = 60_000;

let database: { url: string; stop(): Promise<void> };
let wire: Wire;
let server: TestServer;
let token: string;
let cookie: string;
let cached: { id: number; slug: string };

beforeAll(async () => {
  database = await startDatabase();
  const url = new URL(database.url);
  wire = await startWire({ port: Number(url.port) });
  url.port = String(wire.port);
  server = await startServer({ settings: { DATABASE_URL: url.href } });
  ({ token } = await register(server, 'ada'));
  cookie = await login(server, 'ada');
  cached = await publish(server, token, { name: 'Cached' });
  await call(server, 'GET', `/p/${cached.slug}`);
}, 120_000);
afterAll(async () => {
  await server?.kill();
  await wire?.stop();
  await database?.stop();
});

describe.each([
  ['does not answer', async () => wire.silence()],
  ['refuses connections', () => wire.cut()],
])('while PostgreSQL %s', (_, breakIt) => {
  test('the API returns 503, cached pages are served and counted, and everything works again afterwards', async () => {
    const uncached = await publish(server, token, { name: 'Uncached' });
    const { views } = (await readPage()).body.page;
    await breakIt();
    try {
      // At the same time, because both wait for the database as long as the server does.
      const [screen] = await Promise.all([
        call(server, 'GET', `/p/${uncached.slug}`, { timeoutMs: ANSWER_MS }),
        expectUnavailable(),
      ]);
      expect(screen.status).toBe(503);
      for (let seen = 0; seen < 5; seen++) {
        const served = await call(server, 'GET', `/p/${cached.slug}`, { timeoutMs: ANSWER_MS });
        expect(served.status).toBe(200);
      }
      await expectReady();
    } finally {
      await wire.mend();
    }
    await waitUntil(async () => (await readPage()).status === 200);
    await waitUntil(async () => (await ask('/readyz')).body.degraded.length === 0);
    expect((await readPage()).body.page.views).toBe(views + 5);
    expect((await ask('/healthz')).status).toBe(200);
    const created = await call(server, 'POST', '/api/pages', {
      token,
      body: { name: 'After', html_content: '<p>' },
    });
    expect(created.status).toBe(201);
    expect((await call(server, 'GET', `/p/${uncached.slug}`)).status).toBe(200);
    expect((await call(server, 'GET', '/api/auth/me', { cookie })).status).toBe(200);
    // Twenty at the same time, which is more than the pool has connections: none of them can be a lost one.
    const all = await Promise.all(Array.from({ length: 20 }, () => readPage()));
    expect(all.map(({ status }) => status)).toEqual(Array.from({ length: 20 }, () => 200));
  });
});

test('connections that break during queries fail only those queries', async () => {
  for (let round = 0; round < rounds(2, 10); round++) {
    let isDone = false;
    const seen = new Set<number>();
    const askOnAndOn = async () => {
      while (!isDone) seen.add((await readPage()).status);
    };
    const asking = Promise.all(Array.from({ length: 8 }, askOnAndOn));
    try {
      await waitUntil(async () => seen.has(200));
      await wire.cut();
      await waitUntil(async () => seen.has(503));
    } finally {
      isDone = true;
      await wire.mend();
    }
    await asking;
    expect([...seen].sort()).toEqual([200, 503]);
    expect(isRunning(server.pid)).toBeTrue();
    expect((await readPage()).status).toBe(200);
  }
});

test('a server with an unresponsive database still stops, and says what it could not save', async () => {
  expect((await readPage()).status).toBe(200);
  expect((await call(server, 'GET', `/p/${cached.slug}`)).status).toBe(200);
  wire.silence();
  try {
    expect(await server.stop()).toBe(1);
    await untilPrinted(server, 'could not be saved');
  } finally {
    await wire.mend();
  }
}, 120_000);

/** Sends requests of every kind at the same time, more than the pool has connections. */
async function expectUnavailable(): Promise<void> {
  const asked: Array<[string, string, object?]> = [
    ['GET', `/api/pages/${cached.id}`],
    ['GET', '/api/pages'],
    ['GET', '/healthz'],
    ['GET', `/api/pages/${cached.id}/agent-spec`],
    ['PATCH', `/api/pages/${cached.id}`, { html_content: '<p>changed' }],
    ['POST', '/api/pages', { name: 'New', html_content: '<p>' }],
    ['POST', '/api/auth/register', { username: 'bob', email: 'b@example.com', password: 'long enough' }],
    ['POST', '/api/auth/token', { username: 'ada', password: 'not the password' }],
  ];
  const answers = await Promise.all(
    [...asked, ...asked].map(([method, path, body]) =>
      call(server, method, path, { token, timeoutMs: ANSWER_MS, ...(body && { body }) }).then(
        ({ status, body, headers }) =>
          `${method} ${path}: ${status} ${body.code} ${headers.has('retry-after')}`,
        (error: Error) => `${method} ${path}: ${error.name}`,
      ),
    ),
  );
  if (!isRunning(server.pid)) throw new Error(`the server has ended: ${server.output().slice(-2_000)}`);
  expect([...new Set(answers)]).toEqual(
    asked.map(([method, path]) => `${method} ${path}: 503 UNAVAILABLE true`),
  );
}

function readPage() {
  return call(server, 'GET', `/api/pages/${cached.id}`, { token, timeoutMs: ANSWER_MS });
}

/** Health checks get a response even if there are more of them than database connections. */
async function expectReady(): Promise<void> {
  const [alive, ...asked] = await Promise.all([
    ask('/livez'),
    ...Array.from({ length: 30 }, () => ask('/readyz')),
  ]);
  expect(alive?.status).toBe(200);
  for (const { status, body } of asked) {
    expect(status).toBe(200);
    expect(body).toMatchObject({ status: 'ready', degraded: ['database'] });
  }
  const health = await ask('/healthz');
  expect(health.status).toBe(503);
  expect(health.headers.get('retry-after')).toBe('5');
}

function ask(path: string) {
  return call(server, 'GET', path, { timeoutMs: ANSWER_MS });
}
