import { Database } from 'bun:sqlite';
import { afterEach, beforeAll, describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { MAX_NAMED_MOMENTS } from '../../../contract/rules/limits.ts';
import { expectReadable, overflow, watchComplaints } from '../../support/browser/accessibility.ts';
import {
  closeTabs,
  openStage,
  type Person,
  type Published,
  type Stage,
  sharedStage,
} from '../../support/browser/stage.ts';
import { waitUntil } from '../../support/server.ts';
import { deploy } from '../functions/deploy.ts';

/** The history of a page: the time line, and the way back and forward again. */

let stage: Stage;
let owner: Person;
beforeAll(async () => {
  stage = await sharedStage('origin');
  owner = await stage.register('tilda-history');
});
afterEach(closeTabs);

const html = (text: string) => `<!doctype html><title>Party</title><h1>${text}</h1>`;
const send = async (method: string, path: string, body?: object) => {
  const answer = await stage.call(method, path, { token: owner.token, ...(body && { body }) });
  expect(answer.status).toBeLessThan(300);
  return answer.body;
};
const publish = (text = 'First', fields: object = {}) =>
  stage.publish(owner, html(text), { name: 'Party', storage_mode: 'team_app', ...fields });
const keep = async (page: Published, name: string): Promise<string> =>
  (await send('POST', `/api/pages/${page.id}/moments`, { name })).at;
const change = (page: Published, text: string) =>
  send('PATCH', `/api/pages/${page.id}`, { html_content: html(text) });

async function open(page: Published, query = ''): Promise<Page> {
  const tab = await stage.reuse(owner);
  await tab.goto(`${stage.baseUrl}/pages/${page.id}/history${query}`);
  return tab;
}

const option = (tab: Page, name: string | RegExp) => tab.getByRole('option', { name });
const button = (tab: Page, name: string) => tab.getByRole('button', { name, exact: true });
const frame = (tab: Page, title: string) =>
  tab.frameLocator(`iframe[title="Preview: ${title}"]`).getByRole('heading');

async function expectUsable(tab: Page): Promise<void> {
  for (const width of [390, 1280]) {
    await tab.setViewportSize({ width, height: 900 });
    await expectReadable(tab);
    expect(await overflow(tab)).toBe(0);
  }
}

/** Changes the restores of a page as a server that was killed leaves them. */
function writeRestore(page: Published, sql: string): void {
  const db = new Database(join(stage.dataFolder, 'quire.db'));
  try {
    db.run('pragma busy_timeout = 10000');
    db.run(`delete from restores where page_id = ${page.id}`);
    if (sql) db.run(sql);
  } finally {
    db.close();
  }
}

test('a page, a board and an SQL table go back together, and forward again', async () => {
  await deploy(stage, owner, 'history-guests', { enableDatabase: true });
  const page = await publish('First', { functions: ['history-guests'] });
  const notes = `/api/pages/${page.id}/team-data/notes`;
  const sql = async (text: string) =>
    (await send('POST', '/api/functions/history-guests/database', { sql: text })).results;
  const readAll = async () => ({
    html: (await send('GET', `/api/pages/${page.id}`)).page.html_content,
    notes: (await send('GET', notes)).records.map(({ data }: { data: { text: string } }) => data.text).sort(),
    guests: (await sql('select name from guests order by name')).map(({ name }: { name: string }) => name),
  });
  const { id: first } = await send('POST', notes, { data: { text: 'Balloons' } });
  const { id: second } = await send('POST', notes, { data: { text: 'Cake' } });
  await sql('create table guests (name text)');
  await sql("insert into guests values ('Ada')");
  const before = await readAll();

  const tab = await open(page);
  const complaints = watchComplaints(tab);
  await button(tab, 'Keep this moment').click();
  const dialog = tab.getByRole('dialog');
  await dialog.getByLabel('Name').fill('Before the party');
  await expectReadable(tab);
  await dialog.getByRole('button', { name: 'Keep', exact: true }).click();
  await tab.getByRole('heading', { name: 'Before the party' }).waitFor();

  await change(page, 'Second');
  await send('PATCH', `${notes}/${first}`, { data: { text: 'Burst balloons' } });
  await send('DELETE', `${notes}/${second}`);
  await send('POST', notes, { data: { text: 'Broom' } });
  await sql("insert into guests values ('Bob')");
  const after = await readAll();
  await tab.reload();
  await option(tab, /Before the party/).click();
  await frame(tab, 'Version 1').getByText('First').waitFor();
  await frame(tab, 'Now').getByText('Second').waitFor();
  const parts = tab.getByRole('group', { name: 'What is restored' });
  for (const text of [
    'Text and files of version 1',
    'All tables of history-guests',
    '1 comes back, 1 gets its earlier data back, 1 newer one is deleted',
  ])
    await parts.getByText(text).waitFor();
  await expectUsable(tab);

  await button(tab, 'Restore').click();
  await dialog.getByText('The change is for everybody').waitFor();
  await expectReadable(tab);
  await dialog.getByRole('button', { name: 'Restore', exact: true }).click();
  await tab.getByText('Back at').waitFor();
  expect(await readAll()).toEqual(before);
  await tab.getByText('Restored: the page, as version 3, 1 database, 3 records.').waitFor();
  await expectUsable(tab);

  // The report is still there after a reload.
  await tab.reload();
  await button(tab, 'Undo').click();
  await tab.getByText('Restored: the page, as version 4, 1 database, 3 records.').waitFor();
  expect(await readAll()).toEqual(after);
  await button(tab, 'Undo').click();
  await tab.getByText('Restored: the page, as version 5, 1 database, 3 records.').waitFor();
  expect(await readAll()).toEqual(before);
  await button(tab, 'Dismiss').click();
  await tab.reload();
  await option(tab, 'Now').waitFor();
  expect(await button(tab, 'Undo').count()).toBe(0);
  expect(complaints).toEqual([]);
}, 120_000);

test('only the chosen parts and collections go back', async () => {
  const page = await publish();
  const add = (collection: string, text: string) =>
    send('POST', `/api/pages/${page.id}/team-data/${collection}`, { data: { text } });
  const count = async (collection: string) =>
    (await send('GET', `/api/pages/${page.id}/team-data/${collection}`)).records.length;
  const at = await keep(page, 'Empty');
  await change(page, 'Second');
  await add('notes', 'one');
  await add('guests', 'two');
  const tab = await open(page, `?at=${at}`);
  const parts = tab.getByRole('group', { name: 'What is restored' });
  await parts.getByRole('checkbox', { name: /^guests/ }).uncheck();
  await parts.getByRole('checkbox', { name: /^Page/ }).uncheck();
  await button(tab, 'Restore').click();
  await tab.getByRole('dialog').getByRole('button', { name: 'Restore', exact: true }).click();
  await tab.getByText('Restored: 1 record.').waitFor();
  expect([await count('notes'), await count('guests')]).toEqual([0, 1]);
  expect((await send('GET', `/api/pages/${page.id}`)).page.html_content).toBe(html('Second'));
  // Undo brings back what has gone, and no more.
  await add('guests', 'three');
  await button(tab, 'Undo').click();
  await waitUntil(async () => (await count('notes')) === 1);
  expect([await count('notes'), await count('guests')]).toEqual([1, 2]);
}, 120_000);

describe('the time line', () => {
  test('moves with the arrow keys, on the slider and in the list, and can be shared', async () => {
    const page = await publish();
    const first = await keep(page, 'One');
    await change(page, 'Second');
    const second = await keep(page, 'Two');
    const tab = await open(page);
    const slider = tab.getByRole('slider', { name: 'Moment' });
    expect(await slider.getAttribute('aria-valuetext')).toBe('Now');
    await slider.press('ArrowLeft');
    await tab.getByRole('heading', { name: 'Two' }).waitFor();
    expect(await slider.getAttribute('aria-valuetext')).toMatch(/: Two$/);
    expect(new URL(tab.url()).searchParams.get('at')).toBe(second);
    await tab.getByText('Version 2 of the page was published.').first().waitFor();
    await slider.press('Home');
    await tab.getByRole('heading', { name: 'One' }).waitFor();
    expect(new URL(tab.url()).searchParams.get('at')).toBe(first);
    await tab.getByRole('listbox').press('Home');
    await tab.getByRole('heading', { name: 'The page as it is now' }).waitFor();
    await tab.getByRole('listbox').press('ArrowDown');
    await tab.getByRole('heading', { name: 'Two' }).waitFor();
    await tab.reload();
    await tab.getByRole('heading', { name: 'Two' }).waitFor();
    // On a phone, one frame at a time.
    await tab.setViewportSize({ width: 390, height: 844 });
    await frame(tab, 'Version 2').waitFor();
    expect(await tab.locator('iframe').nth(1).isVisible()).toBe(false);
    await button(tab, 'As it is').click();
    await frame(tab, 'Now').waitFor();
    expect(await tab.locator('iframe').first().isVisible()).toBe(false);
  });

  test('leads to the versions and back, and says what to expect while nothing has changed', async () => {
    const page = await publish();
    const tab = await open(page);
    await tab.getByText('Nothing has changed yet').waitFor();
    await expectUsable(tab);
    await tab.getByRole('link', { name: 'Versions' }).click();
    await tab.getByRole('heading', { name: 'Version 1' }).waitFor();
    await tab.getByRole('link', { name: 'Time line' }).click();
    await tab.getByText('Nothing has changed yet').waitFor();
  });

  test('shows that no more than 20 moments can have a name, and deletes one', async () => {
    const page = await publish();
    for (let index = 1; index <= MAX_NAMED_MOMENTS; index++) await keep(page, `Name ${index}`);
    const tab = await open(page);
    await tab.getByText('20 of 20').waitFor();
    await button(tab, 'Keep this moment').click();
    await tab.getByRole('dialog').getByText('has 20 moments with a name').waitFor();
    await expectReadable(tab);
    await tab.keyboard.press('Escape');
    await option(tab, /^Name 7/).click();
    await button(tab, 'Delete').click();
    await tab.getByRole('dialog').getByRole('button', { name: 'Delete moment' }).click();
    await tab.getByText('19 of 20').waitFor();
    expect(await option(tab, /^Name 7/).count()).toBe(0);
    await button(tab, 'Keep this moment').click();
    await tab.getByRole('dialog').getByLabel('Name').waitFor();
  });
});

describe('a restore', () => {
  test('that somebody else has begun is shown, and a second one is refused', async () => {
    const page = await publish();
    const at = await keep(page, 'Start');
    await change(page, 'Second');
    const tab = await open(page, `?at=${at}`);
    await button(tab, 'Restore').click();
    const [time, now] = [Date.parse(at), Date.now()];
    writeRestore(
      page,
      `insert into restores (page_id, user_id, at, parts, step, started_at, claimed_until)
       values (${page.id}, ${owner.id}, ${time}, '["page"]', 'records', ${now}, ${now + 600_000})`,
    );
    await tab.getByRole('dialog').getByRole('button', { name: 'Restore', exact: true }).click();
    await tab.getByRole('progressbar', { name: /^tilda-history goes back to/ }).waitFor();
    await expectUsable(tab);
    await tab.reload();
    await tab.getByRole('progressbar').waitFor();
    await tab.getByRole('group', { name: 'What is restored' }).waitFor();
    expect(await button(tab, 'Restore').isDisabled()).toBe(true);
    writeRestore(page, '');
    await button(tab, 'Restore').and(tab.locator(':enabled')).waitFor();
  });

  test('that failed says that everything is as before, and can be tried again', async () => {
    const page = await publish();
    const at = await keep(page, 'Start');
    await change(page, 'Second');
    const [time, now] = [Date.parse(at), Date.now()];
    writeRestore(
      page,
      `insert into restores (page_id, user_id, at, parts, step, error, started_at, finished_at, claimed_until)
       values (${page.id}, ${owner.id}, ${time}, '["page"]', 'undone', 'disk', ${now}, ${now}, ${now})`,
    );
    const tab = await open(page);
    await tab.getByRole('alert').getByText('failed, and everything is as it was before').waitFor();
    await expectUsable(tab);
    await button(tab, 'Try again').click();
    await tab.getByText('Restored: the page, as version 3.').waitFor();
  });
});

test('history that is turned off says so, and the versions stay', async () => {
  const plain = await openStage('origin', { QUIRE_HISTORY_DAYS: '0' });
  try {
    const person = await plain.register('otto-history');
    const page = await plain.publish(person, html('First'));
    const tab = await plain.enter(person);
    await tab.goto(`${plain.baseUrl}/pages/${page.id}/history`);
    await tab.getByText('History is turned off').waitFor();
    expect(await button(tab, 'Keep this moment').count()).toBe(0);
    await expectUsable(tab);
    await tab.getByRole('link', { name: 'Go to the versions' }).click();
    await tab.getByRole('heading', { name: 'Version 1' }).waitFor();
  } finally {
    await plain.close();
  }
}, 120_000);
