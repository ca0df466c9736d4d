import { afterAll, afterEach, beforeAll, expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { startProvider, type TestProvider } from '../../support/accounts/oidc-provider.ts';
import { expectReadable } from '../../support/browser/accessibility.ts';
import { closeTabs, openStage, PASSWORD, type Stage } from '../../support/browser/stage.ts';

/** The provider is another site than the service, as it is for everybody. */

let provider: TestProvider;
let stage: Stage;
beforeAll(async () => {
  provider = await startProvider();
  stage = await openStage('origin', provider.settings);
  provider.serve(stage.baseUrl);
});
afterAll(async () => {
  await stage.close();
  await provider.stop();
});
afterEach(closeTabs);

/** Logs in with the forms of the provider. */
async function logInThere(page: Page, subject: string): Promise<void> {
  await page.waitForURL(`${provider.issuer}/**`);
  await page.locator('[name=login]').fill(subject);
  await page.locator('[name=password]').fill('any');
  await page.locator('[type=submit]').click();
  await page.getByRole('button', { name: 'Continue' }).click();
}

test('creates an account, and logs in to it again', async () => {
  provider.add('ada', { email: 'ada@school.example', email_verified: true, preferred_username: 'ada' });
  const page = await stage.enter();
  await page.goto(`${stage.baseUrl}/login?next=/account/security`);
  await page.getByRole('link', { name: 'Continue with School ID' }).click();
  await logInThere(page, 'ada');
  await page.getByRole('heading', { name: 'Choose a username' }).waitFor();
  await expectReadable(page);
  expect(await page.getByLabel('Username').inputValue()).toBe('ada');
  await page.getByLabel('Username').fill('countess');
  await page.getByRole('button', { name: 'Create account' }).click();
  await page.getByText('Your account has been connected to School ID').waitFor();
  expect(await page.getByRole('button', { name: 'Disconnect' }).isDisabled()).toBe(true);
  await expectReadable(page);

  // Our session ends; the one at the provider does not.
  await page.goto(`${stage.baseUrl}/logout`);
  await page.getByRole('button', { name: 'Log out' }).click();
  await page.getByRole('link', { name: 'Log in again' }).click();
  await page.getByRole('link', { name: 'Continue with School ID' }).click();
  await page.locator('.who').getByText('countess').waitFor();
});

test('connects an account by its password, and disconnects it', async () => {
  const grace = await stage.register('grace-sso');
  provider.add('grace', { email: 'grace-sso@example.com', email_verified: true });
  const page = await stage.enter();
  await page.goto(`${stage.baseUrl}/login`);
  await page.getByRole('link', { name: 'Continue with School ID' }).click();
  await logInThere(page, 'grace');
  await page.getByRole('heading', { name: 'Connect your account' }).waitFor();
  await expectReadable(page);
  await page.getByLabel('Password').fill('wrong password');
  await page.getByRole('button', { name: 'Connect' }).click();
  await page.getByRole('alert').waitFor();
  await page.getByLabel('Password').fill(PASSWORD);
  await page.getByRole('button', { name: 'Connect' }).click();
  await page.locator('.who').getByText(grace.username).waitFor();

  await page.goto(`${stage.baseUrl}/account/security`);
  await page.getByRole('button', { name: 'Disconnect' }).click();
  await page.getByText('Your account is not connected to School ID').waitFor();
  await page.getByRole('button', { name: 'Connect to School ID' }).click();
  await page.getByText('Your account has been connected to School ID').waitFor();
});

test('says so if the person does not log in at the provider', async () => {
  const page = await stage.enter();
  await page.goto(`${stage.baseUrl}/login/sso`);
  await page.getByRole('link', { name: 'Cancel' }).click();
  await page.getByRole('heading', { name: 'You are not logged in' }).waitFor();
  await expectReadable(page);
  await page.getByRole('link', { name: 'Try again' }).click();
  await page.waitForURL(`${provider.issuer}/**`);
});
