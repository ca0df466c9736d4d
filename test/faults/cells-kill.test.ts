import { Database } from 'bun:sqlite';
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { call } from '../support/fault-client.ts';
import { allWriteAgain, KEEPER, lostAndDoubled, startWriter, type Writer } from '../support/function-load.ts';
import {
  type FunctionServer,
  HELLO,
  type Helper,
  helpers,
  runtimeFolder,
  startFunctionServer,
} from '../support/function-server.ts';
import { waitUntil } from '../support/server.ts';

const ROUNDS = 50;
/** How long a round may take to get over a kill, on a machine that does other things too; half must take under a second. */
const RECOVERY_MS = 10_000;

let dataFolder: string;
beforeEach(() => {
  dataFolder = mkdtempSync(join(tmpdir(), 'quire-cells-'));
});
afterEach(() => rmSync(dataFolder, { recursive: true, force: true }));

describe('under load, fifty times in a row, the end', () => {
  test('of any cell loses no row and doubles none, and its function answers again at once', async () => {
    const quire = await startFunctionServer({ dataFolder });
    // Two deaths in a minute are forgiven, so there are half as many functions as rounds.
    const slugs = await deployKeepers(quire, ROUNDS / 2);
    const writers = slugs.map((slug) => startWriter(quire, slug));
    await allWriteAgain(writers, RECOVERY_MS);
    const times: number[] = [];
    for (const _ of ['first cells', 'their successors']) {
      for (const { pid } of shuffled(of(quire, 'cell'))) times.push(await killAndRecover(pid, writers));
    }
    expect(times.length).toBe(ROUNDS);
    await expectNothingLost(quire, slugs[0] ?? '', writers, [502, 503]);
    expect(median(times)).toBeLessThan(1_000);
    expect(await quire.stop()).toBe(0);
  }, 120_000);

  test('of the process that holds the database loses no row and doubles none', async () => {
    const quire = await startFunctionServer({ dataFolder });
    const [slug = ''] = await deployKeepers(quire, 1);
    const writers = [0, 1, 2, 3].map((at) => startWriter(quire, slug, { asSql: at > 1 }));
    await allWriteAgain(writers, RECOVERY_MS);
    const times: number[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      // The one that was ended may have answered once more, and its successor is not there yet.
      await waitUntil(async () => of(quire, 'database host').length > 0, RECOVERY_MS);
      for (const { pid } of of(quire, 'database host')) times.push(await killAndRecover(pid, writers));
      await Bun.sleep(Math.random() * 100);
    }
    // The function hears of it as an exception of the client; the endpoint says to try again.
    await expectNothingLost(quire, slug, writers, [500, 503]);
    expect(median(times)).toBeLessThan(1_000);
    expect(await quire.stop()).toBe(0);
  }, 120_000);

  test('of the server loses no row, leaves no process, and no database without a function', async () => {
    let quire = await startFunctionServer({ dataFolder });
    const [slug = ''] = await deployKeepers(quire, 1);
    const all: Writer[] = [];
    for (let round = 1; round <= ROUNDS; round++) {
      const writers = [startWriter(quire, slug), startWriter(quire, slug, { asSql: true })];
      await allWriteAgain(writers, RECOVERY_MS);
      const changing = changeFunctions(quire, round);
      await Bun.sleep(Math.random() * 300);
      process.kill(quire.pid, 'SIGKILL');
      await quire.kill();
      await Promise.all([changing, ...writers.map((writer) => writer.stop())]);
      const { pid } = quire;
      await waitUntil(async () => helpers(quire).length === 0, RECOVERY_MS);
      expect(existsSync(`/proc/${pid}`)).toBeFalse();
      quire = await startFunctionServer({ dataFolder, owner: quire.owner });
      expect(readdirSync(runtimeFolder(quire)).length).toBe(1);
      expect((await lostAndDoubled(quire, slug, writers)).lost).toEqual([]);
      expectNoOrphans();
      all.push(...writers);
    }
    expect(await lostAndDoubled(quire, slug, all)).toEqual({ lost: [], doubled: 0 });
    expect(all.flatMap(({ acknowledged }) => acknowledged).length).toBeGreaterThan(ROUNDS);
    const { body } = await call(quire, 'GET', '/api/functions?mine=true', { token: quire.owner.token });
    for (const item of body.functions as Array<{ slug: string }>) {
      if (item.slug !== slug)
        await call(quire, 'DELETE', `/api/functions/${item.slug}`, { token: quire.owner.token });
    }
    expect(databaseFiles().length).toBe(1);
    expect(await quire.stop()).toBe(0);
    expect(existsSync(runtimeFolder(quire))).toBeFalse();
  }, 240_000);
});

/** Deploys functions that share one database with a table of rows. */
async function deployKeepers(quire: FunctionServer, count: number): Promise<string[]> {
  const first = await quire.deploy(KEEPER, { slug: 'keeper-0', enableDatabase: true });
  await quire.sql(first, 'CREATE TABLE rows (id TEXT)');
  const slugs = [first];
  for (let at = 1; at < count; at++)
    slugs.push(await quire.deploy(KEEPER, { slug: `keeper-${at}`, useDatabase: first }));
  return slugs;
}

/** Makes functions with databases and removes them again, until the server is gone. */
async function changeFunctions(quire: FunctionServer, round: number): Promise<void> {
  const { token } = quire.owner;
  try {
    for (let at = 1; ; at++) {
      const slug = await quire.deploy(HELLO, { slug: `gone-${round}-${at}`, enableDatabase: true });
      await quire.sql(slug, 'CREATE TABLE t (a)');
      await call(quire, 'DELETE', `/api/functions/${slug}`, { token });
    }
  } catch {
    // The server is gone.
  }
}

/** What is on disk and what is on record, as a server finds it that has just started. */
function expectNoOrphans(): void {
  const database = new Database(join(dataFolder, 'quire.db'), { readonly: true });
  try {
    const count = (sql: string) =>
      database.query<{ n: number }, []>(`select count(*) n from ${sql}`).get()?.n ?? 0;
    expect(count('function_databases where deleted_at is not null')).toBe(0);
    expect(
      count(
        'function_databases where id not in (select database_id from functions where database_id is not null)',
      ),
    ).toBe(0);
    expect(
      count(
        'functions where database_id is not null and database_id not in (select id from function_databases)',
      ),
    ).toBe(0);
    expect(databaseFiles().length).toBeLessThanOrEqual(count('function_databases'));
  } finally {
    database.close();
  }
}

function databaseFiles(): string[] {
  const names = readdirSync(join(dataFolder, 'databases'), { recursive: true }) as string[];
  return names.filter((name) => /\/[0-9a-f]{64}\.sqlite$/.test(name));
}

function of(quire: FunctionServer, kind: Helper['kind']): Helper[] {
  return helpers(quire).filter((helper) => helper.kind === kind);
}

/** Ends a process and waits until every writer gets a row in again; says how long that took. */
async function killAndRecover(pid: number, writers: Writer[]): Promise<number> {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    // It may be seen in its last moment.
    if ((error as { code?: string }).code !== 'ESRCH') throw error;
  }
  const startedAt = Date.now();
  await allWriteAgain(writers, RECOVERY_MS);
  return Date.now() - startedAt;
}

async function expectNothingLost(
  quire: FunctionServer,
  slug: string,
  writers: Writer[],
  statuses: number[],
): Promise<void> {
  await Promise.all(writers.map((writer) => writer.stop()));
  expect(await lostAndDoubled(quire, slug, writers)).toEqual({ lost: [], doubled: 0 });
  const failures = new Set(writers.flatMap((writer) => writer.failures));
  expect([...failures].filter((status) => !statuses.includes(status))).toEqual([]);
}

function median(numbers: number[]): number {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0;
}

function shuffled<T>(items: T[]): T[] {
  return items
    .map((item) => ({ item, key: Math.random() }))
    .toSorted((a, b) => a.key - b.key)
    .map(({ item }) => item);
}
