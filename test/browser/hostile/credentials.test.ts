import { afterEach, beforeAll, describe, expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import {
  closeTabs,
  fetchVisitor,
  loggedInAs,
  PASSWORD,
  type Person,
  type Published,
  type Setting,
  type Stage,
  sharedStage,
} from '../../support/browser/stage.ts';
import { attempt, expectHarmless, type Learned, type Scene, setScene } from './page.ts';

/** Tickets and cookies cannot be used for another page or another person. */

const ELSEWHERE = ['//evil.example/', 'https://evil.example/', '@evil.example', 'javascript:0'];

afterEach(closeTabs);

for (const setting of ['origin', 'origin over HTTPS', 'sandbox'] satisfies Setting[]) {
  describe(`in ${setting} isolation`, () => {
    let stage: Stage;
    let scene: Scene;
    beforeAll(async () => {
      stage = await sharedStage(setting);
      scene = await setScene(stage, 'credentials');
    });

    test('a page that sets cookies for the service does not change who is logged in', () =>
      expectHarmless(stage, scene, async (tab) => {
        await setCookies(tab, await loginCookie(stage, scene.attacker), listParents(stage.baseUrl));
        await tab.goto(`${stage.baseUrl}/api/auth/me`);
        expect(await tab.textContent('body')).toContain(`"username":"${scene.victim.username}"`);
      }));

    test('a page that sets cookies for the service does not log in a visitor who is logged out', async () => {
      const tab = await stage.enter();
      await tab.goto(scene.hostile.url);
      await setCookies(tab, await loginCookie(stage, scene.attacker), listParents(stage.baseUrl));
      expect(await loggedInAs(tab, stage)).toBeUndefined();
    });

    if (setting === 'sandbox') return;

    test('a ticket works once', async () => {
      const ticket = await fetchTicket(stage, scene.victim, scene.hostile);
      const [first, second] = [await openHolder(ticket), await openHolder(ticket)];
      expect(await fetchVisitor(first, ticket.address)).toBe(scene.victim.username);
      expect(await fetchVisitor(second, ticket.address)).toBeUndefined();
    });

    test('a ticket works only in its own browser', async () => {
      const ticket = await fetchTicket(stage, scene.victim, scene.hostile);
      const tab = await stage.enter();
      expect(await fetchVisitor(tab, ticket.address)).toBeUndefined();
      expect(await fetchVisitor(await openHolder(ticket), ticket.address)).toBe(scene.victim.username);
    });

    test('a ticket works only for its own page', async () => {
      const ticket = await fetchTicket(stage, scene.victim, scene.hostile);
      const { host } = new URL(scene.diary.address);
      const address = Object.assign(new URL(ticket.address), { host }).href;
      const tab = await openHolder({ ...ticket, address });
      expect(await fetchVisitor(tab, address)).toBeUndefined();
      expect(await fetchVisitor(tab, scene.diary.address)).toBeUndefined();
    });

    test('a ticket leads only to its own page', async () => {
      for (const search of ELSEWHERE) {
        const ticket = await fetchTicket(stage, scene.victim, scene.hostile);
        const address = new URL(ticket.address);
        address.searchParams.set('to', search);
        const tab = await openHolder(ticket);
        await tab.goto(address.href);
        expect(tab.url()).toBe(scene.hostile.address);
      }
    });

    test('a ticket of someone else does not change who the visitor is', () =>
      expectHarmless(stage, scene, async (tab) => {
        const ticket = await fetchTicket(stage, scene.attacker, scene.diary);
        await attempt(tab, 'frame', ticket.address);
      }));

    test('a page that requests a ticket for another page neither learns nor changes anything', () =>
      expectHarmless(stage, scene, async (tab) => {
        const asking = new URLSearchParams({ page: String(scene.diary.id), browser: 'chosen', to: '' });
        const doors = [`${stage.baseUrl}/~ticket?${asking}`, `${scene.diary.address}~session?to=`];
        for (const door of doors) {
          expect((await attempt(tab, 'fetch', 'GET', door)).text).toBeUndefined();
          expect(await attempt<Learned[]>(tab, 'frame', door)).toEqual([]);
        }
      }));

    // Over plain HTTP a page can set cookies for its neighbours, and they look like real ones.
    if (setting === 'origin') return;

    test('a page that sets cookies for its neighbours does not change who their visitor is', () =>
      expectHarmless(stage, scene, async (tab) => {
        const theirs = await pageCookie(stage, scene.attacker, scene.diary);
        await setCookies(tab, theirs, listParents(scene.diary.address));
        const ticket = await fetchTicket(stage, scene.attacker, scene.diary);
        await setCookies(
          tab,
          `${ticket.cookie.name}=${ticket.cookie.value}`,
          listParents(scene.diary.address),
        );
        await attempt(tab, 'frame', ticket.address);
      }));

    /** A new browser that has the cookie a ticket was made for. */
    async function openHolder({ address, cookie }: Ticket): Promise<Page> {
      const tab = await stage.enter();
      await tab.context().addCookies([{ ...cookie, url: new URL(address).origin }]);
      return tab;
    }
  });
}

/** Sets a cookie with the page's script, for every possible host and path. */
async function setCookies(tab: Page, cookie: string, domains: string[]): Promise<void> {
  for (const domain of ['', ...domains.map((name) => `; Domain=${name}`)]) {
    for (const path of ['/', '/api', '/login']) {
      for (const security of ['', '; Secure']) {
        const text = `${cookie}${domain}; Path=${path}${security}`;
        await tab.evaluate(`document.cookie = ${JSON.stringify(text)}`);
      }
    }
  }
}

/** A host and the domains above it. */
function listParents(address: string): string[] {
  const labels = new URL(address).hostname.split('.');
  return labels.map((_, index) => labels.slice(index).join('.'));
}

/** A new login cookie, `name=value`. */
async function loginCookie(stage: Stage, person: Person): Promise<string> {
  const body = { username: person.username, password: PASSWORD };
  const { headers } = await stage.call('POST', '/api/auth/login', { body });
  return (headers.get('set-cookie') ?? '').split(';')[0] ?? '';
}

interface Ticket {
  /** The URL on the page's host that turns it into a page session. */
  address: string;
  /** The cookies that the page's host set in the browser. */
  cookie: { name: string; value: string };
}

/** Follows the redirects of a browser in which this person is logged in, up to the last step. */
async function fetchTicket(stage: Stage, person: Person, page: Published): Promise<Ticket> {
  const cookie = await loginCookie(stage, person);
  const go = (address: string, headers: Record<string, string>) => {
    const { pathname, search, host } = new URL(address);
    return stage.call('GET', pathname + search, {
      headers: { 'sec-fetch-mode': 'navigate', host, ...headers },
    });
  };
  const atPage = await go(page.url, { cookie });
  const atHost = await go(atPage.headers.get('location') ?? '', {});
  const [, name = '', value = ''] = /^([^=]+)=([^;]+)/.exec(atHost.headers.get('set-cookie') ?? '') ?? [];
  const atBase = await go(atHost.headers.get('location') ?? '', { cookie });
  const address = atBase.headers.get('location') ?? '';
  expect(address).toContain('ticket=');
  return { address, cookie: { name, value } };
}

/** The cookie of a page session, as a user can read it in their own browser. */
async function pageCookie(stage: Stage, person: Person, page: Published): Promise<string> {
  const tab = await stage.enter(person);
  await tab.goto(page.url);
  const cookies = await tab.context().cookies(page.address);
  return cookies.map(({ name, value }) => `${name}=${value}`).join('; ');
}
