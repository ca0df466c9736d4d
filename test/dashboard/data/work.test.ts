import { afterEach, beforeAll, expect, test } from 'bun:test';
import { expectReadable, overflow, watchComplaints } from '../../support/browser/accessibility.ts';
import { closeTabs, type Person, type Stage } from '../../support/browser/stage.ts';
import { waitUntil } from '../../support/server.ts';
import {
  button,
  cell,
  chooseInColumn,
  confirm,
  type DataStage,
  dataStage,
  rows,
  titles,
  type,
} from './collections.ts';

/** Working with records: forms, columns, many records at once, CSV, and a schema that is suggested. */

const PHONE = { width: 360, height: 780 };

let stage: Stage;
let owner: Person;
let data: DataStage;
beforeAll(async () => {
  data = await dataStage('wanda-data');
  ({ stage, owner } = data);
});
afterEach(closeTabs);

const SCHEMA = {
  fields: {
    title: { type: 'string', required: true, maxLength: 20 },
    count: { type: 'number', min: 3 },
    done: { type: 'boolean' },
    state: { type: 'enum', values: ['open', 'done'] },
    due: { type: 'date' },
    tags: { type: 'array', items: { type: 'string' } },
  },
};

async function withSchema() {
  const page = await data.publish('team_app');
  const path = `/api/pages/${page.id}/team-data/tasks/schema`;
  const put = await stage.call('PUT', path, { body: { schema: SCHEMA }, token: owner.token });
  expect(put.status).toBe(200);
  return page;
}

test('the schema makes a form, and errors are shown at their fields', async () => {
  const page = await withSchema();
  const tab = await data.open(page);
  await button(tab, 'New record').click();
  await button(tab, 'Create').click();
  const title = tab.getByLabel('title (required)');
  await waitUntil(async () => (await title.getAttribute('aria-invalid')) === 'true');
  await title.fill('A title that is longer than twenty');
  await tab.getByLabel('count', { exact: true }).fill('1');
  await tab.getByLabel('done', { exact: true }).selectOption('true');
  await tab.getByLabel('state', { exact: true }).selectOption({ label: 'open' });
  await tab.getByLabel('due', { exact: true }).fill('2026-01-31');
  await tab.getByLabel('tags', { exact: true }).fill('{}');
  await button(tab, 'Create').click();
  await tab.getByText('Enter a JSON array').waitFor();
  await tab.getByLabel('tags', { exact: true }).fill('["a", 7]');
  await button(tab, 'Create').click();
  for (const fault of ['must have at most 20 characters', 'must be at least 3', '1 must be a string'])
    await tab.locator('.fault').getByText(fault).waitFor();
  expect(await data.read(page)).toEqual([]);

  await title.fill('Roses');
  await tab.getByLabel('count', { exact: true }).fill('3');
  await tab.getByLabel('tags', { exact: true }).fill('["a"]');
  // Switching loses nothing, in both directions.
  await button(tab, 'JSON').click();
  await type(tab, 'Record as JSON', '{ "title": "Roses", "count": ');
  await button(tab, 'Form').click();
  await tab.getByRole('alert').getByText('This is not valid JSON').waitFor();
  const expected = { title: 'Roses', count: 4, done: true, state: 'open', due: '2026-01-31', tags: ['a'] };
  await type(tab, 'Record as JSON', JSON.stringify({ ...expected, extra: null }));
  await button(tab, 'Form').click();
  expect(await tab.getByLabel('count', { exact: true }).inputValue()).toBe('4');
  await button(tab, 'Create').click();
  await cell(tab, 'Roses').waitFor();
  expect(await data.read(page)).toEqual([{ ...expected, extra: null }]);

  await button(tab, /^Open /).click();
  await tab.getByLabel('due', { exact: true }).fill('');
  await button(tab, 'Remove field extra').click();
  await tab.getByLabel('Name of the field').fill('note');
  await button(tab, 'Add field').click();
  await tab.getByLabel('note', { exact: true }).fill('x');
  await button(tab, 'Save').click();
  await tab.getByText('Record saved.').waitFor();
  const { due: _, ...rest } = expected;
  expect(await data.read(page)).toEqual([{ ...rest, note: 'x' }]);
});

test('columns sort, filter by their type, hide, and keep their widths', async () => {
  const page = await withSchema();
  const states = ['open', 'done'];
  await data.fill(
    page,
    Array.from({ length: 12 }, (_, n) => ({
      title: `t${n % 10}`,
      count: 3 + n,
      state: states[n % 2],
      ...(n < 4 && { due: `2026-01-0${n + 1}` }),
    })),
  );
  const tab = await data.open(page);
  await tab.getByText('1 to 12 of 12').waitFor();
  await chooseInColumn(tab, 'count', 'Sort ascending');
  await rows(tab).first().getByText('t0').waitFor();

  const filter = async (column: string) => {
    await button(tab, `Column ${column}`).click();
    await tab.getByRole('menuitem', { name: 'Filter…' }).click();
  };
  await filter('state');
  await tab.getByLabel('done', { exact: true }).check();
  await button(tab, 'Apply').click();
  await tab.getByText('1 to 6 of 6').waitFor();
  await filter('count');
  await tab.getByLabel('Condition').selectOption('range');
  await tab.getByLabel('From', { exact: true }).fill('5');
  await tab.getByLabel('To', { exact: true }).fill('9');
  await button(tab, 'Apply').click();
  await button(tab, 'count is between 5 and 9').waitFor();
  await tab.getByText('1 to 2 of 2').waitFor();
  await filter('due');
  await tab.getByLabel('Condition').selectOption('empty');
  await button(tab, 'Apply').click();
  await tab.getByText('1 to 1 of 1').waitFor();
  expect(await titles(tab)).toContain('t5');
  await button(tab, 'Clear filter').click();

  await chooseInColumn(tab, 'tags', 'Hide column');
  await button(tab, 'Column tags').waitFor({ state: 'detached' });
  const width = () =>
    tab.locator('th', { has: button(tab, 'Column title') }).evaluate((cell) => cell.clientWidth);
  const before = await width();
  await chooseInColumn(tab, 'title', 'Widen');
  await waitUntil(async () => (await width()) > before);
  const wide = await width();
  await tab.reload();
  await tab.getByText('1 to 12 of 12').waitFor();
  expect(await width()).toBe(wide);
  await button(tab, '1 column hidden').click();
  await button(tab, 'Show all').click();
  await button(tab, 'Column tags').waitFor();
});

test('all records that match can be edited or deleted together, and refusals are counted', async () => {
  const page = await data.publish('social_app');
  const poet = await stage.register('poet-data');
  const records = (count: number, kind: string) => Array.from({ length: count }, (_, n) => ({ n, kind }));
  const options = { type: 'social-data' };
  await data.fill(page, records(60, 'own'), options);
  await data.fill(page, records(3, 'own'), { ...options, by: poet });
  await data.fill(page, records(2, 'other'), options);
  const tab = await data.open(page);
  await tab.getByText('1 to 50 of 65').waitFor();
  await button(tab, 'Add filter').click();
  await tab.getByLabel('Field', { exact: true }).fill('kind');
  await tab.getByLabel('Condition').selectOption('eq');
  await tab.getByLabel('Value').fill('own');
  await button(tab, 'Apply').click();
  await tab.getByText('1 to 50 of 63').waitFor();
  await tab.getByLabel('Select all on this page').check();
  await button(tab, 'Select all 63 that match').click();
  await tab.getByText('All 63 records that match the filter are selected').waitFor();

  await button(tab, 'Edit a field').click();
  await tab.getByLabel('Field to change').selectOption('n');
  await button(tab, 'Change 63 records').click();
  await tab.getByText('Enter a value, or remove the field.').waitFor();
  await tab.getByLabel('New value').fill('100');
  await button(tab, 'Change 63 records').click();
  await tab.getByText('60 records changed, 3 failed.').waitFor();
  await tab.getByText(/^3 records: /).waitFor();
  await button(tab, 'Close').last().click();
  const count = async (where: unknown) => {
    const query = new URLSearchParams({ where: JSON.stringify(where) });
    const path = `/api/pages/${page.id}/social-data/tasks?${query}`;
    return (await stage.call('GET', path, { token: owner.token })).body.total;
  };
  await waitUntil(async () => (await count({ n: 100 })) === 60);

  await tab.getByLabel('Select all on this page').check();
  await button(tab, 'Select all 63 that match').click();
  await button(tab, 'Delete selected').click();
  await confirm(tab, 'delete', 'Delete for everyone');
  await tab.getByText('63 records deleted.').waitFor();
  expect(await count({})).toBe(2);
});

test('a bulk action can be canceled, and says what was done', async () => {
  const page = await data.publish('team_app');
  await data.fill(
    page,
    Array.from({ length: 250 }, (_, n) => ({ n })),
  );
  const tab = await data.open(page);
  await tab.getByText('1 to 50 of 250').waitFor();
  // The second batch waits until the person has canceled.
  let release = () => {};
  const canceled = new Promise<void>((resolve) => {
    release = resolve;
  });
  let batches = 0;
  await tab.route('**/tasks/batch', async (route) => {
    batches += 1;
    if (batches === 2) await canceled;
    await route.continue();
  });
  await tab.getByLabel('Select all on this page').check();
  await button(tab, 'Select all 250').click();
  await button(tab, 'Delete selected').click();
  await confirm(tab, 'delete', 'Delete for everyone');
  await waitUntil(async () => batches === 2);
  await button(tab, 'Cancel').click();
  release();
  await tab.getByText('Canceled. 200 records deleted, 50 not tried.').waitFor();
  await button(tab, 'Close').last().click();
  await tab.getByText('1 to 50 of 50').waitFor();
  await tab.unroute('**/tasks/batch');
});

test('a CSV file is shown first, its columns can be changed, and wrong rows are named', async () => {
  const page = await withSchema();
  const tab = await data.open(page);
  await button(tab, 'Import a file').click();
  const text = 'Name;count;code;secret\nBread;3;007;x\n"Milk; fresh";many;1;x\nEggs;1;2;x\n';
  await tab
    .getByLabel('File')
    .setInputFiles({ name: 'a.csv', mimeType: 'text/csv', buffer: Buffer.from(text) });
  await tab.getByLabel('Refused lines').getByText('"many" is not a number').waitFor();
  await tab.getByLabel('Field for Name').fill('title');
  await tab.getByLabel('Type of secret').selectOption('skip');
  await tab.getByLabel('Preview').first().getByRole('cell', { name: '007' }).waitFor();
  await button(tab, 'Add 2 records').click();
  await tab.getByText('Added 1 record.').waitFor();
  expect(await tab.getByLabel('Refused lines').getByRole('listitem').allTextContents()).toEqual([
    'Line 3 count: "many" is not a number',
    'Line 4 data.count: must be at least 3.',
  ]);
  expect(await data.read(page)).toEqual([{ title: 'Bread', count: 3, code: '007' }]);
});

test('an export has all records, or those that match', async () => {
  const page = await data.publish('team_app');
  await data.fill(
    page,
    Array.from({ length: 130 }, (_, n) => ({ n })),
  );
  const tab = await data.open(page);
  await tab.goto(`${tab.url()}?where=${encodeURIComponent('{"n":{"lt":110}}')}`);
  await tab.getByText('1 to 50 of 110').waitFor();
  const save = async (scope: string, format: string) => {
    await button(tab, 'Export').click();
    const dialog = tab.getByRole('dialog');
    await dialog.getByLabel('Records').selectOption(scope);
    await dialog.getByLabel('Format').selectOption(format);
    const download = tab.waitForEvent('download');
    await dialog.getByRole('button', { name: 'Export' }).click();
    return Bun.file(await (await download).path()).text();
  };
  const filtered = JSON.parse(await save('filtered', 'json'));
  expect(filtered.map((record: { data: { n: number } }) => record.data.n)).toEqual(
    Array.from({ length: 110 }, (_, n) => n),
  );
  expect((await save('all', 'csv')).trim().split('\r\n').length).toBe(131);
});

test('a schema is suggested from the records, reviewed, and saved', async () => {
  const page = await data.publish('team_app');
  const tab = await data.open(page, 'tasks/schema');
  await tab.getByLabel('Schema as JSON').waitFor();
  await button(tab, 'Suggest a schema').click();
  await tab.getByText('There are no records yet.').waitFor();
  await data.fill(
    page,
    Array.from({ length: 12 }, (_, n) => ({ state: n % 2 ? 'open' : 'done', n, odd: n % 2 ? n : 'x' })),
  );
  await button(tab, 'Suggest a schema').click();
  await tab.getByText('Suggested from 12 records.').waitFor();
  await tab.getByText('several types or are all empty: odd.').waitFor();
  await button(tab, 'Discard suggestion').click();
  await tab.getByText('No fields yet').waitFor();
  await button(tab, 'Suggest a schema').click();
  await button(tab, 'Save schema').click();
  await tab.getByText('All of 12 records match.').waitFor();
  const path = `/api/pages/${page.id}/team-data/tasks/schema`;
  expect((await stage.call('GET', path, { token: owner.token })).body.schema).toEqual({
    fields: {
      state: { type: 'enum', values: ['done', 'open'], required: true },
      n: { type: 'number', required: true },
    },
  });
});

test('the keyboard alone filters, opens and saves', async () => {
  const page = await withSchema();
  await data.fill(page, [{ title: 'Roses' }, { title: 'Ferns' }]);
  const tab = await data.open(page);
  await tab.getByText('1 to 2 of 2').waitFor();
  await button(tab, 'Column title').focus();
  await tab.keyboard.press('Enter');
  await tab.getByRole('menuitem', { name: 'Filter…' }).waitFor();
  await tab.keyboard.press('ArrowDown');
  await tab.keyboard.press('ArrowUp');
  await tab.keyboard.press('Enter');
  await tab.getByLabel('Value').focus();
  await tab.keyboard.type('Fern');
  await tab.keyboard.press('Enter');
  await tab.getByText('1 to 1 of 1').waitFor();
  await button(tab, 'title contains Fern').focus();
  await tab.keyboard.press('Enter');
  await tab.getByRole('dialog', { name: 'Edit this filter' }).waitFor();
  await tab.keyboard.press('Escape');
  await tab.getByRole('dialog', { name: 'Edit this filter' }).waitFor({ state: 'detached' });
  await tab.locator('button:focus').getByText('title contains Fern').waitFor();
  await button(tab, /^Open /).focus();
  await tab.keyboard.press('Enter');
  await tab.getByLabel('title (required)').focus();
  await tab.keyboard.press('End');
  await tab.keyboard.type(' and moss');
  await button(tab, 'Save').focus();
  await tab.keyboard.press('Enter');
  await tab.getByText('Record saved.').waitFor();
  expect((await data.read(page)).map(({ title }) => title)).toContain('Ferns and moss');
});

test('a record that is edited stays when somebody types too early, or presses Escape again and again', async () => {
  const page = await withSchema();
  await data.fill(page, [{ title: 'Roses' }]);
  const tab = await data.open(page);
  await button(tab, /^Open /).focus();
  await tab.keyboard.press('Enter');
  const dialog = tab.getByRole('dialog', { name: 'Record', exact: true });
  await dialog.waitFor();
  await tab.keyboard.press('Space');
  await tab.getByLabel('title (required)').fill('Roses and moss');
  for (let round = 0; round < 3; round++)
    await waitUntil(async () => {
      await tab.keyboard.press('Escape');
      return button(tab, 'Keep editing').isVisible();
    });
  await button(tab, 'Keep editing').click();
  expect(await tab.getByLabel('title (required)').inputValue()).toBe('Roses and moss');
  await button(tab, 'Save').click();
  await tab.getByText('Record saved.').waitFor();
});

test('a file chooser that is closed without a file leaves the dialog open', async () => {
  const tab = await data.open(await data.publish('team_app'));
  await button(tab, 'Import').click();
  await tab
    .getByLabel('File')
    .evaluate((input) => input.dispatchEvent(new Event('cancel', { bubbles: true })));
  await tab.getByRole('dialog').getByLabel('File').waitFor();
});

test('panels and dialogs are readable in light and dark mode, and fit a phone', async () => {
  const page = await withSchema();
  await data.fill(page, [{ title: 'Roses', tags: ['a'], count: 3 }]);
  const tab = await stage.reuse(owner);
  const complaints = watchComplaints(tab);
  const look = async (settle: () => Promise<unknown>) => {
    await tab.setViewportSize({ width: 1280, height: 800 });
    await tab.goto(`${stage.baseUrl}/pages/${page.id}/data/tasks`);
    await tab.getByText('1 to 1 of 1').waitFor();
    await settle();
    await expectReadable(tab);
    await tab.setViewportSize(PHONE);
    expect(await overflow(tab)).toBe(0);
  };
  await look(() => button(tab, 'Column title').click());
  await look(async () => {
    await button(tab, 'Add filter').click();
    await tab.getByLabel('Value').fill('Roses');
    await button(tab, 'Apply').click();
    await button(tab, 'title contains Roses').click();
  });
  await look(async () => {
    await tab.getByLabel('Select all on this page').check();
    await button(tab, 'Edit a field').click();
  });
  await look(async () => {
    await button(tab, 'Import').click();
    const buffer = Buffer.from('title,count\nMoss,3\nFern,x\n');
    await tab.getByLabel('File').setInputFiles({ name: 'a.csv', mimeType: 'text/csv', buffer });
    await tab.getByText('Columns of the file').waitFor();
  });
  expect(complaints).toEqual([]);
});
