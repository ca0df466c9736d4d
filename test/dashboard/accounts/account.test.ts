import { afterEach, beforeAll, describe, expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { expectReadable, watchComplaints } from '../../support/browser/accessibility.ts';
import { allowSpending } from '../../support/browser/permission.ts';
import {
  closeTabs,
  logIn,
  PASSWORD,
  type Person,
  type Stage,
  sharedStage,
} from '../../support/browser/stage.ts';
import { expectUsable } from '../pages/publish.ts';

let stage: Stage;
let ada: Person;

beforeAll(async () => {
  stage = await sharedStage('origin');
  ada = await stage.register('ada-account');
});
afterEach(closeTabs);

async function open(person: Person, path: string): Promise<Page> {
  const page = await stage.reuse(person);
  await page.goto(stage.baseUrl + path);
  return page;
}

const toast = (page: Page, text: string) => page.getByRole('status').getByText(text);

describe('the dashboard', () => {
  test('opens at the root for a logged-in user; others see the start page', async () => {
    const page = await open(ada, '/');
    await page.getByRole('heading', { level: 1, name: 'Welcome, ada-account' }).waitFor();
    expect(new URL(page.url()).pathname).toBe('/');
    await page.locator('.who').getByText('ada-account').waitFor();

    const guest = await stage.reuse();
    await guest.goto(stage.baseUrl);
    await guest.getByRole('link', { name: 'Create an account' }).waitFor();
  });

  test('asks a guest to log in and then opens what they wanted', async () => {
    const guest = await stage.reuse();
    await guest.goto(`${stage.baseUrl}/account/sessions`);
    await guest.getByLabel('Username').fill('ada-account');
    await guest.getByLabel('Password').fill(PASSWORD);
    await guest.getByRole('button', { name: 'Log in', exact: true }).click();
    await guest.getByRole('heading', { name: 'Where you are logged in' }).waitFor();
  });

  test('shows an error for an unknown path, or if the service cannot be reached', async () => {
    const page = await open(ada, '/account/nothing');
    await page.getByRole('heading', { name: 'Not found' }).waitFor();
    await page.context().setOffline(true);
    await page.getByRole('link', { name: 'Account' }).click();
    await page.getByText('Cannot reach the service').first().waitFor();
    await page.context().setOffline(false);
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('heading', { name: 'No tokens yet' }).waitFor();
    await page.getByText('Cannot reach the service').first().waitFor({ state: 'detached' });
  });

  test('tells a user that their login has ended, and lets them log in again', async () => {
    const page = await open(ada, '/account/sessions');
    await page.getByText('this browser').waitFor();
    await page.context().clearCookies();
    await page.getByRole('link', { name: 'Credits' }).click();
    await page.getByText('You are logged out').waitFor();
  });

  test('has no frames of other sites and only its own script', async () => {
    const answer = await stage.call('GET', '/assets/dashboard/nothing.js');
    expect(answer.status).toBe(404);
    const page = await stage.reuse(ada);
    const response = await page.goto(`${stage.baseUrl}/pages`);
    const policy = (await response?.headerValue('content-security-policy')) ?? '';
    expect(policy).toContain("script-src 'self'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy.replace("style-src-attr 'unsafe-inline'", '')).not.toContain('unsafe');
  });
});

describe('tokens', () => {
  test('can be created, are shown once, work, and can be revoked', async () => {
    const page = await open(ada, '/account');
    await page.getByRole('button', { name: 'New token' }).first().click();
    await page.getByLabel('Name', { exact: true }).fill('my agent');
    for (const scope of await page.getByRole('checkbox').all()) await scope.uncheck();
    const make = page.getByRole('button', { name: 'Create token' });
    expect(await make.isDisabled()).toBe(true);
    await page.getByRole('checkbox', { name: /pages:read/ }).check();
    await make.click();

    const token = (await page.locator('.copyable code').textContent()) ?? '';
    expect(token).toStartWith('qr_');
    expect((await stage.call('GET', '/api/pages', { token })).status).toBe(200);
    expect((await stage.call('GET', '/api/functions/x/code', { token })).status).toBe(403);
    await page.getByRole('button', { name: 'Done' }).click();
    await page.getByText(token).waitFor({ state: 'detached' });
    // A phone shows when it expires, too.
    const size = page.viewportSize();
    await page.setViewportSize({ width: 390, height: 844 });
    await page.locator('td[data-title="Expires"]').waitFor();
    if (size) await page.setViewportSize(size);

    await page.getByRole('button', { name: 'Revoke my agent' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
    await page.getByRole('heading', { name: 'No tokens yet' }).waitFor();
    expect((await stage.call('GET', '/api/pages', { token })).status).toBe(401);
  });

  test('can be allowed to spend credits, up to a limit', async () => {
    const page = await open(ada, '/account');
    await page.getByRole('button', { name: 'New token' }).first().click();
    await page.getByLabel('Name', { exact: true }).fill('spender');
    const limit = page.getByLabel('Credit limit');
    expect(await limit.count()).toBe(0);
    expect(await page.getByRole('checkbox', { name: /features/ }).isChecked()).toBe(false);
    await page.getByRole('checkbox', { name: /features/ }).check();
    const make = page.getByRole('button', { name: 'Create token' });
    for (const wrong of ['', '0', '1001', '1.5']) {
      await limit.fill(wrong);
      expect([wrong, await make.isDisabled()]).toEqual([wrong, true]);
    }
    await limit.fill('25');
    await expectReadable(page);
    await make.click();
    await page.getByRole('button', { name: 'Done' }).click();
    await page
      .getByRole('row', { name: /spender/ })
      .getByText('0 of 25')
      .waitFor();
    await page.getByRole('button', { name: 'Revoke spender' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
    await page.getByRole('heading', { name: 'No tokens yet' }).waitFor();
  });

  test('are not created if the service refuses, and the screen says why', async () => {
    const page = await open(ada, '/account');
    await page.getByRole('button', { name: 'New token' }).first().click();
    await page.getByLabel('Name', { exact: true }).fill('too late');
    // A clock that is a century behind requests a token that has already expired.
    await page.evaluate('Date.now = () => 0');
    await page.getByRole('button', { name: 'Create token' }).click();
    await page.getByRole('dialog').getByRole('alert').waitFor();
    expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('too late');
  });
});

test('sessions in other browsers are listed and can be ended', async () => {
  const elsewhere = await stage.reuse();
  await elsewhere.goto(`${stage.baseUrl}/login?next=/account/sessions`);
  await logIn(elsewhere, ada);
  const here = elsewhere.getByRole('row').filter({ hasText: 'this browser' });
  await here.getByRole('cell', { name: 'now', exact: true }).waitFor();
  const page = await open(ada, '/account/sessions');
  await page.getByRole('button', { name: 'Log out everywhere else' }).click();
  await toast(page, 'You are logged out everywhere else.').waitFor();
  await page.getByRole('button', { name: 'Log out everywhere else' }).waitFor({ state: 'detached' });
  await elsewhere.reload();
  expect(new URL(elsewhere.url()).pathname).toBe('/login');
});

test('a session gets the name that its user gives the device', async () => {
  const page = await open(ada, '/account/sessions');
  await page
    .getByRole('button', { name: /^Rename / })
    .first()
    .click();
  await page.getByLabel('Name', { exact: true }).fill('Work laptop');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('cell', { name: 'Work laptop this browser' }).waitFor();
});

test('the username and the e-mail address can be changed', async () => {
  const dana = await stage.register('dana-account');
  const page = await open(dana, '/account/profile');
  await page.getByText('dana-account@example.com').waitFor();
  await page.getByText('not confirmed').waitFor();
  await page.getByLabel('Username').fill('ada-account');
  await page.getByRole('button', { name: 'Change username' }).click();
  await page.getByRole('alert').getByText('is taken').waitFor();
  await page.getByLabel('Username').fill('dana-renamed');
  await page.getByRole('button', { name: 'Change username' }).click();
  await toast(page, 'Your username is now dana-renamed.').waitFor();
  await page.getByLabel('New address').fill('dana@new.example');
  await page.getByRole('button', { name: 'Change address' }).click();
  await page.getByText('dana@new.example', { exact: false }).first().waitFor();
});

describe('credits', () => {
  test('show the balance, which pages can use it, and where it came from', async () => {
    const bea = await stage.register('bea-account');
    const shop = await stage.publish(ada, '<!doctype html><p>Shop', {
      name: 'Shop',
      page_api_ai_enabled: true,
    });
    const page = await open(bea, `/consent?page=${shop.id}`);
    await allowSpending(page);
    await page.getByRole('heading', { name: 'Done' }).waitFor();
    await page.goto(`${stage.baseUrl}/account/credits`);
    await page.getByText('20 credits').waitFor();
    await page.getByText('0 of 10 credits').waitFor();
    await page.getByText('Opening balance').waitFor();
    await page.getByRole('button', { name: 'Remove access for Shop' }).click();
    await page.getByRole('heading', { name: 'No pages' }).waitFor();
  });

  test('show which page used them, with at most two decimals', async () => {
    const dan = await stage.register('dan-account');
    const shop = await stage.publish(ada, '<!doctype html><p>Shop', {
      name: 'Chat shop',
      page_api_image_gen_enabled: true,
    });
    const page = await open(dan, `/consent?page=${shop.id}`);
    await allowSpending(page);
    await page.getByRole('heading', { name: 'Done' }).waitFor();
    const path = `/api/pages/${shop.id}/page-api-image-gen`;
    const [cookie] = await page.context().cookies(stage.baseUrl);
    const options = { cookie: `${cookie?.name}=${cookie?.value}`, body: { prompt: 'a swan' } };
    expect((await stage.call('POST', path, options)).status).toBe(200);
    await page.route('**/api/credits/history?*', async (route) => {
      const response = await route.fetch();
      const body = await response.json();
      body.history[0].credits = -4.0468;
      await route.fulfill({ response, json: body });
    });
    await page.goto(`${stage.baseUrl}/account/credits`);
    await page.getByText('16 credits').waitFor();
    const row = page.getByRole('row').filter({ hasText: 'Image generation' });
    expect(await row.innerText()).toContain('−4.05');
    expect(await row.getByRole('link', { name: 'Chat shop' }).getAttribute('href')).toBe(`/p/${shop.slug}`);
  });
});

describe('the password', () => {
  test('can be changed with the current one', async () => {
    const cleo = await stage.register('cleo-account');
    const page = await open(cleo, '/account/security');
    await page.getByLabel('Current password').fill('not this one');
    await page.getByLabel('New password', { exact: true }).fill('another horse');
    await page.getByLabel('Repeat new password').fill('another hors');
    await page.getByText('The passwords do not match.').waitFor();
    await page.getByLabel('Repeat new password').fill('another horse');
    await page.getByRole('button', { name: 'Change password' }).click();
    await page.getByRole('alert').waitFor();

    await page.getByLabel('Current password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Change password' }).click();
    await toast(page, 'Your password is changed').waitFor();
    const login = { username: 'cleo-account', password: 'another horse' };
    expect((await stage.call('POST', '/api/auth/login', { body: login })).status).toBe(200);
  });
});

describe('accessible screen:', () => {
  for (const part of [
    '',
    '/apps',
    '/profile',
    '/security',
    '/sessions',
    '/credits',
    '/your-data',
    '/activity',
  ]) {
    const path = `/account${part}`;
    test(path, async () => {
      const page = await stage.reuse(ada);
      const complaints = watchComplaints(page);
      await page.goto(stage.baseUrl + path);
      await page.locator('.section').first().waitFor();
      await page.locator('.skeleton').first().waitFor({ state: 'detached' });
      await expectUsable(page);
      expect(complaints).toEqual([]);
    });
  }

  test('navigation between areas works with the keyboard alone', async () => {
    const page = await open(ada, '/pages');
    await page.getByRole('heading', { level: 1, name: 'Pages' }).waitFor();
    const focused = () => page.evaluate('document.activeElement?.textContent');
    while ((await focused()) !== 'Account') await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Personal tokens' }).waitFor();
  });
});
