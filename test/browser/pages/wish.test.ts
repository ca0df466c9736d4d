import { afterAll, afterEach, beforeAll, expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { startToolVendor, type ToolVendor } from '../../support/agents/tool-vendor.ts';
import { collectComplaints, expectReadable, overflow } from '../../support/browser/accessibility.ts';
import { closeTabs, newContext, openStage, PASSWORD, type Stage } from '../../support/browser/stage.ts';

/** From the start page of a server with a model to a live page that the builder has made. */

const PHONE = { width: 390, height: 844 };
const BOX = 'What do you want to make?';

let vendor: ToolVendor;
let stage: Stage;
beforeAll(async () => {
  vendor = await startToolVendor();
  stage = await openStage('origin', {
    QUIRE_AI_PROVIDER: 'openai-compatible',
    QUIRE_AI_URL: vendor.url,
    QUIRE_AI_MODEL: 'model',
    QUIRE_CREDITS_NEW_USER: '100',
  });
});
afterEach(closeTabs);
afterAll(async () => {
  await stage.close();
  await vendor.stop();
});

const html = (title: string) =>
  `<!doctype html>\n<html lang="en">\n<title>${title}</title>\n<h1>${title}</h1>\n</html>\n`;
const play = (title: string) =>
  vendor.play([
    { calls: [{ name: 'save_draft', input: { html_content: html(title) } }] },
    { text: 'It is done.' },
  ]);
const preview = (tab: Page) => tab.frameLocator('.builder-paper iframe:not(.growing, .coming)');

test.each([
  ['a phone', PHONE],
  ['a desktop', { width: 1280, height: 800 }],
])('takes three clicks on %s, through a new account', async (device, viewport) => {
  const username = `wisher-${viewport.width}`;
  const title = `Bakery of ${username}`;
  const tab = await (await newContext({ viewport })).newPage();
  const complaints = collectComplaints(tab);
  let clicks = 0;
  const click = async (name: string) => {
    clicks++;
    await tab.getByRole('button', { name, exact: true }).click();
  };
  await tab.goto(stage.baseUrl);
  const wish = `A page for my bakery, on ${device}`;
  await tab.getByRole('textbox', { name: BOX }).fill(wish);
  await expectReadable(tab);
  expect(await overflow(tab)).toBe(0);
  const asked = vendor.seen.length;
  play(title);
  await click('Build page');
  await tab.getByText('Then your page is built, and you watch it grow.').waitFor();
  await expectReadable(tab);
  await tab.getByLabel('Username').fill(username);
  await tab.getByLabel('E-mail').fill(`${username}@example.com`);
  await tab.getByLabel('Password').fill(PASSWORD);
  // Nothing was asked of the model for somebody without an account.
  expect(vendor.seen.length).toBe(asked);
  await click('Create account');
  await tab.waitForURL(/\/pages\/build\/\d+$/);
  await tab.getByText(wish).first().waitFor();
  await preview(tab).getByRole('heading', { name: title }).waitFor();
  await tab.getByText('This took').waitFor({ state: 'attached' });
  await click('Publish');
  await tab.waitForURL(/\/pages\/\d+\/(share|live)/);
  expect(clicks).toBeLessThanOrEqual(4);
  const { status, body } = await stage.call('GET', `/p/bakery-of-${username}`);
  expect([status, String(body).includes(title)]).toEqual([200, true]);
  expect(complaints).toEqual([]);
});

test('needs no script up to the builder, and nothing is lost when somebody logs in instead', async () => {
  const person = await stage.register('wisher-known');
  const tab = await (await newContext({ javaScriptEnabled: false })).newPage();
  await tab.goto(stage.baseUrl);
  play('Ideas');
  await tab.getByRole('button', { name: 'Ideas for our office' }).click();
  await tab.getByRole('link', { name: 'Log in' }).click();
  await tab.getByLabel('Username or e-mail').fill(person.username);
  await tab.getByLabel('Password').fill(PASSWORD);
  await tab.getByRole('button', { name: 'Log in', exact: true }).click();
  await tab.waitForURL(/\/pages\/build\/\d+$/);
  const id = Number(tab.url().split('/').at(-1));
  const { body } = await stage.call('GET', `/api/pages/${id}/messages`, { token: person.token });
  expect(body.messages[0]).toMatchObject({ role: 'user', content: 'Ideas for our office' });
});

test('a template can be tried at once instead, from the start page and from the screens of the account', async () => {
  const tab = await (await newContext({ viewport: PHONE })).newPage();
  const isTried = (name: string) => tab.frameLocator('iframe').getByRole('heading', { name }).waitFor();
  await tab.goto(stage.baseUrl);
  await tab.getByRole('textbox', { name: BOX }).fill('Birthday party for Ada');
  await tab.getByRole('button', { name: 'Or try a template at once, without an account' }).click();
  await isTried('Ada’s birthday party');
  await expectReadable(tab);
  expect(await tab.getByRole('textbox', { name: BOX }).inputValue()).toBe('Birthday party for Ada');
  await tab.getByRole('button', { name: 'Build page' }).click();
  await tab.getByRole('link', { name: 'try a template at once' }).click();
  await isTried('Ada’s birthday party');
  await tab.goBack();
  await tab.getByRole('link', { name: 'Log in' }).click();
  await tab.getByRole('link', { name: 'try a template at once' }).click();
  await isTried('Ada’s birthday party');
});
