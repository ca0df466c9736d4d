import { afterEach, expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { collectComplaints, expectReadable, overflow } from '../../support/browser/accessibility.ts';
import { closeTabs, newContext, PASSWORD, type Setting, sharedStage } from '../../support/browser/stage.ts';

/** From the start page to a live page with a person’s own words in it. */

afterEach(closeTabs);

const PHONE = { width: 390, height: 844 };

const frame = (tab: Page) => tab.frameLocator('iframe');

test.each<[Setting, string]>([
  ['origin', 'trier-origin'],
  ['sandbox', 'trier-sandbox'],
])('takes three clicks on a phone, with isolation %s', async (setting, username) => {
  const stage = await sharedStage(setting);
  const tab = await (await newContext({ viewport: PHONE })).newPage();
  const complaints = collectComplaints(tab);
  let clicks = 0;
  const click = async (name: string) => {
    clicks++;
    await tab.getByRole('button', { name, exact: true }).click();
  };
  await tab.goto(stage.baseUrl);
  const words = `birthday party for Mia and ${username}`;
  await tab.getByRole('textbox', { name: 'What do you want to make?' }).fill(`A ${words}`);
  await click('Make it');
  const name = `Birthday party for Mia and ${username}`;
  await frame(tab).getByRole('heading', { name }).waitFor();
  await expectReadable(tab);
  expect(await overflow(tab)).toBe(0);
  await click('Publish');
  await tab.getByText('Then your page goes live at once.').waitFor();
  await tab.getByLabel('Username').fill(username);
  await tab.getByLabel('E-mail').fill(`${username}@example.com`);
  await tab.getByLabel('Password').fill(PASSWORD);
  await click('Create account');
  await tab.waitForURL(/\/pages\/\d+\/share\?template=/);
  expect(clicks).toBeLessThanOrEqual(4);
  const { status, body } = await stage.call('GET', `/p/birthday-party-for-mia-and-${username}`);
  expect([status, String(body).includes(name)]).toEqual([200, true]);
  expect(complaints).toEqual([]);
});

test('needs no script, and nothing is lost when somebody logs in instead', async () => {
  const stage = await sharedStage('origin');
  const person = await stage.register('trier-known');
  const tab = await (await newContext({ javaScriptEnabled: false })).newPage();
  await tab.goto(stage.baseUrl);
  await tab.getByRole('link', { name: 'Ideas for our office' }).click();
  await tab.getByRole('textbox', { name: 'Name of your page' }).fill('Ideen & Wünsche <3');
  await tab.getByRole('button', { name: 'Show', exact: true }).click();
  await tab.getByRole('button', { name: 'Publish', exact: true }).click();
  await tab.getByRole('link', { name: 'Log in' }).click();
  await tab.getByLabel('Username or e-mail').fill(person.username);
  await tab.getByLabel('Password').fill(PASSWORD);
  await tab.getByRole('button', { name: 'Log in', exact: true }).click();
  await tab.waitForURL(/\/pages\/\d+\/share\?template=/);
  const { body } = await stage.call('GET', '/api/pages', { token: person.token });
  expect(body.pages).toMatchObject([{ name: 'Ideen & Wünsche <3', is_published: true }]);
});

test('a page for people with an account can be used in its trial, also after the screen is loaded again', async () => {
  const stage = await sharedStage('origin');
  const tab = await (await newContext()).newPage();
  const complaints = collectComplaints(tab);
  await tab.goto(`${stage.baseUrl}/try?template=todo&name=Chores`);
  const field = frame(tab).getByRole('textbox').first();
  await field.fill('Feed the tortoise');
  await field.press('Enter');
  await frame(tab).getByText('Feed the tortoise').waitFor();
  await tab.reload();
  await frame(tab).getByText('Feed the tortoise').waitFor();
  expect(complaints).toEqual([]);
});

test('the function of a page answers in its trial', async () => {
  const stage = await sharedStage('origin');
  const tab = await (await newContext()).newPage();
  await tab.goto(`${stage.baseUrl}/try?template=quiz&name=Planets`);
  await frame(tab).getByRole('radio').first().waitFor();
});
