import { afterEach, beforeAll, expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { overflow, seriousFindings, watchComplaints } from '../support/browser/accessibility.ts';
import { closeTabs } from '../support/browser/stage.ts';
import { waitUntil } from '../support/server.ts';
import { button, cell, type DataStage, dataStage, titles } from './data/collections.ts';
import { deploy, sql } from './functions/deploy.ts';

/** Tables as a workplace: records and databases, edited where they are. */

let data: DataStage;
beforeAll(async () => {
  data = await dataStage('tabea-tables');
});
afterEach(closeTabs);

const focused = (tab: Page) => tab.locator('td:focus');
const editor = (tab: Page) => tab.locator('.cell-editor :is(input, textarea, select)');

test('records: a title, search, cells that are edited, conflicts, and all of it in the address', async () => {
  const page = await data.publish('team_app');
  const places = ['Bonn', 'Ulm'];
  await data.fill(
    page,
    Array.from({ length: 60 }, (_, n) => ({
      done: n % 2 === 0,
      n,
      place: places[n % 2],
      title: `Task ${String(n).padStart(2, '0')}`,
    })),
  );
  const tab = await data.open(page);
  const complaints = watchComplaints(tab);
  await tab.getByText('1 to 50 of 60').waitFor();
  // What reads like a title names the rows; the id is a column that somebody can add.
  const heads = () => tab.locator('.grid th .sort, .grid th .grid-head > span').allTextContents();
  expect(await heads()).toEqual(['title', 'done', 'n', 'place', 'Author', 'Created', 'Updated']);
  await button(tab, 'Columns').click();
  await tab.getByLabel('Record id').check();
  await tab.keyboard.press('Escape');
  expect((await heads()).at(-1)).toBe('Record id');

  // Search over all fields, whatever the case; the address has it.
  await tab.getByLabel('Search all fields').fill('bonn');
  await tab.getByText('1 to 30 of 30').waitFor();
  await button(tab, 'n').click();
  await tab.locator('th[aria-sort=descending]').waitFor();
  expect(new URL(tab.url()).search).toBe('?q=bonn&sort=-data.n');
  await button(tab, 'n').click();
  await waitUntil(async () => (await titles(tab))[0] === 'Task 00');
  await tab.goBack();
  await waitUntil(async () => (await titles(tab))[0] === 'Task 58');
  await tab.goForward();
  await waitUntil(async () => (await titles(tab))[0] === 'Task 00');
  await tab.reload();
  await tab.getByText('1 to 30 of 30').waitFor();
  expect(await tab.getByLabel('Search all fields').inputValue()).toBe('bonn');
  await tab.getByLabel('Search all fields').fill('nowhere');
  await tab.getByText('No record has “nowhere” in one of its fields.').waitFor();
  await button(tab, 'Show all records').click();
  await tab.getByText('1 to 50 of 60').waitFor();

  // The keyboard moves between cells, edits, takes back and saves.
  await cell(tab, 'Task 00').click();
  await tab.keyboard.press('ArrowDown');
  expect(await focused(tab).textContent()).toContain('Task 01');
  await tab.keyboard.press('Enter');
  await tab.keyboard.type(' lost');
  await tab.keyboard.press('Escape');
  expect(await focused(tab).textContent()).toBe('Task 01');
  await tab.keyboard.type('<img src=x onerror=alert(1)>');
  await tab.keyboard.press('Tab');
  await cell(tab, '<img src=x onerror=alert(1)>').waitFor();
  // Tab leads to the next cell, which takes one of two values.
  expect(await focused(tab).textContent()).toBe('false');
  await tab.keyboard.press('F2');
  await editor(tab).selectOption('true');
  await tab.keyboard.press('Tab');
  await waitUntil(async () => (await focused(tab).textContent()) === '1');
  await tab.keyboard.type('many');
  await tab.keyboard.press('Enter');
  await tab.getByRole('alert').getByText('Enter a number.').waitFor();
  await editor(tab).fill('11');
  // A click elsewhere saves too.
  await cell(tab, 'Task 05').click();
  const path = `/api/pages/${page.id}/team-data/tasks`;
  const find = async (where: object) => {
    const query = new URLSearchParams({ where: JSON.stringify(where) });
    return (await data.stage.call('GET', `${path}?${query}`, { token: data.owner.token })).body.records;
  };
  await waitUntil(async () => (await find({ n: 11, done: true, title: { contains: '<img' } })).length === 1);

  // Somebody else changes the cell while it is edited, unseen because the connection is gone.
  const [changed] = await find({ title: 'Task 03' });
  await tab.route('**/events*', (route) => route.abort());
  await tab.reload();
  await cell(tab, 'Task 03').dblclick();
  await editor(tab).fill('Mine');
  await data.stage.call('PATCH', `${path}/${changed.id}`, {
    token: data.owner.token,
    body: { data: { title: 'Theirs' } },
  });
  await tab.keyboard.press('Enter');
  await tab.getByText('Somebody else has changed this cell in the meantime, to “Theirs”.').waitFor();
  await button(tab, 'Keep mine').click();
  await cell(tab, 'Mine').waitFor();
  await tab.unroute('**/events*');

  // Equal records are offered as a schema.
  await tab.getByText('Your records all have the same fields.').waitFor();
  await tab.getByRole('link', { name: 'Use as schema' }).click();
  await tab.getByText('Suggested from 60 records.').waitFor();
  expect(new URL(tab.url()).search).toBe('');
  expect(complaints.filter((text) => !text.includes('ERR_FAILED'))).toEqual([]);
});

test('records: hostile values, wide records and a phone', async () => {
  const page = await data.publish('team_app');
  const wide = Object.fromEntries(Array.from({ length: 200 }, (_, n) => [`field${n}`, n]));
  let deep: unknown = 1;
  for (let n = 0; n < 20; n++) deep = { deep };
  await data.fill(page, [
    { ...wide, title: '<script>alert(1)</script>', deep, when: '2026-99-99', at: 'NaN' },
    { title: 'x'.repeat(200_000), list: Array.from({ length: 5_000 }, (_, n) => n), __proto__x: 1 },
    { title: '', when: null, toString: 'x', constructor: { a: 1 } },
  ]);
  const tab = await data.open(page);
  await tab.getByText('1 to 3 of 3').waitFor();
  await cell(tab, '<script>alert(1)</script>').waitFor();
  await tab.getByText('+4,994').waitFor();
  expect(await tab.locator('.grid td').first().locator('..').locator('td').count()).toBeLessThan(40);
  // A long text is edited in its record.
  await tab.locator('tr', { hasText: 'xxxxx' }).locator('.data-text').first().dblclick();
  await tab.getByRole('dialog', { name: 'Record' }).waitFor();
  await tab.keyboard.press('Escape');
  await tab.setViewportSize({ width: 390, height: 844 });
  expect(await overflow(tab)).toBe(0);
  await tab.locator('.grid').evaluate((grid) => grid.scrollTo(2_000, 0));
  await button(tab, 'Open <script>alert(1)</script>').click();
  await tab.getByRole('dialog', { name: 'Record' }).waitFor();
  expect(await seriousFindings(tab)).toEqual([]);
});

test('databases: an address for every table, search in 100,000 rows, and cells by their type', async () => {
  const { stage, owner } = data;
  await deploy(stage, owner, 'tables-guests', { enableDatabase: true });
  const run = (statement: string) => sql(stage, owner, 'tables-guests', statement);
  await run(
    'CREATE TABLE guests (id INTEGER PRIMARY KEY, age INTEGER, name TEXT NOT NULL, note TEXT, photo BLOB)',
  );
  await run(`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100000)
    INSERT INTO guests SELECT i, i % 90, 'Guest ' || i, NULL, X'00ff' FROM n`);
  await run('CREATE TABLE "a/b ü" (k TEXT, v INTEGER, PRIMARY KEY (k, v)) WITHOUT ROWID');
  await run(`INSERT INTO "a/b ü" VALUES ('one', 1), ('one', 2)`);
  await run(`CREATE TABLE long (text TEXT)`);
  await run(`INSERT INTO long VALUES (replace(hex(zeroblob(450000)), '0', 'x'))`);
  const tab = await stage.reuse(owner);
  const at = `${stage.baseUrl}/databases/tables-guests`;
  await tab.goto(`${at}/tables/guests?q=GUEST+9999`);
  await tab.getByText('1 to 11 of 11').waitFor();
  const heads = await tab.locator('.grid th .sort').allTextContents();
  expect(heads).toEqual(['name', 'id', 'age', 'note', 'photo']);
  await tab.getByRole('button', { name: 'age', exact: true }).click();
  await tab.locator('th[aria-sort=ascending]').waitFor();
  expect(new URL(tab.url()).search).toBe('?q=GUEST+9999&sort=age');

  await tab.getByText('Guest 99999', { exact: true }).click();
  await tab.keyboard.press('ArrowRight');
  await tab.keyboard.press('ArrowRight');
  await tab.keyboard.type('old');
  await tab.keyboard.press('Enter');
  await tab.getByRole('alert').getByText('Enter a number.').waitFor();
  await editor(tab).fill('101');
  await tab.keyboard.press('Tab');
  await tab.getByText('101', { exact: true }).waitFor();
  expect(await run('SELECT age, typeof(age) AS t FROM guests WHERE id = 99999')).toEqual([
    { age: 101, t: 'integer' },
  ]);
  // The next cell is NULL; somebody else writes into it first.
  await waitUntil(async () => (await focused(tab).textContent()) === '–NULL');
  await tab.keyboard.type('mine');
  await run(`UPDATE guests SET note = 'theirs' WHERE id = 99999`);
  await tab.keyboard.press('Enter');
  await tab.getByText('Somebody else has changed this cell in the meantime, to “theirs”.').waitFor();
  await button(tab, 'Take theirs').click();
  await tab.keyboard.press('Home');
  await tab.keyboard.press(' ');
  await tab.getByRole('dialog', { name: 'Edit row 99999' }).waitFor();
  expect(await tab.getByLabel('note', { exact: true }).inputValue()).toBe('theirs');
  await tab.keyboard.press('Escape');

  await tab.getByRole('link', { name: 'a/b ü' }).click();
  await tab.waitForURL(`${at}/tables/a%2Fb%20%C3%BC`);
  const second = tab.locator('.grid tbody tr').nth(1);
  await second.getByText('2', { exact: true }).dblclick();
  await editor(tab).fill('1');
  await tab.keyboard.press('Enter');
  await tab.getByRole('alert').getByText('UNIQUE constraint failed').waitFor();
  await editor(tab).fill('3');
  await tab.keyboard.press('Enter');
  await waitUntil(async () => (await run('SELECT max(v) AS v FROM "a/b ü"'))[0]?.v === 3);
  await tab.getByRole('button', { name: 'Structure' }).click();
  await tab.waitForURL(`${at}/tables/a%2Fb%20%C3%BC/structure`);
  await tab.goBack();
  await tab.goBack();
  await tab.getByText('1 to 11 of 11').waitFor();
  await tab.goto(`${at}/tables/nothing`);
  await tab.getByText('This database has no table “nothing”.').waitFor();

  // The list has only the start of a long text. The row has all of it.
  await tab.getByRole('link', { name: 'long' }).click();
  await tab.locator('.grid td').first().dblclick();
  await tab.getByRole('dialog', { name: 'Edit row 1' }).waitFor();
  expect((await tab.getByLabel('text', { exact: true }).inputValue()).length).toBe(900_000);
  expect(await seriousFindings(tab)).toEqual([]);
});
