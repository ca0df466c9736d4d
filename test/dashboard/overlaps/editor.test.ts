import { afterAll, afterEach, beforeAll, expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { startToolVendor, type ToolVendor } from '../../support/agents/tool-vendor.ts';
import { expectNoOverlaps } from '../../support/browser/overlaps.ts';
import { closeTabs, openStage, type Person, type Stage } from '../../support/browser/stage.ts';
import { LOCALES, LONG_NAME, openWith } from './every-width.ts';

/** Nothing covers anything else in the editor while somebody works in it, and while the builder works. */

const HTML = '<!doctype html>\n<title>Wall</title>\n<p>Hello\n';
const BUILT = '<!doctype html>\n<html lang="en">\n<title>Bread</title>\n<h1>Bread</h1>\n</html>\n';
const TEST_MS = 240_000;

let vendor: ToolVendor;
let stage: Stage;
let olga: Person;
beforeAll(async () => {
  vendor = await startToolVendor();
  stage = await openStage('origin', {
    QUIRE_AI_PROVIDER: 'openai-compatible',
    QUIRE_AI_URL: vendor.url,
    QUIRE_AI_MODEL: 'model',
    QUIRE_CREDITS_NEW_USER: '2000',
  });
  olga = await stage.register('olga');
}, 120_000);
afterEach(closeTabs);
afterAll(async () => {
  await stage.close();
  await vendor.stop();
});

/** Replaces the text of the page. */
async function write(tab: Page, html: string): Promise<void> {
  await tab.locator('.page-open .cm-content').click();
  await tab.keyboard.press('ControlOrMeta+a');
  await tab.keyboard.press('Delete');
  await tab.keyboard.insertText(html);
}

/** Looks beside everything else, and in the whole window. */
async function look(tab: Page): Promise<void> {
  await tab.evaluate("for (const each of document.querySelectorAll('.toast button')) each.click()");
  await tab.locator('.toast').waitFor({ state: 'detached' });
  await expectNoOverlaps(tab);
  await tab.setViewportSize({ width: 1600, height: 800 });
  await tab.keyboard.press('Alt+Enter');
  await tab.locator('.side').waitFor({ state: 'hidden' });
  await expectNoOverlaps(tab);
  await tab.setViewportSize({ width: 1600, height: 800 });
  await tab.keyboard.press('Escape');
  await tab.locator('.side').waitFor();
}

const show = async (tab: Page, toggle: string) => {
  const button = tab.locator(toggle);
  await button.waitFor();
  if ((await button.getAttribute('aria-pressed')) === 'false') await button.click();
  await tab.locator(`${toggle}[aria-pressed=true]`).waitFor();
};

test.each(LOCALES)(
  'unsaved changes, a draft, and what waits for a connection, beside the files and the builder, in %s',
  async (locale) => {
    const page = await stage.publish(olga, HTML, { name: LONG_NAME, storage_mode: 'team_app' });
    const tab = await (await openWith(locale, stage, olga)).newPage();
    await tab.setViewportSize({ width: 1600, height: 800 });
    await tab.goto(`${stage.baseUrl}/pages/${page.id}`);
    await show(tab, '.page-files-toggle');
    await show(tab, '.screen-bar .bar-wide');
    await tab.locator('.builder-chat textarea').waitFor();

    await write(tab, `${HTML}<p>Changed`);
    await tab.locator('.page-state.unsaved').waitFor();
    await look(tab);
    await tab.keyboard.press('ControlOrMeta+s');
    await tab.locator('.page-state.draft').waitFor();
    await look(tab);
    await write(tab, `${HTML}<p>Changed again`);
    await tab.context().setOffline(true);
    await tab.keyboard.press('ControlOrMeta+Shift+S');
    await tab.locator('.page-state', { hasText: 'Offline ·' }).waitFor();
    await look(tab);
    await tab.context().setOffline(false);
    await tab.locator('.page-state.saved').waitFor();
  },
  TEST_MS,
);

test.each(LOCALES)(
  'a page that was built, and one that is being changed, in %s',
  async (locale) => {
    const before = await listPages();
    vendor.play([
      {
        text: `I make a page about ${LONG_NAME}.`,
        calls: [{ name: 'save_draft', input: { html_content: BUILT } }],
      },
      { text: 'A page with everything you asked for.' },
    ]);
    const prompt = `A page about ${LONG_NAME}`;
    const { status } = await stage.call('POST', '/api/builder', { token: olga.token, body: { prompt } });
    expect(status).toBe(200);
    const [id] = (await listPages()).filter((each) => !before.includes(each));
    const tab = await (await openWith(locale, stage, olga)).newPage();
    await tab.goto(`${stage.baseUrl}/pages/build/${id}`);
    await tab.getByText('A page with everything you asked for.').waitFor();
    await expectNoOverlaps(tab);

    await tab.setViewportSize({ width: 1600, height: 800 });
    vendor.play([{ text: 'I think about it for a while', ends: 'silence' }]);
    await tab.locator('.builder-change textarea').fill('Say that it is fresh');
    await tab.keyboard.press('Enter');
    await tab.getByText('I think about').first().waitFor();
    await expectNoOverlaps(tab);
    const stopped = await stage.call('DELETE', `/api/builder/${id}`, { token: olga.token });
    expect(stopped.status).toBe(200);
  },
  TEST_MS,
);

async function listPages(): Promise<number[]> {
  const { body } = await stage.call('GET', '/api/pages', { token: olga.token });
  return body.pages.map(({ id }: { id: number }) => id);
}
