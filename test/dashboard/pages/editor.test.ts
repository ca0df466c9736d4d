import { afterEach, beforeAll, expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { watchComplaints } from '../../support/browser/accessibility.ts';
import {
  closeTabs,
  type Person,
  type Published,
  type Stage,
  sharedStage,
} from '../../support/browser/stage.ts';
import { codeField, expectUsable, showAllTabs, write } from './publish.ts';

/** The page editor. Nothing that was typed is ever lost. */

const FIRST = '<!doctype html>\n<title>T</title>\n<h1>First</h1>\n';
const second = (word: string) => `<!doctype html>\n<title>T</title>\n<h1>${word}</h1>\n`;
const LIMIT = 4 * 1024 * 1024;

let stage: Stage;
let writer: Person;
beforeAll(async () => {
  stage = await sharedStage('origin');
  writer = await stage.register('writer');
});
afterEach(closeTabs);

async function openEditor(page: Published, entered?: Page) {
  const tab = entered ?? (await stage.reuse(writer));
  const complaints = watchComplaints(tab);
  await tab.goto(`${stage.baseUrl}/pages/${page.id}`);
  await codeField(tab).waitFor();
  return { tab, complaints };
}

const preview = (tab: Page) => tab.frameLocator('iframe:not(.coming)');
const read = async (page: Published) =>
  (await stage.call('GET', `/api/pages/${page.id}`, { token: writer.token })).body;
const saveElsewhere = (page: Published, html: string) =>
  stage.call('PATCH', `/api/pages/${page.id}`, { token: writer.token, body: { html_content: html } });

test('the preview follows the text, and saving publishes a new version', async () => {
  const page = await stage.publish(writer, FIRST);
  const { tab, complaints } = await openEditor(page);
  await preview(tab).getByRole('heading', { name: 'First' }).waitFor();
  await expectUsable(tab);
  await write(tab, second('page {{PAGE_ID}}'));
  await preview(tab)
    .getByRole('heading', { name: `page ${page.id}` })
    .waitFor();
  await tab.getByText('Unsaved changes').waitFor();
  await tab.keyboard.press('ControlOrMeta+Shift+S');
  await tab.getByText('Published as version 2.').waitFor();
  await tab.getByText('Live · version 2').waitFor();
  expect(await tab.evaluate('document.activeElement.closest(".code-editor") !== null')).toBe(true);
  expect((await read(page)).page.html_content).toBe(second('page {{PAGE_ID}}'));
  expect(complaints).toEqual([]);
});

test('saving shows what may be wrong, and each warning leads to its line', async () => {
  const page = await stage.publish(writer, FIRST);
  const { tab, complaints } = await openEditor(page);
  await write(tab, `${FIRST}<script>\nlet x = ;\n</script>\n<img alt="" src="logo.png">\n`);
  await tab.keyboard.press('ControlOrMeta+Shift+S');
  const warnings = tab.getByRole('region', { name: 'Warnings' });
  await warnings.getByText('Saved, with 2 warnings').waitFor();
  await warnings.getByText('The script does not run: Unexpected token.').waitFor();
  await tab.locator('.cm-lint-marker').nth(1).waitFor();
  expect(await tab.locator('.cm-lint-marker').count()).toBe(2);
  await expectUsable(tab);
  await warnings.getByRole('button', { name: 'Line 7' }).click();
  await tab.locator('.cm-activeLine', { hasText: 'logo.png' }).waitFor();
  expect((await read(page)).versionCount).toBe(2);

  await write(tab, FIRST);
  await tab.keyboard.press('ControlOrMeta+Shift+S');
  await warnings.waitFor({ state: 'detached' });
  // The error of the old script stays until the preview shows the new text.
  await tab.locator('.cm-lint-marker').first().waitFor({ state: 'detached' });
  expect(await tab.locator('.cm-lint-marker').count()).toBe(0);
  // The preview loads the picture that is missing.
  expect(complaints.filter((each) => !/logo\.png|Unexpected token|404/.test(each))).toEqual([]);
});

test('on a phone, page and code alternate, and the page comes first', async () => {
  const page = await stage.publish(writer, FIRST);
  const tab = await stage.reuse(writer);
  await tab.setViewportSize({ width: 390, height: 844 });
  await tab.goto(`${stage.baseUrl}/pages/${page.id}`);
  await preview(tab).getByRole('heading', { name: 'First' }).waitFor();
  expect(await codeField(tab).isVisible()).toBe(false);
  await tab.getByRole('button', { name: 'Code' }).click();
  await codeField(tab).waitFor();
  expect(await tab.getByRole('region', { name: 'Page', exact: true }).isVisible()).toBe(false);
});

test('one bar holds the name, the address, the tabs and the actions, and the editor fills the window', async () => {
  const page = await stage.publish(writer, FIRST, { name: 'Tall page', storage_mode: 'team_app' });
  const tab = await stage.reuse(writer);
  await tab.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  const { complaints } = await openEditor(page, tab);
  const bar = tab.locator('.screen-bar');
  expect((await bar.boundingBox())?.height).toBe(48);
  expect(await tab.evaluate('document.documentElement.scrollHeight <= innerHeight')).toBe(true);
  expect(await bar.getByRole('link', { name: 'Open page' }).getAttribute('href')).toBe(page.url);
  // Beside the sidebar of a small window, the name needs its place.
  expect(await bar.getByRole('button', { name: 'Copy URL' }).isVisible()).toBe(false);
  await tab.setViewportSize({ width: 1400, height: 720 });
  await bar.getByRole('button', { name: 'Copy URL' }).click();
  expect(await tab.evaluate('navigator.clipboard.readText()')).toBe(page.url);

  await bar.getByRole('button', { name: 'Tall page' }).click();
  await bar.getByRole('textbox', { name: 'Name' }).press('Escape');
  await bar.getByRole('button', { name: 'Tall page' }).click();
  await bar.getByRole('textbox', { name: 'Name' }).fill('Taller <page>');
  await tab.keyboard.press('Enter');
  await tab.getByRole('heading', { level: 1, name: 'Taller <page>' }).waitFor();
  expect((await read(page)).page.name).toBe('Taller <page>');

  // What does not fit is in a menu, also for the keyboard.
  await tab.setViewportSize({ width: 1000, height: 720 });
  await bar.getByRole('button', { name: 'More tabs' }).press('Enter');
  await tab.locator('[role=menuitem]:focus').waitFor();
  // From the first one to the last one, and to the one before it.
  await tab.keyboard.press('ArrowUp');
  await tab.keyboard.press('ArrowUp');
  await tab.keyboard.press('Enter');
  await tab.getByRole('heading', { name: 'Visibility' }).waitFor();
  await expectUsable(tab);
  expect(complaints).toEqual([]);
});

test('the editor can take the whole window', async () => {
  const page = await stage.publish(writer, FIRST);
  const { tab } = await openEditor(page);
  const areas = tab.getByRole('navigation', { name: 'Areas' });
  await tab.getByRole('button', { name: 'Full screen' }).click();
  await areas.waitFor({ state: 'hidden' });
  await expectUsable(tab);
  await tab.keyboard.press('Escape');
  await areas.waitFor();
  await codeField(tab).click();
  await tab.keyboard.press('Alt+Enter');
  await areas.waitFor({ state: 'hidden' });
  // Escape closes what is open in the editor first.
  await tab.keyboard.press('ControlOrMeta+f');
  await tab.getByRole('search').waitFor();
  await tab.keyboard.press('Escape');
  await tab.getByRole('search').waitFor({ state: 'detached' });
  expect(await areas.isVisible()).toBe(false);
  await tab.keyboard.press('Escape');
  await areas.waitFor();
  expect(await tab.getByText('Live · version 1').isVisible()).toBe(true);
});

test('finds and replaces, counts the matches, and says when there are none', async () => {
  const page = await stage.publish(writer, `${'<p>Tea or tea?</p>\n'.repeat(3)}<p>A [tea] party</p>\n`);
  const { tab, complaints } = await openEditor(page);
  await codeField(tab).click();
  await tab.keyboard.press('ControlOrMeta+f');
  const panel = tab.getByRole('search');
  const find = panel.getByRole('textbox', { name: 'Find' });
  await find.fill('tea');
  await panel.getByText('7 matches').waitFor();
  await tab.keyboard.press('Enter');
  await panel.getByText('1 of 7').waitFor();
  await tab.keyboard.press('Shift+Enter');
  await panel.getByText('7 of 7').waitFor();
  await expectUsable(tab);
  await panel.getByRole('button', { name: 'Match case' }).click();
  await panel.getByText('of 4').waitFor();
  await find.fill('[tea');
  await panel.getByText('1 match', { exact: true }).waitFor();
  await panel.getByRole('button', { name: 'Use a regular expression' }).click();
  await panel.getByText('Not a regular expression').waitFor();
  await find.fill('coffee');
  await panel.getByText('No matches').waitFor();
  await find.fill('[Tt]ea\\b');
  await panel.getByText('7 of 7').waitFor();
  await panel.getByRole('textbox', { name: 'Replace with' }).fill('milk');
  await panel.getByRole('button', { name: 'Replace all' }).click();
  await panel.getByText('No matches').waitFor();
  await panel.getByRole('button', { name: 'Close' }).click();
  await panel.waitFor({ state: 'detached' });
  await tab.keyboard.press('ControlOrMeta+Shift+S');
  await tab.getByText('Published as version 2.').waitFor();
  expect((await read(page)).page.html_content).toBe(
    `${'<p>milk or milk?</p>\n'.repeat(3)}<p>A [milk] party</p>\n`,
  );
  expect(complaints).toEqual([]);
});

test('the divider can be moved with the keyboard, and the preview can be as narrow as a phone', async () => {
  const page = await stage.publish(writer, FIRST);
  const { tab } = await openEditor(page);
  const divider = tab.getByRole('separator', { name: 'Width of code and preview' });
  await divider.focus();
  for (const _ of Array(9)) await tab.keyboard.press('ArrowLeft');
  expect(await divider.getAttribute('aria-valuenow')).toBe('25');
  await tab.getByRole('button', { name: 'Phone' }).click();
  await preview(tab).getByRole('heading', { name: 'First' }).waitFor();
  expect((await tab.locator('iframe:not(.coming)').boundingBox())?.width).toBe(390);
});

test('in two windows, the second sees what the first saved, and keeps its own text', async () => {
  const page = await stage.publish(writer, FIRST);
  const { tab } = await openEditor(page);
  const { tab: other } = await openEditor(page, await tab.context().newPage());
  await write(other, second('Theirs'));
  await other.getByRole('button', { name: 'Publish', exact: true }).click();
  await other.getByText('Published as version 2.').waitFor();
  await write(tab, second('Mine'));
  await tab.getByRole('button', { name: 'Publish', exact: true }).click();
  const dialog = tab.getByRole('dialog', { name: 'Someone else saved this page' });
  await dialog.getByText('Theirs', { exact: true }).waitFor();
  await dialog.getByText('1 added line and 1 removed line').waitFor();
  await expectUsable(tab);
  await dialog.getByRole('button', { name: 'Save mine as version 3' }).click();
  await tab.getByText('Live · version 3').waitFor();
  expect((await read(page)).page.html_content).toBe(second('Mine'));
});

test('in a conflict the user can take the other text and undo that, or keep a copy', async () => {
  const page = await stage.publish(writer, FIRST);
  const tab = await stage.reuse(writer);
  await tab.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await openEditor(page, tab);
  await write(tab, second('Mine'));
  await saveElsewhere(page, second('Theirs'));
  await tab.keyboard.press('ControlOrMeta+Shift+S');
  await tab.getByRole('button', { name: 'Copy mine and keep editing' }).click();
  await tab.getByText('Copied your text.').waitFor();
  expect(await tab.evaluate('navigator.clipboard.readText()')).toBe(second('Mine'));
  await codeField(tab).press('ControlOrMeta+s');
  await tab.getByRole('button', { name: 'Use theirs' }).click();
  await tab.getByText('Live · version 2').waitFor();
  await preview(tab).getByRole('heading', { name: 'Theirs' }).waitFor();
  // The browser returns the focus when the dialog is closed.
  await tab.getByRole('dialog').waitFor({ state: 'detached' });
  await codeField(tab).press('ControlOrMeta+z');
  await preview(tab).getByRole('heading', { name: 'Mine' }).waitFor();
  expect((await read(page)).versionCount).toBe(2);
});

test('offline, the text stays, and is published when the service is back', async () => {
  const page = await stage.publish(writer, FIRST);
  const { tab } = await openEditor(page);
  await write(tab, second('Offline'));
  await tab.context().setOffline(true);
  await tab.keyboard.press('ControlOrMeta+Shift+S');
  await tab.getByText('Offline · publishes when you are back').waitFor();
  // One is enough.
  expect(await tab.getByText('Cannot reach the service').count()).toBeLessThanOrEqual(1);
  await tab.context().setOffline(false);
  await tab.getByText('Live · version 2').waitFor();
  await tab.getByText('Cannot reach the service').waitFor({ state: 'detached' });
});

test('after a crash the text is back, and can be discarded', async () => {
  const page = await stage.publish(writer, FIRST);
  const { tab } = await openEditor(page);
  await write(tab, second('Nearly lost'));
  await preview(tab).getByRole('heading', { name: 'Nearly lost' }).waitFor();
  const next = await tab.context().newPage();
  await tab.close();
  const { tab: again } = await openEditor(page, next);
  await again.getByText('Restored unsaved changes on this device from just now.').waitFor();
  await preview(again).getByRole('heading', { name: 'Nearly lost' }).waitFor();
  await expectUsable(again);
  await again.getByRole('button', { name: 'Discard unsaved changes' }).click();
  await preview(again).getByRole('heading', { name: 'First' }).waitFor();
  await again.getByText('Live · version 1').waitFor();
  await again.reload();
  await codeField(again).waitFor();
  expect(await again.getByText('Restored unsaved changes').count()).toBe(0);
});

test('when the login ends the text stays, and is not shown to anyone else', async () => {
  const page = await stage.publish(writer, FIRST);
  const { tab } = await openEditor(page);
  await write(tab, second('Written late'));
  await tab.context().clearCookies();
  // The old token would still be valid for some minutes.
  await tab.route('**/api/pages/**', (route) =>
    route.request().method() === 'PATCH'
      ? route.fulfill({ status: 401, json: { error: 'Log in.' } })
      : route.continue(),
  );
  await tab.keyboard.press('ControlOrMeta+Shift+S');
  await tab.getByText('You are logged out.').waitFor();
  await tab.getByText('Your changes are stored in this browser.').waitFor();
  const names = (await tab.evaluate('Object.keys(localStorage)')) as string[];
  expect(names).toEqual([`quire-draft-${writer.id}-${page.id}`]);
  expect(await tab.getByText('/api/').count()).toBe(0);
  const asked: string[] = [];
  tab.on('dialog', (dialog) => {
    asked.push(dialog.type());
    void dialog.accept();
  });
  await tab.getByRole('link', { name: 'log in here' }).click();
  await tab.waitForURL((url) => url.pathname === '/login');
  expect(asked).toEqual([]);
});

test('the keyboard shortcut saves from anywhere on the screen, and an empty page is refused clearly', async () => {
  const page = await stage.publish(writer, FIRST);
  const { tab } = await openEditor(page);
  await write(tab, '');
  await tab.getByRole('separator').focus();
  await tab.keyboard.press('ControlOrMeta+Shift+S');
  await tab.getByRole('alert').getByText('Not saved. The page is empty.').waitFor();
  await write(tab, second('Anywhere'));
  await tab.getByRole('separator').focus();
  await tab.keyboard.press('ControlOrMeta+Shift+S');
  await tab.getByText('Published as version 2.').waitFor();
  expect((await read(page)).page.html_content).toBe(second('Anywhere'));
});

test('leaving with unsaved text keeps it in this browser, and does not ask', async () => {
  const page = await stage.publish(writer, FIRST);
  const { tab } = await openEditor(page);
  await write(tab, second('Unsaved'));
  await tab.getByText('Unsaved changes').waitFor();
  const asked: string[] = [];
  tab.on('dialog', (dialog) => {
    asked.push(dialog.message());
    void dialog.dismiss();
  });
  await showAllTabs(tab);
  await tab.getByRole('link', { name: 'History' }).click();
  await tab.getByRole('link', { name: 'Versions' }).click();
  await tab.getByRole('heading', { name: 'Version 1' }).waitFor();
  await tab.getByRole('link', { name: 'Editor' }).click();
  await preview(tab).getByRole('heading', { name: 'Unsaved' }).waitFor();
  await tab.getByRole('link', { name: 'Functions' }).click();
  await tab.getByText('are stored in this browser. They are not saved.').waitFor();
  await tab.goBack();
  await preview(tab).getByRole('heading', { name: 'Unsaved' }).waitFor();
  await tab.reload();
  await tab.getByText('Restored unsaved changes on this device').waitFor();
  expect(asked).toEqual([]);
});

test('leaving asks first if the browser cannot store the text', async () => {
  const page = await stage.publish(writer, FIRST);
  const { tab } = await openEditor(page);
  await tab.evaluate('Storage.prototype.setItem = () => { throw new Error("full") }');
  await write(tab, second('Unsaved'));
  await tab.getByText('Unsaved changes').waitFor();
  await tab.getByRole('link', { name: 'Functions' }).click();
  const dialog = tab.getByRole('dialog', { name: 'Discard your changes?' });
  await dialog.getByRole('button', { name: 'Keep editing' }).click();
  await dialog.waitFor({ state: 'detached' });
  expect(await codeField(tab).isVisible()).toBe(true);
  expect(await codeField(tab).innerText()).toContain('Unsaved');
});

test('a text above the limit is refused and stays, and is saved once it fits', async () => {
  const line = `${'x'.repeat(1023)}\n`;
  const page = await stage.publish(writer, line.repeat(LIMIT / line.length).slice(1));
  const { tab } = await openEditor(page);
  await codeField(tab).click();
  await tab.keyboard.insertText('aa');
  await tab.getByRole('button', { name: 'Publish', exact: true }).click();
  await tab.getByText('Not saved. The page is 1 byte larger than the limit of 4 MB.').first().waitFor();
  await codeField(tab).press('Backspace');
  await tab.getByRole('button', { name: 'Publish', exact: true }).click();
  await tab.getByText('Published as version 2.').first().waitFor();
});
