import { afterEach, beforeAll, expect, test } from 'bun:test';
import { expectReadable, overflow } from '../../support/browser/accessibility.ts';
import { closeTabs } from '../../support/browser/stage.ts';
import { button, cell, type DataStage, dataStage } from './collections.ts';

/** What records were, in the dashboard. */

let data: DataStage;
beforeAll(async () => {
  data = await dataStage('hilda-history');
});
afterEach(closeTabs);

test('earlier states of a record are shown and brought back, also of a deleted one', async () => {
  const { stage, owner, publish, fill, open } = data;
  const page = await publish('team_app');
  await fill(page, [{ title: 'Water the plants', done: false, notes: 'Every Monday' }]);
  const path = `/api/pages/${page.id}/team-data/tasks`;
  const call = (method: string, rest: string, body?: object) =>
    stage.call(method, `${path}${rest}`, { token: owner.token, ...(body && { body }) });
  const { records } = (await call('GET', '')).body;
  const { id } = records[0];
  await call('PATCH', `/${id}`, { data: { title: 'Water all plants', notes: null, due: '2026-12-01' } });
  await call('PATCH', `/${id}`, { data: { done: true } });
  const tab = await open(page);
  await button(tab, /^Open /)
    .first()
    .click();
  await button(tab, 'History').click();
  const dialog = tab.getByRole('dialog');
  await dialog.getByText('Every Monday').waitFor();
  expect(await dialog.locator('del').allTextContents()).toEqual([
    'false',
    'Water the plants',
    'Every Monday',
  ]);
  await expectReadable(tab);
  await tab.setViewportSize({ width: 390, height: 844 });
  expect(await overflow(tab)).toBe(0);
  await dialog.getByRole('button', { name: 'Bring back the state before this change' }).last().click();
  await tab.setViewportSize({ width: 1280, height: 900 });
  await cell(tab, 'Water the plants').waitFor();
  await call('DELETE', `/${id}`);
  await tab.getByText('No records yet').waitFor();
  await button(tab, 'Deleted').click();
  await dialog.getByText('Water the plants').waitFor();
  await expectReadable(tab);
  await dialog.getByRole('button', { name: 'Bring back' }).click();
  await dialog.getByText('No deleted records').waitFor();
  await tab.keyboard.press('Escape');
  await cell(tab, 'Water the plants').waitFor();
});
