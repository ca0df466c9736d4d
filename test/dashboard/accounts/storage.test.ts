import { afterEach, beforeAll, expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { watchComplaints } from '../../support/browser/accessibility.ts';
import { closeTabs, newContext, type Person, type Stage, sharedStage } from '../../support/browser/stage.ts';
import { runSql } from '../../support/engines/storage.ts';
import { expectUsable } from '../pages/publish.ts';

/** What uses storage and credits, and the warning on Home. */

const QUOTA = 100_000;
let stage: Stage;
let ada: Person;
let pageId: number;

const sql = (...statements: string[]) =>
  runSql({ dataFolder: stage.dataFolder, databaseUrl: undefined }, ...statements);

beforeAll(async () => {
  stage = await sharedStage('origin');
  ada = await stage.register('ada-storage');
  await sql(`update users set quota_bytes = ${QUOTA} where id = ${ada.id}`);
});
afterEach(closeTabs);

async function open(path: string): Promise<Page> {
  const tab = await stage.reuse(ada);
  await tab.goto(stage.baseUrl + path);
  return tab;
}

test('of somebody who has nothing says so', async () => {
  const tab = await open('/account/storage');
  await tab.getByText('Nothing is stored yet').first().waitFor();
  await tab.getByText('No credits were spent').waitFor();
  await expectUsable(tab);
});

test('lists pages, functions and spending, with links to where each is deleted', async () => {
  ({ id: pageId } = await stage.publish(ada, `<!doctype html><title>t</title>${'x'.repeat(79_900)}`, {
    name: 'A page with a name that is rather long, as some are',
    storage_mode: 'team_app',
  }));
  const note = { token: ada.token, body: { data: { text: 'y'.repeat(900) } } };
  expect((await stage.call('POST', `/api/pages/${pageId}/team-data/notes`, note)).status).toBe(201);
  const body = { slug: 'storage-counts', code: 'export default { fetch: () => new Response() };' };
  expect((await stage.call('POST', '/api/functions', { token: ada.token, body })).status).toBe(201);
  await sql(
    `insert into ledger_transfers (id, kind, user_id, page_id, feature, reason, created_at)
      values ('spent-1', 'settle', ${ada.id}, ${pageId}, 'chat', 'AI chat', ${Date.now()})`,
    "insert into ledger_entries (transfer_id, account, tokens) values ('spent-1', 'held', -25000), ('spent-1', 'spent', 25000)",
  );
  const tab = await open('/account/storage');
  const complaints = watchComplaints(tab);
  const row = tab.getByRole('row', { name: /A page with a name/ }).first();
  await row.waitFor();
  expect(await row.getByRole('link', { name: 'Versions and drafts' }).getAttribute('href')).toBe(
    `/pages/${pageId}/settings`,
  );
  expect(await row.getByRole('link', { name: 'Records' }).getAttribute('href')).toBe(`/pages/${pageId}/data`);
  await tab.getByRole('row', { name: /storage-counts/ }).waitFor();
  await tab.getByRole('link', { name: 'Change access' }).waitFor();
  await tab.getByText('of 97.7 KB used').waitFor();
  await expectUsable(tab);
  expect(complaints).toEqual([]);
  await row.getByRole('link', { name: 'Records' }).click();
  await tab.waitForURL(`**/pages/${pageId}/data`);
});

test('can be tried again after it could not be loaded', async () => {
  const tab = await open('/account/credits');
  await tab.getByRole('heading', { name: 'Balance' }).waitFor();
  await tab.context().setOffline(true);
  await tab.getByRole('link', { name: 'Storage' }).click();
  await tab.getByText('Cannot reach the service').first().waitFor();
  await tab.context().setOffline(false);
  await tab.getByRole('button', { name: 'Try again' }).click();
  await tab
    .getByRole('row', { name: /A page with a name/ })
    .first()
    .waitFor();
});

test('is in German, and on Home when it is almost full', async () => {
  const cookies = await (await stage.reuse(ada)).context().cookies();
  const context = await newContext({ locale: 'de' });
  await context.addCookies(cookies);
  const tab = await context.newPage();
  await tab.goto(stage.baseUrl);
  const link = tab.locator('.home-attention').getByRole('link', { name: 'Speicher' });
  await link.waitFor();
  await tab.getByText(/^8\d % deines Speichers sind belegt$/).waitFor();
  await link.click();
  await tab.getByText('von 97,7 KB belegt').waitFor();
  await expectUsable(tab);
  await context.close();
});

test('is not on Home before 80 percent, and is bad from 95 percent', async () => {
  const attention = async (bytes: number) => {
    await sql(`update usage set bytes = ${bytes} where user_id = ${ada.id}`);
    const tab = await open('/');
    await tab.locator('dl.home-figures').waitFor();
    const item = tab.locator('.home-attention').getByText(/of your quota is used/);
    return (await item.count()) === 0
      ? undefined
      : [await item.textContent(), await item.getAttribute('class')];
  };
  expect(await attention(0.8 * QUOTA - 1)).toBeUndefined();
  expect(await attention(0.8 * QUOTA)).toEqual(['80 % of your quota is used', 'hint']);
  expect(await attention(0.95 * QUOTA - 1)).toEqual(['94 % of your quota is used', 'hint']);
  expect(await attention(0.95 * QUOTA)).toEqual(['95 % of your quota is used', 'fault']);
});
