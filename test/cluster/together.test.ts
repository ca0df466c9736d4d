import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { type Cluster, type ClusterNode, startCluster } from '../support/cluster.ts';
import { download, follow, publishTeam, upload } from '../support/cluster-team.ts';
import type { Reading } from '../support/data.ts';
import { type Account, call, login, publish, register } from '../support/fault-client.ts';
import { waitUntil } from '../support/server.ts';

/** Whichever node is asked, it is one service. */

/** Longest that a node may serve what another one has replaced. */
const DROP_MS = 100;

let cluster: Cluster;
let a: ClusterNode;
let b: ClusterNode;
let c: ClusterNode;
let owner: Account;
beforeAll(async () => {
  cluster = await startCluster();
  [a, b, c] = cluster.nodes as [ClusterNode, ClusterNode, ClusterNode];
  owner = await register(a, 'owner');
}, 120_000);
afterAll(() => cluster?.stop(), 60_000);

const asOwner = (node: ClusterNode, method: string, path: string, body?: unknown) =>
  call(node, method, path, { token: owner.token, ...(body !== undefined && { body }) });

describe('pages', () => {
  test('are served by every node and by the load balancer, on their own host too', async () => {
    const page = await publish(a, owner.token, { html_content: '<!doctype html><p>everywhere' });
    for (const node of [b, c, a, cluster]) {
      const served = await call(node, 'GET', `/p/${page.slug}`);
      expect(served.body).toContain('everywhere');
    }
    const host = `p${page.id}.pages.localhost:${cluster.port}`;
    const own = await call(cluster, 'GET', '/', { headers: { host } });
    expect({ status: own.status, isThere: own.body.includes('everywhere') }).toEqual({
      status: 200,
      isThere: true,
    });
  });

  test('change on every node within 100 ms', async () => {
    const delays: number[] = [];
    const page = await publish(a, owner.token);
    for (let round = 1; round <= 20; round++) {
      for (const node of cluster.nodes) await call(node, 'GET', `/p/${page.slug}`);
      const html = `<!doctype html><p>round ${round}.`;
      expect((await asOwner(a, 'PATCH', `/api/pages/${page.id}`, { html_content: html })).status).toBe(200);
      const changedAt = performance.now();
      for (const node of [b, c, a]) {
        let askedAt = 0;
        await waitUntil(async () => {
          askedAt = performance.now();
          return (await call(node, 'GET', `/p/${page.slug}`)).body.includes(`round ${round}.`);
        }, 5_000);
        delays.push(askedAt - changedAt);
      }
    }
    // The middle one: what a machine with other things to do adds to some of them is not the nodes' own.
    expect(delays.sort((x, y) => x - y)[delays.length / 2]).toBeLessThan(DROP_MS);
  });

  test('are gone everywhere when they are deleted or no longer published', async () => {
    for (const change of [
      (id: number) => asOwner(b, 'DELETE', `/api/pages/${id}`),
      (id: number) => asOwner(c, 'PATCH', `/api/pages/${id}`, { is_published: false }),
      (id: number) => asOwner(c, 'PATCH', `/api/pages/${id}`, { slug: `moved-${id}` }),
    ]) {
      const page = await publish(a, owner.token);
      for (const node of cluster.nodes) await call(node, 'GET', `/p/${page.slug}`);
      expect((await change(page.id)).status).toBe(200);
      for (const node of cluster.nodes)
        await waitUntil(async () => (await call(node, 'GET', `/p/${page.slug}`)).status !== 200, 5_000);
    }
  });

  test('have the views of all nodes together', async () => {
    const page = await publish(a, owner.token);
    for (let view = 0; view < 12; view++) await call(cluster.nodes[view % 3] ?? a, 'GET', `/p/${page.slug}`);
    for (const node of cluster.nodes) {
      const views = async () => (await asOwner(node, 'GET', `/api/pages/${page.id}`)).body.page.views;
      await waitUntil(async () => (await views()) === 12);
    }
  });
});

test('a login at one node holds at the others, and so does its end', async () => {
  const cookie = await login(a, owner.username);
  for (const node of [b, c, cluster])
    expect((await call(node, 'GET', '/api/auth/me', { cookie })).body.user.username).toBe('owner');
  expect((await call(b, 'POST', '/api/auth/logout', { cookie })).status).toBeLessThan(300);
  for (const node of cluster.nodes)
    expect((await call(node, 'GET', '/api/auth/me', { cookie })).status).toBe(401);
});

describe('bytes', () => {
  test('uploaded at one node are downloaded at another, and gone everywhere when deleted', async () => {
    const page = await publishTeam(a, owner.token);
    const file = await upload(a, owner.token, page.id, 'some text');
    expect(file.status).toBe(201);
    const { id } = file.body.file ?? file.body;
    for (const node of [c, b]) {
      const got = await download(node, owner.token, page.id, id);
      expect({ status: got.status, body: got.body }).toEqual({ status: 200, body: 'some text' });
    }
    expect((await asOwner(b, 'DELETE', `/api/pages/${page.id}/team-files/${id}`)).status).toBeLessThan(300);
    expect((await download(c, owner.token, page.id, id)).status).toBe(404);
  });

  test('of a picture made at one node are served by all', async () => {
    const page = await publish(a, owner.token);
    const made = await asOwner(a, 'POST', `/api/pages/${page.id}/generate-preview-image`, {});
    expect(made.status).toBe(200);
    const { pathname } = new URL(made.body.imageUrl);
    const pictures = await Promise.all(
      [a, b, c, cluster].map(async ({ port }) => {
        const response = await fetch(`http://127.0.0.1:${port}${pathname}`);
        return `${response.status} ${Bun.hash(await response.arrayBuffer())}`;
      }),
    );
    expect(new Set(pictures).size).toBe(1);
    expect(pictures[0]).toStartWith('200 ');
  });
});

describe('functions', () => {
  const says = (text: string) =>
    `export default { fetch() { console.log('said ${text}'); return new Response('${text}'); } };`;

  test('run on every node at the version that was deployed last', async () => {
    const made = await asOwner(a, 'POST', '/api/functions', { slug: 'versions', code: says('one') });
    expect(made.status).toBe(201);
    for (const node of cluster.nodes)
      expect((await call(node, 'POST', '/api/functions/versions')).body).toBe('one');
    await asOwner(b, 'PATCH', '/api/functions/versions', { code: says('two') });
    for (const node of cluster.nodes)
      await waitUntil(
        async () => (await call(node, 'POST', '/api/functions/versions')).body === 'two',
        5_000,
      );
    await asOwner(c, 'PUT', '/api/functions/versions/secrets/GREETING', { value: 'hello' });
    const code = `export default { fetch: (request, env) => new Response(env.GREETING) };`;
    await asOwner(a, 'PATCH', '/api/functions/versions', { code });
    for (const node of cluster.nodes)
      await waitUntil(
        async () => (await call(node, 'POST', '/api/functions/versions')).body === 'hello',
        5_000,
      );
    expect((await asOwner(c, 'DELETE', '/api/functions/versions')).status).toBe(204);
    for (const node of cluster.nodes)
      await waitUntil(
        async () => (await call(node, 'POST', '/api/functions/versions')).status === 404,
        5_000,
      );
  });

  test('have the log lines and the calls of all nodes together', async () => {
    await asOwner(a, 'POST', '/api/functions', { slug: 'logging', code: says('a line') });
    for (let turn = 0; turn < 9; turn++)
      await call(cluster.nodes[turn % 3] ?? a, 'POST', '/api/functions/logging');
    for (const node of cluster.nodes) {
      await waitUntil(async () => {
        const { logs } = (await asOwner(node, 'GET', '/api/functions/logging/logs?limit=100')).body;
        return (
          logs.filter(({ message }: { message: string }) => message.includes('said a line')).length === 9
        );
      });
      await waitUntil(async () => {
        const { body } = await asOwner(node, 'GET', '/api/functions/logging/stats');
        return body.stats.reduce((sum: number, { calls }: { calls: number }) => sum + calls, 0) === 9;
      });
    }
  });

  test('share one database, whichever node is asked', async () => {
    const code = `export default { async fetch(request, env) {
      const row = await env.DB.prepare('insert into visits default values returning n').first();
      return Response.json(row);
    } };`;
    await asOwner(a, 'POST', '/api/functions', { slug: 'counting', code, enableDatabase: true });
    const sql = 'create table visits (n integer primary key)';
    expect((await asOwner(b, 'POST', '/api/functions/counting/database', { sql })).status).toBe(200);
    const seen: number[] = [];
    for (let turn = 0; turn < 12; turn++)
      seen.push((await call(cluster.nodes[turn % 3] ?? a, 'POST', '/api/functions/counting')).body.n);
    expect(seen).toEqual(Array.from({ length: 12 }, (_, index) => index + 1));
    for (const node of cluster.nodes) {
      const count = 'select count(*) as n from visits';
      const { body } = await asOwner(node, 'POST', '/api/functions/counting/database', { sql: count });
      expect(body.results).toEqual([{ n: 12 }]);
    }
  }, 60_000);
});

describe('live events', () => {
  const numbers = (reading: Reading) =>
    reading.events
      .filter(({ name }) => name === 'message')
      .map(({ data }) => (data as { record: { data: { n: number } } }).record.data.n);

  test('reach followers at every node, and a follower goes on at another node without a gap', async () => {
    const page = await publish(a, owner.token, { storage_mode: 'social_app' });
    const path = `/api/pages/${page.id}/social-data/notes`;
    const write = async (node: ClusterNode, n: number) =>
      expect((await asOwner(node, 'POST', path, { data: { n } })).status).toBe(201);
    const readings = await Promise.all(cluster.nodes.map((node) => follow(node, page.id, 'notes')));
    for (let n = 1; n <= 9; n++) await write(cluster.nodes[n % 3] ?? a, n);
    for (const reading of readings) {
      await reading.until(9);
      expect(numbers(reading).sort()).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
    }
    const [first] = readings;
    const seen = first?.events.filter(({ name }) => name === 'message')[4];
    const known = numbers(first as Reading).slice(0, 5);
    for (const reading of readings) reading.close();
    await write(b, 10);
    const later = await follow(c, page.id, 'notes', seen?.id);
    await write(a, 11);
    await later.until(6);
    expect([...known, ...numbers(later)].sort((x, y) => x - y)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
    expect(later.events.some(({ name }) => name === 'reset')).toBeFalse();
    later.close();
  }, 20_000);
});
