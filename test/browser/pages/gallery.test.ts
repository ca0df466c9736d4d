import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { collectComplaints, expectReadable, overflow } from '../../support/browser/accessibility.ts';
import {
  closeTabs,
  openStage,
  PASSWORD,
  type Person,
  type Published,
  type Stage,
} from '../../support/browser/stage.ts';

/** The start page with the gallery, forks by people who are new here, and the home screen that they come to. */

const HTML = '<!doctype html><html lang="en"><title>Quinces</title><h1>All about quinces</h1>';

let stage: Stage;
let ada: Person;
let page: Published;
beforeAll(async () => {
  stage = await openStage('origin');
  ada = await stage.register('ada-gallery');
  page = await stage.publish(ada, HTML, { name: 'Quinces', description: 'Everything about quinces' });
});
afterEach(closeTabs);
afterAll(() => stage.close());

const change = (body: Record<string, unknown>) =>
  stage.call('PATCH', `/api/pages/${page.id}`, { token: ada.token, body });
const cards = (tab: Page) => tab.locator('.gallery-card');

async function expectFits(tab: Page): Promise<void> {
  for (const width of [360, 768, 1024, 1440]) {
    await tab.setViewportSize({ width, height: 800 });
    expect({ width, overflow: await overflow(tab) }).toEqual({ width, overflow: 0 });
  }
}

describe('the start page', () => {
  test('shows the product and no gallery while no page is listed', async () => {
    const tab = await stage.enter();
    const complaints = collectComplaints(tab);
    await tab.goto(stage.baseUrl);
    await tab.getByRole('textbox', { name: 'What do you want to make?' }).waitFor();
    const width =
      "document.querySelector('.start-templates img').decode().then(() => document.querySelector('.start-templates img').naturalWidth)";
    expect(await tab.evaluate(width)).toBe(800);
    expect(await cards(tab).count()).toBe(0);
    await expectReadable(tab);
    await expectFits(tab);
    expect(complaints).toEqual([]);
  });

  test('shows a page after its owner lists it in its settings, until it is a draft', async () => {
    const owner = await stage.enter(ada);
    await owner.goto(`${stage.baseUrl}/pages/${page.id}/settings`);
    const list = { name: 'Show in the gallery of this server' };
    await owner.getByRole('switch', list).check();
    await owner.getByRole('status').getByText('The page is updated').waitFor();

    const tab = await stage.enter();
    const complaints = collectComplaints(tab);
    await tab.goto(stage.baseUrl);
    await cards(tab).getByText('by ada-gallery').waitFor();
    expect(await cards(tab).locator('.gallery-open').getAttribute('href')).toBe(page.url);
    await expectReadable(tab);
    await expectFits(tab);
    expect(complaints).toEqual([]);

    await owner.getByRole('switch', { name: 'Published' }).uncheck();
    await owner.getByText('Publish the page first.').waitFor();
    await owner.getByRole('switch', { ...list, checked: false }).waitFor();
    await tab.reload();
    await tab.getByRole('link', { name: 'Create an account' }).waitFor();
    expect(await cards(tab).count()).toBe(0);
  });
});

test('the gallery is searched and paged, by keyboard too', async () => {
  await change({ is_published: true, is_listed: true });
  for (let index = 0; index < 25; index++) {
    const { id } = await stage.publish(ada, HTML, { name: `Number ${index}` });
    await stage.call('PATCH', `/api/pages/${id}`, { token: ada.token, body: { is_listed: true } });
  }
  const tab = await stage.enter();
  const complaints = collectComplaints(tab);
  await tab.goto(stage.baseUrl);
  await tab.getByRole('link', { name: 'See all 26 pages' }).click();
  await tab.getByRole('heading', { name: 'Gallery' }).waitFor();
  expect(await cards(tab).count()).toBe(24);
  await tab.getByRole('link', { name: 'Older' }).click();
  await tab.getByText('25 to 26 of 26').waitFor();
  expect(await cards(tab).count()).toBe(2);
  await tab.getByRole('searchbox', { name: 'Search the gallery' }).focus();
  await tab.keyboard.type('quinces');
  await tab.keyboard.press('Enter');
  await tab.getByText('1 found for “quinces”').waitFor();
  await expectReadable(tab);
  await expectFits(tab);
  await tab.goto(`${stage.baseUrl}/gallery?q=%3Cscript%3Ealert(1)%3C/script%3E`);
  await tab.getByRole('heading', { name: 'Nothing found' }).waitFor();
  expect(complaints).toEqual([]);
});

test('a stranger forks a page: they register, confirm, and are in the editor with their copy', async () => {
  const tab = await stage.enter();
  await tab.goto(`${stage.baseUrl}/gallery?q=quinces`);
  await tab.getByRole('link', { name: 'Fork Quinces' }).click();
  await tab.getByRole('link', { name: 'Create an account' }).click();
  await tab.fill('input[name=username]', 'stranger-gallery');
  await tab.fill('input[name=email]', 'stranger@example.com');
  await tab.fill('input[name=password]', PASSWORD);
  await tab.getByRole('button', { name: 'Create account' }).click();
  await tab.getByRole('heading', { name: 'Fork Quinces?' }).waitFor();
  await expectReadable(tab);
  await tab.getByRole('button', { name: 'Fork it' }).click();
  await tab.waitForURL(/\/pages\/\d+$/);
  const id = Number(new URL(tab.url()).pathname.split('/').at(-1));
  expect(id).not.toBe(page.id);
  await tab.getByText('All about quinces').first().waitFor();
});

test('the home screen has a start for new people, and what they did later', async () => {
  const ben = await stage.register('ben-gallery');
  const tab = await stage.enter(ben);
  const complaints = collectComplaints(tab);
  await tab.goto(stage.baseUrl);
  await tab.getByRole('heading', { name: 'Welcome, ben-gallery' }).waitFor();
  await tab.getByRole('link', { name: 'Connect an agent' }).waitFor();
  await expectReadable(tab);
  const own = await stage.publish(ben, HTML, { name: 'My first' });
  const draft = { html_content: `${HTML}<p>More` };
  await stage.call('POST', `/api/pages/${own.id}/drafts`, { token: ben.token, body: draft });
  await tab.reload();
  await tab.getByRole('heading', { level: 1, name: 'Home' }).waitFor();
  await tab.locator('.home-page').getByText('My first').waitFor();
  await tab.getByText('One draft is not published').waitFor();
  await expectReadable(tab);
  await expectFits(tab);
  await tab.getByRole('button', { name: 'Dismiss the news' }).click();
  await tab.getByRole('heading', { name: 'What’s new' }).waitFor({ state: 'detached' });
  await tab.reload();
  await tab.locator('.home-page').getByText('My first').waitFor();
  expect(await tab.getByRole('heading', { name: 'What’s new' }).count()).toBe(0);
  expect(complaints).toEqual([]);
});
