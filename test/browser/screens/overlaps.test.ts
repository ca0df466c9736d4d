import { afterAll, afterEach, beforeAll, expect, test } from 'bun:test';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { testApp } from '../../support/app.ts';
import { expectNoOverlaps } from '../../support/browser/overlaps.ts';
import { closeTabs, newContext, type Stage } from '../../support/browser/stage.ts';
import { type EveryScreen, openEveryScreen } from './every-screen.ts';

/** No screen of the service itself has anything that covers something else, at any width and in any language. */

const ALL_MS = 900_000;
const ROOT = join(import.meta.dir, '../../..');

let opened: EveryScreen;
let stage: Stage;
beforeAll(async () => {
  opened = await openEveryScreen();
  ({ stage } = opened);
}, 120_000);
afterEach(closeTabs);
afterAll(() => opened.close());

/** For everyone, also without an account. */
const PUBLIC = [
  '/',
  '/try?wish=A+quiz+about+everything+that+happened',
  '/gallery',
  '/docs',
  '/docs/pages',
  '/docs/api',
  '/docs/api/pages',
  '/docs/search?q=page',
  '/report',
];

/** The files of the server that have screens, and one address of each that is looked at here or in the dashboard's tests. */
const SCREENS: Record<string, string> = {
  'server/sites/dashboard-site/index.ts': '/',
  'server/product/oauth/authorize/routes.ts': '/oauth/authorize',
  'server/product/oauth/device/screens.ts': '/device',
  'server/product/teams/screens.ts': '/join/',
  'server/product/trials/build.ts': '/try/build',
  'server/product/trials/routes.ts': '/try',
  'server/product/credits/screens/index.ts': '/consent',
  'server/product/privacy/screens.ts': '/leaving',
  'server/product/accounts/passkeys/screens.ts': '/login/second-factor',
  'server/product/accounts/screens/screen-route.ts': '/login',
  'server/product/accounts/single-sign-on/finish-routes.ts': '/login/sso/finish',
  'server/product/pages/gallery/screens.ts': '/gallery',
  'server/product/pages/anonymous/screens.ts': '/claim/',
  'server/product/reports/screens.ts': '/report',
};
/** Frames, and addresses that only lead elsewhere. */
const WITHOUT_SCREENS = [
  'server/sites/dashboard-site/preview.ts',
  'server/product/trials/publish.ts',
  'server/product/accounts/single-sign-on/login-routes.ts',
];
/** What logged-in people see besides. */
const LOGGED_IN = [`/try/publish?template=blank&name=${'Wochenplan'.repeat(20)}`];

const listPaths = () => [...PUBLIC, ...LOGGED_IN, ...opened.paths.guest, ...opened.paths.visitor];

/** The screens of the dashboard have tests of their own, and its previews are frames. */
const OF_DASHBOARD = /^\/(pages|functions|databases|connect|account|admin|preview)(\/|$)/;
const FRAMES = ['/try/live'];
/** Only for administrators: looked at with the screens of people in the dashboard's tests. */
const FOR_ADMINISTRATORS = ['/setup/done'];

test('every route that has a screen is looked at', async () => {
  const app = await testApp();
  const routes = app.app.routes.filter(
    ({ method, access, path }) =>
      method === 'GET' &&
      access.kind === 'screen' &&
      !OF_DASHBOARD.test(path) &&
      ![...FRAMES, ...FOR_ADMINISTRATORS].includes(path),
  );
  await app.stop();
  const paths = listPaths().map((path) => path.replace(/\?.*/, ''));
  const missing = routes.filter(({ path }) => {
    const pattern = new RegExp(`^${path.replace(/:\w+/g, '[^/]+')}$`);
    return !paths.some((each) => pattern.test(each));
  });
  expect(routes.length).toBeGreaterThan(15);
  expect(missing.map(({ path }) => path)).toEqual([]);
});

test('every file of the server that has screens is known here', () => {
  const files = readdirSync(join(ROOT, 'server'), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts') && !path.endsWith('.test.ts'))
    .map((path) => `server/${path}`)
    .filter((path) => readFileSync(join(ROOT, path), 'utf8').includes("kind: 'screen'"));
  expect(files.sort()).toEqual([...Object.keys(SCREENS), ...WITHOUT_SCREENS].sort());
  const paths = listPaths();
  const missing = Object.values(SCREENS).filter((start) => !paths.some((path) => path.startsWith(start)));
  expect(missing).toEqual([]);
});

const SCREENS_FOR = {
  public: () => PUBLIC,
  guest: () => opened.paths.guest,
  visitor: () => [...opened.paths.visitor, ...LOGGED_IN],
};

for (const locale of ['en-US', 'de-DE']) {
  test.each(['public', 'guest', 'visitor'] as const)(
    `nothing covers anything else on the screens for a %s, in ${locale}`,
    async (who) => {
      const context = await newContext({ locale });
      if (who === 'guest') await context.addCookies(opened.cookies);
      if (who === 'visitor')
        await context.addCookies(await (await stage.reuse(opened.visitor)).context().cookies());
      const tab = await context.newPage();
      for (const path of SCREENS_FOR[who]()) {
        await tab.goto(stage.baseUrl + path);
        await expectNoOverlaps(tab);
      }
    },
    ALL_MS,
  );

  test(
    `nothing covers anything else on what is shown in place of pages, and around them, in ${locale}`,
    async () => {
      const tab = await (await newContext({ locale })).newPage();
      const { locked, takenDown, anonymous, withForm } = opened.pages;
      const open = (page: { slug: string }) => tab.goto(`${stage.baseUrl}/p/${page.slug}`);
      expect((await open(locked))?.status()).toBe(403);
      await expectNoOverlaps(tab);
      await tab.locator('#password').fill('wrong');
      await tab.keyboard.press('Enter');
      await tab.getByRole('alert').waitFor();
      await expectNoOverlaps(tab);
      expect((await open(takenDown))?.status()).toBe(451);
      await expectNoOverlaps(tab);
      await open(anonymous);
      await expectNoOverlaps(tab, tab.locator('.unclaimed .bar'));
      for (const [words, status] of [
        ['Ada', 201],
        ['x'.repeat(20_001), 413],
      ] as const) {
        await open(withForm);
        await tab.locator('input[name=name]').fill(words);
        const responded = tab.waitForResponse((response) => response.request().method() === 'POST');
        // As without a script: the page's own listener does not see this.
        await tab.evaluate('document.forms[0].submit()');
        expect((await responded).status()).toBe(status);
        await tab.locator('section.card').waitFor();
        await expectNoOverlaps(tab);
      }
    },
    ALL_MS,
  );
}
