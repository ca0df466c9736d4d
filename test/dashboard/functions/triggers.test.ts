import { afterEach, beforeAll, expect, test } from 'bun:test';
import { expectReadable, overflow, watchComplaints } from '../../support/browser/accessibility.ts';
import { closeTabs, type Person, type Stage, sharedStage } from '../../support/browser/stage.ts';
import { deploy, open } from './deploy.ts';

/** The triggers of a function, in its screen. */

let stage: Stage;
let owner: Person;
beforeAll(async () => {
  stage = await sharedStage('origin');
  owner = await stage.register('olga-triggers');
  await deploy(stage, owner, 'triggered', { code: 'export default { queue() {} };' });
});
afterEach(closeTabs);

test('an owner adds and removes triggers, and copies the secret of an address', async () => {
  const tab = await stage.reuse(owner);
  const complaints = watchComplaints(tab);
  await open(stage, tab, '/triggered/triggers');
  await tab.getByText('No triggers yet').waitFor();
  const dialog = tab.getByRole('dialog');
  await tab.getByRole('button', { name: 'Add a trigger' }).click();
  await dialog.getByLabel('Collection').fill('Orders');
  await dialog.getByRole('button', { name: 'Add' }).click();
  await dialog.getByText('must be the name of a collection').waitFor();
  await dialog.getByLabel('Collection').fill('orders');
  await dialog.getByLabel('Deleted records').uncheck();
  await dialog.getByRole('button', { name: 'Add' }).click();
  await tab.getByRole('cell', { name: 'New records, Changed records' }).waitFor();
  await tab.getByText('The function belongs to no page').waitFor();
  await tab.getByRole('button', { name: 'Add a trigger' }).click();
  await dialog.getByLabel('Collection').fill('people');
  await dialog.getByLabel('Sent to').selectOption('An address');
  await dialog.getByLabel('Address').fill('https://example.com/a-hook/with-a-long-path?and=more-of-it');
  await dialog.getByRole('button', { name: 'Add' }).click();
  await tab.getByText('https://example.com/a-hook').waitFor();
  await tab.getByRole('button', { name: 'Secret that signs it' }).waitFor();
  await expectReadable(tab);
  await tab.setViewportSize({ width: 390, height: 844 });
  expect(await overflow(tab)).toBe(0);
  await tab.getByRole('button', { name: 'Remove people' }).click();
  await tab.getByText('https://example.com/a-hook').waitFor({ state: 'detached' });
  await tab.getByRole('button', { name: 'Remove orders' }).click();
  await tab.getByText('No triggers yet').waitFor();
  // Another window has changed the list since this one was loaded.
  const others = (names: string[]) =>
    stage.call('PATCH', '/api/functions/triggered', {
      token: owner.token,
      body: { on: names.map((collection) => ({ collection, actions: ['create'] })) },
    });
  await others(['notes', 'tasks']);
  await tab.getByRole('button', { name: 'Add a trigger' }).click();
  await dialog.getByLabel('Collection').fill('people');
  await dialog.getByRole('button', { name: 'Add' }).click();
  for (const name of ['notes', 'tasks', 'people'])
    await tab.getByRole('cell', { name, exact: true }).waitFor();
  await others(['tasks', 'people', 'news']);
  await tab.getByRole('button', { name: 'Remove tasks' }).click();
  await tab.getByRole('cell', { name: 'news', exact: true }).waitFor();
  const stored = (await stage.call('GET', '/api/functions/triggered', { token: owner.token })).body.on;
  expect(stored.map(({ collection }: { collection: string }) => collection)).toEqual(['people', 'news']);
  // The browser reports the response to the wrong name.
  expect(complaints.filter((complaint) => !complaint.includes('400 (Bad Request)'))).toEqual([]);
});
