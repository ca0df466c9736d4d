import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { collectComplaints, seriousFindings } from '../../support/browser/accessibility.ts';
import {
  arriveAtStart,
  closeTabs,
  loggedInAs,
  logIn,
  openStage,
  PASSWORD,
  type Person,
  type Stage,
} from '../../support/browser/stage.ts';
import { untilPrinted, waitUntil } from '../../support/server.ts';

/** The service's own screens as people see them. */

const PHONE = { width: 390, height: 844 };

/** URLs of other sites written so that they look like ours. */
const ELSEWHERE = [
  '//evil.example',
  'https://evil.example',
  '/\\evil.example',
  '\\\\evil.example',
  '/.//evil.example',
  '/p/..//evil.example',
  '/\t/evil.example',
  'javascript:document.title=1',
];

let stage: Stage;
let person: Person;
/** The path of the link that the server printed. */
let setupPath: string;
beforeAll(async () => {
  stage = await openStage('origin');
  person = await stage.register('olga');
  setupPath = await untilPrinted(stage, /\/setup\?code=\S+/);
});
afterEach(closeTabs);
afterAll(() => stage.close());

const screens = () => [
  '/',
  '/login',
  '/register',
  '/logout',
  setupPath,
  '/setup?code=used',
  '/forgot',
  '/reset?code=used',
  '/confirm?code=used',
  '/leaving?code=outdated',
  '/docs/api',
  '/docs/api/pages',
  '/p/nothing',
  '/try?wish=A+quiz+about+space',
];

describe('every screen', () => {
  test('fits a phone, has a title, one heading and labels, and follows its own policy', async () => {
    for (const visitor of [undefined, person]) {
      const tab = await stage.enter(visitor);
      const complaints = collectComplaints(tab);
      await tab.setViewportSize(PHONE);
      for (const path of screens()) {
        await tab.goto(stage.baseUrl + path);
        const width = await tab.evaluate('document.documentElement.scrollWidth');
        expect({ path, width }).toEqual({ path, width: PHONE.width });
        expect(await tab.title()).toMatch(/\S · Quire$/);
        expect({ path, headings: await tab.locator('h1').count() }).toEqual({ path, headings: 1 });
        const unlabelled = `[...document.querySelectorAll('input:not([type=hidden])')].filter((field) => !field.labels.length && !field.ariaLabel).length`;
        expect({ path, unlabelled: await tab.evaluate(unlabelled) }).toEqual({ path, unlabelled: 0 });
      }
      expect(complaints).toEqual([]);
    }
  });

  test("looks the same on a page's own host, and leads back to the service", async () => {
    const page = await stage.publish(person, '<p>there');
    const tab = await stage.enter();
    await tab.goto(`${stage.baseUrl}/p/nothing`);
    const look = 'getComputedStyle(document.querySelector("main section")).borderRadius';
    const expected = await tab.evaluate(look);
    await tab.goto(`${page.address}nothing`);
    expect(await tab.evaluate(look)).toBe(expected);
    await tab.getByText('Go to the start page').click();
    await arriveAtStart(tab, stage);
  });
});

describe('the login form', () => {
  test('shows the error, moves the focus to the field, and keeps the username', async () => {
    const tab = await stage.enter();
    await tab.goto(`${stage.baseUrl}/login?next=/docs`);
    await logIn(tab, person, 'not the password');
    const problem = tab.getByRole('alert').getByRole('link', {
      name: 'The username or the password is wrong. Check both and try again.',
      exact: true,
    });
    await problem.waitFor();
    expect(await tab.inputValue('#username')).toBe('olga');
    expect(await tab.inputValue('#password')).toBe('');
    await expectFocus(tab, 'password');
    const described = await tab.getByLabel('Password').getAttribute('aria-describedby');
    expect(await tab.locator(`#${described}`).textContent()).toContain('is wrong');
    expect(await tab.getByLabel('Password').getAttribute('aria-invalid')).toBe('true');
    await tab.getByLabel('Username').focus();
    await problem.click();
    await expectFocus(tab, 'password');
    await logIn(tab, person);
    await tab.waitForURL(`${stage.baseUrl}/docs`);
  });

  test('works with the keyboard', async () => {
    const tab = await stage.enter();
    await tab.goto(`${stage.baseUrl}/login?next=/docs`);
    await expectFocus(tab, 'username');
    await tab.keyboard.type('olga');
    await tab.keyboard.press('Tab');
    await tab.keyboard.type(PASSWORD);
    await tab.keyboard.press('Tab');
    expect(await tab.evaluate('document.activeElement.textContent')).toBe('Log in');
    await tab.keyboard.press('Enter');
    await tab.waitForURL(`${stage.baseUrl}/docs`);
  });

  test('accepts a name as a phone types it', async () => {
    const tab = await stage.enter();
    await tab.goto(`${stage.baseUrl}/login`);
    await logIn(tab, { username: 'Olga ' });
    await arriveAtStart(tab, stage);
    expect(await loggedInAs(tab, stage)).toBe('olga');
  });

  test('says when to try again after too many attempts', async () => {
    // Nobody has logged in with this name here, so all guesses count as those of strangers.
    const locked = { username: 'locked' };
    const guess = { body: { username: locked.username, password: 'a guess' } };
    for (let tries = 0; tries < 10; tries++) await stage.call('POST', '/api/auth/login', guess);
    const tab = await stage.enter();
    await tab.goto(`${stage.baseUrl}/login`);
    const answered = tab.waitForResponse(
      (response) => response.request().method() === 'POST' && response.url().endsWith('/login'),
    );
    await logIn(tab, locked);
    const response = await answered;
    expect(response.status()).toBe(429);
    expect(Number(response.headers()['retry-after'])).toBeGreaterThan(0);
    expect(await tab.getByRole('alert').textContent()).toMatch(/Try again in 1[45] minutes\./);
    expect(await tab.inputValue('#username')).toBe('locked');
  });

  test('leads to the start page if it was asked to lead to another site', async () => {
    const tab = await stage.enter();
    await tab.goto(`${stage.baseUrl}/login?next=//evil.example`);
    await logIn(tab, person);
    await arriveAtStart(tab, stage);
  });

  test('never redirects a logged-in user to another site', async () => {
    const tab = await stage.enter(person);
    for (const next of ELSEWHERE) {
      const query = `?next=${encodeURIComponent(next)}`;
      await tab.goto(`${stage.baseUrl}/login${query}`);
      await arriveAtStart(tab, stage);
      await tab.goto(`${stage.baseUrl}/logout${query}`);
      expect({ next, links: await linksElsewhere(tab) }).toEqual({ next, links: [] });
    }
  });
});

describe('the registration form', () => {
  test('shows all errors and keeps what was typed', async () => {
    const tab = await stage.enter();
    await tab.goto(`${stage.baseUrl}/register`);
    await expectFocus(tab, 'username');
    await tab.evaluate('document.forms[0].noValidate = true');
    await register(tab, { username: 'Ö', email: 'nowhere', password: 'short' });
    await tab.getByRole('alert').waitFor();
    expect(await tab.getByRole('alert').getByRole('link').allTextContents()).toEqual([
      'Username must have 3 to 32 characters of a-z, 0-9, _ and -.',
      'E-mail must be an e-mail address.',
      'Password must have at least 8 characters.',
    ]);
    await expectFocus(tab, 'username');
    expect(await tab.locator('[aria-invalid]').count()).toBe(3);
    expect(await tab.inputValue('#email')).toBe('nowhere');
    expect(await tab.inputValue('#password')).toBe('');
    await register(tab, { username: 'New', email: 'new@example.com', password: PASSWORD });
    await arriveAtStart(tab, stage);
    expect(await loggedInAs(tab, stage)).toBe('new');
  });

  test('says whether the username or the e-mail address is taken', async () => {
    const tab = await stage.enter();
    await tab.goto(`${stage.baseUrl}/register`);
    await register(tab, { username: 'OLGA', email: 'another@example.com', password: PASSWORD });
    await tab.getByRole('link', { name: 'The username olga is taken. Choose another.' }).waitFor();
    await expectFocus(tab, 'username');
    await register(tab, { username: 'another', email: 'olga@example.com', password: PASSWORD });
    await tab.getByRole('link', { name: /account with this e-mail address/ }).waitFor();
    await expectFocus(tab, 'email');
    expect(await tab.inputValue('#username')).toBe('another');
  });

  test('says when to try again after too many new accounts', async () => {
    const busy = await openStage('origin', { QUIRE_REGISTRATIONS_PER_HOUR: '1' });
    try {
      const [first, tab] = [await busy.enter(), await busy.enter()];
      for (const each of [first, tab]) await each.goto(`${busy.baseUrl}/register`);
      await register(first, { username: 'first', email: 'first@example.com', password: PASSWORD });
      await arriveAtStart(first, busy);
      await register(tab, { username: 'second', email: 'second@example.com', password: PASSWORD });
      expect(await tab.getByRole('alert').textContent()).toMatch(/Try again in (59|60) minutes\./);
    } finally {
      await busy.close();
    }
  });

  test('is not available while registration is closed', async () => {
    const closed = await openStage('origin', { QUIRE_REGISTRATION: 'closed' });
    try {
      const tab = await closed.enter();
      expect((await tab.goto(`${closed.baseUrl}/register?next=/docs`))?.status()).toBe(403);
      await tab.getByRole('heading', { name: 'Registration is closed' }).waitFor();
      expect(await seriousFindings(tab)).toEqual([]);
      await tab.getByRole('link', { name: 'Log in' }).click();
      await tab.waitForURL(`${closed.baseUrl}/login?next=%2Fdocs`);
      expect(await tab.getByRole('link', { name: 'Create an account' }).count()).toBe(0);
    } finally {
      await closed.close();
    }
  });
});

describe('logging out', () => {
  test('leaves nothing private behind the back button', async () => {
    const tab = await stage.enter(person);
    await tab.goto(stage.baseUrl);
    await tab.locator('.who').getByText('olga').waitFor();
    await tab.goto(`${stage.baseUrl}/logout`);
    await tab.getByRole('button', { name: 'Log out' }).click();
    await tab.getByRole('heading', { name: 'You are logged out' }).waitFor();
    for (let steps = 0; steps < 2; steps++) {
      await tab.goBack();
      expect(await tab.locator('main').innerText()).not.toContain('olga');
    }
  });

  test('can be cancelled, and leads on', async () => {
    const tab = await stage.enter(person);
    await tab.goto(`${stage.baseUrl}/logout?next=/docs`);
    await tab.getByRole('link', { name: 'Stay logged in' }).click();
    await tab.waitForURL(`${stage.baseUrl}/docs`);
    expect(await loggedInAs(tab, stage)).toBe('olga');
    await tab.goto(`${stage.baseUrl}/logout?next=/docs`);
    await tab.getByRole('button', { name: 'Log out' }).click();
    await tab.getByRole('link', { name: 'Continue' }).click();
    await tab.waitForURL(`${stage.baseUrl}/docs`);
    expect(await loggedInAs(tab, stage)).toBeUndefined();
  });
});

test('the setup link creates an administrator, once', async () => {
  const link = stage.baseUrl + setupPath;
  const tab = await stage.enter();
  await tab.goto(link);
  await logIn(tab, { username: 'nobody-yet' });
  expect(await tab.textContent('[role=alert]')).toMatch(/\S/);
  await logIn(tab, person);
  await tab.waitForURL(`${stage.baseUrl}/setup/done`);
  await tab.getByRole('heading', { name: 'You are now an administrator' }).waitFor();
  expect(await seriousFindings(tab)).toEqual([]);
  const body = { username: 'olga', password: PASSWORD, scopes: ['admin'] };
  const { body: pair } = await stage.call('POST', '/api/auth/token', { body });
  expect((await stage.call('GET', '/api/admin/users', { token: pair.accessToken })).status).toBe(200);
  expect((await tab.goto(link))?.status()).toBe(404);
});

async function register(tab: Page, fields: Record<string, string>): Promise<void> {
  for (const [name, value] of Object.entries(fields)) await tab.fill(`input[name=${name}]`, value);
  await tab.click('button');
}

/** Browsers apply autofocus only when they draw the page. */
const expectFocus = (tab: Page, id: string) =>
  waitUntil(async () => (await tab.evaluate('document.activeElement.id')) === id);

function linksElsewhere(tab: Page): Promise<string[]> {
  return tab.evaluate(
    '[...document.links].map(({ href }) => href).filter((href) => !href.startsWith(origin + "/"))',
  );
}
