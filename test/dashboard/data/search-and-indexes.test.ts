import { afterEach, beforeAll, expect, test } from 'bun:test';
import { closeTabs } from '../../support/browser/stage.ts';
import { waitUntil } from '../../support/server.ts';
import { button, type DataStage, dataStage, rows, titles } from './collections.ts';

/** Search and indexes of a schema, in the data browser. */

let data: DataStage;
beforeAll(async () => {
  data = await dataStage('sara-search');
});
afterEach(closeTabs);

const SCHEMA = {
  fields: {
    title: { type: 'string' },
    author: { type: 'object', properties: { name: { type: 'string' } } },
    note: { type: 'string' },
  },
  search: ['title', 'author.name'],
};
const LONG = 'so many words before the one that somebody looks for, which is Straße';

test('finds words as the API does, marks them, and keeps them in the address', async () => {
  const page = await data.publish('team_app');
  const tasks = `/api/pages/${page.id}/team-data/tasks`;
  const { token } = data.owner;
  const set = await data.stage.call('PUT', `${tasks}/schema`, { token, body: { schema: SCHEMA } });
  expect(set.status).toBe(200);
  await data.fill(page, [
    { title: 'Paint the fence', author: { name: 'Ada' }, note: 'strasse' },
    { title: LONG, author: { name: 'Ben' } },
    { title: 'Buy seeds', author: { name: 'Zoë Strasser' } },
  ]);
  const isReady = async () =>
    (await data.stage.call('GET', `${tasks}/schema`, { token })).body.search?.state === 'ready';
  await waitUntil(isReady);

  const tab = await data.open(page);
  const field = tab.getByLabel('Search title, author.name');
  // Another spelling is found, a field that is not searched is not.
  await field.fill('STRASSE');
  await tab.getByText('1 to 2 of 2').waitFor();
  expect(new URL(tab.url()).search).toBe('?q=STRASSE');
  expect(await tab.locator('.data-table mark').allTextContents()).toEqual(['Strasser', 'Straße']);
  // The cell begins where the word can be seen.
  expect((await titles(tab)).some((text) => text.startsWith('…') && text.endsWith('Straße'))).toBeTrue();
  await tab.reload();
  await tab.getByText('1 to 2 of 2').waitFor();
  expect(await field.inputValue()).toBe('STRASSE');

  // What is done with all of them is done with what was found.
  await rows(tab).first().getByRole('checkbox').check();
  await button(tab, 'Select all 2 that match').click();
  await button(tab, 'Delete selected').click();
  await tab.getByLabel('Type delete to confirm').fill('delete');
  await button(tab, 'Delete for everyone').click();
  await tab.getByText('No record has “STRASSE” in title, author.name.').waitFor();
  await button(tab, 'Show all records').click();
  await tab.getByText('1 to 1 of 1').waitFor();
  expect(await rows(tab).count()).toBe(1);
});

test('offers an index for a field by which a large collection was read, and adds it', async () => {
  const page = await data.publish('team_app');
  const tasks = `/api/pages/${page.id}/team-data/tasks`;
  const { token } = data.owner;
  const fields = { title: { type: 'string' }, pad: { type: 'string' } };
  await data.stage.call('PUT', `${tasks}/schema`, { token, body: { schema: { fields } } });
  for (let n = 0; n < 6; n++) {
    const operations = Array.from({ length: 15 }, (_, at) => ({
      op: 'create',
      data: { title: `Task ${n} ${at}`, pad: 'p'.repeat(200_000) },
    }));
    const sent = await data.stage.call('POST', `${tasks}/batch`, { token, body: { operations } });
    expect(sent.status).toBe(200);
  }
  await data.stage.call('GET', `${tasks}?limit=1&orderBy=data.title`, { token });
  const tab = await data.open(page);
  await tab.getByText('Lists by title are slow, because they read every record.').waitFor();
  await button(tab, 'Add index').click();
  await tab.getByText('The index is being built.').waitFor();
  expect(await tab.getByText('Lists by title are slow').count()).toBe(0);
  const { body } = await data.stage.call('GET', `${tasks}/schema`, { token });
  expect(body.schema).toEqual({ fields, indexes: ['title'] });
});

test('the form of a schema keeps its search, and changes it', async () => {
  const page = await data.publish('team_app');
  const schemaPath = `/api/pages/${page.id}/team-data/tasks/schema`;
  const { token } = data.owner;
  const read = async () => (await data.stage.call('GET', schemaPath, { token })).body;
  await data.stage.call('PUT', schemaPath, { token, body: { schema: SCHEMA } });

  const tab = await data.open(page, 'tasks/schema');
  await tab.getByRole('switch', { name: 'Strict' }).click();
  await button(tab, 'Save schema').click();
  await waitUntil(async () => (await read()).schema.strict === true);
  expect((await read()).schema).toEqual({ ...SCHEMA, strict: true });

  const search = tab.getByRole('group', { name: 'Search' });
  await search.getByText('2 of 8 are used').waitFor();
  await search.getByRole('switch', { name: 'author.name' }).click();
  await search.getByRole('switch', { name: 'note' }).click();
  await button(tab, 'Save schema').click();
  await waitUntil(async () => (await read()).schema.search.includes('note'));
  expect((await read()).schema.search).toEqual(['title', 'note']);
});
