import { afterEach, beforeAll, describe, expect, test } from 'bun:test';
import { closeTabs, PASSWORD, type Setting, type Stage, sharedStage } from '../../support/browser/stage.ts';
import { untilPrinted } from '../../support/server.ts';
import { attempt, expectHarmless, knownAs, type Learned, lure, type Scene, setScene } from './page.ts';

/** A published page cannot read, frame, control or post to the account screens. */

const SCREENS = ['/', '/account', '/login', '/logout', '/register', '/setup?code=guess', '/docs/api'];
const SETTINGS: Setting[] = ['origin over HTTPS', 'sandbox'];

afterEach(closeTabs);

for (const setting of SETTINGS) {
  describe(`a hostile page in ${setting} isolation`, () => {
    let stage: Stage;
    let scene: Scene;
    beforeAll(async () => {
      stage = await sharedStage(setting);
      scene = await setScene(stage, 'accounts');
    });

    test('cannot read the account screens with fetch', () =>
      expectHarmless(stage, scene, async (tab) => {
        for (const path of SCREENS) {
          const learned = [
            await attempt(tab, 'fetch', 'GET', stage.baseUrl + path),
            await attempt(tab, 'fetch', 'GET', stage.baseUrl + path, undefined, { mode: 'no-cors' }),
            await attempt(tab, 'xhr', 'GET', stage.baseUrl + path),
          ];
          expect({ path, learned: learned.filter(({ text }) => text) }).toEqual({ path, learned: [] });
        }
      }));

    test('cannot show the account screens in a frame, where it could steal clicks', () =>
      expectHarmless(stage, scene, async (tab) => {
        for (const path of SCREENS) {
          expect(await attempt<Learned[]>(tab, 'frame', stage.baseUrl + path)).toEqual([]);
          const shown = await (await tab.evaluateHandle('lastFrame')).asElement()?.contentFrame();
          await shown?.waitForURL('chrome-error://chromewebdata/');
          expect({ path, shown: shown?.url() }).toEqual({ path, shown: 'chrome-error://chromewebdata/' });
        }
      }));

    test('cannot read or control the account screens in a window it opened', () =>
      expectHarmless(stage, scene, async (tab) => {
        for (const path of ['/', '/login', '/logout']) {
          const [popup] = await Promise.all([
            tab.waitForEvent('popup'),
            attempt(tab, 'popup', stage.baseUrl + path),
          ]);
          await popup.waitForLoadState();
          // Logged-in users get the dashboard, also at /login: a script that keeps filling its screen.
          const isFilling = path !== '/logout';
          if (isFilling) {
            await popup.waitForURL(`${stage.baseUrl}/`);
            await popup.locator('.who').waitFor();
          }
          const address = popup.url();
          const before = await popup.content();
          expect(await attempt<Learned[]>(tab, 'lookIntoPopup')).toEqual([]);
          await tab.evaluate(`(() => {
            const script = "javascript:document.body.textContent='driven',document.forms[0]?.submit()";
            for (const drive of [
              () => { lastPopup.location = script },
              () => lastPopup.location.replace(script),
              () => lastPopup.postMessage({ type: 'logout' }, '*'),
              () => lastPopup.document.forms[0].submit(),
              () => lastPopup.eval('document.forms[0].submit()'),
            ]) try { drive() } catch {}
          })()`);
          expect(popup.url()).toBe(address);
          expect(await popup.locator('body').innerText()).not.toContain('driven');
          if (!isFilling) expect(await popup.content()).toBe(before);
          await popup.close();
        }
      }));

    test('cannot log its visitor in as someone else', () =>
      expectHarmless(stage, scene, async (tab) => {
        await postLogins(tab, stage, scene);
      }));

    test('cannot log in a visitor who is logged out', async () => {
      const tab = await stage.enter();
      await tab.goto(scene.hostile.url);
      await postLogins(tab, stage, scene);
      const nobody = { service: undefined, diary: undefined, hostile: undefined };
      expect(await knownAs(stage, scene, tab)).toEqual(nobody);
    });

    test('cannot log its visitor out, register an account or complete the setup', () =>
      expectHarmless(stage, scene, async (tab) => {
        const setupCode = await untilPrinted(stage, /\/setup\?code=(\S+)/);
        const forms: Array<[path: string, fields: Record<string, string>]> = [
          ['/logout', { next: '/' }],
          ['/register', { username: 'planted', email: 'p@example.com', password: PASSWORD }],
          ['/setup', { code: setupCode, username: scene.attacker.username, password: PASSWORD }],
        ];
        for (const [path, fields] of forms) await attempt(tab, 'form', stage.baseUrl + path, fields);
        const login = { username: 'planted', password: PASSWORD };
        expect((await stage.call('POST', '/api/auth/token', { body: login })).status).toBe(401);
        const asAdmin = { username: scene.attacker.username, password: PASSWORD, scopes: ['admin'] };
        const { body } = await stage.call('POST', '/api/auth/token', { body: asAdmin });
        const users = await stage.call('GET', '/api/admin/users', { token: body.accessToken });
        expect(users.status).not.toBe(200);
      }));

    test('cannot log a visitor out by navigating to the logout screen', async () => {
      const tab = await lure(stage, scene);
      await tab.evaluate('PageUser.logout()');
      await tab.waitForURL('**/logout?*');
      expect(await knownAs(stage, scene, tab)).toMatchObject({
        service: scene.victim.username,
        diary: scene.victim.username,
      });
    });
  });
}

/**
 * Sends the attacker's credentials to every login route, in every kind of form, in frames and finally in the
 * tab.
 */
async function postLogins(
  tab: Awaited<ReturnType<typeof lure>>,
  stage: Stage,
  { attacker }: Scene,
): Promise<void> {
  const fields = { username: attacker.username, password: PASSWORD, next: '/' };
  for (const path of ['/login', '/api/auth/login']) {
    for (const type of ['application/x-www-form-urlencoded', 'text/plain', 'multipart/form-data']) {
      await attempt(tab, 'form', stage.baseUrl + path, fields, type);
    }
    await attempt(tab, 'fetch', 'POST', stage.baseUrl + path, fields);
    await attempt(tab, 'fetch', 'POST', stage.baseUrl + path, fields, { mode: 'no-cors' });
  }
  const leaving = tab.waitForResponse((response) => response.request().isNavigationRequest());
  await attempt(tab, 'form', `${stage.baseUrl}/login`, fields, 'application/x-www-form-urlencoded', '_top');
  expect((await leaving).status()).toBe(403);
  await tab.waitForURL(`${stage.baseUrl}/login`);
}
