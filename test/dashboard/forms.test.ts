import { afterEach, beforeAll, expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { watchComplaints } from '../support/browser/accessibility.ts';
import { closeTabs, type Person, type Published, type Stage, sharedStage } from '../support/browser/stage.ts';
import { waitUntil } from '../support/server.ts';
import { codeField, expectUsable, showAllTabs } from './pages/publish.ts';

/** The inbox of a page in the dashboard. */

let stage: Stage;
let owner: Person;
beforeAll(async () => {
  stage = await sharedStage('origin');
  owner = await stage.register('olga-inbox');
});
afterEach(closeTabs);

const publish = () => stage.publish(owner, '<!doctype html><title>t</title>', { name: 'Bakery' });
const send = (page: Published, body: object, form = 'contact') =>
  stage.call('POST', `/api/pages/${page.id}/forms/${form}`, { body });
const button = (tab: Page, name: string) => tab.getByRole('button', { name, exact: true });

async function openInbox(page: Published) {
  const tab = await stage.reuse(owner);
  const complaints = watchComplaints(tab);
  await tab.goto(`${stage.baseUrl}/pages/${page.id}/forms`);
  return { tab, complaints };
}

test('a page without messages shows a form to paste', async () => {
  const { tab, complaints } = await openInbox(await publish());
  await tab.getByRole('heading', { name: 'No messages yet' }).waitFor();
  await tab.getByText('<form data-quire-form="contact">').waitFor();
  await expectUsable(tab);
  expect(complaints).toEqual([]);
});

test('a page that has a form leads to its visitors, and is not told to paste one', async () => {
  const html = '<!doctype html><title>t</title><form data-quire-form="orders"><input name="bread"></form>';
  const { tab } = await openInbox(await stage.publish(owner, html, { name: 'Bakery with a form' }));
  await tab.getByText('send with the form of this page').waitFor();
  expect(await tab.getByText('<form data-quire-form').count()).toBe(0);
  await tab.getByRole('link', { name: 'Share the page' }).click();
  await tab.waitForURL('**/share');
});

test('a page made from the template receives a message with a file, and the inbox shows it', async () => {
  const tab = await stage.reuse(owner);
  await tab.goto(`${stage.baseUrl}/pages/new`);
  await button(tab, 'Contact form').click();
  await tab.getByLabel('Name').fill('Write to Olga');
  await button(tab, 'Publish page').click();
  await tab.waitForURL(/\/pages\/\d+\/share\?template=/);
  const screen = tab.url().replace(/\/share.*/, '');

  const visitor = await stage.enter();
  await visitor.goto(`${stage.baseUrl}/p/write-to-olga`);
  await visitor.getByLabel('Your name').fill('Ada <b>Lovelace</b>');
  await visitor.getByLabel('Your e-mail').fill('ada@example.com');
  await visitor.getByLabel('Message', { exact: true }).fill('First line\nSecond line');
  await visitor
    .getByLabel('Pictures')
    .setInputFiles({ name: 'engine.txt', mimeType: 'text/plain', buffer: Buffer.from('cogs') });
  await visitor.getByRole('button', { name: 'Send message' }).click();
  await visitor.getByText('Thank you. We have received your message.').waitFor();
  await expectUsable(visitor);

  await tab.goto(screen);
  // The bar of the loaded editor replaces an earlier one, and a press on that would be lost.
  await button(tab, 'Code').click();
  await codeField(tab).waitFor();
  await showAllTabs(tab);
  await tab.getByRole('link', { name: 'Forms 1 unread' }).click();
  await tab.getByText('Ada <b>Lovelace</b>', { exact: true }).first().click();
  // Opening it marks it as read.
  await tab.getByRole('link', { name: 'Forms', exact: true }).waitFor();
  const message = tab.getByRole('list', { name: 'Messages of contact' });
  expect(await message.innerText()).toContain('First line\nSecond line');
  expect(await message.getByRole('link', { name: 'Reply' }).getAttribute('href')).toBe(
    'mailto:ada%40example.com',
  );
  const download = tab.waitForEvent('download');
  await button(tab, 'Download engine.txt 4 bytes').click();
  const file = await (await download).path();
  expect(await Bun.file(file).text()).toBe('cogs');
  await expectUsable(tab);
});

test('messages of several forms are marked, exported and deleted', async () => {
  const page = await publish();
  await send(page, { name: 'Grace', message: '=1+1' });
  await send(page, { name: 'Ada', message: 'Hello' });
  await send(page, { stars: '5' }, 'feedback');
  const { tab, complaints } = await openInbox(page);
  await tab.getByRole('link', { name: 'Forms 3 unread' }).waitFor();
  await tab
    .getByRole('navigation', { name: 'Forms' })
    .getByRole('link', { name: 'contact 2 unread' })
    .click();
  const list = tab.getByRole('list', { name: 'Messages of contact' });
  await list.getByText('Hello').waitFor();
  await expectUsable(tab);

  await button(tab, 'Mark all as read').click();
  await tab.getByRole('link', { name: 'Forms 1 unread' }).waitFor();
  const download = tab.waitForEvent('download');
  await button(tab, 'Download CSV').click();
  expect(await Bun.file(await (await download).path()).text()).toContain("Grace,'=1+1");

  await list.getByText('Ada', { exact: true }).click();
  await list.getByRole('button', { name: 'Mark as unread' }).first().click();
  await tab.getByRole('link', { name: 'Forms 2 unread' }).waitFor();
  await list.getByRole('button', { name: 'Delete', exact: true }).first().click();
  await tab.getByRole('dialog').getByRole('button', { name: 'Delete message' }).click();
  await tab.getByText('Deleted the message.').waitFor();
  await list.getByRole('listitem').filter({ hasText: 'Ada' }).waitFor({ state: 'detached' });

  await button(tab, 'Delete all').click();
  const dialog = tab.getByRole('dialog');
  await dialog.getByLabel('Type contact to confirm').fill('contact');
  await dialog.getByRole('button', { name: 'Delete permanently' }).click();
  await tab.getByRole('heading', { name: 'No messages yet' }).waitFor();
  expect((await stage.call('GET', `/api/pages/${page.id}/forms`, { token: owner.token })).body).toMatchObject(
    {
      forms: [{ name: 'feedback' }],
    },
  );
  expect(complaints).toEqual([]);
});

test('every tab is in the bar or in the menu, also if the number of messages arrives later', async () => {
  const name = 'The bakery at the corner of the market square';
  const page = await stage.publish(owner, '<!doctype html><title>t</title>', { name });
  await send(page, { message: 'Hello' });
  const tab = await stage.reuse(owner);
  let held = Promise.withResolvers<void>();
  await tab.route(`**/api/pages/${page.id}/forms`, async (route) => {
    await held.promise;
    await route.continue();
  });
  const bar = tab.getByRole('navigation', { name: 'Tabs' });
  const isLost = `(() => {
    const tabs = [...document.querySelectorAll('.bar-tabs-row a:not(.unfit)')];
    return tabs.some(({ offsetTop }) => offsetTop > tabs[0].offsetTop);
  })()`;
  // With some of these widths, the tabs before the menu fit only without the number.
  for (let width = 1100; width < 1220; width += 12) {
    held = Promise.withResolvers();
    await tab.setViewportSize({ width, height: 800 });
    await tab.goto(`${stage.baseUrl}/pages/${page.id}/settings`);
    await bar.getByRole('link', { name: 'Editor' }).waitFor();
    held.resolve();
    await bar.locator('a', { hasText: '1 unread' }).waitFor({ state: 'attached' });
    await waitUntil(async () => !(await tab.evaluate(isLost)));
  }
});
