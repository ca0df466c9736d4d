import { afterEach, beforeAll, expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { expectReadable, overflow, watchComplaints } from '../../support/browser/accessibility.ts';
import { closeTabs, type Person, type Stage, sharedStage } from '../../support/browser/stage.ts';

/** Attacks in the dashboard, and the switch that protects a page. */

let stage: Stage;
let owner: Person;
beforeAll(async () => {
  stage = await sharedStage('origin');
  owner = await stage.register('owner-attack');
});
afterEach(closeTabs);

const HTML =
  "<!doctype html><title>Shop</title><script>const order = (email, address) => SocialData.create('orders', { email, address });</script>";
const publish = () => stage.publish(owner, HTML, { name: 'Shop', storage_mode: 'social_app' });

async function open(id: number, tab: string): Promise<Page> {
  const page = await stage.reuse(owner);
  await page.goto(`${stage.baseUrl}/pages/${id}/${tab}`);
  return page;
}

async function expectUsable(tab: Page): Promise<void> {
  for (const width of [390, 1280]) {
    await tab.setViewportSize({ width, height: 900 });
    await expectReadable(tab);
    expect(await overflow(tab)).toBe(0);
  }
}

test('an attack shows what was found with its proof, and keeps what is meant so', async () => {
  const { id } = await publish();
  const tab = await open(id, 'attack');
  const complaints = watchComplaints(tab);
  await tab.getByRole('heading', { name: 'What is left alone' }).waitFor();
  await expectUsable(tab);
  await tab.getByRole('button', { name: 'Attack a copy' }).click();
  const finding = tab.getByRole('listitem').filter({ hasText: 'Others can read the email, address' });
  await finding.waitFor();
  await finding.getByText('The proof').click();
  await finding.getByText(/GET \/api\/pages\/\d+\/social-data\/orders/).waitFor();
  await tab.getByRole('row', { name: /Read orders/ }).waitFor();
  await expectUsable(tab);
  await finding.getByRole('button', { name: 'This is meant so' }).click();
  await finding.getByText('owner-attack said that this is meant so.').waitFor();
  await finding.getByRole('button', { name: 'This is not meant so' }).waitFor();
  // Neither another screen nor a reload loses the report.
  await tab.getByRole('link', { name: 'Data', exact: true }).click();
  await tab.waitForURL('**/data');
  await tab.goBack();
  await finding.getByText('owner-attack said that this is meant so.').waitFor();
  await tab.reload();
  await finding.getByText('owner-attack said that this is meant so.').waitFor();
  await tab.getByText(/^Version 1, attacked .* The copy is removed\./).waitFor();
  await tab.getByRole('button', { name: 'Attack again' }).click();
  await tab.getByRole('progressbar').waitFor();
  await tab.getByText('owner-attack said that this is meant so.').waitFor();
  expect(complaints).toEqual([]);
}, 60_000);

test('a person protects a page in its settings, and a token is refused afterwards', async () => {
  const { id } = await publish();
  const body = { name: 'agent', scopes: ['pages:write'] };
  const { token } = (await stage.call('POST', '/api/auth/tokens', { token: owner.token, body })).body;
  const tab = await open(id, 'settings');
  const change = () => stage.call('PATCH', `/api/pages/${id}`, { token, body: { name: 'Mine' } });
  expect((await change()).status).toBe(200);
  const answered = tab.waitForResponse((response) => response.request().method() === 'PATCH');
  await tab.getByRole('switch', { name: 'Protect this page from agents' }).click();
  await answered;
  expect((await change()).body.code).toBe('PROTECTED');
});
