import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { showAllTabs } from '../../dashboard/pages/publish.ts';
import { launchBrowser, type TestBrowser } from '../../support/browser/browser.ts';
import { openPublicService, type PublicService } from '../../support/pages/public-service.ts';
import { SITE } from './site.ts';

/** What somebody does who has never seen Quire: everything from the start page on, and only what they can see there. */

const DOMAIN = 'www.choir.test';
const PASSWORD = 'a password of my own';
/** People have browsers with windows. Programs are not counted as visitors. */
const userAgent = 'Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0';

const FORM = `<img src="logo.png" alt="Our logo">
<form data-quire-form="contact"><label>Message <textarea name="message" required></textarea></label><button>Send message</button></form>
`;
const MISTAKE = '<script>choirCalendar.open();</script>';

let service: PublicService;
let browser: TestBrowser;
beforeAll(async () => {
  service = await openPublicService();
  browser = await launchBrowser({
    flags: ['--host-resolver-rules=MAP *.test 127.0.0.1', service.pebble.browserFlag],
    isLean: true,
  });
});
afterAll(async () => {
  await browser?.close();
  await service?.stop();
});

const newTab = async () => (await browser.context({ userAgent })).newPage();
const address = () => `https://${DOMAIN}:${service.ports.https}/`;
const button = (tab: Page, name: string) => tab.getByRole('button', { name, exact: true });
const link = (tab: Page, name: string) => tab.getByRole('link', { name, exact: true });

test('a newcomer makes a page with everything, invites somebody, and fixes a mistake', async () => {
  const tab = await newTab();
  await tab.goto(service.baseUrl);
  await link(tab, 'Create an account').click();
  await register(tab, 'newcomer');
  await publishTemplate(tab);
  await addPictureAndForm(tab);
  await addDomain(tab);
  await inviteColleague(tab);
  await visitAndWrite();
  await readWhoCame(tab);
  await mendMistake(tab);
}, 300_000);

async function register(tab: Page, username: string): Promise<void> {
  await tab.getByLabel('Username').fill(username);
  await tab.getByLabel('E-mail').fill(`${username}@choir.test`);
  await tab.getByLabel('Password').fill(PASSWORD);
  await button(tab, 'Create account').click();
}

/** A page for a team, with a function and its database, in one click. */
async function publishTemplate(tab: Page): Promise<void> {
  await link(tab, 'Start with a template').click();
  await tab.getByRole('button', { name: 'Nightly digest' }).click();
  const dialog = tab.getByRole('dialog', { name: 'Nightly digest' });
  await dialog.getByLabel('Name').fill('Choir digest');
  await dialog.getByRole('button', { name: 'Publish page' }).click();
  await tab.waitForURL(/\/pages\/\d+\/share\?template=/);
  await link(tab, 'Editor').click();
  await button(tab, 'Code').click();
}

async function addPictureAndForm(tab: Page): Promise<void> {
  await tab
    .getByLabel('Upload files')
    .first()
    .setInputFiles({
      name: 'logo.png',
      mimeType: 'image/png',
      buffer: Buffer.from(SITE['img/pixel.png'] ?? ''),
    });
  await tab.getByRole('treeitem', { name: 'logo.png', exact: true }).waitFor();
  await tab.getByRole('textbox', { name: 'Page HTML' }).click();
  await tab.keyboard.press('ControlOrMeta+End');
  await tab.keyboard.insertText(FORM + MISTAKE);
  await button(tab, 'Publish').click();
  await tab.getByText(/^Live · version \d+$/).waitFor();
}

async function addDomain(tab: Page): Promise<void> {
  await showAllTabs(tab);
  await link(tab, 'Settings').click();
  await tab.getByLabel('Domain', { exact: true }).fill(DOMAIN);
  await button(tab, 'Add domain').click();
  const value = await tab.getByText(/^quire-verification=/).innerText();
  service.dns.set(`_quire.${DOMAIN}`, { txt: [value] });
  await tab.getByRole('button', { name: `Verify ${DOMAIN}` }).click();
  await tab.getByText('Verified', { exact: true }).waitFor();
}

async function inviteColleague(owner: Page): Promise<void> {
  await link(owner, 'Team').click();
  await button(owner, 'Copy invite link').click();
  const invite = (await owner.locator('.team-made code').textContent()) ?? '';

  const colleague = await newTab();
  await colleague.goto(invite);
  await link(colleague, 'Create an account').click();
  await register(colleague, 'colleague');
  await button(colleague, 'Join').click();
  await colleague.waitForURL(address());
  await colleague.goto(`${service.baseUrl}/pages`);
  await colleague.getByText('Shared with you').waitFor();
  await link(colleague, 'Choir digest').waitFor();

  await owner.reload();
  await owner.getByRole('row', { name: /^colleague/ }).waitFor();
}

async function visitAndWrite(): Promise<void> {
  const visitor = await newTab();
  const reported = visitor.waitForResponse((response) => response.url().endsWith('/errors'));
  await visitor.goto(address());
  expect((await reported).status()).toBe(204);
  const picture = visitor.getByAltText('Our logo');
  expect(await picture.evaluate((image) => (image as unknown as { naturalWidth: number }).naturalWidth)).toBe(
    1,
  );
  await visitor.getByLabel('Message').fill('When do you meet?');
  await visitor.getByRole('button', { name: 'Send message' }).click();
  await visitor.locator('form[data-quire-state=sent]').waitFor();
}

/** From home, which says that something is wrong. */
async function readWhoCame(owner: Page): Promise<void> {
  await link(owner, 'Home').click();
  await owner.getByText(/ in visitors’ browsers$/).waitFor();
  await link(owner, 'Choir digest').first().click();
  await link(owner, 'Forms 1 unread').click();
  await owner.getByText('When do you meet?').waitFor();
  await link(owner, 'Analytics').click();
  // Two came, with the same address and kind of browser. Nobody is told apart by a cookie.
  const visitors = owner.locator('.figures > div').filter({ hasText: 'Visitors' }).locator('dd').first();
  await visitors.filter({ hasText: /^[12]$/ }).waitFor();
  await owner.getByText('Uncaught ReferenceError: choirCalendar is not defined').waitFor();
}

async function mendMistake(owner: Page): Promise<void> {
  await owner.getByRole('link', { name: /^the page, line \d+$/ }).click();
  const editor = owner.getByRole('textbox', { name: 'Page HTML' });
  await editor.waitFor();
  await editor.press('Home');
  await editor.press('Shift+End');
  await owner.keyboard.press('Delete');
  await button(owner, 'Publish').click();
  await owner.getByText(/^Live · version \d+$/).waitFor();

  const visitor = await newTab();
  const errors: string[] = [];
  visitor.on('pageerror', ({ message }) => errors.push(message));
  await visitor.goto(address());
  await visitor.getByAltText('Our logo').waitFor();
  expect(errors).toEqual([]);
}
