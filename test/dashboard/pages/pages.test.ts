import { afterEach, beforeAll, expect, test } from 'bun:test';
import { watchComplaints } from '../../support/browser/accessibility.ts';
import { closeTabs, type Person, type Stage, sharedStage } from '../../support/browser/stage.ts';
import { expectUsable } from './publish.ts';

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
  // A card that the browser has not drawn yet has no text.
  for (const text of ['/p/recipes', 'Not published', 'Password']) await card.getByText(text).waitFor();
  await tab.getByRole('listitem').filter({ hasText: 'Field notes' }).getByText('Solo app').waitFor();
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
  await tab.getByRole('link', { name: 'New page' }).press('Enter');
  await tab.getByRole('heading', { name: 'Start from a template' }).waitFor();
  await expectUsable(tab);
  await tab.getByRole('button', { name: 'Wall of notes' }).press('Enter');
  await tab.getByRole('dialog', { name: 'Wall of notes' }).waitFor();
  await expectUsable(tab);
  await tab.getByLabel('Name').selectText();
  await tab.keyboard.type('Choir <plan>');
  await tab.keyboard.press('Enter');
  await tab.waitForURL(/\/pages\/\d+\/share\?template=/);
  const shown = tab.frameLocator('iframe:not(.coming)');
  await shown.getByRole('heading', { name: 'Choir <plan>' }).waitFor();
  expect(complaints).toEqual([]);
  const { body } = await stage.call('GET', '/api/pages?q=choir', { token: person.token });
  const [page] = body.pages;
  expect(page).toMatchObject({ is_published: true, storage_mode: 'social_app' });
  // Its schema is set: nothing else fits.
  const wrong = { token: person.token, body: { data: { other: 1 } } };
  expect((await stage.call('POST', `/api/pages/${page.id}/social-data/notes`, wrong)).status).toBe(422);
});

test('a new page can be cancelled, or created without being published', async () => {
  const person = await stage.register('dora-pages');
  await stage.publish(person, '<!doctype html><p>Old');
  const { tab } = await openList(person);
  const dialog = tab.getByRole('dialog', { name: 'Blank page' });
  await tab.getByRole('link', { name: 'New page' }).click();
  await tab.getByRole('button', { name: 'Blank page' }).click();
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await dialog.waitFor({ state: 'detached' });
  await tab.getByRole('button', { name: 'Blank page' }).click();
  await dialog.getByLabel('Name').fill('Not yet');
  await dialog.getByRole('switch', { name: 'Publish now' }).uncheck();
  await dialog.getByRole('button', { name: 'Create page' }).click();
  await tab.waitForURL(/\/pages\/\d+$/);
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
  await tab.getByText('Start from a template').waitFor();
  const row = tab.getByRole('listitem').filter({ hasText: 'Choir board' });
  await row.getByText('Viewer').waitFor();
  await expectUsable(tab);
  expect(complaints).toEqual([]);
  await row.getByRole('link', { name: /^Choir board/ }).click();
  await tab.getByText('Open the page and read all its data').waitFor();

  await stage.publish(person, '<!doctype html><p>Own', { name: 'Own' });
  await tab.goto(`${stage.baseUrl}/pages`);
  await tab.getByRole('searchbox', { name: 'Search your pages' }).fill('choir');
  await tab.getByText('No pages found').waitFor();
  await row.waitFor();
  await tab.getByRole('searchbox', { name: 'Search your pages' }).fill('own');
  await row.waitFor({ state: 'detached' });
  await stage.call('DELETE', `/api/pages/${board.id}`, { token: lena.token });
});

test('every template without packages is published in one click, and its page works', async () => {
  const person = await stage.register('Fresh_one');
  const { body } = await stage.call('GET', '/api/templates');
  expect(body.templates.length).toBeGreaterThanOrEqual(12);
  for (const { picture } of body.templates) {
    const response = await fetch(stage.baseUrl + picture);
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'image/webp']);
  }
  const chosen = body.templates.filter(({ needs_packages }: { needs_packages: boolean }) => !needs_packages);
  const tab = await stage.reuse(person);
  for (const { key, title } of chosen) {
    await tab.goto(`${stage.baseUrl}/pages/new`);
    await tab.getByRole('button', { name: title, exact: true }).click();
    await tab.getByLabel('Name').fill(`Mine ${key}`);
    await tab.getByRole('button', { name: 'Publish page' }).click();
    await tab.waitForURL(/\/pages\/\d+\/share\?template=/);
    const complaints = watchComplaints(tab);
    await tab.goto(`${stage.baseUrl}/p/mine-${key}`);
    await tab.locator('h1').first().waitFor();
    await expectUsable(tab);
    expect([key, complaints]).toEqual([key, []]);
  }
}, 300_000);

test('the function of a template is deployed with it and answers its page', async () => {
  const person = await stage.register('Fresh_two');
  const { tab, complaints } = await openList(person);
  await tab.getByText('Start from a template').waitFor();
  await tab.getByRole('button', { name: 'Guestbook with a function' }).click();
  await tab.getByRole('button', { name: 'Publish page' }).click();
  await tab.waitForURL(/\/pages\/\d+\/share\?template=/);
  expect(complaints).toEqual([]);
  await tab.goto(`${stage.baseUrl}/p/guestbook-with-a-function`);
  await tab.getByLabel('Your name').fill('Grace');
  await tab.getByLabel('Your note').fill('It <i>works</i>');
  await tab.getByRole('button', { name: 'Sign' }).click();
  await tab.getByText('It <i>works</i>').waitFor();
  const mine = await stage.call('GET', '/api/functions?mine=true', { token: person.token });
  expect(mine.body.functions.map(({ slug }: { slug: string }) => slug)).toContain('signed-book-fresh-two');
});

test('a template that fails or is closed in the middle leaves nothing behind, and can be tried again', async () => {
  const person = await stage.register('unlucky');
  const { tab } = await openList(person);
  const dialog = tab.getByRole('dialog');
  const countFunctions = async () =>
    (await stage.call('GET', '/api/functions?mine=true', { token: person.token })).body.total;
  await tab.getByRole('button', { name: 'Guestbook with a function' }).click();
  await tab.route('**/api/templates/*/pages', (route) => route.abort());
  await tab.getByRole('button', { name: 'Publish page' }).click();
  await tab.getByRole('alert').getByText('Cannot reach the service').first().waitFor();
  await tab.unroute('**/api/templates/*/pages');
  const sent = tab.waitForRequest('**/api/templates/*/pages');
  await tab.getByRole('button', { name: 'Publish page' }).click();
  await sent;
  await dialog.getByRole('button', { name: 'Close' }).click();
  await dialog.waitFor({ state: 'detached' });
  await tab.getByRole('button', { name: 'Guestbook with a function' }).click();
  await tab.getByRole('button', { name: 'Publish page' }).click();
  await tab.waitForURL(/\/pages\/\d+\/share\?template=/);
  while ((await countFunctions()) !== 1) await Bun.sleep(20);
});

test('the path of a missing page, or of someone else’s, shows an error', async () => {
  const stranger = await stage.register('stranger-pages');
  const theirs = await stage.publish(stranger, '<!doctype html><p>Mine', { is_published: false });
  const tab = await stage.reuse(lena);
  await tab.goto(`${stage.baseUrl}/pages/nothing`);
  await tab.getByText('Page not found').waitFor();
  await tab.goto(`${stage.baseUrl}/pages/${theirs.id}`);
  await tab.getByRole('alert').getByText('This page was not found.').waitFor();
  expect(await tab.getByRole('button', { name: 'Try again' }).count()).toBe(0);
  await tab.getByRole('main').getByRole('link', { name: 'Pages', exact: true }).waitFor();
  await expectUsable(tab);
  await tab.getByRole('link', { name: 'Go to your pages' }).click();
  await tab.waitForURL('**/pages');
});

test('while a page loads, its tabs are there and lead on', async () => {
  const { id } = await stage.publish(lena, '<!doctype html><p>Slow', { name: 'Slow page' });
  const tab = await stage.enter(lena);
  const loading = Promise.withResolvers<void>();
  await tab.route(`**/api/pages/${id}`, async (route) => {
    await loading.promise;
    await route.continue();
  });
  await tab.goto(`${stage.baseUrl}/pages/${id}`);
  await tab.locator('.page-editor > .skeleton').waitFor();
  await tab.getByRole('navigation', { name: 'Tabs' }).getByRole('link', { name: 'Data' }).click();
  await tab.waitForURL(`**/pages/${id}/data`);
  loading.resolve();
  await tab.getByRole('heading', { level: 1, name: 'Slow page' }).waitFor();
  await tab.getByRole('heading', { name: 'This page stores no data' }).waitFor();
});

test('a name that is written from right to left is cut at its end', async () => {
  const name = 'مرحبا بكم في صفحتنا الجديدة '.repeat(7).trim();
  const { id } = await stage.publish(lena, '<!doctype html><p>Hello', { name, is_published: false });
  const tab = await stage.reuse(lena);
  await tab.goto(`${stage.baseUrl}/pages/${id}/data`);
  await tab.getByRole('heading', { level: 1, name }).waitFor();
  const direction = (selector: string) =>
    tab.evaluate(`getComputedStyle(document.querySelector('${selector}')).direction`);
  expect(await direction('h1 button')).toBe('rtl');
  await tab.goto(`${stage.baseUrl}/pages`);
  await tab.getByRole('link', { name }).waitFor();
  expect(await direction(`[href="/pages/${id}"] .name`)).toBe('rtl');
});
