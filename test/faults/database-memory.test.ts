import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { type DatabaseCluster, startDatabaseCluster } from '../support/cluster/databases.ts';
import { privateMegabytes } from '../support/faults/process.ts';
import { type FunctionServer, handler, helpers, startFunctionServer } from '../support/functions/server.ts';
import { register } from '../support/http/client.ts';
import { waitUntil } from '../support/server.ts';

/** Reads as many rows as it is asked to. They are in the memory of the host for a moment, and in its own if it keeps them. */
const CODE = handler(`const { rows, keeps } = await request.json();
  const numbers = 'WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE x < ?)';
  const { results } = await env.DB.prepare(numbers + " SELECT printf('%.*c', 250, x) FROM n").bind(rows).all();
  if (keeps) globalThis.kept = new Uint8Array(100 * 1024 * 1024).fill(1);
  return Response.json(results.length);`);
const LARGE = 30_000;
const CALLERS = 4;
/** With more calls, V8 would collect its garbage without being asked. */
const PAUSE_MS = 4_000;
const LOOK_MS = 500;
/** Several times as much as makes a host give memory back. */
const GROWTH_MEGABYTES = 150;

type Call = (body: { rows: number; keeps?: boolean }) => Promise<{ status: number; body: unknown }>;

let quire: FunctionServer;
let cluster: DatabaseCluster;
beforeAll(async () => {
  [quire, cluster] = await Promise.all([startFunctionServer(), startDatabaseCluster(1)]);
}, 120_000);
afterAll(() => Promise.all([quire.stop(), cluster.stop()]));

/** The hosts of a server, or the one of an owner, by pid. */
function findHosts(server: { dataFolder: string }, ownerId?: number): number[] {
  return helpers(server)
    .filter(({ kind, name }) => kind === 'database host' && (!ownerId || name === `databases-${ownerId}`))
    .map(({ pid }) => pid);
}

/** Makes hosts grow. Returns by how many megabytes the largest is above its start. */
async function grow(call: Call, pids: number[]): Promise<() => number> {
  const before = pids.map((pid) => [pid, privateMegabytes(pid)] as const);
  const growth = () => Math.max(...before.map(([pid, megabytes]) => privateMegabytes(pid) - megabytes));
  while (growth() < GROWTH_MEGABYTES) {
    const answers = await Promise.all(Array.from({ length: CALLERS }, () => call({ rows: LARGE })));
    expect(answers.map(({ body }) => body)).toEqual(Array(CALLERS).fill(LARGE));
  }
  return growth;
}

// At the same time: they wait for hosts that rest.
describe.concurrent('a database host that has grown', () => {
  test.each(['one machine', 'a cluster'])(
    'gives memory back when it rests, and no call fails meanwhile: %s',
    async (where) => {
      const [node] = cluster.nodes;
      if (!node) throw new Error('the cluster has no node');
      const slug = await (where === 'a cluster'
        ? cluster.deploy(node, CODE)
        : quire.deploy(CODE, { enableDatabase: true }));
      const call: Call = (body) =>
        where === 'a cluster' ? cluster.call(node, slug, { body }) : quire.call(slug, { body });
      expect((await call({ rows: 1 })).body).toBe(1);
      const hosts = () => (where === 'a cluster' ? findHosts(node) : findHosts(quire, quire.owner.id));
      const before = hosts();
      const growth = await grow(call, before);
      const grown = growth();
      const answers = new Set<string>();
      await waitUntil(async () => {
        const { status, body } = await call({ rows: 1 });
        answers.add(`${status} ${body}`);
        await Bun.sleep(PAUSE_MS);
        return growth() < grown / 2;
      });
      expect([...answers]).toEqual(['200 1']);
      expect(hosts()).toEqual(before);
    },
    240_000,
  );

  test('ends soon after the last cell that uses it, and comes back for the next call', async () => {
    const second = await register(quire, 'second');
    const slug = await quire.deploy(CODE, { enableDatabase: true }, second);
    const call: Call = (body) => quire.call(slug, { body });
    expect((await call({ rows: 1 })).body).toBe(1);
    const hosts = () => findHosts(quire, second.id);
    await grow(call, hosts());
    // The cell is fat, so it does not stay either.
    expect((await call({ rows: 1, keeps: true })).body).toBe(1);
    // To look at all processes of the machine takes a while, and this takes longer.
    await waitUntil(async () => {
      await Bun.sleep(LOOK_MS);
      return hosts().length === 0;
    });
    expect((await call({ rows: 1 })).body).toBe(1);
    expect(hosts().length).toBe(1);
  }, 240_000);
});
