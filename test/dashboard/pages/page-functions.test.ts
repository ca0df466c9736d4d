import { afterEach, beforeAll, expect, test } from 'bun:test';
import { closeTabs, type Person, type Stage, sharedStage } from '../../support/browser/stage.ts';
import { deploy } from '../functions/deploy.ts';
import { expectUsable } from './publish.ts';

/** The functions of a page, where people and agents see them. */

let stage: Stage;
let owner: Person;
beforeAll(async () => {
  stage = await sharedStage('origin');
  owner = await stage.register('pia-page-functions');
});
afterEach(closeTabs);

test('are chosen in the settings, and shown in the list of functions and the agent spec', async () => {
  await deploy(stage, owner, 'pia-orders');
  await deploy(stage, owner, 'pia-mail', { displayName: 'Mail' });
  const page = await stage.publish(owner, '<!doctype html><p>Shop', {
    name: 'Pia shop',
    functions: ['pia-orders'],
  });
  const tab = await stage.reuse(owner);
  await tab.goto(`${stage.baseUrl}/pages/${page.id}/settings`);
  const list = tab.getByRole('list', { name: 'Functions of this page' });
  await list.getByText('pia-orders').waitFor();
  await tab.getByLabel('Function', { exact: true }).selectOption('Mail');
  await tab.getByRole('button', { name: 'Add', exact: true }).click();
  await list.getByRole('link', { name: 'Mail' }).waitFor();
  await expectUsable(tab);
  const read = async () =>
    (await stage.call('GET', `/api/pages/${page.id}`, { token: owner.token })).body.page.functions;
  expect(await read()).toEqual(['pia-mail', 'pia-orders']);
  const spec = async () => JSON.stringify((await stage.call('GET', `/api/pages/${page.id}/agent-spec`)).body);
  for (const slug of ['pia-mail', 'pia-orders']) expect(await spec()).toContain(slug);

  await tab.goto(`${stage.baseUrl}/functions`);
  await tab.getByRole('heading', { name: 'Mail' }).waitFor();
  expect(await tab.getByRole('link', { name: 'Pia shop' }).count()).toBe(2);

  await tab.goto(`${stage.baseUrl}/pages/${page.id}/settings`);
  await tab.getByRole('button', { name: 'Remove pia-orders' }).click();
  await list.getByText('pia-orders').waitFor({ state: 'detached' });
  expect(await read()).toEqual(['pia-mail']);
  expect(await spec()).not.toContain('pia-orders');
});
