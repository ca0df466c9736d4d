import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Balancer, startHaproxy } from '../support/cluster/haproxy.ts';
import { startDatabase } from '../support/engines/process-postgres.ts';
import { rounds } from '../support/faults/rounds.ts';
import { call, publish, register } from '../support/http/client.ts';
import { openConnection } from '../support/http/socket.ts';
import {
  freePort,
  type ServerOptions,
  startServer,
  type TestServer,
  untilPrinted,
  waitUntil,
} from '../support/server.ts';

/** How many requests must get a response between two steps. */
const SOME = rounds(40, 200);
/** A pause between requests of a client, so that the nodes get the processor. */
const PAUSE_MS = 200;
/** Longer than the balancer needs for two checks. */
const DRAIN = { QUIRE_DRAIN_SECONDS: '4' };

describe('a node with a drain time', () => {
  test('announces that it will stop, still responds, closes idle connections, and exits with 0', async () => {
    const server = await startServer({ settings: { QUIRE_DRAIN_SECONDS: '600' } });
    const { token } = await register(server, 'ada');
    const { slug } = await publish(server, token);
    const kept = await openConnection(server.port);
    await kept.send('GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n');
    expect((await kept.answer())?.headers.connection).toBeUndefined();
    const idle = await openConnection(server.port);
    await idle.send('GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n');
    expect((await idle.answer())?.status).toBe(200);

    const exited = server.stop();
    await waitUntil(async () => (await call(server, 'GET', '/readyz')).status === 503);
    expect((await call(server, 'GET', '/readyz/haproxy')).status).toBe(404);
    expect((await call(server, 'GET', '/livez')).status).toBe(200);
    expect((await call(server, 'POST', '/api/pages', { token, body: page('New') })).status).toBe(201);
    await kept.send(`GET /p/${slug} HTTP/1.1\r\nHost: localhost\r\n\r\n`);
    const last = await kept.answer();
    expect([last?.status, last?.headers.connection]).toEqual([200, 'close']);
    await kept.closed;

    // A second signal means that the operator does not want to wait.
    process.kill(server.pid, 'SIGTERM');
    expect(await exited).toBe(0);
    await idle.closed;
  }, 120_000);
});

describe('nodes behind haproxy', () => {
  let database: { url: string; stop(): Promise<void> };
  let folder: string;
  let nodes: TestServer[];
  let balanced: Balancer;
  let start: (place: number) => Promise<TestServer>;

  beforeAll(async () => {
    database = await startDatabase();
    folder = mkdtempSync(join(tmpdir(), 'quire-draining-'));
    const ports = [await freePort(), await freePort()];
    const settings = {
      ...DRAIN,
      DATABASE_URL: database.url,
      QUIRE_SECRET: 'the same key on every one of the nodes',
      QUIRE_TRUSTED_PROXIES: '127.0.0.1',
      QUIRE_FUNCTION_CALLS_PER_MINUTE: '0',
      QUIRE_QUOTA_PAGES: '1000000',
    };
    start = (place) => {
      const options: ServerOptions = {
        settings,
        dataFolder: join(folder, String(place)),
        port: ports[place] ?? 0,
      };
      return startServer(options);
    };
    nodes = await Promise.all([start(0), start(1)]);
    const addresses = ports.map((port, place): [string, string] => [`node-${place}`, `127.0.0.1:${port}`]);
    balanced = await startHaproxy({ folder, port: await freePort(), nodes: Object.fromEntries(addresses) });
  }, 120_000);
  afterAll(async () => {
    await balanced?.stop();
    for (const node of nodes ?? []) await node.kill();
    await database?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  test('restart one after the other without a failed request', async () => {
    const { token } = await register(balanced, 'ada');
    const { slug } = await publish(balanced, token);
    const code = 'export default { fetch: () => Response.json({ ok: true }) };';
    await call(balanced, 'POST', '/api/functions', { token, body: { slug: 'ok', code } });
    const load = startLoad(balanced.port, [
      { method: 'GET', path: `/p/${slug}`, status: 200 },
      { method: 'POST', path: '/api/functions/ok', status: 200, body: {} },
      { method: 'POST', path: '/api/pages', status: 201, token, body: page('Another') },
      { method: 'GET', path: '/healthz', status: 200 },
    ]);
    await load.until(SOME);
    for (const place of [0, 1]) {
      expect(await nodes[place]?.stop()).toBe(0);
      nodes[place] = await start(place);
      await waitUntil(() => balanced.isUp(`node-${place}`));
      await load.until(load.answered() + SOME);
    }
    const { failures, done } = await load.stop();

    expect(failures).toEqual([]);
    // Nothing was done twice: there is the first page, and one for each response.
    const listed = await call(balanced, 'GET', '/api/pages?limit=1', { token });
    expect(listed.body.total).toBe(1 + done('/api/pages'));
  }, 120_000);

  test('hide the metrics from clients of haproxy', async () => {
    for (const path of ['/metrics', '/%6detrics', '/metrics?x'])
      expect((await call(balanced, 'GET', path)).status).toBe(404);
    const [node] = nodes;
    const headers = { 'x-forwarded-for': '203.0.113.7' };
    expect((await call(node as TestServer, 'GET', '/metrics', { headers })).status).toBe(403);
    expect((await call(node as TestServer, 'GET', '/metrics')).status).toBe(200);
  });

  test('do not drain when a person stops one in a terminal', async () => {
    const [, node] = nodes as [TestServer, TestServer];
    process.kill(node.pid, 'SIGINT');
    await untilPrinted(node, '"stopped"');
    expect(node.output()).not.toContain('"draining');
  }, 120_000);
});

function page(name: string) {
  return { name, html_content: '<!doctype html><title>t</title><p>Hello' };
}

interface Wanted {
  method: string;
  path: string;
  status: number;
  token?: string;
  body?: unknown;
}

/** Clients that keep their connections and never retry. Each repeats its own request. */
function startLoad(port: number, wanted: Wanted[]) {
  const agent = new Agent({ keepAlive: true });
  const failures: string[] = [];
  const answers = new Map<string, number>();
  let isOver = false;
  const total = () => answers.values().reduce((sum, count) => sum + count, 0);
  const client = async (each: Wanted) => {
    while (!isOver) {
      const outcome = await send(agent, port, each).catch((error: Error) => error.message);
      if (outcome === each.status) answers.set(each.path, (answers.get(each.path) ?? 0) + 1);
      else failures.push(`${each.method} ${each.path}: ${outcome}`);
      await Bun.sleep(PAUSE_MS);
    }
  };
  const clients = [...wanted, ...wanted].map(client);
  return {
    answered: total,
    until: (count: number) => waitUntil(async () => total() + failures.length >= count),
    async stop() {
      isOver = true;
      await Promise.all(clients);
      agent.destroy();
      return { failures, done: (path: string) => answers.get(path) ?? 0 };
    },
  };
}

function send(agent: Agent, port: number, { method, path, token, body }: Wanted): Promise<number> {
  return new Promise((resolve, reject) => {
    const text = body === undefined ? undefined : JSON.stringify(body);
    const headers = {
      ...(token && { authorization: `Bearer ${token}` }),
      ...(text && { 'content-type': 'application/json', 'content-length': text.length }),
    };
    const asked = request({ agent, port, host: '127.0.0.1', method, path, headers }, (answer) => {
      answer.on('error', reject);
      answer.on('end', () => resolve(answer.statusCode ?? 0));
      answer.resume();
    });
    asked.on('error', reject);
    asked.end(text);
  });
}
