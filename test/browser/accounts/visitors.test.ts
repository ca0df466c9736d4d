import { afterEach, beforeAll, describe, expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import {
  arriveAtStart,
  closeTabs,
  currentUser,
  logIn,
  PASSWORD,
  type Person,
  type Published,
  type Setting,
  type Stage,
  sharedStage,
} from '../../support/browser/stage.ts';

/** What an author can rely on, in each isolation. */

const GUEST_BOOK = `<!doctype html>
<html lang="en"><head><script>
window.globalsAtFirst = [typeof window.PageFunctions, typeof window.PageUser];
window.askPlainly = async (name = '{{PAGE_ID}}') =>
  (await fetch('/api/pages/' + name + '/visitor', { credentials: 'include' })).json();
</script><title>Guest book</title></head><body><h1>Guest book</h1></body></html>`;

const MODES: Setting[] = ['origin', 'sandbox', 'trusted'];
const PLACES: Setting[] = ['origin over HTTPS', 'origin on a plain network', 'sandbox on a plain network'];

afterEach(closeTabs);

for (const setting of MODES) {
  describe(`in ${setting} isolation`, () => {
    let stage: Stage;
    let owner: Person;
    let page: Published;
    beforeAll(async () => {
      stage = await sharedStage(setting);
      owner = await stage.register('olga-visitors');
      page = await stage.publish(owner, GUEST_BOOK, { name: 'Guest book' });
    });

    test("a page's first script can use the globals", async () => {
      const tab = await stage.enter();
      await tab.goto(page.url);
      expect(tab.url()).toBe(page.address);
      expect(await tab.evaluate('globalsAtFirst')).toEqual(['object', 'object']);
    });

    test('a visitor who is not logged in is null', async () => {
      const tab = await stage.enter();
      await tab.goto(page.url);
      expect(await currentUser(tab)).toBeNull();
      expect(await tab.evaluate('askPlainly()')).toEqual({ user: null, role: null });
      expect(await tab.evaluate('PageUser.ready.then(() => "ready")')).toBe('ready');
    });

    test('a visitor who registered with the form is known to the page', async () => {
      const tab = await stage.enter();
      await tab.goto(`${stage.baseUrl}/register`);
      await tab.fill('input[name=username]', 'rita-visitors');
      await tab.fill('input[name=email]', 'rita-visitors@example.com');
      await tab.fill('input[name=password]', PASSWORD);
      await tab.click('button');
      await arriveAtStart(tab, stage);
      await tab.goto(page.url);
      expect(await currentUser(tab)).toEqual({ id: expect.any(Number), username: 'rita-visitors' });
      expect(await tab.evaluate('askPlainly()')).toEqual({
        user: { id: expect.any(Number), username: 'rita-visitors' },
        role: null,
      });
    });

    test("a page's own endpoints also work with its slug", async () => {
      const tab = await stage.enter(owner);
      await tab.goto(page.url);
      expect(await tab.evaluate(`askPlainly('${page.slug}')`)).toEqual({
        user: { id: owner.id, username: 'olga-visitors' },
        role: 'owner',
      });
    });

    test('PageUser.login() leads to the form and back, with query and hash', async () => {
      const tab = await stage.enter();
      await tab.goto(`${page.url}?lines=3&q=a%26b#last`);
      await leave(tab, 'login');
      expect(new URL(tab.url()).origin).toBe(stage.baseUrl);
      await logIn(tab, owner);
      await tab.waitForURL(`${page.address}?lines=3&q=a%26b#last`);
      expect(await currentUser(tab)).toEqual({ id: owner.id, username: 'olga-visitors' });
    });

    test('PageUser.logout() leads to a screen that logs out, and back', async () => {
      const tab = await stage.enter(owner);
      await tab.goto(`${page.url}?lines=3#last`);
      await leave(tab, 'logout');
      expect(await tab.textContent('main')).toContain('You are logged in as olga-visitors');
      await tab.click('button');
      await tab.getByText('You are logged out').waitFor();
      await tab.click('main a');
      await tab.waitForURL(`${page.address}?lines=3#last`);
      expect(await currentUser(tab)).toBeNull();
      expect(await tab.evaluate('askPlainly()')).toEqual({ user: null, role: null });
    });

    test('tabs of the same page that open at the same time know the visitor', async () => {
      const first = await stage.enter(owner);
      const tabs = [first, ...(await Promise.all([1, 2, 3].map(() => first.context().newPage())))];
      await Promise.all(tabs.map((tab) => tab.goto(page.url)));
      const names = await Promise.all(tabs.map(async (tab) => (await currentUser(tab))?.username));
      expect(names).toEqual(tabs.map(() => 'olga-visitors'));
    });

    test('an open tab notices the logout at its next call', async () => {
      const tab = await stage.enter(owner);
      await tab.goto(page.url);
      const other = await tab.context().newPage();
      await other.goto(page.url);
      expect((await currentUser(tab))?.username).toBe('olga-visitors');
      await leave(other, 'logout');
      await other.click('button');
      await other.getByText('You are logged out').waitFor();
      expect(await currentUser(tab)).toBeNull();
      expect(await tab.evaluate('askPlainly()')).toEqual({ user: null, role: null });
    });

    test('going back after logging out does not bring the visitor back', async () => {
      const tab = await stage.enter(owner);
      await tab.goto(page.url);
      await leave(tab, 'logout');
      await tab.click('button');
      await tab.getByText('You are logged out').waitFor();
      // Delayed, so that the page is not gone before the call returns.
      await tab.evaluate('void setTimeout(() => history.go(-2))');
      await tab.waitForURL(page.address);
      expect(await currentUser(tab)).toBeNull();
    });

    test('the next user who logs in in the same browser is the visitor', async () => {
      const next = await stage.register('nina-visitors');
      const tab = await stage.enter(owner);
      await tab.goto(page.url);
      expect((await currentUser(tab))?.username).toBe('olga-visitors');
      await leave(tab, 'logout');
      await tab.click('button');
      await tab.getByText('You are logged out').waitFor();
      await tab.click('main a');
      await tab.waitForURL(page.address);
      await leave(tab, 'login');
      await logIn(tab, next);
      await tab.waitForURL(page.address);
      expect((await currentUser(tab))?.username).toBe('nina-visitors');
    });

    test("the author's <base> does not affect the globals", async () => {
      const html = `<!doctype html><base href="https://example.com/">${GUEST_BOOK}`;
      const elsewhere = await stage.publish(owner, html, { name: 'Based elsewhere' });
      const tab = await stage.enter(owner);
      await tab.goto(elsewhere.url);
      expect(await tab.evaluate('document.baseURI')).toBe('https://example.com/');
      expect((await currentUser(tab))?.username).toBe('olga-visitors');
      await leave(tab, 'logout');
      expect(await tab.textContent('main')).toContain('You are logged in as olga-visitors');
    });

    test('an unpublished page is shown to its owner only', async () => {
      const draft = await stage.publish(owner, GUEST_BOOK, { name: 'Draft', is_published: false });
      const tab = await stage.enter(owner);
      await tab.goto(draft.url);
      expect(await tab.title()).toBe('Guest book');
      expect((await currentUser(tab))?.username).toBe('olga-visitors');
      const stranger = await stage.enter();
      expect((await stranger.goto(draft.url))?.status()).toBe(404);
      expect((await stranger.goto(draft.address))?.status()).toBe(404);
    });

    test('a call of an unknown function resolves to the error response', async () => {
      const tab = await stage.enter();
      await tab.goto(page.url);
      const answer = await tab.evaluate("PageFunctions.call('no-such-function', {})");
      expect(answer).toMatchObject({ error: expect.any(String) });
    });

    test('a page can read what it has stored', async () => {
      const tab = await stage.enter();
      const notes: string[] = [];
      tab.on('console', (message) => message.text().startsWith('Quire:') && notes.push(message.text()));
      await tab.goto(page.url);
      expect(await tab.evaluate(USE_STORAGE)).toEqual({
        local: ['1', '2', null],
        keys: ['a', 'b'],
        session: 's',
        cookie: 'kept=1',
      });
      // If the storage is temporary, the console says so once.
      expect(notes).toEqual(
        stage.isolation === 'sandbox' ? [expect.stringContaining('are lost when the page is closed')] : [],
      );
    });
  });
}

for (const setting of PLACES) {
  test(`a visitor logs in, is known to the page, and logs out: ${setting}`, async () => {
    const stage = await sharedStage(setting);
    const owner = await stage.register('olga-visitors');
    const page = await stage.publish(owner, GUEST_BOOK, { name: 'Guest book' });
    const tab = await stage.enter();
    await tab.goto(page.url);
    expect(tab.url()).toBe(page.address);
    await leave(tab, 'login');
    await logIn(tab, owner);
    await tab.waitForURL(page.address);
    expect((await currentUser(tab))?.username).toBe('olga-visitors');
    await leave(tab, 'logout');
    await tab.click('button');
    await tab.getByText('You are logged out').waitFor();
    await tab.click('main a');
    await tab.waitForURL(page.address);
    expect(await currentUser(tab)).toBeNull();
  });
}

const USE_STORAGE = `(() => {
  localStorage.setItem('a', 1);
  localStorage.b = 2;
  localStorage.setItem('c', 3);
  localStorage.removeItem('c');
  sessionStorage.setItem('a', 's');
  document.cookie = 'kept=1; Path=/';
  document.cookie = 'dropped=1';
  document.cookie = 'dropped=; Max-Age=0';
  return {
    local: [localStorage.a, localStorage.getItem('b'), localStorage.getItem('c')],
    keys: Object.keys(localStorage).sort(),
    session: sessionStorage.getItem('a'),
    cookie: document.cookie,
  };
})()`;

/** Calls `PageUser.login()` or `.logout()` and waits for the page it leads to. */
async function leave(tab: Page, way: 'login' | 'logout'): Promise<void> {
  await tab.evaluate(`PageUser.${way}()`);
  await tab.waitForURL(`**/${way}?next=*`);
}
