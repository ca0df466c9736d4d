import { Database } from 'bun:sqlite';
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { rounds } from '../support/faults/rounds.ts';
import {
  allWriteAgain,
  KEEPER,
  lostAndDoubled,
  startWriter,
  type Writer,
} from '../support/functions/load.ts';
import {
  type FunctionServer,
  HELLO,
  type Helper,
  helpers,
  runtimeFolder,
  startFunctionServer,
} from '../support/functions/server.ts';
import { call } from '../support/http/client.ts';
import { waitUntil } from '../support/server.ts';

/** A function can crash twice in a minute before it is suspended, so each is killed twice. */
const FUNCTIONS = rounds(3, 25);
const KILLS = rounds(2, 50);

let dataFolder: string;
let quire: FunctionServer;
/** These share one database. */
let slugs: string[];
const all: Writer[] = [];
beforeAll(async () => {
  dataFolder = mkdtempSync(join(tmpdir(), 'quire-cells-'));
  quire = await startFunctionServer({ dataFolder });
  slugs = await deployKeepers(FUNCTIONS);
}, 120_000);
afterAll(async () => {
  await quire?.kill();
  rmSync(dataFolder, { recursive: true, force: true });
});

describe('kill -9 under load', () => {
  test('of a cell loses no row and writes none twice, and the function responds again', async () => {
    const writers = write(slugs.map((slug) => startWriter(quire, slug)));
    await allWriteAgain(writers);
    for (const _ of ['first cells', 'their successors']) {
      for (const pid of shuffled(await servingCells(writers))) await killAndRecover(pid, writers);
    }
    await expectNothingLost(writers, [502, 503]);
  }, 240_000);

  test('of a database host loses no row and writes none twice', async () => {
    const slug = await quire.deploy(KEEPER, { slug: 'keeper-of-host', useDatabase: slugs[0] });
    const writers = write([0, 1, 2, 3].map((at) => startWriter(quire, slug, { asSql: at > 1 })));
    await allWriteAgain(writers);
    for (let kill = 0; kill < KILLS; kill++) {
      // The killed host may have responded once more, and the next may not exist yet.
      await waitUntil(async () => of('database host').length > 0);
      for (const { pid } of of('database host')) await killAndRecover(pid, writers);
      await Bun.sleep(Math.random() * 100);
    }
    // The function sees an exception from the client; the endpoint says to try again.
    await expectNothingLost(writers, [500, 503]);
  }, 240_000);

  test('of the server loses no row, and leaves no process and no unused database', async () => {
    const [slug = ''] = slugs;
    for (let kill = 1; kill <= KILLS; kill++) {
      const writers = write([startWriter(quire, slug), startWriter(quire, slug, { asSql: true })]);
      await allWriteAgain(writers);
      const changing = changeFunctions(kill);
      await Bun.sleep(Math.random() * 300);
      const { pid } = quire;
      await quire.kill();
      await Promise.all([changing, ...writers.map((writer) => writer.stop())]);
      await waitUntil(async () => helpers(quire).length === 0);
      expect(existsSync(`/proc/${pid}`)).toBeFalse();
      quire = await startFunctionServer({ dataFolder, owner: quire.owner });
      expect(readdirSync(runtimeFolder(quire)).length).toBe(1);
      expect((await lostAndDoubled(quire, slug, writers)).lost).toEqual([]);
      await expectNoOrphans();
    }
    expect(await lostAndDoubled(quire, slug, all)).toEqual({ lost: [], doubled: 0 });
    const { token } = quire.owner;
    const { body } = await call(quire, 'GET', '/api/functions?mine=true', { token });
    for (const item of body.functions as Array<{ slug: string }>) {
      if (item.slug !== slug) await call(quire, 'DELETE', `/api/functions/${item.slug}`, { token });
    }
    expect(databaseFiles().length).toBe(1);
    expect(await quire.stop()).toBe(0);
    expect(existsSync(runtimeFolder(quire))).toBeFalse();
  }, 480_000);
});

/** Remembers writers. At the end, every row that was acknowledged must exist. */
function write(writers: Writer[]): Writer[] {
  all.push(...writers);
  return writers;
}

/** Deploys functions that share one database with one table. */
async function deployKeepers(count: number): Promise<string[]> {
  const first = await quire.deploy(KEEPER, { slug: 'keeper-0', enableDatabase: true });
  await quire.sql(first, 'CREATE TABLE rows (id TEXT)');
  const made = [first];
  for (let at = 1; at < count; at++)
    made.push(await quire.deploy(KEEPER, { slug: `keeper-${at}`, useDatabase: first }));
  return made;
}

/** Creates functions with databases and deletes them, until the server is gone. */
async function changeFunctions(round: number): Promise<void> {
  const server = quire;
  const { token } = server.owner;
  try {
    for (let at = 1; ; at++) {
      const slug = await server.deploy(HELLO, { slug: `gone-${round}-${at}`, enableDatabase: true });
      await server.sql(slug, 'CREATE TABLE t (a)');
      await call(server, 'DELETE', `/api/functions/${slug}`, { token });
    }
  } catch {
    // The server was killed.
  }
}

/** Compares the files on disk with the tables, once the first sweep of a new server has removed what was deleted. */
async function expectNoOrphans(): Promise<void> {
  const database = new Database(join(dataFolder, 'quire.db'), { readonly: true });
  try {
    const count = (sql: string) =>
      database.query<{ n: number }, []>(`select count(*) n from ${sql}`).get()?.n ?? 0;
    await waitUntil(async () => count('function_databases where deleted_at is not null') === 0);
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

function of(kind: Helper['kind']): Helper[] {
  return helpers(quire).filter((helper) => helper.kind === kind);
}

/** The cells of all functions, once each of them serves its writer: one that is killed as it starts causes a 500. */
async function servingCells(writers: Writer[]): Promise<number[]> {
  const pids = () => of('cell').map(({ pid }) => pid);
  for (;;) {
    const before = pids();
    await allWriteAgain(writers);
    if (before.length === FUNCTIONS && isDeepStrictEqual(pids(), before)) return before;
  }
}

/** Kills a process and waits until every writer can write again. */
async function killAndRecover(pid: number, writers: Writer[]): Promise<void> {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    // It may still be listed while it ends.
    if ((error as { code?: string }).code !== 'ESRCH') throw error;
  }
  await allWriteAgain(writers);
}

async function expectNothingLost(writers: Writer[], statuses: number[]): Promise<void> {
  await Promise.all(writers.map((writer) => writer.stop()));
  expect(await lostAndDoubled(quire, slugs[0] ?? '', writers)).toEqual({ lost: [], doubled: 0 });
  const failures = new Set(writers.flatMap((writer) => writer.failures));
  expect([...failures].filter((status) => !statuses.includes(status))).toEqual([]);
}

function shuffled<T>(items: T[]): T[] {
  return items
    .map((item) => ({ item, key: Math.random() }))
    .toSorted((a, b) => a.key - b.key)
    .map(({ item }) => item);
}
