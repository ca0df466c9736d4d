import { afterAll, afterEach, beforeAll, expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { watchComplaints } from '../support/browser/accessibility.ts';
import {
  closeTabs,
  newContext,
  openStage,
  PASSWORD,
  type Person,
  type Stage,
} from '../support/browser/stage.ts';
import { runSql } from '../support/engines/storage.ts';
import { deploy } from './functions/deploy.ts';
import { expectUsable } from './pages/publish.ts';

/** The home screen: what waits for its owner, the latest first, and who is there now. */

const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0';
const HTML = '<!doctype html><title>Shop</title><p>Cheap';

let stage: Stage;
let ada: Person;
beforeAll(async () => {
  stage = await openStage('origin', { QUIRE_NPM_REGISTRY: 'off' });
  ada = await stage.register('ada');
}, 60_000);
afterEach(closeTabs);
afterAll(() => stage.close());

const sql = (...statements: string[]) =>
  runSql({ dataFolder: stage.dataFolder, databaseUrl: undefined }, ...statements);

async function openHome(person: Person): Promise<Page> {
  const tab = await stage.reuse(person);
  await tab.goto(stage.baseUrl);
  await tab.locator('dl.home-figures').waitFor();
  return tab;
}

test('what was taken down comes before everything else that needs attention', async () => {
  const call = async (path: string, body: object, token?: string) => {
    const answer = await stage.call('POST', path, { body, ...(token && { token }) });
    expect([path, answer.status < 300, answer.body]).toEqual([path, true, answer.body]);
    return answer.body;
  };
  const reported = await stage.publish(ada, HTML, { name: 'Reported' });
  const shop = await stage.publish(ada, HTML, { name: 'Shop' });
  const changed = await stage.publish(ada, HTML, { name: 'Changed' });
  await deploy(stage, ada, 'sender');
  await call('/api/reports', { page: String(reported.id), reason: 'scam', text: 'It takes money' });
  await call(`/api/pages/${changed.id}/drafts`, { html_content: `${HTML} and good` }, ada.token);
  await sql(`update users set is_admin = 1, quota_bytes = 100 where id = ${ada.id}`);
  const asked = { username: ada.username, password: PASSWORD, scopes: ['admin'] };
  const { accessToken } = await call('/api/auth/token', asked);
  const reason = { reason: 'sells nothing' };
  await call(`/api/admin/pages/${shop.id}/take-down`, reason, accessToken);
  await call('/api/admin/functions/sender/take-down', reason, accessToken);

  const tab = await openHome(ada);
  const complaints = watchComplaints(tab);
  const items = tab.locator('.home-attention li');
  expect(await items.locator('a').allInnerTexts()).toEqual([
    'Shop',
    'sender',
    'Storage',
    'Reports',
    'Reported',
    'Changed',
  ]);
  const words = 'Taken down by an administrator';
  expect(await items.locator('.fault', { hasText: words }).count()).toBe(2);
  await expectUsable(tab);
  await items.first().getByRole('link', { name: 'Shop' }).click();
  await tab.getByText('Taken down: sells nothing').waitFor();
  expect(new URL(tab.url()).pathname).toBe(`/pages/${shop.id}`);
  expect(complaints).toEqual([]);
});

test('the recent functions are those that were changed last, and visitors are shown while they are there', async () => {
  const zoe = await stage.register('zoe');
  const page = await stage.publish(zoe, HTML, { name: 'Evening market' });
  for (const letter of 'abcdefg') await deploy(stage, zoe, `zoe-${letter}`);
  const code = 'export default { fetch: () => new Response("again") }';
  const { status } = await stage.call('PATCH', '/api/functions/zoe-a', { token: zoe.token, body: { code } });
  expect(status).toBe(200);

  const tab = await openHome(zoe);
  const recent = tab.locator('.home-functions li a');
  expect(await recent.allInnerTexts()).toEqual(['zoe-a', 'zoe-g', 'zoe-f', 'zoe-e', 'zoe-d']);
  expect(await tab.locator('.home-now').count()).toBe(0);
  const visitor = await (await newContext({ userAgent: FIREFOX })).newPage();
  await visitor.goto(page.url);
  const again = await openHome(zoe);
  const now = again.getByRole('status').filter({ hasText: 'One person is on your pages now' });
  await now.getByRole('link', { name: 'Evening market' }).click();
  await again.waitForURL(`**/pages/${page.id}/analytics`);
});
