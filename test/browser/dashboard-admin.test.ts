import { afterAll, afterEach, beforeAll, expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { watchComplaints } from '../support/accessibility.ts';
import { untilPrinted } from '../support/server.ts';
import { expectUsable } from './dashboard-pages.ts';
import { closeTabs, openStage, PASSWORD, type Person, type Stage } from './stage.ts';

let stage: Stage;
let ada: Person;
let bea: Person;

beforeAll(async () => {
  stage = await openStage('origin');
  ada = await stage.register('ada');
  bea = await stage.register('bea');
  const setup = await stage.reuse();
  await setup.goto(stage.baseUrl + (await untilPrinted(stage, /\/setup\?code=\S+/)));
  await setup.getByLabel('Username').fill('ada');
  await setup.getByLabel('Password').fill(PASSWORD);
  await setup.getByRole('button', { name: 'Become administrator' }).click();
  await setup.getByRole('heading', { name: 'You are administrator now' }).waitFor();
});
afterEach(closeTabs);
afterAll(() => stage.close());

async function open(person: Person, path: string): Promise<Page> {
  const page = await stage.reuse(person);
  await page.goto(stage.baseUrl + path);
  return page;
}

test('an administrator sees the health of the service', async () => {
  const page = await open(ada, '/admin');
  for (const title of ['Service', 'Storage', 'Providers']) {
    await page.getByRole('heading', { name: title }).waitFor();
  }
  await page.getByText('built-in demo, not a real provider').first().waitFor();
  await page.getByRole('figure').filter({ hasText: 'Memory' }).waitFor();
});

test('an administrator finds a user and gives them credits', async () => {
  const page = await open(ada, '/admin/users');
  await page.getByText('2 accounts').waitFor();
  await page.getByLabel('Search users').fill('BEA@');
  await page.getByText('1 account', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Give credits to bea' }).click();
  await page.getByLabel('Credits', { exact: true }).fill('1000001');
  await page.getByLabel('Reason').fill('a prize');
  await page.getByRole('button', { name: 'Give credits', exact: true }).click();
  await page.getByRole('dialog').getByRole('alert').getByText('1,000,000').waitFor();
  await page.getByLabel('Credits', { exact: true }).fill('30');
  await page.getByRole('button', { name: 'Give credits', exact: true }).click();
  await page.getByText('bea now has 50 credits.').waitFor();
  await page.getByLabel('Search users').fill('nobody');
  await page.getByRole('heading', { name: 'No users found' }).waitFor();
});

test('nobody else sees any of it', async () => {
  const page = await open(bea, '/admin');
  await page.getByRole('heading', { name: 'Administrators only' }).waitFor();
  await page.getByRole('link', { name: 'Account' }).waitFor();
  expect(await page.getByRole('link', { name: 'Administration' }).count()).toBe(0);
  expect((await stage.call('GET', '/api/admin/health', { token: bea.token })).status).toBe(403);
});

for (const path of ['/admin', '/admin/users']) {
  test(`${path} is accessible`, async () => {
    const page = await stage.reuse(ada);
    const complaints = watchComplaints(page);
    await page.goto(stage.baseUrl + path);
    await page.locator('.section').first().waitFor();
    await page.locator('.skeleton').first().waitFor({ state: 'detached' });
    await expectUsable(page);
    expect(complaints).toEqual([]);
  });
}
