import { afterEach, beforeAll, describe, expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import type { DocsIndex } from '../../contract/service.ts';
import { expectReadable, overflow, watchComplaints } from '../support/browser/accessibility.ts';
import { closeTabs, type Person, type Published, type Stage, sharedStage } from '../support/browser/stage.ts';
import { deploy } from './functions/deploy.ts';

/** What surrounds the screens of the dashboard: the sidebar, the command palette and the keyboard help. */

const DESK = { width: 1280, height: 800 };
const PHONE = { width: 360, height: 740 };

let stage: Stage;
let vera: Person;
let wall: Published;
beforeAll(async () => {
  stage = await sharedStage('origin');
  vera = await stage.register('vera-frame');
  wall = await stage.publish(vera, '<!doctype html><title>Wall</title>', {
    name: 'Marmalade wall',
    storage_mode: 'team_app',
  });
  await deploy(stage, vera, 'frame-weather', { enableDatabase: true });
});
afterEach(closeTabs);

async function open(path: string, size = DESK, without: string[] = []): Promise<Page> {
  const tab = await stage.enter(vera);
  await tab.setViewportSize(size);
  // Before the screen loads, so that no request is on its way when interception begins.
  for (const url of without) await tab.route(url, (route) => route.abort());
  await tab.goto(stage.baseUrl + path);
  await tab.getByRole('heading', { level: 1 }).waitFor();
  return tab;
}

const field = (tab: Page) => tab.getByRole('combobox', { name: 'Search pages' });
const options = (tab: Page) => tab.getByRole('dialog', { name: 'Search' }).getByRole('option');
const current = (tab: Page) => options(tab).and(tab.getByRole('option', { selected: true }));
const readPath = (tab: Page) => new URL(tab.url()).pathname;

describe('the sidebar', () => {
  test('collapses to icons with tooltips by a key, and this browser remembers it', async () => {
    const tab = await open('/pages');
    const complaints = watchComplaints(tab);
    const side = tab.getByRole('navigation', { name: 'Areas' });
    const width = async () => (await side.boundingBox())?.width ?? 0;
    expect(await width()).toBeGreaterThan(200);
    await tab.keyboard.press('[');
    await tab.getByRole('button', { name: 'Expand the sidebar' }).waitFor();
    expect(await width()).toBeLessThan(70);
    // The names are still there for screen readers, and as tooltips for everyone.
    await side.getByRole('link', { name: 'Databases' }).hover();
    await tab.locator('.tooltip').getByText('Databases').waitFor();
    await expectReadable(tab);

    await tab.reload();
    await tab.getByRole('button', { name: 'Expand the sidebar' }).click();
    await tab.getByRole('button', { name: 'Collapse the sidebar' }).waitFor();
    expect(await width()).toBeGreaterThan(200);
    expect(complaints).toEqual([]);
  });

  test('does not collapse while somebody types', async () => {
    const tab = await open('/pages');
    await tab.getByRole('searchbox').fill('');
    await tab.keyboard.type('[');
    expect(await tab.getByRole('searchbox').inputValue()).toBe('[');
    await tab.getByRole('button', { name: 'Collapse the sidebar' }).waitFor();
  });

  test('has a menu for the person, which works with the keyboard', async () => {
    const tab = await open('/pages');
    const opener = tab.getByRole('button', { name: 'Your account, vera-frame' });
    await opener.press('Enter');
    await tab.getByRole('menuitem', { name: 'Profile' }).waitFor();
    await tab.keyboard.press('ArrowUp');
    expect(await tab.locator(':focus').textContent()).toBe('Log out');
    await tab.keyboard.press('k');
    expect(await tab.locator(':focus').textContent()).toStartWith('Keyboard shortcuts');
    await expectReadable(tab);
    await tab.keyboard.press('Escape');
    await tab.getByRole('menuitem').first().waitFor({ state: 'detached' });
    expect(await tab.locator(':focus').getAttribute('aria-expanded')).toBe('false');
    // A click on the button of an open menu closes it.
    await opener.click();
    await tab.getByRole('menuitem', { name: 'Profile' }).waitFor();
    await opener.click();
    await tab.getByRole('menuitem').first().waitFor({ state: 'detached' });
    await opener.click();
    await tab.getByRole('menuitem', { name: 'Profile' }).click();
    await tab.waitForURL('**/account/profile');
  });

  test('is a bar with four areas and a menu on a phone', async () => {
    const tab = await open('/functions', PHONE);
    const side = tab.getByRole('navigation', { name: 'Areas' });
    const links = await side.getByRole('link').allTextContents();
    expect(links).toEqual(['Home', 'Pages', 'Functions', 'Databases']);
    expect(await overflow(tab)).toBe(0);
    await side.getByRole('button', { name: 'More' }).click();
    await expectReadable(tab);
    await tab.getByRole('menuitem', { name: 'Connect' }).click();
    await tab.waitForURL('**/connect');
    expect(await overflow(tab)).toBe(0);
  });

  test.each(['/', '/databases', '/connect'])(
    'the screen at %s is accessible and fits a phone',
    async (path) => {
      const tab = await open(path, PHONE);
      expect(readPath(tab)).toBe(path);
      await expectReadable(tab);
      expect(await overflow(tab)).toBe(0);
    },
  );
});

describe('tabs on a phone', () => {
  test('fade where more are hidden, and show the open one', async () => {
    const tab = await open('/account/activity', PHONE);
    const row = tab.getByRole('navigation', { name: 'Tabs' });
    const isShown = async () => {
      const [at, within] = await Promise.all([
        row.locator('[aria-current]').boundingBox(),
        row.boundingBox(),
      ]);
      if (!at || !within) return false;
      return at.x >= within.x - 1 && at.x + at.width <= within.x + within.width + 1;
    };
    expect(await isShown()).toBe(true);
    expect(await row.getAttribute('class')).toBe('tabs more-before');
    await row.getByRole('link', { name: 'Credits' }).click();
    await tab.waitForURL('**/account/credits');
    expect(await isShown()).toBe(true);
    expect((await row.getAttribute('class'))?.split(' ').sort()).toEqual([
      'more-after',
      'more-before',
      'tabs',
    ]);
  });
});

describe('a part that cannot be loaded', () => {
  /** Scripts that load after this point, as after an update that removed them. */
  const breakScripts = (tab: Page) =>
    tab.route('**/assets/dashboard/*.js', (route) => route.fulfill({ status: 404, body: '' }));

  test('can be tried again', async () => {
    const tab = await stage.enter(vera);
    // The areas are not loaded ahead, so that opening one needs its file.
    await tab.addInitScript('window.requestIdleCallback = () => 0');
    await tab.goto(`${stage.baseUrl}/pages`);
    await tab.getByRole('heading', { name: 'Pages' }).waitFor();
    await breakScripts(tab);
    await tab.getByRole('link', { name: 'Functions' }).click();
    await tab.getByText('This part of the dashboard could not be loaded.').waitFor();
    await expectReadable(tab);
    await tab.unroute('**/assets/dashboard/*.js');
    await tab.getByRole('button', { name: 'Try again' }).click();
    await tab.getByRole('link', { name: 'New function' }).waitFor();
  });

  test('says that Quire was updated if the service has other files now', async () => {
    const tab = await stage.enter(vera);
    await tab.addInitScript('window.requestIdleCallback = () => 0');
    await tab.goto(`${stage.baseUrl}/pages`);
    await tab.getByRole('heading', { name: 'Pages' }).waitFor();
    await breakScripts(tab);
    await tab.route('**/functions', (route) =>
      route.request().isNavigationRequest()
        ? route.fallback()
        : route.fulfill({
            contentType: 'text/html',
            body: '<script src="/assets/dashboard/newer.js"></script>',
          }),
    );
    await tab.getByRole('link', { name: 'Functions' }).click();
    await tab.getByText('Quire was updated. Reload to continue.').waitFor();
    await tab.unroute('**/assets/dashboard/*.js');
    await tab.getByRole('button', { name: 'Reload' }).click();
    await tab.getByRole('link', { name: 'New function' }).waitFor();
  });
});

describe('the command palette', () => {
  test('finds a page with the keyboard alone, remembers it, and opens its tabs', async () => {
    const tab = await open('/functions');
    const complaints = watchComplaints(tab);
    await tab.keyboard.press('Control+k');
    await field(tab).waitFor();
    await tab.keyboard.type('marmalade');
    await current(tab).getByText('Marmalade wall').waitFor();
    await expectReadable(tab);
    await tab.keyboard.press('Enter');
    await tab.waitForURL(`**/pages/${wall.id}`);
    await field(tab).waitFor({ state: 'detached' });

    // In the code editor too. What was opened last is first.
    await tab.getByRole('textbox', { name: 'Page HTML' }).click();
    await tab.keyboard.press('Control+k');
    await current(tab).getByText('Marmalade wall').waitFor();
    await tab.getByRole('group', { name: 'On this screen' }).getByText('History').waitFor();
    await tab.keyboard.type('settings');
    await tab.keyboard.press('Enter');
    await tab.waitForURL(`**/pages/${wall.id}/settings`);
    expect(complaints).toEqual([]);
  });

  test('moves through functions, databases and actions with the arrow keys', async () => {
    const tab = await open('/pages');
    await tab.getByRole('button', { name: 'Search', exact: true }).click();
    await field(tab).fill('frame-weather');
    await tab.getByRole('group', { name: 'Databases' }).getByRole('option').waitFor();
    expect(await options(tab).count()).toBe(2);
    await tab.keyboard.press('ArrowDown');
    await tab.keyboard.press('ArrowDown');
    await current(tab).getByText('frame-weather').first().waitFor();
    expect(await field(tab).getAttribute('aria-activedescendant')).toBe(
      await current(tab).getAttribute('id'),
    );
    await tab.keyboard.press('ArrowUp');
    await tab.keyboard.press('Enter');
    await tab.waitForURL('**/functions/frame-weather/database');

    await tab.keyboard.press('Control+k');
    await field(tab).fill('new token');
    await tab.keyboard.press('Enter');
    await tab.getByRole('dialog', { name: 'New token' }).waitFor();
    // What somebody does in a dialog comes first.
    await tab.keyboard.press('Control+k');
    expect(await field(tab).count()).toBe(0);
    await tab.keyboard.press('Escape');
    await tab.waitForURL('**/account');
    await tab.keyboard.press('Control+k');
    await field(tab).fill('new function');
    await tab.keyboard.press('Enter');
    await tab.getByRole('heading', { name: 'New function' }).waitFor();
    await tab.keyboard.press('Control+k');
    await field(tab).fill('new page');
    await tab.keyboard.press('Enter');
    await tab.waitForURL('**/pages/new');
    await tab.getByRole('heading', { name: 'New page' }).waitFor();
  });

  test('finds a heading of the docs and opens it at its place', async () => {
    const index = (await (await fetch(`${stage.baseUrl}/docs/search.json`)).json()) as DocsIndex;
    const document = index.documents.find(({ href }) => href === '/docs/domains');
    const heading = document?.headings[0];
    if (!document || !heading) throw new Error('the index has no such document');
    const tab = await open('/pages');
    await tab.keyboard.press('Control+k');
    await field(tab).fill(heading.title);
    const docs = tab.getByRole('group', { name: 'Docs' });
    await docs
      .getByRole('option')
      .filter({ hasText: heading.title })
      .filter({ hasText: document.title })
      .click();
    await tab.waitForURL(`**/docs/domains#${heading.id}`);
    await tab.locator(`#${heading.id}`).waitFor();
  });

  test('says what is missing without a connection, still does the rest, and can try again', async () => {
    const tab = await open('/account', DESK, ['**/api/pages?**', '**/docs/search.json']);
    await tab.keyboard.press('Control+k');
    await field(tab).fill('marmalade');
    await tab.getByText('Some results are missing').waitFor();
    await expectReadable(tab);
    await tab.unroute('**/api/pages?**');
    await tab.unroute('**/docs/search.json');
    await tab.getByRole('button', { name: 'Try again' }).click();
    await current(tab).getByText('Marmalade wall').waitFor();
    await field(tab).fill('nothing has this name');
    await tab.getByText('Nothing found for “nothing has this name”.').waitFor();
    await tab.keyboard.press('Escape');
    await field(tab).waitFor({ state: 'detached' });
  });

  test('fills the screen of a phone', async () => {
    const tab = await open('/pages', PHONE);
    await tab.getByRole('button', { name: 'More' }).click();
    await tab.getByRole('menuitem', { name: 'Search' }).click();
    await field(tab).fill('marmalade');
    await current(tab).getByText('Marmalade wall').waitFor();
    expect(await tab.getByRole('dialog', { name: 'Search' }).boundingBox()).toEqual({ x: 0, y: 0, ...PHONE });
    await expectReadable(tab);
    await current(tab).click();
    await tab.waitForURL(`**/pages/${wall.id}`);
  });
});

describe('the keyboard help', () => {
  test('lists the shortcuts of the screen, and jumps work', async () => {
    const tab = await open('/pages');
    await tab.keyboard.press('?');
    const help = tab.getByRole('dialog', { name: 'Keyboard shortcuts' });
    await help.getByText('Go to Functions').waitFor();
    await help.getByText('Collapse or expand the sidebar').waitFor();
    await expectReadable(tab);
    await tab.keyboard.press('Escape');
    await help.waitFor({ state: 'detached' });
    await tab.keyboard.press('g');
    await tab.keyboard.press('f');
    await tab.waitForURL('**/functions');
    // The shortcuts of a screen are listed while it is open.
    await tab.goto(`${stage.baseUrl}/functions/frame-weather`);
    await tab.getByRole('button', { name: 'Deploy' }).waitFor();
    await tab.keyboard.press('?');
    await help.getByText('Deploy the function').waitFor();
  });
});
