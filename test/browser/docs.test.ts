import { afterEach, beforeAll, expect, test } from 'bun:test';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { overflow, seriousFindings } from '../support/browser/accessibility.ts';
import { closeTabs, newContext, type Stage, sharedStage } from '../support/browser/stage.ts';
import { waitUntil } from '../support/server.ts';

/**
 * The documentation as people read it: on a phone, on a desktop, in dark mode, with the keyboard, on paper.
 */

const SIZES = { phone: { width: 390, height: 844 }, desk: { width: 1280, height: 900 } };
const DOCS = join(import.meta.dir, '../../docs');
const PATHS = [
  '/docs',
  '/docs/api',
  '/docs/api/pages',
  '/docs/decisions/0003-page-sessions-and-tickets',
  ...readdirSync(DOCS)
    .filter((name) => name.endsWith('.md'))
    .map((name) => `/docs/${name.replace('.md', '')}`),
];

let stage: Stage;
beforeAll(async () => {
  stage = await sharedStage('origin');
});
afterEach(closeTabs);

/** One page of each kind: a list, pictures and code, tables, the API. */
const KINDS = ['/docs', '/docs/quick-start', '/docs/features', '/docs/api/pages'];

/** The groups and operations of the API look alike. With all of them axe-core would take a minute. */
const PRUNE = `for (const more of ['main > section:nth-of-type(n + 4)', '.operation ~ .operation', '.here > .links > li:nth-child(n + 4)'])
  document.querySelectorAll(more).forEach((element) => element.remove())`;
/** Pictures load when they are scrolled to. This loads them all, and fails if one cannot be shown. */
const SHOW_PICTURES = `Promise.all([...document.images].map((image) => {
  image.loading = 'eager';
  return image.decode();
})).then(() => undefined)`;

test.each(KINDS)('%s is accessible on a desktop in light mode and on a phone in dark mode', async (path) => {
  const tab = await (await newContext()).newPage();
  await tab.goto(stage.baseUrl + path);
  await tab.evaluate(PRUNE);
  for (const [size, colorScheme] of [['desk', 'light'] as const, ['phone', 'dark'] as const]) {
    await tab.setViewportSize(SIZES[size]);
    await tab.emulateMedia({ colorScheme });
    expect({ size, findings: await seriousFindings(tab) }).toEqual({ size, findings: [] });
  }
});

test('every page fits a phone and a desktop, follows its own policy, and has all its pictures', async () => {
  const tab = await (await newContext()).newPage();
  const complaints: string[] = [];
  tab.on('console', (message) => message.type() === 'error' && complaints.push(message.text()));
  for (const path of PATHS) {
    await tab.goto(stage.baseUrl + path);
    for (const [size, viewport] of Object.entries(SIZES)) {
      await tab.setViewportSize(viewport);
      expect({ path, size, overflow: await overflow(tab) }).toEqual({ path, size, overflow: 0 });
    }
    await tab.evaluate(SHOW_PICTURES);
  }
  expect(complaints).toEqual([]);
});

test('the menu on a phone opens without script and leads to another page', async () => {
  const tab = await (await newContext({ viewport: SIZES.phone, javaScriptEnabled: false })).newPage();
  await tab.goto(`${stage.baseUrl}/docs/pages`);
  const link = tab.getByRole('navigation', { name: 'All pages' }).getByRole('link', { name: 'Databases' });
  expect(await link.isVisible()).toBe(false);
  await tab.getByText('All pages').click();
  await link.click();
  await tab.waitForURL(`${stage.baseUrl}/docs/databases`);
});

test('with the keyboard, the first stop skips the navigation, and wide code can be scrolled', async () => {
  const tab = await (await newContext({ viewport: SIZES.phone })).newPage();
  await tab.goto(`${stage.baseUrl}/docs/quick-start`);
  await tab.keyboard.press('Tab');
  expect(await tab.evaluate('document.activeElement.textContent')).toBe('Skip to the text');
  await tab.keyboard.press('Enter');
  await tab.waitForURL(`${stage.baseUrl}/docs/quick-start#text`);
  const code = tab.locator('pre').first();
  await code.focus();
  await tab.keyboard.press('ArrowRight');
  await waitUntil(() => tab.evaluate('document.activeElement.scrollLeft > 0'));
});

test.each(Object.entries(SIZES))('a search shows results as one types, %s', async (_, viewport) => {
  const tab = await (await newContext({ viewport })).newPage();
  await tab.goto(`${stage.baseUrl}/docs/quick-start`);
  const field = tab.getByRole('combobox', { name: 'Search the documentation' });
  const results = tab.getByRole('listbox', { name: 'Results' });
  // A slash leads to the field, and is not typed.
  await tab.keyboard.press('/');
  await tab.keyboard.type('own doma');
  const first = results.getByRole('option').first();
  await first.filter({ hasText: 'Domains' }).waitFor();
  expect(await field.inputValue()).toBe('own doma');
  expect(await field.getAttribute('aria-expanded')).toBe('true');
  expect(await results.locator('mark').count()).toBeGreaterThan(0);
  expect(await seriousFindings(tab)).toEqual([]);
  expect(await overflow(tab)).toBe(0);

  await tab.keyboard.press('Escape');
  await results.waitFor({ state: 'hidden' });
  await field.fill('xyzzyplugh');
  await tab.getByText('Nothing was found. Try fewer or other words.').waitFor();

  await field.fill('domains');
  await first.filter({ hasText: 'Domains' }).waitFor();
  await tab.keyboard.press('ArrowDown');
  expect(await field.getAttribute('aria-activedescendant')).toBe('found-0');
  expect(await first.getAttribute('aria-selected')).toBe('true');
  await tab.keyboard.press('Enter');
  await tab.waitForURL(/\/docs\/domains/);
});

test('a printed page has only the text', async () => {
  const tab = await (await newContext({ viewport: SIZES.desk })).newPage();
  await tab.goto(`${stage.baseUrl}/docs/pages`);
  await tab.emulateMedia({ media: 'print' });
  for (const nav of await tab.getByRole('navigation').all()) expect(await nav.isVisible()).toBe(false);
  expect(await tab.locator('h1').isVisible()).toBe(true);
});
