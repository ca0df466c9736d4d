import { afterEach, beforeAll, expect, test } from 'bun:test';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FrameLocator, Locator, Page } from 'playwright-core';
import { watchComplaints } from '../../support/browser/accessibility.ts';
import {
  closeTabs,
  newContext,
  type Person,
  type Published,
  type Stage,
  sharedStage,
} from '../../support/browser/stage.ts';
import { waitUntil } from '../../support/server.ts';
import { codeField, expectUsable } from './publish.ts';

/** Changing a page by clicking in it. The code follows, and changes nowhere else. */

const ROOT = join(import.meta.dir, '../../..');
const PICTURE = 'data:image/gif;base64,R0lGODlhAQABAAAAACwAAAAAAQABAAA=';
const CAFE = `<!doctype html>\r
<html lang="en">\r
<style>:root { --accent: #b5472f; } h1 { color: var(--accent) } img { width: 300px; height: 100px }</style>\r
<main>\r
  <h1>\r
    A caf&eacute;\r
    by the river\r
  </h1>\r
  <p>Open from <b>eight</b> &mdash; 👋🏽 every day.</p>\r
  <p><a href='/menu'>The menu</a>\r
  <p><img src="${PICTURE}">\r
  <p id=now></p><input placeholder=Name><button>Book</button>\r
</main>\r
<script>now.textContent = 'Now'; document.querySelector('button').onclick = () => { now.textContent = 'Booked' }</script>\r
`;

let stage: Stage;
let owner: Person;
beforeAll(async () => {
  stage = await sharedStage('origin');
  owner = await stage.register('visual-editor');
});
afterEach(closeTabs);

const button = (tab: Page, name: string) => tab.getByRole('button', { name, exact: true });
const showPage = (tab: Page) => button(tab, 'Page').click();
const showCode = (tab: Page) => button(tab, 'Code').click();
const isTyping = (tab: Page) => button(tab, 'Done').first().waitFor();

/** The page in the frame that is shown, when it can be changed. */
async function openPage(tab: Page, page: Published): Promise<FrameLocator> {
  await tab.goto(`${stage.baseUrl}/pages/${page.id}`);
  if ((tab.viewportSize()?.width ?? 0) > 736) await showPage(tab);
  await tab.locator('.visual-frame iframe:not(.coming)').waitFor();
  return tab.frameLocator('.visual-frame iframe:not(.coming)');
}

/** The code as it would be saved. */
const readDraft = (tab: Page, page: Published) =>
  tab.evaluate(`JSON.parse(localStorage.getItem('quire-draft-${owner.id}-${page.id}') ?? 'null')?.text`);
const expectCode = (tab: Page, page: Published, html: string) =>
  waitUntil(async () => (await readDraft(tab, page)) === html);

test('texts, links, pictures and colors change where they are in the code, and undo works in both', async () => {
  const page = await stage.publish(owner, CAFE);
  const tab = await stage.enter(owner);
  const complaints = watchComplaints(tab);
  const shown = await openPage(tab, page);
  let html = CAFE;
  const expectNow = async (before: string, after: string) => {
    expect(html.split(before)).toHaveLength(2);
    html = html.replace(before, () => after);
    await expectCode(tab, page, html);
  };

  // A text, with entities, line breaks and what looks like markup.
  await shown.getByRole('heading').click();
  await isTyping(tab);
  await tab.keyboard.press('End');
  await tab.keyboard.type(' & <b>');
  await tab.keyboard.press('Enter');
  await expectNow('by the river', 'by the river &amp; &lt;b>');
  await shown.getByText('every day').click();
  await isTyping(tab);
  await tab.keyboard.press('End');
  await tab.keyboard.press('Backspace');
  await tab.keyboard.type('!');
  await tab.keyboard.press('Enter');
  await expectNow('every day.', 'every day!');
  // Escape takes back what was typed since the click.
  await shown.locator('b').click();
  await isTyping(tab);
  await tab.keyboard.type('nine');
  await tab.keyboard.press('Escape');
  await expectCode(tab, page, html);

  // A link: its text in the page, its address beside it.
  await shown.getByText('The menu').click();
  await tab.getByRole('textbox', { name: 'Address' }).fill('example.org/"menu"&more');
  await expectNow(`'/menu'`, `'https://example.org/"menu"&amp;more'`);
  await tab.getByRole('textbox', { name: 'Text', exact: true }).fill('Our menu');
  await expectNow('The menu', 'Our menu');
  await shown.getByText('Our menu').waitFor();
  await expectUsable(tab);
  await tab.keyboard.press('Escape');

  // A picture: its description, and another file of the page.
  await shown.locator('img').click();
  await tab.getByRole('textbox', { name: 'Description' }).fill('Tables "outside"');
  await expectNow(`${PICTURE}"`, `${PICTURE}" alt="Tables &quot;outside&quot;"`);
  await tab
    .getByLabel('Upload a picture')
    .setInputFiles({ name: 'my tables.png', mimeType: 'image/png', buffer: Buffer.from('not really') });
  await expectNow(PICTURE, 'my%20tables.png');
  await button(tab, 'Done').click();

  // A field, and a color of the page.
  await shown.locator('input').click();
  await tab.getByRole('textbox', { name: 'Hint in the empty field' }).fill('Your name');
  await expectNow('placeholder=Name', 'placeholder="Your name"');
  await button(tab, 'Done').click();
  await button(tab, 'Colors').click();
  await tab.getByLabel('Accent').fill('#225588');
  await expectNow('#b5472f', '#225588');
  await waitUntil(() =>
    shown.getByRole('heading').evaluate((heading) => {
      const { getComputedStyle } = globalThis as unknown as {
        getComputedStyle(of: unknown): { color: string };
      };
      return getComputedStyle(heading).color === 'rgb(34, 85, 136)';
    }),
  );
  await button(tab, 'Close').click();
  await shown.locator('b').click();
  await isTyping(tab);
  await tab.getByLabel('Color of the text').fill('#eeeeee');
  await tab.getByText('Hard to read').waitFor();
  await expectNow('<b>', '<b style="color: #eeeeee">');
  await button(tab, 'Done').click();

  // Undo in the page, in the code, and in the page again.
  await button(tab, 'Undo').click();
  await expectNow('<b style="color: #eeeeee">', '<b>');
  await tab.keyboard.press('ControlOrMeta+z');
  await expectNow('#225588', '#b5472f');
  await showCode(tab);
  await codeField(tab).focus();
  await tab.keyboard.press('ControlOrMeta+z');
  await expectNow('placeholder="Your name"', 'placeholder=Name');
  await showPage(tab);
  await button(tab, 'Redo').click();
  await expectNow('placeholder=Name', 'placeholder="Your name"');

  await tab.keyboard.press('ControlOrMeta+Shift+s');
  await tab.getByText(/Live · version \d/).waitFor();
  const saved = (await stage.call('GET', `/api/pages/${page.id}`, { token: owner.token })).body;
  expect(saved.page.html_content).toBe(html);
  expect(complaints.filter((each) => !/preload/.test(each))).toEqual([]);
});

test('the keyboard goes through the page, and what a script has written says so', async () => {
  const page = await stage.publish(owner, CAFE);
  const tab = await stage.enter(owner);
  const shown = await openPage(tab, page);
  await tab.getByRole('application').focus();
  await tab.keyboard.press('ArrowDown');
  await tab.getByText('Text: A café by the river').waitFor({ state: 'attached' });
  await tab.keyboard.press('ArrowDown');
  await tab.keyboard.press('Enter');
  await isTyping(tab);
  await tab.keyboard.type('Closed on');
  await tab.keyboard.press('Enter');
  await expectCode(tab, page, CAFE.replace('Open from', 'Closed on'));
  expect(await tab.evaluate('document.activeElement.getAttribute("role")')).toBe('application');

  await shown.locator('#now').click();
  await tab.getByText('A script of the page writes this.').waitFor();
  await button(tab, 'Open the code').click();
  await tab.locator('.cm-activeLine', { hasText: 'id=now' }).waitFor();
  await showPage(tab);
  // Its buttons work while the person tries the page, and are texts otherwise.
  await shown.getByRole('button', { name: 'Book' }).click();
  await isTyping(tab);
  await tab.keyboard.press('End');
  await tab.keyboard.type(' a table');
  await tab.keyboard.press('Enter');
  await expectCode(tab, page, CAFE.replace('Open from', 'Closed on').replace('>Book<', '>Book a table<'));
  expect(await shown.locator('#now').innerText()).toBe('Now');
  await button(tab, 'Try').click();
  await shown.getByRole('button', { name: 'Book' }).click();
  await shown.getByText('Booked').waitFor();
});

/**
 * What a hostile page can do. Its scripts run in the frame and can replace what browsers offer there, but do not get hold
 * of the wire to the dashboard, and cannot act as the person. When the person types, a page can lie about where and what:
 * then one of its own texts has other words, as text, never as markup, an attribute or a script; the change is unsaved,
 * visible and can be undone. Its scripts can show these words to every visitor anyway.
 */
const HOSTILE = `<h1>Title</h1><p id="p">Body</p><script>
const natively = Reflect.apply;
const take = (self) => {
  if (self instanceof MessagePort) document.title = 'has the wire';
};
const { get } = Object.getOwnPropertyDescriptor(MessageEvent.prototype, 'data');
Object.defineProperty(MessageEvent.prototype, 'data', { get() { take(this.target); return natively(get, this, []); } });
for (const [object, name] of [[Function.prototype, 'call'], [Function.prototype, 'apply'], [Reflect, 'apply']]) {
  const original = object[name];
  object[name] = function (...given) { given.forEach(take); return natively(original, this, given); };
}
const { postMessage } = MessagePort.prototype;
MessagePort.prototype.postMessage = function (...given) { take(this); return natively(postMessage, this, given); };
setInterval(() => {
  p.dispatchEvent(new MouseEvent('click', { bubbles: true, cancelable: true, clientX: 20, clientY: 90 }));
  parent.postMessage({ preview: { text: 'x' } }, '*');
  const typed = document.querySelector('quire-typing');
  if (!typed) return;
  typed.textContent = '<script>evil()<\\/script>';
  typed.dispatchEvent(new InputEvent('input', { bubbles: true }));
  typed.dispatchEvent(new KeyboardEvent('keydown', { key: 's', ctrlKey: true, bubbles: true }));
}, 50);
</script>`;

test('a hostile page changes nothing without the person, and only a text when they type', async () => {
  const page = await stage.publish(owner, HOSTILE);
  const tab = await stage.enter(owner);
  await tab.addInitScript(`try { localStorage.setItem('quire-editor-${owner.id}', 'page') } catch {}`);
  await tab.goto(`${stage.baseUrl}/pages/${page.id}`);
  await tab.locator('.visual-frame iframe:not(.coming)').waitFor();
  const frame = tab.frames().find((each) => each.url().includes('/preview'));
  // Many attempts later.
  const attempts = () => frame?.evaluate('new Promise((done) => setTimeout(done, 1500))');
  await attempts();
  expect(await readDraft(tab, page)).toBeUndefined();

  const shown = tab.frameLocator('.visual-frame iframe:not(.coming)');
  await shown.getByRole('heading').click();
  await isTyping(tab);
  await attempts();
  expect(await readDraft(tab, page)).toBeUndefined();
  await tab.keyboard.type('x');
  await waitUntil(async () => (await readDraft(tab, page)) !== undefined);
  expect(await frame?.title()).not.toBe('has the wire');
  const saved = await stage.call('GET', `/api/pages/${page.id}/drafts`, { token: owner.token });
  expect(saved.body.drafts).toEqual([]);
  await showCode(tab);
  const code = await codeField(tab).innerText();
  expect(code).not.toContain('evil()</script></h1>');
  expect(code.replace(/<h1>[^<]*<\/h1>/, '<h1>Title</h1>').replaceAll('\n', '')).toBe(
    HOSTILE.replaceAll('\n', ''),
  );
  const { body } = await stage.call('GET', `/api/pages/${page.id}`, { token: owner.token });
  expect(body.page.html_content).toBe(HOSTILE);
});

test.each<[what: string, script: string]>([
  ['clears itself', 'document.body.replaceChildren()'],
  ['writes itself anew', 'document.open(); document.write("<h1>Another</h1>"); document.close()'],
  [
    'replaces its body',
    'document.body = document.createElement("body"); document.body.innerHTML = "<h1>Title</h1>"',
  ],
  ['throws and asks', 'alert(1); confirm(2); throw new Error("no")'],
  ['moves its texts around', 'h.textContent = "Body"; p.textContent = "Title"'],
  ['marks other elements', 'h.dataset.quireAt = p.dataset.quireAt; p.removeAttribute("data-quire-at")'],
  ['leads elsewhere', 'location.href = "about:blank"'],
  ['clears all timers', 'for (let n = 0; n < 9999; n++) { clearInterval(n); clearTimeout(n) }'],
])('a page that %s when it is clicked is not written wrongly', async (_, script) => {
  const html = `<h1 id="h">Title</h1><p id="p">Body</p><script>addEventListener('pointerdown', run, true); setTimeout(run, 700); function run() { ${script} }</script>`;
  const page = await stage.publish(owner, html);
  const tab = await stage.enter(owner);
  tab.on('dialog', (dialog) => void dialog.dismiss());
  await openPage(tab, page);
  await tab.waitForTimeout(900);
  const box = await tab.locator('.visual-frame').boundingBox();
  for (const y of [40, 90]) {
    await tab.mouse.click((box?.x ?? 0) + 30, (box?.y ?? 0) + y);
    await tab.waitForTimeout(250);
    await tab.keyboard.type('X');
    await tab.keyboard.press('Enter');
  }
  await tab.waitForTimeout(300);
  const now = String((await readDraft(tab, page)) ?? html);
  const [, title = '', body = '', rest] =
    /^<h1 id="h">([^<]*)<\/h1><p id="p">([^<]*)<\/p>([\s\S]*)$/.exec(now) ?? [];
  expect(rest).toBe(html.slice(html.indexOf('<script>')));
  expect(title.replace('X', '')).toBe('Title');
  expect(body.replace('X', '')).toBe('Body');
  // The editor works.
  await showCode(tab);
  await codeField(tab).click();
  await tab.keyboard.press('ControlOrMeta+End');
  await tab.keyboard.type('<i>on</i>');
  await tab.getByText('Unsaved changes').waitFor();
});

test('on a phone the page comes first, and a tap changes it', async () => {
  const page = await stage.publish(
    owner,
    CAFE.replace('<style>', '<meta name="viewport" content="width=device-width"><style>'),
  );
  const { cookies } = await (await stage.enter(owner)).context().storageState();
  const context = await newContext({ viewport: { width: 390, height: 780 }, hasTouch: true, isMobile: true });
  await context.addCookies(cookies);
  const tab = await context.newPage();
  const shown = await openPage(tab, page);
  const tap = (target: Locator) => target.tap();
  await tap(shown.getByRole('heading'));
  await isTyping(tab);
  await tab.keyboard.press('End');
  await tab.keyboard.type(', open');
  await tap(button(tab, 'Done').first());
  const changed = 'by the river, open';
  await waitUntil(async () => String(await readDraft(tab, page)).includes(changed));
  await tap(shown.getByText('The menu'));
  await tab.getByRole('textbox', { name: 'Address' }).fill('/food');
  await waitUntil(async () => String(await readDraft(tab, page)).includes(`href='/food'`));
  await expectUsable(tab);
  await tap(button(tab, 'Code'));
  await codeField(tab).waitFor();
});

/** The documents of all templates and examples. */
const documents = ['templates', 'examples'].flatMap((folder) =>
  readdirSync(join(ROOT, folder)).flatMap((name) => {
    const path = join(folder, name, 'index.html');
    return existsSync(join(ROOT, path)) ? [path] : [];
  }),
);

test('the heading of every template and example can be changed by a click, or says why not', async () => {
  expect(documents.length).toBeGreaterThan(10);
  const tab = await stage.enter(owner);
  const results: Record<string, string> = {};
  for (const path of documents) {
    const html = readFileSync(join(ROOT, path), 'utf8');
    const page = await stage.publish(owner, html, { storage_mode: 'solo_app' });
    const shown = await openPage(tab, page);
    const heading = shown.locator('h1').first();
    await heading.waitFor({ state: 'attached' });
    // Some show it to people who are logged in, or when their function has answered.
    if (!(await heading.isVisible())) continue;
    await heading.click();
    const typing = tab.locator('.visual-bar.typing');
    const script = tab.getByText('A script of the page writes this.');
    await typing.or(script).waitFor();
    if (await script.isVisible()) {
      results[path] = 'script';
      continue;
    }
    await tab.keyboard.press('ControlOrMeta+End');
    await tab.keyboard.type(' & Co');
    await tab.keyboard.press('Enter');
    await waitUntil(async () => (await readDraft(tab, page)) !== undefined);
    const now = String(await readDraft(tab, page));
    results[path] = now.replace(' &amp; Co', '') === html ? 'changed' : now;
  }
  expect(Object.values(results).filter((each) => each !== 'changed' && each !== 'script')).toEqual([]);
  expect(Object.values(results).filter((each) => each === 'changed').length).toBeGreaterThan(
    documents.length / 2,
  );
}, 240_000);
