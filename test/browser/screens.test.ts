import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import type { TestBrowser } from '../support/browser.ts';
import { loggedInAs, logIn, openBrowser, openStage, PASSWORD, type Person, type Stage } from './stage.ts';

/** The pages of the service itself, as people meet them. */

const PHONE = { width: 390, height: 844 };

/** Ways to write an address elsewhere so that it looks like one of ours. */
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

let browser: TestBrowser;
let stage: Stage;
let person: Person;
beforeAll(async () => {
  browser = await openBrowser();
  stage = await openStage(browser, 'origin');
  person = await stage.register('olga');
});
afterEach(() => browser.closeContexts());
afterAll(async () => {
  await browser.close();
  await stage.close();
});

const screens = () => [
  '/',
  '/login',
  '/register',
  '/logout',
  setupPath(),
  '/setup?code=used',
  '/docs/api',
  '/p/nothing',
];

describe('every screen', () => {
  test('fits a phone without scrolling sideways', async () => {
    for (const visitor of [undefined, person]) {
      const tab = await stage.enter(visitor);
      await tab.setViewportSize(PHONE);
      for (const path of screens()) {
        await tab.goto(stage.baseUrl + path);
        const width = await tab.evaluate('document.documentElement.scrollWidth');
        expect({ path, width }).toEqual({ path, width: PHONE.width });
      }
    }
  });

  test('has a title, one heading, and a label on every field', async () => {
    const tab = await stage.enter();
    for (const path of screens()) {
      await tab.goto(stage.baseUrl + path);
      expect(await tab.title()).toMatch(/\S · Quire$/);
      expect({ path, headings: await tab.locator('h1').count() }).toEqual({ path, headings: 1 });
      const unlabelled = `[...document.querySelectorAll('input:not([type=hidden])')].filter((field) => !field.labels.length && !field.ariaLabel).length`;
      expect({ path, unlabelled: await tab.evaluate(unlabelled) }).toEqual({ path, unlabelled: 0 });
    }
  });

  test('breaks none of its own rules and misses none of its own files', async () => {
    const tab = await stage.enter();
    const complaints: string[] = [];
    tab.on('console', (message) => {
      const isIcon = message.location().url.endsWith('/favicon.ico');
      if (message.type() === 'error' && !isIcon)
        complaints.push(`${message.location().url} ${message.text()}`);
    });
    for (const path of ['/', '/login', '/register', '/logout', setupPath(), '/docs/api']) {
      await tab.goto(stage.baseUrl + path);
    }
    expect(complaints).toEqual([]);
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
    await tab.waitForURL(`${stage.baseUrl}/`, { timeout: 3000 });
  });
});

describe('the login form', () => {
  test('shows what went wrong and keeps the username', async () => {
    const tab = await stage.enter();
    await tab.goto(`${stage.baseUrl}/login?next=/docs/api`);
    await tab.fill('input[name=username]', 'olga');
    await tab.fill('input[name=password]', 'not the password');
    await tab.press('input[name=password]', 'Enter');
    expect(await tab.textContent('[role=alert]')).toMatch(/\S/);
    expect(await tab.inputValue('input[name=username]')).toBe('olga');
    expect(await tab.inputValue('input[name=password]')).toBe('');
    await logIn(tab, person);
    await tab.waitForURL(`${stage.baseUrl}/docs/api`);
  });

  test('leads to the start page when it was told to lead elsewhere', async () => {
    const tab = await stage.enter();
    await tab.goto(`${stage.baseUrl}/login?next=//evil.example`);
    await logIn(tab, person);
    await tab.waitForURL(`${stage.baseUrl}/`);
  });

  for (const next of ELSEWHERE) {
    test(`sends nobody who is logged in already to ${JSON.stringify(next)}`, async () => {
      const tab = await stage.enter(person);
      const query = `?next=${encodeURIComponent(next)}`;
      await tab.goto(`${stage.baseUrl}/login${query}`);
      expect(tab.url()).toBe(`${stage.baseUrl}/`);
      await tab.goto(`${stage.baseUrl}/logout${query}`);
      expect(await linksElsewhere(tab)).toEqual([]);
    });
  }
});

test('the registration form shows what went wrong and keeps what was typed', async () => {
  const tab = await stage.enter();
  await tab.goto(`${stage.baseUrl}/register`);
  await register(tab, { username: 'olga', email: 'new@example.com', password: PASSWORD });
  expect(await tab.textContent('[role=alert]')).toMatch(/\S/);
  expect(await tab.inputValue('input[name=username]')).toBe('olga');
  expect(await tab.inputValue('input[name=email]')).toBe('new@example.com');
  await register(tab, { username: 'new', email: 'new@example.com', password: 'short' });
  expect(await tab.textContent('[role=alert]')).toMatch(/password/i);
  await register(tab, { username: 'new', email: 'new@example.com', password: PASSWORD });
  await tab.waitForURL(`${stage.baseUrl}/`);
  expect(await loggedInAs(tab, stage)).toBe('new');
});

test('the setup link makes an administrator, once', async () => {
  const link = stage.baseUrl + setupPath();
  const tab = await stage.enter();
  await tab.goto(link);
  await logIn(tab, { username: 'nobody-yet' });
  expect(await tab.textContent('[role=alert]')).toMatch(/\S/);
  await logIn(tab, person);
  await tab.waitForURL(`${stage.baseUrl}/`);
  const body = { username: 'olga', password: PASSWORD, scopes: ['admin'] };
  const { body: pair } = await stage.call('POST', '/api/auth/token', { body });
  expect((await stage.call('GET', '/api/admin/users', { token: pair.accessToken })).status).toBe(200);
  expect((await tab.goto(link))?.status()).toBe(404);
});

/** The path of the link that the server printed. */
function setupPath(): string {
  return /\/setup\?code=\S+/.exec(stage.output())?.[0] ?? '';
}

async function register(tab: Page, fields: Record<string, string>): Promise<void> {
  for (const [name, value] of Object.entries(fields)) await tab.fill(`input[name=${name}]`, value);
  await tab.click('button');
}

function linksElsewhere(tab: Page): Promise<string[]> {
  return tab.evaluate(
    '[...document.links].map(({ href }) => href).filter((href) => !href.startsWith(origin + "/"))',
  );
}
