import { afterAll, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cpuSeconds } from '../support/faults/process.ts';
import { type FunctionServer, helpers, startFunctionServer } from '../support/functions/server.ts';
import { expectMigrated, expectNothingHalf, NEW, OLD } from '../support/functions/slow-migrations.ts';
import { call } from '../support/http/client.ts';
import { waitUntil } from '../support/server.ts';

/** The database host, or the server, is killed while migrations are applied: all of them are there, or none. */

const dataFolder = mkdtempSync(join(tmpdir(), 'quire-migrations-'));
let quire: FunctionServer;
afterAll(async () => {
  await quire?.stop();
  rmSync(dataFolder, { recursive: true, force: true });
});

const hosts = () => helpers(quire).filter(({ kind }) => kind === 'database host');
const busySeconds = () => hosts().reduce((sum, { pid }) => sum + cpuSeconds(pid), 0);
const deploy = (slug: string) =>
  call(quire, 'PATCH', `/api/functions/${slug}`, {
    token: quire.owner.token,
    body: NEW,
    timeoutMs: 100_000,
  });
async function check(slug: string): Promise<void> {
  const deployed = {
    sql: (statement: string) => quire.sql(slug, statement),
    call: () => quire.call(slug),
  };
  await expectNothingHalf(deployed);
  expect((await deploy(slug)).status).toBe(200);
  await expectMigrated(deployed);
}

/** Deploys slow migrations, and kills something when their host has been busy with them for a while. */
async function killWhileMigrating(slug: string, kill: () => unknown): Promise<void> {
  await quire.sql(slug, 'SELECT 1');
  const before = busySeconds();
  const deploying = deploy(slug).catch(() => undefined);
  await waitUntil(async () => busySeconds() > before + 0.3);
  await kill();
  expect((await deploying)?.status).not.toBe(200);
}

test('nothing is half after the database host was killed', async () => {
  quire = await startFunctionServer({ dataFolder });
  const { code, ...fields } = OLD;
  const slug = await quire.deploy(code, fields);
  await killWhileMigrating(slug, () => {
    for (const { pid } of hosts()) process.kill(pid, 'SIGKILL');
  });
  await check(slug);
}, 200_000);

test('nothing is half after the server was killed', async () => {
  const { owner } = quire;
  const { code, ...fields } = OLD;
  const slug = await quire.deploy(code, { slug: 'killed-server', ...fields });
  await killWhileMigrating(slug, () => quire.kill());
  quire = await startFunctionServer({ dataFolder, owner });
  await check(slug);
}, 200_000);
