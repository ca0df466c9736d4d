import { afterAll, beforeAll, expect, test } from 'bun:test';
import { Client } from 'pg';
import { type Cluster, type ClusterNode, startCluster } from '../support/cluster/cluster.ts';
import { type PatientClient, type Refusals, watchRefusals } from '../support/cluster/refusals.ts';
import { reshard } from '../support/cluster/reshard.ts';
import { call, publish, register } from '../support/http/client.ts';
import { waitUntil } from '../support/server.ts';

/** The number of shards changes while functions write, and while the command and a node are killed. */

const OWNERS = 5;
const ACCEPTED_MS = 5_000;
/** Functions that are removed while their databases may have moved or not. */
const REMOVED = ['removed-a', 'removed-b'];
/** Half of the writes are transactions, which are sent in another way. */
const CODE = `export default { async fetch(request, { DB }) {
  const { id, isTransaction } = await request.json();
  if (id === undefined) return Response.json((await DB.prepare('select id from t').all()).results.map((row) => row.id));
  const insert = (on) => on.prepare('insert into t values (?)').bind(id).run();
  await (isTransaction ? DB.transaction((tx) => insert(tx)) : insert(DB));
  return Response.json({ id });
} };`;

let cluster: Cluster;
let postgres: Client;
const slugs: string[] = [];
let pageId: number;
/** Owners by name. */
const tokens = new Map<string, string>();
const node = (at: number) => cluster.nodes[at] as ClusterNode;

beforeAll(async () => {
  cluster = await startCluster({
    nodes: 2,
    settings: { QUIRE_CLUSTER_SHARDS: '2', QUIRE_DRAIN_SECONDS: '0' },
    maxShards: 4,
  });
  postgres = new Client({ connectionString: cluster.postgres.url });
  await postgres.connect();
  for (let owner = 0; owner < OWNERS; owner++) await addOwner(`owner${owner}`);
  ({ id: pageId } = await publish(node(0), tokens.get('owner0') ?? ''));
  for (const slug of REMOVED) await addFunction(slug, 'owner0');
  for (const slug of REMOVED) await addFunction(`${slug}-too`, 'owner1');
}, 120_000);
afterAll(async () => {
  await postgres?.end();
  await cluster?.stop();
}, 60_000);

async function addOwner(name: string): Promise<void> {
  const { token } = await register(node(0), name);
  tokens.set(name, token);
  for (const slug of [`${name}-a`, `${name}-b`]) {
    await addFunction(slug, name);
    slugs.push(slug);
  }
}

async function addFunction(slug: string, owner: string): Promise<void> {
  const token = tokens.get(owner);
  await ask(node(0), '/api/functions', { token, body: { slug, code: CODE, enableDatabase: true } });
  await ask(node(0), `/api/functions/${slug}/database`, { token, body: { sql: 'create table t (id)' } });
}

async function removeFunction(slug: string, owner: string): Promise<void> {
  const token = tokens.get(owner) ?? '';
  const { status } = await call(node(1), 'DELETE', `/api/functions/${slug}`, { token });
  expect(status).toBe(204);
}

async function ask(at: ClusterNode, path: string, options: object) {
  const { status, body } = await call(at, 'POST', path, options);
  if (status >= 300) throw new Error(`${path}: ${status} ${JSON.stringify(body)}`);
  return body;
}

interface Writing extends Pick<Refusals, 'stop'> {
  acknowledged: Map<string, string[]>;
  /** The longest time that a write took. */
  longestMs(): number;
}

/** One writer for each database, and one that needs none. They ask these nodes in turn. */
function startWriting(run: string, nodes: () => ClusterNode[]): Writing {
  const acknowledged = new Map<string, string[]>();
  let longestMs = 0;
  const choose = (turn: number) => nodes()[turn % nodes().length] as ClusterNode;
  const clients = slugs.map((slug, index): [string, PatientClient] => {
    const own: string[] = [];
    acknowledged.set(slug, own);
    let count = 0;
    return [
      slug,
      {
        waitsForLease: true,
        async send() {
          // Never the same again: nobody knows whether a write that was refused has run.
          const body = { id: `${run}-${count++}`, isTransaction: count % 2 === 0 };
          const startedAt = performance.now();
          const answer = await call(choose(index + count), 'POST', `/api/functions/${slug}`, { body });
          longestMs = Math.max(longestMs, performance.now() - startedAt);
          return answer;
        },
        note: (_, { body }) => own.push(body.id),
      },
    ];
  });
  const token = tokens.get('owner0') ?? '';
  const page: PatientClient = {
    send: (at) =>
      call(choose(at), 'PATCH', `/api/pages/${pageId}`, { token, body: { name: `${run} ${at}` } }),
    note: () => undefined,
  };
  const watched = watchRefusals({ ...Object.fromEntries(clients), page });
  return { acknowledged, longestMs: () => longestMs, stop: watched.stop };
}

/** Every database has each acknowledged write once, and no write twice, at each node. */
async function expectAll(nodes: ClusterNode[], { acknowledged }: Writing): Promise<void> {
  for (const at of nodes)
    for (const slug of slugs) {
      const ids: string[] = await ask(at, `/api/functions/${slug}`, { body: {} });
      const missing = acknowledged.get(slug)?.filter((id) => !ids.includes(id));
      const twice = ids.filter((id, index) => ids.indexOf(id) !== index);
      expect({ slug, missing, twice }).toEqual({ slug, missing: [], twice: [] });
    }
  expect([...acknowledged.values()].every((ids) => ids.length > 5)).toBe(true);
}

async function untilSomeMoved(to: number): Promise<void> {
  const text = 'select count(*)::int as n from function_databases where moved_to = $1';
  await waitUntil(async () => (await postgres.query(text, [to])).rows[0]?.n >= 2, 60_000);
}

test('from 2 to 4 shards no write fails, also when the command is killed', async () => {
  const writing = startWriting('grow', () => cluster.nodes);
  const first = reshard(node(0), 4);
  await untilSomeMoved(4);
  first.kill();
  await first.ended();
  for (const slug of REMOVED) {
    await removeFunction(slug, 'owner0');
    await removeFunction(`${slug}-too`, 'owner1');
  }
  expect(await reshard(node(1), 3).ended()).toMatchObject({
    code: 5,
    printed: expect.stringContaining('This cluster is changing from 2 to 4 shards. Finish that first'),
  });
  expect(await reshard(node(1), 4).ended()).toMatchObject({ code: 0 });
  const { unexpected, longest } = await writing.stop();
  expect(unexpected).toEqual([]);
  expect(Object.values(longest).flatMap(({ said }) => said)).toEqual([]);
  expect(writing.longestMs()).toBeLessThan(ACCEPTED_MS);
  await expectAll(cluster.nodes, writing);
  const left = await postgres.query('select count(*)::int as n from function_databases');
  expect(left.rows[0]?.n).toBe(slugs.length);
}, 120_000);

test('a node with the old number is told the new one, and starts with it', async () => {
  await node(1).stop();
  await expect(node(1).start()).rejects.toThrow(
    'QUIRE_CLUSTER_SHARDS is 2, but this cluster has 4. Set it to 4.',
  );
  await node(1).start({ QUIRE_CLUSTER_SHARDS: '4' });
  // A new database is in the new place, for both nodes.
  await addOwner('late');
}, 120_000);

test('from 4 shards to 1 no write is lost, and none refused for longer than a lease, when the node that moves databases is killed', async () => {
  let reachable = cluster.nodes;
  const writing = startWriting('shrink', () => reachable);
  const first = reshard(node(1), 1);
  await untilSomeMoved(1);
  reachable = [node(0)];
  await node(1).kill();
  expect((await first.ended()).code).not.toBe(0);
  expect(await reshard(node(0), 1).ended()).toMatchObject({ code: 0 });
  const { unexpected, tooLong } = await writing.stop();
  expect([unexpected, tooLong]).toEqual([[], []]);
  await expectAll([node(0)], writing);
  // Without the hosts of the other shards.
  await node(0).stop();
  await node(0).start({ QUIRE_CLUSTER_SHARDS: '1' });
  await expectAll([node(0)], writing);
}, 180_000);
