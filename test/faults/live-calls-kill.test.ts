import { afterAll, beforeAll, expect, test } from 'bun:test';
import { ROUNDS_MS, rounds } from '../support/faults/rounds.ts';
import { openCalls } from '../support/functions/live-calls.ts';
import { type FunctionServer, handler, helpers, startFunctionServer } from '../support/functions/server.ts';
import { publish } from '../support/http/client.ts';
import { waitUntil } from '../support/server.ts';

const ROUNDS = rounds(1, 10);
const READS = handler(
  `const n = await env.DB.prepare('SELECT n FROM t').first('n'); return Response.json(n)`,
);

let quire: FunctionServer;
beforeAll(async () => {
  quire = await startFunctionServer();
});
afterAll(() => quire.stop());

test.each(['database host', 'cell'] as const)(
  'the next write arrives at a live call after the %s was killed',
  async (kind) => {
    const page = await publish(quire, quire.owner.token, { name: `Without its ${kind}` });
    const at = { request: (path: string, init: RequestInit) => fetch(quire.baseUrl + path, init) };
    for (let round = 0; round < ROUNDS; round++) {
      // A function of its own each time: one that crashes often is suspended for a while.
      const slug = await quire.deploy(READS, { enableDatabase: true });
      await quire.sql(slug, 'CREATE TABLE t AS SELECT 0 AS n');
      const tab = await openCalls(at, page.id, [{ function: slug }]);
      await tab.untilShows(0);
      const victims = helpers(quire).filter((helper) => helper.kind === kind);
      expect(victims).not.toEqual([]);
      for (const { pid } of victims) process.kill(pid, 'SIGKILL');
      // A write that the host was killed with may have happened: setting a number twice is the same as once.
      await waitUntil(async () => (await quire.sql(slug, 'UPDATE t SET n = 1')).status === 200);
      await tab.untilShows(1);
      expect((await quire.sql(slug, 'UPDATE t SET n = 2')).status).toBe(200);
      await tab.untilShows(2);
      expect([...tab.refused]).toEqual([]);
      tab.close();
    }
  },
  ROUNDS_MS,
);
