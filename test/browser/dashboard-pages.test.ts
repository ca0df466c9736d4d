import { afterEach, beforeAll, expect, test } from 'bun:test';
import { join } from 'node:path';
import { watchComplaints } from '../support/accessibility.ts';
import { expectUsable } from './dashboard-pages.ts';
import { closeTabs, type Person, type Stage, sharedStage } from './stage.ts';

/** The list of pages, and how a user starts. */

let stage: Stage;
let lena: Person;
beforeAll(async () => {
  stage = await sharedStage('origin');
  lena = await stage.register('lena-pages');
  await stage.publish(lena, '<!doctype html><p>One', { name: 'Field notes', storage_mode: 'solo_app' });
  await stage.publish(lena, '<!doctype html><p>Two', {
    name: 'Recipes',
    is_published: false,
    access: { mode: 'password', password: 'open sesame' },
  });
  await stage.publish(lena, '<!doctype html><p>Three', { name: '<img src=x onerror=alert(1)> & "quotes"' });
});
afterEach(closeTabs);

const starterHtml = (key: string) =>
  Bun.file(join(import.meta.dir, `../../dashboard/pages/starters/${key}.html`)).text();

async function openList(person: Person) {
  const tab = await stage.reuse(person);
  const complaints = watchComplaints(tab);
  await tab.goto(`${stage.baseUrl}/pages`);
  return { tab, complaints };
}

test('the list shows every page with its state, and names as plain text', async () => {
  const { tab, complaints } = await openList(lena);
  await tab.getByText('3 pages', { exact: true }).waitFor();
  const card = tab.getByRole('listitem').filter({ hasText: 'Recipes' });
  expect(await card.innerText()).toContain('/p/recipes');
  expect(await card.innerText()).toContain('Draft');
  expect(await card.innerText()).toContain('Password');
  expect(await tab.getByRole('listitem').filter({ hasText: 'Field notes' }).innerText()).toContain(
    'Solo app',
  );
  await tab.getByRole('link', { name: '<img src=x onerror=alert(1)> & "quotes"' }).waitFor();
  await expectUsable(tab);
  expect(complaints).toEqual([]);
});

test('a long name is cut off and leaves space for the rest of its card', async () => {
  const person = await stage.register('longwinded');
  await stage.publish(person, '<!doctype html><p>x', {
    name: `${'word '.repeat(39)}end`,
    storage_mode: 'social_app',
  });
  const { tab } = await openList(person);
  for (const width of [390, 1280]) {
    await tab.setViewportSize({ width, height: 800 });
    const card = await tab.getByRole('main').getByRole('listitem').boundingBox();
    const badge = await tab.getByText('Social app').boundingBox();
    if (!card || !badge) throw new Error('the card does not show');
    expect(badge.x + badge.width).toBeLessThanOrEqual(card.x + card.width);
    expect(badge.y + badge.height).toBeLessThanOrEqual(card.y + card.height);
  }
});

test('search finds pages while typing and keeps the focus', async () => {
  const { tab } = await openList(lena);
  const field = tab.getByRole('searchbox', { name: 'Search your pages' });
  await field.click();
  await tab.keyboard.type('recip');
  await tab.getByText('1 page found').waitFor();
  expect(await tab.getByRole('main').getByRole('listitem').count()).toBe(1);
  expect(await tab.evaluate('document.activeElement.value')).toBe('recip');
  await tab.keyboard.type('zzz');
  await tab.getByText('No pages found').waitFor();
  await expectUsable(tab);
});

test('a list that cannot be loaded says so and can be retried', async () => {
  const tab = await stage.reuse(lena);
  await tab.route('**/api/pages?*', (route) =>
    route.fulfill({ status: 500, json: { error: 'It is broken.' } }),
  );
  await tab.goto(`${stage.baseUrl}/pages`);
  await tab.getByText('It is broken.').waitFor();
  await expectUsable(tab);
  await tab.unroute('**/api/pages?*');
  await tab.getByRole('button', { name: 'Try again' }).click();
  await tab.getByText('3 pages', { exact: true }).waitFor();
});

test('a new page starts from a template, with the keyboard, and opens in the editor', async () => {
  const person = await stage.register('nils-pages');
  await stage.publish(person, '<!doctype html><p>Old');
  const { tab, complaints } = await openList(person);
  await tab.getByRole('button', { name: 'New page' }).press('Enter');
  await tab.getByRole('dialog', { name: 'New page' }).waitFor();
  await expectUsable(tab);
  await tab.keyboard.type('Choir <plan>');
  await tab.getByRole('radio', { name: /To-do list/ }).check();
  await tab.keyboard.press('Enter');
  await tab.getByRole('heading', { name: 'Choir <plan>' }).waitFor();
  expect(await tab.getByText('Solo app').isVisible()).toBe(true);
  const shown = tab.frameLocator('iframe:not(.coming)');
  await shown.getByRole('heading', { name: 'Choir <plan>' }).waitFor();
  await shown.getByText('Only you can see your list.').waitFor();
  expect(complaints).toEqual([]);
});

test('a new page can be cancelled, or kept as a draft', async () => {
  const person = await stage.register('dora-pages');
  await stage.publish(person, '<!doctype html><p>Old');
  const { tab } = await openList(person);
  const dialog = tab.getByRole('dialog', { name: 'New page' });
  await tab.getByRole('button', { name: 'New page' }).click();
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await dialog.waitFor({ state: 'detached' });
  await tab.getByRole('button', { name: 'New page' }).click();
  await dialog.getByLabel('Name').fill('Not yet');
  await dialog.getByRole('switch', { name: 'Keep as a draft' }).check();
  await dialog.getByRole('button', { name: 'Create page' }).click();
  await tab.getByRole('heading', { name: 'Not yet' }).waitFor();
  const { body } = await stage.call('GET', '/api/pages?q=not+yet', { token: person.token });
  expect(body.pages.map((page: { is_published: boolean }) => page.is_published)).toEqual([false]);
});

test('a page of a team is listed for its members, also for a user without pages', async () => {
  const person = await stage.register('guest-pages');
  const board = await stage.publish(lena, '<!doctype html><p>Board', {
    name: `Choir board ${'with a long name '.repeat(10)}`.trim(),
    storage_mode: 'team_app',
  });
  const invite = { token: lena.token, body: { role: 'viewer' } };
  const { body } = await stage.call('POST', `/api/pages/${board.id}/team/invite`, invite);
  await stage.call('POST', `/api/join/${body.inviteCode}`, { token: person.token });
  const { tab, complaints } = await openList(person);
  await tab.getByRole('heading', { name: 'Shared with you' }).waitFor();
  await tab.getByText('Publish a page in one click').waitFor();
  const row = tab.getByRole('listitem').filter({ hasText: 'Choir board' });
  expect(await row.innerText()).toContain('Viewer');
  await expectUsable(tab);
  expect(complaints).toEqual([]);
  await row.getByRole('link', { name: /Choir board/ }).click();
  await tab.getByText('Board', { exact: true }).waitFor();

  await stage.publish(person, '<!doctype html><p>Own', { name: 'Own' });
  await tab.goto(`${stage.baseUrl}/pages`);
  await tab.getByRole('searchbox', { name: 'Search your pages' }).fill('choir');
  await tab.getByText('No pages found').waitFor();
  await row.waitFor();
  await tab.getByRole('searchbox', { name: 'Search your pages' }).fill('own');
  await row.waitFor({ state: 'detached' });
  await stage.call('DELETE', `/api/pages/${board.id}`, { token: lena.token });
});

test('starter pages work for a logged-in visitor', async () => {
  const person = await stage.register('stella');
  const todo = await stage.publish(person, await starterHtml('todo'), { storage_mode: 'solo_app' });
  const wall = await stage.publish(person, await starterHtml('wall'), { storage_mode: 'social_app' });
  const tab = await stage.reuse(person);
  await tab.setViewportSize({ width: 390, height: 844 });
  await tab.goto(todo.url);
  await tab.getByLabel('New task').fill('Water the plants');
  await tab.getByRole('button', { name: 'Add' }).click();
  await tab.getByRole('checkbox', { name: 'Water the plants' }).check();
  await expectUsable(tab);
  await tab.goto(wall.url);
  await tab.getByLabel('Your note').fill('<b>Hello</b>');
  await tab.getByRole('button', { name: 'Post' }).click();
  await tab.getByText('<b>Hello</b>').waitFor();
  await expectUsable(tab);
});

test('a new user publishes a page with a function and a database in one click', async () => {
  const person = await stage.register('Fresh_one');
  const { tab, complaints } = await openList(person);
  await tab.getByText('Publish a page in one click').waitFor();
  await expectUsable(tab);
  await tab.getByRole('button', { name: 'Publish a starter page and function' }).click();
  await tab.getByText('Your first page is published').waitFor();
  await expectUsable(tab);
  expect(await tab.getByRole('link', { name: 'Open the function' }).getAttribute('href')).toBe(
    '/functions/guestbook-fresh-one',
  );
  const opening = tab.context().waitForEvent('page');
  await tab.getByRole('link', { name: 'Open the page' }).click();
  const page = await opening;
  await page.getByText('The first page of this book.').waitFor();
  await page.getByLabel('Your name').fill('Grace');
  await page.getByLabel('Your note').fill('It <i>works</i>');
  await page.getByRole('button', { name: 'Sign' }).click();
  await page.getByText('2 notes so far.').waitFor();
  await page.getByText('It <i>works</i>').waitFor();
  await expectUsable(page);
  expect(complaints).toEqual([]);
});

test('a first run that fails halfway is continued, not repeated', async () => {
  const person = await stage.register('unlucky');
  const { tab } = await openList(person);
  await tab.route('**/api/pages', (route) => route.abort());
  await tab.getByRole('button', { name: 'Publish a starter page and function' }).click();
  await tab.getByRole('alert').getByText('Cannot reach the service').first().waitFor();
  await tab.unroute('**/api/pages');
  await tab.getByRole('button', { name: 'Try again' }).click();
  await tab.getByText('Your first page is published').waitFor();
  const { body } = await stage.call('GET', '/api/functions?mine=true', { token: person.token });
  const slugs = body.functions.map(({ slug }: { slug: string }) => slug);
  expect(slugs.filter((slug: string) => slug.startsWith('guestbook-unlucky'))).toEqual(['guestbook-unlucky']);
});

test('the path of a missing page, or of someone else’s, shows an error', async () => {
  const stranger = await stage.register('stranger-pages');
  const theirs = await stage.publish(stranger, '<!doctype html><p>Mine', { is_published: false });
  const tab = await stage.reuse(lena);
  await tab.goto(`${stage.baseUrl}/pages/nothing`);
  await tab.getByText('Page not found').waitFor();
  await tab.goto(`${stage.baseUrl}/pages/${theirs.id}`);
  await tab.getByRole('alert').getByText('not found').waitFor();
  expect(await tab.getByRole('button', { name: 'Try again' }).count()).toBe(0);
  await tab.getByRole('link', { name: '← Pages' }).waitFor();
  await expectUsable(tab);
});
