import { afterAll, afterEach, beforeAll, expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { expectReadable, overflows } from '../../support/browser/accessibility.ts';
import { closeTabs, logIn, openStage, PASSWORD, type Stage } from '../../support/browser/stage.ts';

/** Pages that were published without an account, from the link to the account. */

let stage: Stage;
beforeAll(async () => {
  stage = await openStage('origin', {
    QUIRE_ANONYMOUS_PAGES: 'on',
    QUIRE_NPM_REGISTRY: 'off',
  });
});
afterAll(() => stage?.close());
afterEach(closeTabs);

async function publish(title: string): Promise<{ url: string; claim: string; slug: string }> {
  const html_content = `<!doctype html><title>${title}</title><h1>Seeds</h1>`;
  return (await stage.call('POST', '/api/publish', { body: { html_content } })).body;
}

const claimButton = (tab: Page) => tab.getByRole('button', { name: 'Claim the page' });

test('a person without an account creates one on the way, and owns the page', async () => {
  const { url, claim } = await publish('Garden &amp; seeds');
  const tab = await stage.enter();
  await tab.goto(claim);
  expect(await tab.locator('main').innerText()).toContain('Garden & seeds');
  await tab.getByRole('link', { name: 'Create an account' }).click();
  const person = { username: 'nina-claim', email: 'nina-claim@example.com', password: PASSWORD };
  for (const [name, value] of Object.entries(person)) await tab.fill(`input[name=${name}]`, value);
  await tab.click('button');
  await claimButton(tab).click();
  await tab.waitForURL(/\/pages\/\d+/);
  await tab.getByRole('heading', { name: 'Garden & seeds' }).waitFor();
  const visitor = await stage.enter();
  await visitor.goto(url);
  expect(await visitor.locator('h1').innerText()).toBe('Seeds');
  expect(await visitor.getByRole('note').count()).toBe(0);
  await visitor.goto(claim);
  await visitor.getByRole('heading', { name: 'This link no longer works' }).waitFor();
});

test('a person logs in on the way, and their link is in no referrer', async () => {
  const mila = await stage.register('mila-claim');
  const { claim, slug } = await publish('Plans');
  const tab = await stage.enter();
  await tab.goto(claim);
  await tab.getByRole('link', { name: 'Log in' }).click();
  await logIn(tab, mila);
  await claimButton(tab).waitFor();
  const opened = tab.context().waitForEvent('page');
  await tab.getByRole('link', { name: slug }).click();
  const shown = await opened;
  await shown.getByRole('note').waitFor();
  expect(await shown.evaluate('document.referrer')).toBe('');
  await claimButton(tab).click();
  await tab.waitForURL(/\/pages\/\d+/);
});

test('the bar is readable on every screen, and leads to whom a page is reported', async () => {
  const { url } = await publish('Wochenplan'.repeat(19));
  const tab = await stage.enter();
  await tab.goto(url);
  await tab.frameLocator('iframe').getByText('Seeds').waitFor();
  expect(await tab.getByRole('link', { name: 'Report this page' }).getAttribute('href')).toBe(
    `${stage.baseUrl}/report?page=${encodeURIComponent(url)}`,
  );
  for (const width of [320, 390, 820, 1280]) {
    await tab.setViewportSize({ width, height: 700 });
    const frame = await tab.locator('iframe').boundingBox();
    expect(frame?.height).toBeGreaterThan(450);
  }
  expect(await overflows(tab)).toEqual([]);
  await expectReadable(tab);
});
