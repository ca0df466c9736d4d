import { afterEach, beforeAll, describe, expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { ageLogins } from '../../support/accounts/old-logins.ts';
import { closeTabs, PASSWORD, type Person, type Stage, sharedStage } from '../../support/browser/stage.ts';
import { expectUsable } from '../pages/publish.ts';

let stage: Stage;
let ada: Person;

beforeAll(async () => {
  stage = await sharedStage('origin');
  ada = await stage.register('ada-leaving');
});
afterEach(closeTabs);

async function open(person: Person): Promise<Page> {
  const page = await stage.reuse(person);
  await page.goto(`${stage.baseUrl}/account/your-data`);
  return page;
}

describe('the screen for your data', () => {
  test('downloads an archive, and says so', async () => {
    const page = await open(ada);
    const downloading = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Export everything' }).click();
    const download = await downloading;
    expect(download.suggestedFilename()).toBe('quire-ada-leaving.tar.gz');
    const path = await download.path();
    const list = Bun.spawnSync(['tar', '-tzf', path]).stdout.toString();
    expect(list).toContain('README.txt');
    await page.getByText('The download has started.').waitFor();
  });

  test('asks for the password before an export if the login is older than ten minutes', async () => {
    const dan = await stage.register('dan-exporting');
    const page = await open(dan);
    ageLogins(stage, dan);
    await page.getByRole('button', { name: 'Export everything' }).click();
    const dialog = page.getByRole('dialog', { name: 'Confirm that it is you' });
    const submit = dialog.getByRole('button', { name: 'Continue' });
    await dialog.waitFor();
    expect(await submit.isDisabled()).toBe(true);
    await expectUsable(page);
    await dialog.getByLabel('Password').fill('not the password');
    await submit.click();
    await dialog.getByText('The current password is wrong.').waitFor();
    await expectUsable(page);
    const downloading = page.waitForEvent('download');
    await dialog.getByLabel('Password').fill(PASSWORD);
    await submit.click();
    expect((await downloading).suggestedFilename()).toBe('quire-dan-exporting.tar.gz');
    await dialog.waitFor({ state: 'hidden' });
    await page.getByText('The download has started.').waitFor();
    expect(page.url()).toBe(`${stage.baseUrl}/account/your-data`);
  });

  test("lists and deletes what is stored on other people's pages", async () => {
    const bob = await stage.register('bob-owner');
    const wall = await stage.publish(bob, '<p>Wall', { name: 'Wall of Bob', storage_mode: 'social_app' });
    await stage.call('POST', `/api/pages/${wall.id}/social-data/notes`, {
      token: ada.token,
      body: { data: { text: 'hello' } },
    });
    const page = await open(ada);
    await page.getByRole('cell', { name: '1 record' }).waitFor();
    await expectUsable(page);
    await page.getByRole('button', { name: 'Delete what you stored on Wall of Bob' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete', exact: true }).click();
    await page.getByRole('heading', { name: 'Nothing stored elsewhere' }).waitFor();
  });

  test('deletes the account after the typed name, and keeps it after a login', async () => {
    const eve = await stage.register('eve-leaving');
    const page = await stage.reuse(eve);
    const held = Promise.withResolvers<void>();
    await page.route('**/api/auth/me', async (route) => {
      await held.promise;
      await route.continue();
    });
    await page.goto(`${stage.baseUrl}/account/your-data`);
    const start = page.getByRole('button', { name: 'Delete account' });
    await start.waitFor();
    expect(await start.isDisabled()).toBe(true);
    held.resolve();
    await start.click();
    const dialog = page.getByRole('dialog');
    expect(await dialog.getByRole('button', { name: 'Delete account' }).isDisabled()).toBe(true);
    await dialog.getByLabel('Type eve-leaving to confirm').fill('eve-leaving');
    await dialog.getByRole('button', { name: 'Delete account' }).click();
    await page.waitForURL(`${stage.baseUrl}/login`);
    await page.getByLabel('Username').fill('eve-leaving');
    await page.getByLabel('Password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Log in', exact: true }).click();
    await page.getByRole('heading', { name: 'Keep your account?' }).waitFor();
    await expectUsable(page);
    await page.getByRole('button', { name: 'Keep my account' }).click();
    await page.getByRole('heading', { name: 'Your account is kept' }).waitFor();
    await page.goto(`${stage.baseUrl}/account/your-data`);
    await page.getByRole('heading', { name: 'Delete your account' }).waitFor();
  });
});
