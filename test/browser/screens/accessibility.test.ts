import { afterAll, afterEach, beforeAll, expect, test } from 'bun:test';
import { gzipSync } from 'node:zlib';
import { collectComplaints, expectReadable, overflow } from '../../support/browser/accessibility.ts';
import { closeTabs, type Person, type Stage } from '../../support/browser/stage.ts';
import { type EveryScreen, openEveryScreen } from './every-screen.ts';

/** Rules for every screen of the service, in every state that has a URL. */

const NARROW = { width: 320, height: 640 };
const MAX_GZIPPED_BYTES = 6 * 1024;

/** The screens with a script: those that ask for a passkey. */
const ASKS_FOR_PASSKEY = /^\/login(\/second-factor)?(\?|$)/;

let opened: EveryScreen;
let stage: Stage;
let visitor: Person;
beforeAll(async () => {
  opened = await openEveryScreen();
  ({ stage, visitor } = opened);
});
afterEach(closeTabs);
afterAll(() => opened.close());

test.each(['guest', 'visitor'] as const)(
  'every screen for a %s is readable in light and dark mode, fits the narrowest phone, and runs no script but that of passkeys',
  async (who) => {
    const tab = await stage.enter(who === 'guest' ? undefined : visitor);
    if (who === 'guest') await tab.context().addCookies(opened.cookies);
    const complaints = collectComplaints(tab);
    await tab.setViewportSize(NARROW);
    for (const path of opened.paths[who]) {
      const response = await tab.goto(stage.baseUrl + path);
      const headers = response?.headers() ?? {};
      const policy = headers['content-security-policy'] ?? '';
      expect(policy).toContain("default-src 'none'");
      expect(policy).toContain("frame-ancestors 'none'");
      const [, script] = /script-src ([^;]*)/.exec(policy) ?? [];
      const allowed = ASKS_FOR_PASSKEY.test(path) ? `${stage.baseUrl}/assets/passkeys.js` : undefined;
      expect({ path, script }).toEqual({ path, script: allowed });
      expect(headers['x-frame-options']).toBe('DENY');
      expect(headers['cache-control']).toBe('no-store');
      const text = (await response?.text()) ?? '';
      expect({ path, scripts: text.split('<script').length - 1 }).toEqual({ path, scripts: allowed ? 1 : 0 });
      expect({ path, isSmall: gzipSync(text).length < MAX_GZIPPED_BYTES }).toEqual({ path, isSmall: true });
      expect({ path, overflow: await overflow(tab) }).toEqual({ path, overflow: 0 });
      await expectReadable(tab);
    }
    expect(complaints).toEqual([]);
  },
);

test('no browser shows the login form in a frame', async () => {
  const tab = await stage.enter();
  await tab.goto(`${stage.baseUrl}/healthz`);
  await tab.setContent(`<iframe src="${stage.baseUrl}/login"></iframe>`);
  const frame = await (await tab.waitForSelector('iframe')).contentFrame();
  await frame?.waitForURL('chrome-error://chromewebdata/');
  expect(await frame?.locator('input').count()).toBe(0);
});
