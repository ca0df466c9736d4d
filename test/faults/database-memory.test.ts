import { afterAll, describe, expect, test } from 'bun:test';
import { type DatabaseCluster, startDatabaseCluster } from '../support/database-cluster.ts';
import { privateMegabytes } from '../support/fault-process.ts';
import { type FunctionServer, handler, helpers, startFunctionServer } from '../support/function-server.ts';
import { waitUntil } from '../support/server.ts';

/** Runs a statement that fills the memory of the database host for a moment, or reads one row. */
const CODE = handler(`const { rows } = await request.json();
  const numbers = 'WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE x < ' + rows + ')';
  const { results } = await env.DB.prepare("SELECT 1 AS a UNION ALL SELECT * FROM (" + numbers + " SELECT printf('%.*c', 250, x) FROM n)").all();
  return Response.json(results.length);`);
const LARGE = 30_000;
const CALLERS = 4;
const PAUSE_MS = 250;

/** A host is driven until it has grown by this much, which is many times what a host must have to give any back. */
const GROWTH_MEGABYTES = 150;

interface Service {
  call(rows: number): Promise<{ status: number; body: unknown }>;
  hosts(): number[];
}

const services: Record<string, () => Promise<Service>> = {
  async 'one machine'() {
    quire = await startFunctionServer();
    const server = quire;
    const slug = await server.deploy(CODE, { enableDatabase: true });
    return { call: (rows) => server.call(slug, { body: { rows } }), hosts: () => hostsOf(server) };
  },
  async 'a cluster'() {
    cluster = await startDatabaseCluster(1);
    const { deploy, call, nodes } = cluster;
    const [node] = nodes;
    if (!node) throw new Error('no node');
    const slug = await deploy(node, CODE);
    return { call: (rows) => call(node, slug, { body: { rows } }), hosts: () => hostsOf(node) };
  },
};

let quire: FunctionServer | undefined;
let cluster: DatabaseCluster | undefined;
afterAll(async () => {
  await Promise.all([quire?.stop(), cluster?.stop()]);
});

const hostsOf = (server: { dataFolder: string }) =>
  helpers(server)
    .filter(({ kind }) => kind === 'database host')
    .map(({ pid }) => pid);

describe('a database host that has grown', () => {
  test.each(Object.entries(services))(
    'gives its memory back when it rests, and no call fails meanwhile: %s',
    async (_, start) => {
      const { call, hosts } = await start();
      expect((await call(0)).body).toBe(2);
      const before = new Map(hosts().map((pid) => [pid, privateMegabytes(pid)]));
      const growth = () => Math.max(...[...before].map(([pid, start]) => privateMegabytes(pid) - start));
      while (growth() < GROWTH_MEGABYTES)
        await Promise.all(
          Array.from({ length: CALLERS }, async () => expect((await call(LARGE)).body).toBe(LARGE + 1)),
        );
      const grown = growth();
      const answers = new Set<string>();
      await waitUntil(async () => {
        const { status, body } = await call(0);
        answers.add(`${status} ${body}`);
        await Bun.sleep(PAUSE_MS);
        return growth() < grown / 2;
      });
      expect([...answers]).toEqual(['200 2']);
      expect(hosts().sort()).toEqual([...before.keys()].sort());
    },
    180_000,
  );
});
