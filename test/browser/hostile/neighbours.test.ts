import { afterEach, beforeAll, describe, expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import {
  closeTabs,
  currentUser,
  logIn,
  type Setting,
  type Stage,
  sharedStage,
} from '../../support/browser/stage.ts';
import { attempt, expectHarmless, type Learned, lure, type Scene, setScene } from './page.ts';

/** What a published page can do as its visitor is limited to that page. */

const SETTINGS: Setting[] = ['origin over HTTPS', 'sandbox'];

afterEach(closeTabs);

for (const setting of SETTINGS) {
  describe(`a hostile page in ${setting} isolation`, () => {
    let stage: Stage;
    let scene: Scene;
    beforeAll(async () => {
      stage = await sharedStage(setting);
      scene = await setScene(stage, 'neighbours');
    });

    test("cannot call another page's visitor endpoints", () =>
      expectHarmless(stage, scene, async (tab) => {
        const hosts = [scene.hostile, scene.diary].map(({ address }) => new URL(address).origin);
        const renewed: string[] = [];
        tab.on('response', (response) => {
          if (response.url().endsWith('/page-session') && response.ok()) renewed.push(response.url());
        });
        const names = [scene.diary.id, scene.diary.slug, `${scene.hostile.id}/../${scene.diary.id}`];
        for (const host of new Set([...hosts, stage.baseUrl])) {
          for (const name of names) {
            const visitor = `${host}/api/pages/${name}/visitor`;
            const renewal = `${host}/api/pages/${name}/page-session`;
            const learned = [
              await attempt(tab, 'fetch', 'GET', visitor),
              await attempt(tab, 'fetch', 'GET', visitor, undefined, { mode: 'no-cors' }),
              await attempt(tab, 'xhr', 'GET', visitor),
              await attempt(tab, 'fetch', 'POST', renewal),
              await attempt(tab, 'form', renewal, {}),
            ];
            expect(learned.filter(({ text = '' }) => /vera|pageSession|expiresIn/.test(text))).toEqual([]);
          }
        }
        expect(renewed).toEqual([]);
        expect((await currentUser(tab))?.username).toBe(scene.victim.username);
      }));

    test('cannot use its own page session anywhere else', async () => {
      const tab = await lure(stage, scene);
      const pageSession = await ownPageSession(stage, scene, tab);
      expect(pageSession).toBeString();
      const headers = { 'x-page-session': pageSession };
      const ask = (path: string, method = 'GET') => stage.call(method, path, { headers });

      expect((await ask(`/api/pages/${scene.hostile.id}/visitor`)).body.user.username).toBe(
        scene.victim.username,
      );
      expect((await ask(`/api/pages/${scene.diary.id}/visitor`)).body).toEqual({ user: null, role: null });
      expect((await ask(`/api/pages/${scene.diary.id}/page-session`, 'POST')).status).toBe(401);
      expect((await ask(`/api/pages/${scene.draft.id}/visitor`)).status).toBe(404);
      for (const path of [
        '/api/auth/me',
        '/api/auth/sessions',
        '/api/pages',
        `/api/pages/${scene.draft.id}`,
      ]) {
        expect({ path, status: (await ask(path)).status }).toEqual({ path, status: 401 });
      }

      const from = (id: number) => `${stage.baseUrl}/api/pages/${id}/visitor`;
      const learned = await attempt(tab, 'fetch', 'GET', from(scene.diary.id), undefined, { headers });
      expect(learned.text ?? '').not.toContain('vera');
    });

    test('cannot read another page in a frame', () =>
      expectHarmless(stage, scene, async (tab) => {
        for (const address of [scene.diary.url, scene.diary.address, scene.draft.url]) {
          expect(await attempt<Learned[]>(tab, 'frame', address)).toEqual([]);
        }
      }));

    test('cannot read another page in a window it opened', () =>
      expectHarmless(stage, scene, async (tab) => {
        for (const address of [scene.diary.url, scene.diary.address, scene.draft.url]) {
          const [popup] = await Promise.all([tab.waitForEvent('popup'), attempt(tab, 'popup', address)]);
          await popup.waitForLoadState();
          expect(await attempt<Learned[]>(tab, 'lookIntoPopup')).toEqual([]);
          await tab.evaluate('lastPopup.postMessage({ type: "visitor" }, "*")');
          await popup.close();
        }
      }));

    test('cannot read the page that opened it', async () => {
      const tab = await stage.enter(scene.victim);
      await tab.goto(scene.diary.url);
      const [hostile] = await Promise.all([
        tab.waitForEvent('popup'),
        tab.evaluate(`void window.open(${JSON.stringify(scene.hostile.url)})`),
      ]);
      await hostile.waitForFunction('window.attack');
      const peek = `['document.body.textContent', 'location.href', 'PageUser'].map((what) => {
        try { return String(eval('opener.' + what)) } catch (error) { return error.name } })`;
      expect(await hostile.evaluate(peek)).toEqual(['SecurityError', 'SecurityError', 'SecurityError']);
    });

    test('cannot register a service worker', () =>
      expectHarmless(stage, scene, async (tab) => {
        const sdk = await tab.evaluate<string>("document.querySelector('script[src]').src");
        const workers = [
          sdk,
          '/',
          '/sw.js',
          `/api/pages/${scene.hostile.id}/visitor`,
          'data:text/javascript,0',
          'blob',
        ];
        const outcomes = await tab.evaluate(`Promise.all(${JSON.stringify(workers)}.map(async (url) => {
          const script = url === 'blob' ? URL.createObjectURL(new Blob([''], { type: 'text/javascript' })) : url;
          try { await navigator.serviceWorker.register(script); return 'registered' }
          catch { return 'refused' }
        }))`);
        expect(outcomes).toEqual(workers.map(() => 'refused'));
      }));

    test('finds no trace of the ticket of its visitor', async () => {
      const tab = await stage.enter();
      await tab.goto(`${scene.hostile.url}?q=1`);
      await tab.evaluate('PageUser.login()');
      await tab.waitForURL('**/login?*');
      await logIn(tab, scene.victim);
      await tab.waitForURL(`${scene.hostile.address}?q=1`);
      await attempt(tab, 'frame', scene.diary.url);
      const traces: string[] = await tab.evaluate(`[
        document.referrer, location.href, JSON.stringify(performance.getEntries()),
        ...(window.navigation?.entries() ?? []).map(({ url }) => url),
        document.documentElement.outerHTML, window.name, JSON.stringify(history.state),
      ]`);
      expect(traces.filter((trace) => trace.includes('ticket'))).toEqual([]);
    });

    test("learns no ticket from the browser's reports about blocked requests", async () => {
      const html = `<!doctype html><meta http-equiv="content-security-policy" content="frame-src ${stage.baseUrl}">
        <body><script>var reports = []; addEventListener('securitypolicyviolation', (event) =>
          reports.push([event.blockedURI, event.documentURI, event.sourceFile, event.sample].join(' ')))</script>`;
      const page = await stage.publish(scene.attacker, html, { name: 'Blocks frames' });
      const tab = await stage.enter(scene.victim);
      await tab.goto(page.url);
      await tab.evaluate(`new Promise((resolve) => {
        const frame = Object.assign(document.createElement('iframe'), { src: ${JSON.stringify(scene.diary.url)} });
        frame.onload = resolve;
        document.body.append(frame);
      })`);
      const reports: string[] = await tab.evaluate('reports');
      expect(reports.length > 0).toBe(stage.isolation === 'origin');
      expect(reports.join()).not.toContain('ticket');
    });
  });
}

/** The page session that the hostile page's script has, or can get from the service. */
async function ownPageSession(stage: Stage, scene: Scene, tab: Page): Promise<string> {
  if (stage.isolation === 'sandbox') {
    return tab.evaluate('document.querySelector("[data-page-session]").dataset.pageSession');
  }
  const cookies = await tab.context().cookies(scene.hostile.address);
  return cookies.find(({ name }) => name.endsWith('quire_page'))?.value ?? '';
}
