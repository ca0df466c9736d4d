import { afterEach, beforeAll, describe, expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { watchComplaints } from '../../support/browser/accessibility.ts';
import {
  closeTabs,
  type Person,
  type Published,
  type Stage,
  sharedStage,
} from '../../support/browser/stage.ts';
import { waitUntil } from '../../support/server.ts';
import { expectUsable } from './publish.ts';

/** The versions and settings of a page. */

let stage: Stage;
let owner: Person;
beforeAll(async () => {
  stage = await sharedStage('origin');
  owner = await stage.register('owner-settings');
  await stage.publish(owner, '<p>Taken', { name: 'Taken' });
});
afterEach(closeTabs);

const html = (...lines: string[]) => ['<!doctype html>', '<title>T</title>', ...lines].join('\n');
const read = async ({ id }: Published) =>
  (await stage.call('GET', `/api/pages/${id}`, { token: owner.token })).body;

async function open(page: Published, part: string) {
  const tab = await stage.reuse(owner);
  const complaints = watchComplaints(tab);
  await tab.goto(`${stage.baseUrl}/pages/${page.id}/${part}`);
  return { tab, complaints };
}

describe('versions', () => {
  let page: Published;
  beforeAll(async () => {
    page = await stage.publish(owner, html('<p>one'));
    for (const lines of [
      ['<p>one', '<p>two'],
      ['<p>zero', '<p>two'],
    ])
      await stage.call('PATCH', `/api/pages/${page.id}`, {
        token: owner.token,
        body: { html_content: html(...lines) },
      });
  });

  test('each shows its time, size and author, and what it changed', async () => {
    const { tab, complaints } = await open(page, 'versions');
    const list = tab.getByRole('navigation', { name: 'Versions' });
    await list.getByRole('link', { name: 'Version 1' }).waitFor();
    expect(await list.getByRole('link').count()).toBe(3);
    const newest = list.getByRole('link', { name: 'Version 3' });
    for (const text of ['Current', /bytes · owner-settings/]) await newest.getByText(text).waitFor();
    await tab.getByText('Version 3 changed +1 −1 lines').waitFor();
    await tab.getByText('one', { exact: true }).waitFor();
    await expectUsable(tab);
    await list.getByRole('link', { name: 'Version 2' }).press('Enter');
    await tab.getByText('Version 2 changed +1 −0 line', { exact: true }).waitFor();
    expect(tab.url()).toBe(`${stage.baseUrl}/pages/${page.id}/versions/2`);
    await tab.getByLabel('Compare with').selectOption('Compare with current version');
    await tab.getByText('Restoring version 2 would change +1 −1 lines').waitFor();
    expect(complaints).toEqual([]);
  });

  test('one can be restored as a new version, after a confirmation', async () => {
    const { tab } = await open(page, 'versions/1');
    await tab.getByRole('button', { name: 'Restore this version' }).click();
    const dialog = tab.getByRole('dialog', { name: 'Restore version 1?' });
    await dialog.getByText('creates a new version').waitFor();
    await expectUsable(tab);
    await dialog.getByRole('button', { name: 'Restore version 1' }).click();
    await tab.getByText('Version 1 is back, as version 4.').waitFor();
    await tab.getByRole('heading', { name: 'Version 4' }).waitFor();
    expect((await read(page)).page.html_content).toBe(html('<p>one'));
  });

  test('are compared with what was saved elsewhere meanwhile, and an unchanged last line is not marked', async () => {
    const kept = await stage.publish(owner, html('<p>one'));
    const { tab } = await open(kept, 'settings');
    await tab.getByRole('heading', { name: 'General' }).waitFor();
    await stage.call('PATCH', `/api/pages/${kept.id}`, {
      token: owner.token,
      body: { html_content: html('<p>one', '<p>two') },
    });
    await tab.getByRole('link', { name: 'History' }).click();
    await tab.getByRole('link', { name: 'Versions' }).click();
    await tab.getByText('Version 2 changed +1 −0 line', { exact: true }).waitFor();
    await tab.locator('.cm-changedLine').waitFor();
    expect(await tab.locator('.cm-changedLine').allTextContents()).toEqual(['<p>two']);
    expect(await tab.locator('.cm-deletedLine').count()).toBe(0);
    await tab.getByRole('link', { name: 'Version 1' }).click();
    await tab.getByLabel('Compare with').selectOption('Compare with current version');
    await tab.getByText('Restoring version 1 would change +0 −1 line').waitFor();
  });

  test('that do not exist show an error', async () => {
    const { tab } = await open(page, 'versions/99');
    await tab.getByRole('alert').getByText('no version 99').waitFor();
    await expectUsable(tab);
  });
});

describe('settings', () => {
  test('an index leads to every section, says where one is, and stays in sight', async () => {
    const page = await stage.publish(owner, html('<p>x'), { name: 'With an index' });
    const { tab, complaints } = await open(page, 'settings');
    const index = tab.getByRole('navigation', { name: 'Sections' });
    for (const viewport of [
      { width: 1280, height: 800 },
      { width: 390, height: 844 },
    ]) {
      await tab.setViewportSize(viewport);
      await index.getByRole('link', { name: 'Copy or delete' }).waitFor();
      const names = await index.getByRole('link').allInnerTexts();
      expect(names).toEqual(await tab.locator('.settings-sections .section[id] h2').allInnerTexts());
      expect(names.length).toBeGreaterThan(8);
      for (const name of [names.at(-1) ?? '', names[2] ?? '', names[0] ?? '']) {
        await index.getByRole('link', { name, exact: true }).click();
        await tab.getByRole('heading', { level: 2, name, exact: true }).waitFor();
        await index.locator('[aria-current="location"]', { hasText: name }).waitFor();
        await waitUntil(() =>
          tab.evaluate(`(() => {
            const [nav, title] = ['.settings-index', location.hash + ' h2'].map((each) => document.querySelector(each).getBoundingClientRect());
            return nav.top >= 0 && nav.top < innerHeight && title.top >= 0 && title.bottom <= innerHeight;
          })()`),
        );
      }
    }
    // An address with a section opens there.
    await tab.goto(`${stage.baseUrl}/pages/${page.id}/versions`);
    await tab.goto(`${stage.baseUrl}/pages/${page.id}/settings#domains`);
    await index.locator('[aria-current="location"][href="#domains"]').waitFor();
    await expectUsable(tab);
    expect(complaints).toEqual([]);
  });

  const accessPanel = (tab: Page) =>
    tab.locator('section').filter({ has: tab.getByRole('heading', { name: 'Who can see this page' }) });

  const oldAddresses = (tab: Page) => tab.getByRole('list', { name: 'Old addresses' });

  test('name, slug and description can be changed, and the old URL still works', async () => {
    const page = await stage.publish(owner, html('<p>x'), { name: 'Before the change' });
    const { tab, complaints } = await open(page, 'settings');
    await tab.getByLabel('Name', { exact: true }).fill('After');
    await tab.getByLabel('Slug').fill('Ünder New Name!');
    await tab.getByText(`${stage.baseUrl}/p/under-new-name`).waitFor();
    await tab.getByText('The old URL /p/before-the-change redirects there.').waitFor();
    await tab.getByLabel('Description').fill('d'.repeat(500));
    await tab.getByText('500 of 500 characters').waitFor();
    await expectUsable(tab);
    await tab.getByRole('button', { name: 'Save', exact: true }).click();
    await tab.getByRole('heading', { name: 'After' }).waitFor();
    expect(await tab.getByLabel('Slug').inputValue()).toBe('under-new-name');
    expect((await stage.call('GET', '/p/before-the-change')).headers.get('location')).toBe(
      '/p/under-new-name',
    );
    expect(complaints).toEqual([]);
  });

  test('an old address is listed after a rename, and can be given up', async () => {
    const page = await stage.publish(owner, html('<p>x'), { name: 'First name' });
    const { tab, complaints } = await open(page, 'settings');
    await tab.getByLabel('Slug').fill('second-name');
    await tab.getByRole('button', { name: 'Save', exact: true }).click();
    await oldAddresses(tab).getByText('/p/first-name leads here until').waitFor();
    const giveUp = tab.getByRole('button', { name: 'Give up /p/first-name' });
    const dialog = tab.getByRole('dialog', { name: 'Give up this address?' });
    await giveUp.click();
    await dialog.getByText('Links to /p/first-name stop working, and other people can then use').waitFor();
    await expectUsable(tab);
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    expect((await stage.call('GET', '/p/first-name')).status).toBe(301);
    await giveUp.click();
    await dialog.getByRole('button', { name: 'Give up' }).click();
    await tab.getByText('/p/first-name no longer leads to this page.').waitFor();
    // Without old addresses, nothing about them is shown.
    await tab.getByRole('heading', { name: 'Old addresses' }).waitFor({ state: 'detached' });
    expect((await stage.call('GET', '/p/first-name')).status).toBe(404);
    expect(complaints).toEqual([]);
  });

  test('only some of many old addresses are shown at first', async () => {
    const page = await stage.publish(owner, html('<p>x'), { name: 'Often renamed' });
    for (const slug of [
      'often-a',
      'often-b',
      'often-c',
      'often-d',
      'often-e',
      `often-${'f'.repeat(90)}`,
      'often-g',
    ])
      await stage.call('PATCH', `/api/pages/${page.id}`, { token: owner.token, body: { slug } });
    const { tab } = await open(page, 'settings');
    const items = oldAddresses(tab).getByRole('listitem');
    await items.first().getByText('/p/often-fff').waitFor();
    expect(await items.count()).toBe(5);
    await tab.getByRole('button', { name: 'Show all 7' }).click();
    await items.nth(6).getByText('/p/often-renamed leads here').waitFor();
    await expectUsable(tab);
  });

  test('an error is shown next to its field', async () => {
    const page = await stage.publish(owner, html('<p>x'));
    const { tab } = await open(page, 'settings');
    await tab.getByLabel('Slug').fill('taken');
    await tab.getByRole('button', { name: 'Save', exact: true }).click();
    await tab.getByText('The slug taken is taken by another page.').waitFor();
    expect(await tab.getByLabel('Slug').getAttribute('aria-invalid')).toBe('true');
    await tab.getByLabel('Slug').fill('!');
    await tab.getByText('needs at least two letters or digits').waitFor();
    expect(await tab.getByRole('button', { name: 'Save', exact: true }).isDisabled()).toBe(true);
    await tab.getByLabel('Slug').fill(page.slug);
    await tab.getByLabel('Description').fill('d'.repeat(501));
    await tab.getByRole('button', { name: 'Save', exact: true }).click();
    await tab.getByLabel('Description').and(tab.locator('[aria-invalid]')).waitFor();
    await expectUsable(tab);
  });

  test('the URL is shown as it will be, and nothing is cut silently', async () => {
    const page = await stage.publish(owner, html('<p>x'));
    const { tab } = await open(page, 'settings');
    const save = tab.getByRole('button', { name: 'Save', exact: true });
    await tab.getByLabel('Slug').fill('s'.repeat(101));
    await tab.getByText('The slug has 101 characters. The limit is 100.').waitFor();
    expect(await save.isDisabled()).toBe(true);
    await tab.getByLabel('Slug').fill('Größe 💥 !!');
    await tab.getByText(`will be at ${stage.baseUrl}/p/grosse.`).waitFor();
    await tab.getByLabel('Name', { exact: true }).fill('n'.repeat(201));
    await tab.getByText('The name has 201 characters. The limit is 200.').waitFor();
    expect(await save.isDisabled()).toBe(true);
    await tab.getByLabel('Name', { exact: true }).fill('n'.repeat(200));
    await tab.getByText('200 of 200 characters').waitFor();
    await save.click();
    await tab.getByRole('heading', { name: 'n'.repeat(200) }).waitFor();
    const { page: saved } = await read(page);
    expect([saved.slug, saved.name.length]).toEqual(['grosse', 200]);
  });

  test('switches work immediately, and go back if the service refuses', async () => {
    const page = await stage.publish(owner, html('<p>x'));
    const { tab } = await open(page, 'settings');
    // What the screen shows is saved a moment later.
    const turn = async (name: string) => {
      const saving = tab.waitForResponse((response) => response.request().method() === 'PATCH');
      await tab.getByRole('switch', { name }).click();
      await saving;
    };
    await turn('Published');
    await tab.getByText('Not published', { exact: true }).waitFor();
    await turn('Unlisted');
    await tab.getByRole('switch', { name: 'Unlisted', checked: true }).waitFor();
    await turn('AI chat');
    await tab.getByRole('switch', { name: 'AI chat', checked: true }).waitFor();
    const { page: saved } = await read(page);
    expect([saved.is_published, saved.is_unlisted, saved.page_api_ai_enabled]).toEqual([false, true, true]);
    await tab.context().setOffline(true);
    await tab.getByRole('switch', { name: 'Image search' }).click();
    await tab.getByText('Cannot reach the service').first().waitFor();
    await tab.getByRole('switch', { name: 'Image search', checked: false }).waitFor();
  });

  test('who can see the page is chosen, and a name that cannot be is explained', async () => {
    const page = await stage.publish(owner, html('<p>x'));
    const { tab, complaints } = await open(page, 'settings');
    const panel = accessPanel(tab);
    const save = panel.getByRole('button', { name: 'Save access' });
    await panel.getByRole('radio', { name: 'Anyone', checked: true }).waitFor();
    expect(await panel.getByRole('radio', { name: 'The team' }).count()).toBe(0);
    expect(await save.isDisabled()).toBe(true);
    await panel.getByRole('radio', { name: 'Some people' }).click();
    expect(await save.isDisabled()).toBe(true);
    await panel.getByLabel('People', { exact: true }).fill('Zoe, eve@');
    await save.click();
    await panel.getByText('eve@ must be a username or an e-mail address.').waitFor();
    await expectUsable(tab);
    expect((await read(page)).page.access).toEqual({ mode: 'public' });
    await panel.getByLabel('People', { exact: true }).fill('Zoe, eve@example.com');
    await panel.getByLabel('Until').fill('2090-01-31T12:00');
    await save.click();
    await tab.getByText('Saved who can see this page.').waitFor();
    // The heading of the page says it too.
    await tab.getByText('Some people', { exact: true }).first().waitFor();
    await tab.reload();
    await panel.getByRole('radio', { name: 'Some people', checked: true }).waitFor();
    expect(await panel.getByLabel('People', { exact: true }).inputValue()).toBe('eve@example.com\nzoe');
    expect(await panel.getByLabel('Until').inputValue()).toBe('2090-01-31T12:00');
    expect(await save.isDisabled()).toBe(true);
    expect(complaints.filter((each) => !each.includes('400'))).toEqual([]);
  });

  test('a password is asked for once, kept if left empty, and never shown', async () => {
    const page = await stage.publish(owner, html('<p>x'));
    const { tab } = await open(page, 'settings');
    const panel = accessPanel(tab);
    const save = panel.getByRole('button', { name: 'Save access' });
    const give = async (password: string) =>
      (await stage.call('POST', `/api/pages/${page.id}/pass`, { body: { password } })).status;
    await panel.getByRole('radio', { name: 'People with the password' }).click();
    expect(await save.isDisabled()).toBe(true);
    await panel.getByLabel('Password', { exact: true }).fill('open sesame');
    await save.click();
    await panel.getByLabel('New password').waitFor();
    expect(await give('open sesame')).toBe(200);
    await tab.reload();
    await panel.getByRole('radio', { name: 'People with the password', checked: true }).waitFor();
    expect(await panel.getByLabel('New password').inputValue()).toBe('');
    await panel.getByLabel('Until').fill('2090-01-31T12:00');
    await save.click();
    await tab.getByText('Saved who can see this page.').waitFor();
    expect(await give('open sesame')).toBe(200);
  });

  test('another storage mode is explained before it is chosen', async () => {
    const page = await stage.publish(owner, html('<p>x'));
    const { tab } = await open(page, 'settings');
    await tab.getByRole('radio', { name: /Team app/ }).click();
    await tab
      .getByRole('dialog')
      .getByText('The page stores no data now. The members of a team share data.')
      .waitFor();
    await expectUsable(tab);
    await tab.keyboard.press('Escape');
    await tab.getByRole('radio', { name: /^Page/, checked: true }).waitFor();
    await tab.getByRole('radio', { name: /Team app/ }).click();
    await tab.getByRole('button', { name: 'Change mode' }).click();
    await tab.getByRole('link', { name: 'Team', exact: true }).waitFor();
    expect((await read(page)).storageMode).toBe('team_app');
  });

  test('a preview image can be made, free if no provider is configured', async () => {
    const page = await stage.publish(owner, html('<p>x'), { name: 'Pictured' });
    const { tab, complaints } = await open(page, 'settings');
    await tab.getByText('Free. This server has no image provider').waitFor();
    await tab.getByText('No image yet').waitFor();
    await tab.getByRole('button', { name: 'Generate image' }).click();
    await tab.getByText('Current image').waitFor();
    await waitUntil(() => tab.evaluate('document.querySelector("figure img")?.naturalWidth === 1200'));
    expect(complaints).toEqual([]);
  });

  test('a fork is a separate page', async () => {
    const page = await stage.publish(owner, html('<p>Source'), { name: 'Source' });
    const { tab } = await open(page, 'settings');
    await tab.getByRole('button', { name: 'Fork this page' }).click();
    await tab.getByRole('dialog').getByText('If you publish it now').waitFor();
    await expectUsable(tab);
    await tab.getByRole('button', { name: 'Fork and publish' }).click();
    await tab.waitForURL(
      (url) => url.pathname.startsWith('/pages/') && !url.pathname.includes(String(page.id)),
    );
    await tab.getByText('Source', { exact: true }).first().waitFor();
    expect((await stage.call('GET', '/p/source-2')).status).toBe(200);
  });

  test('a fork can be a draft', async () => {
    const page = await stage.publish(owner, html('<p>Quiet'), { name: 'Kept back' });
    const { tab } = await open(page, 'settings');
    await tab.getByRole('button', { name: 'Fork this page' }).click();
    await tab.getByRole('button', { name: 'Fork as a draft' }).click();
    await tab.getByText('Copied Kept back to /p/kept-back-2 as a draft.').waitFor();
    await tab.getByText('Not published', { exact: true }).waitFor();
    expect((await stage.call('GET', '/p/kept-back-2')).status).toBe(404);
  });

  test('deleting asks for the slug, and then the page is gone', async () => {
    const page = await stage.publish(owner, html('<p>x'), { name: 'Doomed' });
    const { tab } = await open(page, 'settings');
    await tab.getByRole('button', { name: 'Delete this page' }).click();
    const remove = tab.getByRole('button', { name: 'Delete permanently' });
    expect(await remove.isDisabled()).toBe(true);
    await expectUsable(tab);
    await tab.getByLabel('Type doomed to confirm').fill('doomed');
    await remove.click();
    await tab.waitForURL(`${stage.baseUrl}/pages`);
    expect((await stage.call('GET', `/api/pages/${page.id}`, { token: owner.token })).status).toBe(404);
  });
});
