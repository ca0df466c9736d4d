import { afterEach, beforeAll, expect, test } from 'bun:test';
import { expectReadable, overflow, watchComplaints } from '../../support/browser/accessibility.ts';
import { closeTabs, type Person, type Stage, sharedStage } from '../../support/browser/stage.ts';
import { deploy, open } from './deploy.ts';

/** The schedules of a function, in its screen. */

let stage: Stage;
let owner: Person;
beforeAll(async () => {
  stage = await sharedStage('origin');
  owner = await stage.register('olga-plans');
  await deploy(stage, owner, 'planned', {
    code: `export default {
    scheduled({ cron }) { console.log('run for', cron); if (cron[0] === '1') throw new Error('not today'); } };`,
  });
});
afterEach(closeTabs);

test('an owner adds, runs, edits and removes schedules', async () => {
  const tab = await stage.reuse(owner);
  const complaints = watchComplaints(tab);
  await open(stage, tab, '/planned/schedules');
  await tab.getByText('No schedules yet').waitFor();
  const dialog = tab.getByRole('dialog');
  await tab.getByRole('button', { name: 'Add a schedule' }).click();
  await dialog.getByLabel('Cron text').fill('61 * * * *');
  await dialog.getByRole('button', { name: 'Add' }).click();
  await dialog.getByText('61 is not a valid minute. Use *, numbers from 0 to 59').waitFor();
  await dialog.getByLabel('Cron text').fill('0 3 * * *');
  await dialog.getByLabel('Time zone').fill('Europe/Berlin');
  await dialog.getByRole('button', { name: 'Add' }).click();
  await tab.getByText('Not yet').waitFor();
  await tab.getByRole('button', { name: 'Run now: 0 3 * * *' }).click();
  await dialog.getByText('run for 0 3 * * *').waitFor();
  await dialog.getByRole('button', { name: 'Close' }).click();
  await tab.getByRole('cell', { name: /^ok / }).waitFor();
  await tab.getByRole('button', { name: 'Edit 0 3 * * *' }).click();
  await dialog.getByLabel('Cron text').fill('15 3 * * *');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await tab.getByRole('button', { name: 'Run now: 15 3 * * *' }).click();
  await dialog.getByText('Error: not today').waitFor();
  await dialog.getByRole('button', { name: 'Close' }).click();
  await tab.getByRole('cell', { name: /^error / }).waitFor();
  await expectReadable(tab);
  await tab.setViewportSize({ width: 390, height: 844 });
  expect(await overflow(tab)).toBe(0);
  // Nor does the list need scrolling to reach the actions.
  const list = tab.getByRole('region', { name: 'Schedules' }).last();
  expect(await list.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)).toBe(0);
  await tab.getByRole('button', { name: 'Remove 15 3 * * *' }).click();
  await tab.getByText('No schedules yet').waitFor();
  // The browser reports the response to the wrong text.
  expect(complaints.filter((complaint) => !complaint.includes('400 (Bad Request)'))).toEqual([]);
});
