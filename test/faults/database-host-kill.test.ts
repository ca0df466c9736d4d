import { afterAll, beforeAll, expect, test } from 'bun:test';
import { cpuSeconds } from '../support/faults/process.ts';
import { type FunctionServer, handler, helpers, startFunctionServer } from '../support/functions/server.ts';
import { waitUntil } from '../support/server.ts';

const ENDLESS = 'WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT count(*) FROM n';

let quire: FunctionServer;
beforeAll(async () => {
  quire = await startFunctionServer();
});
afterAll(() => quire.stop());

const hosts = () => helpers(quire).filter(({ kind }) => kind === 'database host');

test('a call has an unknown outcome if its database host is killed during a statement', async () => {
  const slug = await quire.deploy(
    handler(`return Response.json(await env.DB.prepare(await request.json()).all())`),
    { enableDatabase: true },
  );
  expect((await quire.call(slug, { body: 'SELECT 1' })).status).toBe(200);
  const used = () => hosts().reduce((sum, { pid }) => sum + cpuSeconds(pid), 0);
  const before = used();
  const calling = quire.call(slug, { body: ENDLESS, timeoutMs: 40_000 });
  // The statement runs once its host works for longer than for anything before it.
  await waitUntil(async () => used() > before + 0.5);
  for (const { pid } of hosts()) process.kill(pid, 'SIGKILL');
  const { status, body, headers } = await calling;
  expect([status, body.code, headers.get('retry-after')]).toEqual([503, 'OUTCOME_UNKNOWN', null]);
  await waitUntil(async () => (await quire.call(slug, { body: 'SELECT 1' })).status === 200);
}, 60_000);
