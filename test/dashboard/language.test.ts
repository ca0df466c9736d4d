import { afterEach, beforeAll, expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { expectReadable, overflow } from '../support/browser/accessibility.ts';
import { closeTabs, newContext, type Person, type Stage, sharedStage } from '../support/browser/stage.ts';

let stage: Stage;
let ada: Person;

beforeAll(async () => {
  stage = await sharedStage('origin');
  ada = await stage.register('ada-language');
});
afterEach(closeTabs);

const PROFILE = '/account/profile';
const readLanguage = (tab: Page) => tab.locator('html').getAttribute('lang');
const heading = (tab: Page, name: string) => tab.getByRole('heading', { level: 1, name, exact: true });

/** A browser whose owner prefers a language, and is logged in. */
async function enterWith(locale: string): Promise<Page> {
  const cookies = await (await stage.reuse(ada)).context().cookies();
  const context = await newContext({ locale });
  await context.addCookies(cookies);
  return context.newPage();
}

test('a person chooses German in their profile, and keeps it until they choose English', async () => {
  const tab = await stage.reuse(ada);
  await tab.goto(stage.baseUrl + PROFILE);
  await heading(tab, 'Account').waitFor();
  expect(await readLanguage(tab)).toBe('en');
  const languages = tab.getByLabel('Language', { exact: true });
  await languages.waitFor();
  expect(await languages.locator('option').allTextContents()).toEqual(['English', 'Deutsch']);

  await languages.selectOption('Deutsch');
  await heading(tab, 'Konto').waitFor();
  expect(await readLanguage(tab)).toBe('de');
  await tab.getByRole('heading', { name: 'E-Mail-Adresse' }).waitFor();
  await tab.getByRole('button', { name: 'Benutzernamen ändern' }).waitFor();
  await expectReadable(tab);

  await tab.reload();
  await heading(tab, 'Konto').waitFor();
  expect(await readLanguage(tab)).toBe('de');
  await tab.goto(`${stage.baseUrl}/account/sessions`);
  await tab.getByRole('heading', { name: 'Wo du angemeldet bist' }).waitFor();

  await tab.goto(stage.baseUrl + PROFILE);
  const choice = tab.getByLabel('Sprache', { exact: true });
  expect(await choice.locator('option:checked').textContent()).toBe('Deutsch');
  await choice.selectOption('English');
  await heading(tab, 'Account').waitFor();
  expect(await readLanguage(tab)).toBe('en');
});

test('starts in the language that the browser prefers, until the person chooses another', async () => {
  const tab = await enterWith('de-AT');
  await tab.goto(stage.baseUrl + PROFILE);
  await heading(tab, 'Konto').waitFor();
  expect(await readLanguage(tab)).toBe('de');

  await tab.getByLabel('Sprache', { exact: true }).selectOption('English');
  await heading(tab, 'Account').waitFor();
  await tab.reload();
  await heading(tab, 'Account').waitFor();
  expect(await readLanguage(tab)).toBe('en');
});

test('the editor fits a phone with the longer words of German', async () => {
  const page = await stage.publish(ada, '<!doctype html><title>Wörter</title>', { name: 'Wörterbuch' });
  const tab = await enterWith('de');
  await tab.setViewportSize({ width: 360, height: 780 });
  await tab.goto(`${stage.baseUrl}/pages/${page.id}`);
  await tab.getByRole('button', { name: 'Veröffentlichen', exact: true }).waitFor();
  expect(await overflow(tab)).toBe(0);
  // A smaller word leaves room for the name of the page.
  const size = "getComputedStyle(document.querySelector('.split-button > .button')).fontSize";
  expect(await tab.evaluate<string>(size)).toBe('12.8px');
  await tab.getByRole('button', { name: 'Weitere Aktionen' }).click();
  await tab.getByRole('menuitem', { name: 'Entwurf speichern' }).waitFor();
  expect(await overflow(tab)).toBe(0);
});

test('starts in English if the browser prefers languages that we do not have', async () => {
  const tab = await enterWith('fr-FR');
  await tab.goto(stage.baseUrl + PROFILE);
  await heading(tab, 'Account').waitFor();
  expect(await readLanguage(tab)).toBe('en');
});

test('the built-in function is described in German too', async () => {
  const tab = await enterWith('de-DE');
  await tab.goto(`${stage.baseUrl}/functions`);
  await tab.getByText('Ruft eine Webseite ab').waitFor();
});

test('errors that people often see are in German too', async () => {
  const tab = await enterWith('de-DE');
  await tab.goto(`${stage.baseUrl}/pages/999999999`);
  await tab.getByText('Diese Seite wurde nicht gefunden.').waitFor();
});
