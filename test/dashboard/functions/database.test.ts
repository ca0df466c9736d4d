import { afterEach, beforeAll, expect, test } from 'bun:test';
import { mkdtemp, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { seriousFindings, watchComplaints } from '../../support/browser/accessibility.ts';
import { closeTabs, type Person, type Stage, sharedStage } from '../../support/browser/stage.ts';
import { handler } from '../../support/functions/app.ts';
import { openCalls } from '../../support/functions/live-calls.ts';
import { deploy, findEditor, open, sql, write } from './deploy.ts';

/** The database screens of a function. */

const HOSTILE = 'odd "name" <b>; DROP TABLE notes';
const quoted = `"${HOSTILE.replaceAll('"', '""')}"`;

let stage: Stage;
let owner: Person;
beforeAll(async () => {
  stage = await sharedStage('origin');
  owner = await stage.register('olga-database');
});
afterEach(closeTabs);

async function run(tab: Page, statement: string): Promise<void> {
  await write(tab, 'SQL', statement);
  await tab.keyboard.press('ControlOrMeta+Enter');
}

const rows = (tab: Page, name: string) => tab.getByRole('region', { name }).getByRole('row');

test('runs SQL and shows rows, figures, history and the errors of SQLite', async () => {
  await deploy(stage, owner, 'console', { enableDatabase: true });
  const tab = await stage.reuse(owner);
  const complaints = watchComplaints(tab);
  await open(stage, tab, '/console/database');
  await tab.getByText('No tables yet').waitFor();
  await tab.getByRole('link', { name: 'SQL' }).click();
  await run(tab, 'CREATE TABLE notes (id INTEGER PRIMARY KEY, text TEXT, picture BLOB)');
  await tab.getByRole('status', { name: 'Result' }).getByText('Done in').waitFor();
  await run(tab, "INSERT INTO notes (text, picture) VALUES ('<img src=x>', x'00ff'), (NULL, NULL)");
  await tab.getByText('2 rows changed · last row id 2').waitFor();
  await run(tab, 'SELECT * FROM notes ORDER BY id');
  await tab.getByText('2 rows in').waitFor();
  expect(await rows(tab, 'Result rows').nth(1).getByRole('cell').allTextContents()).toEqual([
    '1',
    '<img src=x>',
    '2 bytes 00ff',
  ]);
  expect(await rows(tab, 'Result rows').nth(2).getByRole('cell').nth(1).textContent()).toBe('NULL');
  expect(await tab.locator('main img').count()).toBe(0);
  expect(complaints).toEqual([]);

  await run(tab, 'SELECT missing FROM notes');
  await tab.getByRole('alert').getByText('no such column: missing').waitFor();
  await tab.reload();
  await tab.getByText('History, 4 statements').click();
  await tab.getByRole('button', { name: /^SELECT \* FROM notes/ }).click();
  await findEditor(tab, 'SQL')
    .filter({ hasText: /^SELECT \* FROM notes ORDER BY id$/ })
    .waitFor();
  await tab.getByRole('button', { name: 'Run' }).click();
  await tab.getByText('2 rows in').waitFor();
});

test('runs SQL whose changes the live calls of a page show', async () => {
  // A person of their own: another test counts on the databases that it finds.
  const follower = await stage.register('frida-database');
  const code = handler(`const { results } = await env.DB.prepare('SELECT sum(n) AS n FROM t').all();
    return Response.json(results[0].n)`);
  await deploy(stage, follower, 'followed', { enableDatabase: true, isPublic: true, code });
  await sql(stage, follower, 'followed', 'CREATE TABLE t (n)');
  const page = await stage.publish(follower, '<!doctype html><title>Board</title>');
  const request = (path: string, init: RequestInit) => fetch(stage.baseUrl + path, init);
  const calls = await openCalls({ request }, page.id, [{ function: 'followed' }]);
  await calls.untilShows(null);
  const tab = await stage.reuse(follower);
  await open(stage, tab, '/followed/database');
  await tab.getByRole('link', { name: 'SQL' }).click();
  await run(tab, 'INSERT INTO t VALUES (5), (6)');
  await calls.untilShows(11);
  calls.close();
});

test('asks before a statement that deletes data', async () => {
  await deploy(stage, owner, 'careful', { enableDatabase: true });
  await sql(stage, owner, 'careful', 'CREATE TABLE notes (id INTEGER PRIMARY KEY)');
  await sql(stage, owner, 'careful', 'INSERT INTO notes VALUES (1), (2)');
  const tab = await stage.reuse(owner);
  const complaints = watchComplaints(tab);
  await open(stage, tab, '/careful/database/sql');
  const question = tab.getByRole('dialog', { name: 'Run this statement?' });
  const result = tab.getByRole('status', { name: 'Result' });

  await run(tab, 'DELETE FROM notes');
  await question.getByText('This permanently deletes all rows of notes.').waitFor();
  expect(await seriousFindings(tab)).toEqual([]);
  await question.getByRole('button', { name: 'Cancel' }).click();
  await question.waitFor({ state: 'detached' });
  expect(await sql(stage, owner, 'careful', 'SELECT id FROM notes')).toHaveLength(2);

  await run(tab, 'DELETE FROM notes WHERE id = 1');
  await result.getByText(/^Done in [\d,]+ ms · 1 row changed$/).waitFor();
  await run(tab, 'SELECT id FROM notes WHERE id = 1');
  await result.getByText(/^0 rows in/).waitFor();
  await run(tab, 'drop table notes');
  await question.getByText('This permanently deletes the table notes.').waitFor();
  await question.getByRole('button', { name: 'Run', exact: true }).click();
  await result.getByText(/^Done in [\d,]+ ms$/).waitFor();
  expect(complaints).toEqual([]);
});

test('the title of a wide row stays visible on a phone, with the button that opens it', async () => {
  await deploy(stage, owner, 'wide', { enableDatabase: true });
  await sql(stage, owner, 'wide', 'CREATE TABLE notes (id INTEGER PRIMARY KEY, a TEXT, b TEXT)');
  await sql(stage, owner, 'wide', `INSERT INTO notes VALUES (1, '${'a '.repeat(60)}', '${'b '.repeat(60)}')`);
  const tab = await stage.reuse(owner);
  await tab.setViewportSize({ width: 390, height: 844 });
  await open(stage, tab, '/wide/database');
  const button = rows(tab, 'Rows of notes').getByRole('button', { name: 'Open 1' });
  await button.waitFor();
  await tab.locator('.grid').evaluate((grid) => grid.scrollTo(500, 0));
  const box = await button.boundingBox();
  expect(box?.x ?? 0).toBeGreaterThan(20);
  expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThan(200);
});

test('shows a large result in part, and says so', async () => {
  await deploy(stage, owner, 'large', { enableDatabase: true });
  const tab = await stage.reuse(owner);
  await open(stage, tab, '/large/database/sql');
  const count = (n: number) =>
    `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${n}) SELECT i FROM n`;
  await run(tab, count(500));
  await tab.getByText('500 rows in').waitFor();
  expect(await tab.getByText('Only the first 500').count()).toBe(0);
  await run(tab, count(501));
  await tab.getByText('Only the first 500 of 501 rows are shown').waitFor();
  expect(await rows(tab, 'Result rows').count()).toBe(501);
});

test('marks integers that JSON cannot hold exactly, and says how to see all digits', async () => {
  await deploy(stage, owner, 'exact', { enableDatabase: true });
  const tab = await stage.reuse(owner);
  await open(stage, tab, '/exact/database/sql');
  const cells = () => rows(tab, 'Result rows').nth(1).getByRole('cell').allTextContents();
  const hint = tab.getByText('For all digits, use CAST(column AS TEXT).');
  await run(tab, 'SELECT 9007199254740991 AS small, 9007199254740993 AS large, 1e300 AS real');
  await hint.waitFor();
  expect(await cells()).toEqual(['9007199254740991', '≈ 9007199254740992', '1e+300']);
  await run(tab, 'SELECT CAST(9007199254740993 AS TEXT) AS exact');
  await tab.getByRole('cell', { name: '9007199254740993', exact: true }).waitFor();
  expect(await hint.count()).toBe(0);
});

test('lists, pages, sorts, changes and describes tables with hostile names', async () => {
  await deploy(stage, owner, 'tables', { enableDatabase: true });
  await sql(stage, owner, 'tables', 'CREATE TABLE notes (id INTEGER PRIMARY KEY)');
  await sql(stage, owner, 'tables', `CREATE TABLE ${quoted} (n INTEGER, "a ""b" TEXT, rowid TEXT)`);
  await sql(stage, owner, 'tables', `CREATE UNIQUE INDEX by_number ON ${quoted} (n)`);
  await sql(
    stage,
    owner,
    'tables',
    `WITH RECURSIVE i(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM i WHERE i < 60)
     INSERT INTO ${quoted} SELECT i, '<b>' || i, 'x' FROM i`,
  );
  await sql(stage, owner, 'tables', 'CREATE TABLE pairs (k TEXT PRIMARY KEY, v) WITHOUT ROWID');
  await sql(stage, owner, 'tables', 'CREATE VIEW broken AS SELECT * FROM gone');

  const tab = await stage.reuse(owner);
  await open(stage, tab, '/tables/database');
  const list = tab.getByRole('navigation', { name: 'Tables' });
  await list.getByRole('link', { name: 'broken' }).getByText('?').waitFor();
  await list.getByRole('link', { name: HOSTILE }).click();
  await tab.getByText('1 to 50 of 60').waitFor();
  await tab.getByRole('button', { name: 'Next' }).click();
  await tab.getByText('51 to 60 of 60').waitFor();
  await tab.getByRole('button', { name: 'n', exact: true }).click();
  await tab.getByRole('button', { name: 'n', exact: true }).click();
  await tab.getByText('1 to 50 of 60').waitFor();
  const first = rows(tab, `Rows of ${HOSTILE}`).nth(1);
  await first.getByText('<b>60').waitFor();

  await first.getByRole('button', { name: /^Open / }).click();
  await tab.getByLabel('a "b', { exact: true }).fill('changed');
  await tab.getByRole('button', { name: 'Save' }).click();
  await first.getByText('changed').waitFor();
  await first.getByRole('button', { name: /^Open / }).click();
  await tab.getByLabel('n', { exact: true }).fill('59');
  await tab.getByRole('button', { name: 'Save' }).click();
  await tab.getByRole('alert').getByText('UNIQUE constraint failed').waitFor();
  await tab.getByRole('button', { name: 'Cancel' }).click();
  await tab.getByRole('button', { name: 'Keep editing' }).click();
  expect(await tab.getByLabel('n', { exact: true }).inputValue()).toBe('59');
  await tab.getByRole('button', { name: 'Cancel' }).click();
  await tab.getByRole('button', { name: 'Discard' }).click();
  await first.getByRole('button', { name: /^Open / }).click();
  await tab.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await tab.getByRole('button', { name: 'Delete row' }).click();
  await tab.getByText('1 to 50 of 59').waitFor();
  const [left] = await sql(stage, owner, 'tables', `SELECT count(*) AS n, max(n) AS most FROM ${quoted}`);
  expect(left).toEqual({ n: 59, most: 59 });

  await tab.getByRole('button', { name: 'Structure' }).click();
  await tab
    .getByRole('region', { name: `Indexes of ${HOSTILE}` })
    .getByText('by_number')
    .waitFor();
  await tab.getByRole('button', { name: 'Rows', exact: true }).click();
  await list.getByRole('link', { name: 'pairs' }).click();
  await tab.getByText('No rows yet').waitFor();
  await list.getByRole('link', { name: 'broken' }).click();
  await tab.getByRole('alert').getByText('no such table').waitFor();
});

test('imports an export into an empty database, or in place of the existing tables', async () => {
  await deploy(stage, owner, 'origin', { enableDatabase: true });
  await deploy(stage, owner, 'copy', { enableDatabase: true });
  await sql(stage, owner, 'origin', `CREATE TABLE ${quoted} (id INTEGER PRIMARY KEY, text TEXT)`);
  await sql(stage, owner, 'origin', `INSERT INTO ${quoted} VALUES (1, 'kept; with "quotes"')`);
  const tab = await stage.reuse(owner);
  await open(stage, tab, '/origin/database/transfer');
  const downloading = tab.waitForEvent('download');
  await tab.getByRole('button', { name: 'Export as .sql' }).click();
  const download = await downloading;
  expect(download.suggestedFilename()).toBe('origin.sql');
  const script = await readFile(await download.path());

  const choose = async (buffer: Buffer) => {
    await tab.getByLabel('Script').setInputFiles({ name: 'dump.sql', mimeType: 'application/sql', buffer });
    await tab.getByText('dump.sql', { exact: true }).waitFor();
    await tab.getByRole('button', { name: 'Import…' }).click();
    await tab.getByRole('dialog').waitFor();
  };
  await open(stage, tab, '/copy/database/transfer');
  await choose(script);
  await tab.getByText('The database is empty.').waitFor();
  await tab.getByRole('button', { name: 'Import', exact: true }).click();
  await tab.getByText('The script ran:').waitFor();
  const held = () => sql(stage, owner, 'copy', `SELECT * FROM ${quoted} ORDER BY id`);
  expect(await held()).toEqual([{ id: 1, text: 'kept; with "quotes"' }]);

  await sql(stage, owner, 'copy', `INSERT INTO ${quoted} VALUES (2, 'later')`);
  await choose(script);
  await tab.getByText('The database has 1 table').waitFor();
  await tab.getByRole('button', { name: 'Import', exact: true }).click();
  await tab.getByRole('alert').getByText('already exists').waitFor();
  await tab.getByRole('button', { name: 'Cancel' }).click();

  // A script that fails changes nothing. Even the tables to be deleted first stay.
  await choose(Buffer.from('CREATE TABLE fresh (id); NONSENSE;'));
  await tab.getByLabel('Delete the existing tables first').check();
  await tab.getByRole('button', { name: 'Delete tables and import' }).click();
  await tab.getByRole('alert').getByText('syntax error').waitFor();
  await tab.getByRole('button', { name: 'Cancel' }).click();
  expect(await held()).toHaveLength(2);

  await choose(script);
  await tab.getByLabel('Delete the existing tables first').check();
  await tab.getByRole('button', { name: 'Delete tables and import' }).click();
  await tab.getByText('The script ran:').waitFor();
  expect(await held()).toHaveLength(1);
});

test('refuses a script above the size limit before it is sent', async () => {
  await deploy(stage, owner, 'limited', { enableDatabase: true });
  const folder = await mkdtemp(join(tmpdir(), 'quire-script-'));
  try {
    const tab = await stage.reuse(owner);
    await open(stage, tab, '/limited/database/transfer');
    for (const [size, isTooLarge] of [
      [64 * 1024 * 1024, false],
      [64 * 1024 * 1024 + 1, true],
    ] as const) {
      const file = join(folder, `${size}.sql`);
      await writeFile(file, '');
      await truncate(file, size);
      await tab.getByLabel('Script').setInputFiles(file);
      await tab
        .getByText('1 byte larger than the limit of 64 MB')
        .waitFor({ state: isTooLarge ? 'visible' : 'hidden' });
      expect(await tab.getByRole('button', { name: 'Import…' }).isDisabled()).toBe(isTooLarge);
    }
  } finally {
    await rm(folder, { recursive: true });
  }
});

test('hides the database screens for a function without a database', async () => {
  await deploy(stage, owner, 'plain');
  const tab = await stage.reuse(owner);
  await open(stage, tab, '/plain/database');
  await tab.getByRole('heading', { name: 'No database' }).waitFor();
  expect(await tab.getByRole('link', { name: 'Database', exact: true }).count()).toBe(0);
});

test('lists all databases, and inserts, edits and filters rows exactly', async () => {
  await deploy(stage, owner, 'ledger', { enableDatabase: true, displayName: 'The books' });
  await deploy(stage, owner, 'ledger-too', { useDatabase: 'ledger' });
  await sql(
    stage,
    owner,
    'ledger',
    'CREATE TABLE t (id INTEGER PRIMARY KEY, n INTEGER DEFAULT 7, s TEXT, b BLOB)',
  );
  const tab = await stage.reuse(owner);
  await tab.goto(`${stage.baseUrl}/databases`);
  const item = tab.getByRole('listitem').filter({ hasText: 'The books' });
  await item.filter({ hasText: /ledger.*also ledger-too.*1 table, 0 rows: t.*\d+ KB/s }).waitFor();
  expect(await seriousFindings(tab)).toEqual([]);
  await item.getByRole('link', { name: 'The books', exact: true }).click();
  await tab.getByRole('heading', { name: 'The books' }).waitFor();
  await tab.getByText('No rows yet').waitFor();
  // Only from here: counting the rows of another database, which has a broken view, is refused.
  const complaints = watchComplaints(tab);
  const insert = async (fields: Record<string, string>) => {
    await tab.getByRole('button', { name: 'Insert row' }).click();
    for (const [name, value] of Object.entries(fields))
      await tab.getByLabel(name, { exact: true }).fill(value);
    await tab.getByRole('dialog').getByRole('button', { name: 'Insert' }).click();
    await tab.getByRole('dialog').waitFor({ state: 'detached' });
  };
  await insert({ n: '9223372036854775807', s: '42', b: "x'00ff'" });
  await insert({ s: 'two' });
  const read = () =>
    sql(
      stage,
      owner,
      'ledger',
      'SELECT CAST(n AS TEXT) AS n, typeof(n) AS t, s, hex(b) AS b FROM t ORDER BY id',
    );
  expect(await read()).toEqual([
    { n: '9223372036854775807', t: 'integer', s: '42', b: '00FF' },
    { n: '7', t: 'integer', s: 'two', b: '' },
  ]);
  const first = rows(tab, 'Rows of t').nth(1);
  await first.getByText('9223372036854775807').waitFor();
  await first.getByText('2 bytes 00ff').waitFor();
  await first.getByRole('button', { name: /^Open / }).click();
  await tab.getByLabel('n', { exact: true }).fill('-9007199254740993');
  await tab.getByLabel('s is NULL').check();
  await tab.getByRole('button', { name: 'Save' }).click();
  await first.getByText('-9007199254740993').waitFor();
  expect((await read())[0]).toMatchObject({ n: '-9007199254740993', t: 'integer', s: null });

  await tab.getByRole('button', { name: 'Column s', exact: true }).click();
  await tab.getByRole('menuitem', { name: 'Filter…' }).click();
  await tab.getByLabel('Condition').selectOption('empty');
  await tab.getByRole('button', { name: 'Apply' }).click();
  await tab.getByText('1 to 1 of 1').waitFor();
  await tab.getByRole('button', { name: 'Remove filter: s is empty' }).click();
  await tab.getByText('1 to 2 of 2').waitFor();
  expect(complaints).toEqual([]);
});

test('runs several statements, marks the error at its place, and keeps queries', async () => {
  await deploy(stage, owner, 'script', { enableDatabase: true });
  const tab = await stage.reuse(owner);
  await open(stage, tab, '/script/database/sql');
  await run(
    tab,
    "CREATE TABLE t (a);\nINSERT INTO t VALUES ('=1'), ('b');\nSELECT * FROM t;\nSELECT\n  nope FROM t;\nDELETE FROM t",
  );
  const question = tab.getByRole('dialog', { name: 'Run these statements?' });
  await question.getByText('This permanently deletes all rows of t.').waitFor();
  await question.getByRole('button', { name: 'Run', exact: true }).click();
  await tab.getByRole('alert').getByText('Line 5: no such column: nope', { exact: true }).waitFor();
  // The error is on the fifth line, and what follows did not run.
  await tab.locator('.cm-lintRange-error').getByText('nope').waitFor();
  expect(await sql(stage, owner, 'script', 'SELECT a FROM t')).toHaveLength(2);
  // On a phone, what ran is next to Run.
  const { width, height } = tab.viewportSize() ?? { width: 1280, height: 800 };
  await tab.setViewportSize({ width: 360, height: 780 });
  const readTop = async (role: 'alert' | 'complementary') =>
    (await tab.getByRole(role).boundingBox())?.y ?? 0;
  expect(await readTop('alert')).toBeLessThan(await readTop('complementary'));
  await tab.setViewportSize({ width, height });
  const downloading = tab.waitForEvent('download');
  await tab.getByRole('button', { name: 'Download CSV' }).click();
  expect(await readFile(await (await downloading).path(), 'utf8')).toBe("a\r\n'=1\r\nb\r\n");

  await run(tab, 'UPDATE t SET a = 1;\nDROP TABLE t');
  const warnings = [
    'This changes all rows of t, because it has no WHERE clause.',
    'This permanently deletes the table t.',
  ];
  for (const warning of warnings) await tab.getByText(warning, { exact: true }).waitFor();
  await tab.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
  await write(tab, 'SQL', 'SELECT count(*) AS n FROM t');
  await tab.getByRole('button', { name: 'Save query' }).click();
  await tab.getByRole('dialog').getByLabel('Name').fill('How many');
  await tab.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
  const saved = tab.getByRole('region', { name: 'Saved queries' });
  await saved.getByRole('button', { name: 'How many', exact: true }).waitFor();
  expect(await seriousFindings(tab)).toEqual([]);
  await write(tab, 'SQL', 'SELECT 1');
  await saved.getByRole('button', { name: 'How many', exact: true }).click();
  expect(await findEditor(tab, 'SQL').textContent()).toBe('SELECT count(*) AS n FROM t');
  await saved.getByRole('button', { name: 'Delete the query How many' }).click();
  await tab.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await saved.getByText('Save what you run again.').waitFor();
  // Names of tables are completed.
  await tab.reload();
  await write(tab, 'SQL', 'SELECT * FROM ');
  await tab.keyboard.press('End');
  await tab.keyboard.press('Control+Space');
  await tab.locator('.cm-tooltip-autocomplete').getByText('t', { exact: true }).waitFor();
});
