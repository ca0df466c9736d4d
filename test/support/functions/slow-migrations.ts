import { expect } from 'bun:test';
import type { TestResponse } from '../http/call.ts';
import { waitUntil } from '../server.ts';
import { handler } from './server.ts';

/** Migrations that take a while, to end something while they are applied. */

const TABLES = 60;
const ROWS = 25_000;
const MANY = `WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n LIMIT ${ROWS}) SELECT x FROM n`;
const fill = (from: number) =>
  Array.from({ length: TABLES / 2 }, (_, at) => `CREATE TABLE t${from + at} AS ${MANY};`).join('\n');
const says = (text: string) => handler(`return Response.json(${JSON.stringify(text)})`);

const FIRST = { 'migrations/0001_notes.sql': 'CREATE TABLE notes (text TEXT);' };
/** A function that says `old`, with one quick migration. */
export const OLD = { code: says('old'), enableDatabase: true, files: FIRST };
/** The same, which says `new`, with two slow migrations more. */
export const NEW = {
  code: says('new'),
  files: { ...FIRST, 'migrations/0002_a.sql': fill(0), 'migrations/0003_b.sql': fill(TABLES / 2) },
};

interface Deployed {
  sql(statement: string): Promise<TestResponse>;
  call(): Promise<TestResponse>;
}

/** Fails if some of the migrations are there and others are not, or if the old code does not serve. */
export async function expectNothingHalf({ sql, call }: Deployed): Promise<void> {
  await waitUntil(async () => (await sql('SELECT 1')).status === 200);
  const count = async (statement: string) => (await sql(statement)).body.results[0].n;
  const state = [
    await count("SELECT count(*) AS n FROM sqlite_master WHERE name LIKE 't%'"),
    await count('SELECT count(*) AS n FROM d1_migrations'),
  ];
  expect([
    [0, 1],
    [TABLES, 3],
  ]).toContainEqual(state);
  await waitUntil(async () => (await call()).status === 200);
  expect((await call()).body).toBe('old');
}

/** Fails if the migrations are not all there, or the new code does not serve. */
export async function expectMigrated({ sql, call }: Deployed): Promise<void> {
  const { body } = await sql(
    `SELECT (SELECT count(*) FROM d1_migrations) AS noted, count(*) AS n FROM t${TABLES - 1}`,
  );
  expect(body.results).toEqual([{ noted: 3, n: ROWS }]);
  await waitUntil(async () => (await call()).body === 'new');
}
