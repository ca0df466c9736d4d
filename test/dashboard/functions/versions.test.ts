import { afterEach, beforeAll, expect, test } from 'bun:test';
import { watchComplaints } from '../../support/browser/accessibility.ts';
import { closeTabs, type Person, type Stage, sharedStage } from '../../support/browser/stage.ts';
import { deploy, findEditor, HELLO, open, write } from './deploy.ts';

/** The versions of functions in the dashboard. */

let stage: Stage;
let owner: Person;
beforeAll(async () => {
  stage = await sharedStage('origin');
  owner = await stage.register('olga-versions');
});
afterEach(closeTabs);

const greeting = (word: string) => HELLO.replace('Hello, ', `${word}, `);
const patch = async (slug: string, body: object) =>
  expect((await stage.call('PATCH', `/api/functions/${slug}`, { token: owner.token, body })).status).toBe(
    200,
  );
const call = async (slug: string) => (await stage.call('POST', `/api/functions/${slug}`, { body: {} })).body;

test('lists what each version changed, and restores one after a confirmation', async () => {
  await deploy(stage, owner, 'history');
  await patch('history', { code: `${HELLO}// A comment\n` });
  await patch('history', { code: greeting('Bye') });
  const tab = await stage.reuse(owner);
  const complaints = watchComplaints(tab);
  await open(stage, tab, '/history');
  await tab.getByRole('link', { name: 'Versions' }).click();
  await tab.getByText('Version 3 changed +1 −2 lines').waitFor();
  await tab.getByText('Secrets, the database and the settings are not part of a version.').waitFor();
  const list = tab.getByRole('navigation', { name: 'Versions' });
  await list.getByRole('link', { name: 'Version 3' }).getByText('Current').waitFor();
  expect(await tab.getByRole('button', { name: 'Restore this version' }).count()).toBe(0);

  await list.getByRole('link', { name: 'Version 1' }).click();
  await tab.getByText(`Version 1 changed +${HELLO.split('\n').length - 1} −0 lines`).waitFor();
  await tab.getByLabel('Compare with').selectOption('Compare with current version');
  await tab.getByText('Restoring version 1 would change +1 −1 lines').waitFor();
  await tab.getByRole('button', { name: 'Restore this version' }).click();
  const dialog = tab.getByRole('dialog', { name: 'Restore version 1?' });
  await dialog.getByText('stay as they are').waitFor();
  await dialog.getByRole('button', { name: 'Restore version 1' }).click();
  await tab.getByText('Version 1 is back, as version 4.').waitFor();
  await tab.getByRole('heading', { name: 'Version 4' }).waitFor();
  expect(await call('history')).toEqual({ success: true, data: 'Hello, world' });
  await tab.getByRole('link', { name: 'Code' }).click();
  await tab.getByText('Version 4 is live').waitFor();
  expect(complaints).toEqual([]);
});

test('says why a version cannot be restored, and what is no longer kept', async () => {
  await deploy(stage, owner, 'needy');
  const secret = '/api/functions/needy/secrets/KEY';
  await stage.call('PUT', secret, { token: owner.token, body: { value: 'k' } });
  const needsKey = `import { env } from 'cloudflare:workers';\nif (!env.KEY) throw new Error('no key');\n${HELLO}`;
  await patch('needy', { code: needsKey });
  await patch('needy', { code: greeting('Bye') });
  await stage.call('DELETE', secret, { token: owner.token });
  const tab = await stage.reuse(owner);
  await open(stage, tab, '/needy/versions/2');
  await tab.getByRole('button', { name: 'Restore this version' }).click();
  await tab.getByRole('button', { name: 'Restore version 2' }).click();
  await tab.getByText('Error: no key').waitFor();
  expect(await call('needy')).toEqual({ success: true, data: 'Bye, world' });
  await open(stage, tab, '/needy/versions/99');
  await tab.getByRole('alert').getByText('Version 99 does not exist, or is no longer kept.').waitFor();
});

test('a deploy from an old tab says that it would replace a newer version', async () => {
  await deploy(stage, owner, 'raced-tabs');
  const tab = await stage.reuse(owner);
  await open(stage, tab, '/raced-tabs');
  await tab.getByText('Version 1 is live').waitFor();
  await findEditor(tab, 'Code').waitFor();
  await patch('raced-tabs', { code: greeting('Theirs') });
  await write(tab, 'Code', greeting('Mine'));
  await tab.getByRole('button', { name: 'Deploy' }).click();
  await tab.getByText('based on version 1, but version 2 has been deployed').waitFor();
  expect(await call('raced-tabs')).toEqual({ success: true, data: 'Theirs, world' });
  await tab.getByRole('button', { name: 'Deploy' }).click();
  await tab.getByText('Deployed version 3.').waitFor();
  expect(await call('raced-tabs')).toEqual({ success: true, data: 'Mine, world' });
});
