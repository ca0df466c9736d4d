import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import type { TestBrowser } from '../support/browser.ts';
import { attempt, type Learned, lure, type Scene, setScene } from './hostile-page.ts';
import {
  logIn,
  openBrowser,
  openStage,
  type Person,
  type Published,
  type Setting,
  type Stage,
} from './stage.ts';

/** Letting a page spend credits, as people meet it, and as a page that means harm would have it. */

const PHONE = { width: 390, height: 844 };
/** The longest name there is, without a place to break it. */
const LONG_NAME = 'Wochenplan'.repeat(20);

let browser: TestBrowser;
beforeAll(async () => {
  browser = await openBrowser();
});
afterEach(() => browser.closeContexts());
afterAll(() => browser.close());

const shown = (tab: Page) => tab.locator('main').innerText();

/** What the person in this browser lets pages spend. */
async function consentsOf(tab: Page, stage: Stage): Promise<Array<{ pageId: number; limit: number }>> {
  const cookies = await tab.context().cookies(stage.baseUrl);
  const cookie = cookies.map(({ name, value }) => `${name}=${value}`).join('; ');
  const { status, body } = await stage.call('GET', '/api/credits', { cookie });
  expect(status).toBe(200);
  return body.consents.map(({ pageId, limit }: { pageId: number; limit: number }) => ({ pageId, limit }));
}

describe('the consent screen', () => {
  let stage: Stage;
  let owner: Person;
  let page: Published;
  beforeAll(async () => {
    stage = await openStage(browser, 'origin');
    owner = await stage.register('olga');
    page = await stage.publish(owner, '<!doctype html><title>Poems</title><p>Poems', {
      name: 'Poems <&> more',
    });
  });
  afterAll(() => stage.close());
  const address = (of: Published | string) =>
    `${stage.baseUrl}/consent?page=${typeof of === 'string' ? of : of.id}`;

  test('says what is asked, and leads back to the page when it is allowed', async () => {
    const person = await stage.register('nina');
    const tab = await stage.enter();
    await tab.goto(address(page));
    await logIn(tab, person);
    await tab.waitForURL(address(page));
    const text = await shown(tab);
    expect(text).toContain(
      'The page “Poems <&> more” by olga wants to use your credits. It has used 0. You have 20.',
    );
    expect(text).toMatch(/spend credits .* and publish pages in your name/);
    expect(await tab.inputValue('input[name=limit]')).toBe('10');
    await tab.fill('input[name=limit]', '7');
    await tab.getByRole('button', { name: 'Allow' }).click();
    await tab.getByRole('heading', { name: 'Done' }).waitFor();
    expect(await shown(tab)).toContain('may now spend up to 7 credits');
    expect(await shown(tab)).toContain('close it');
    expect(await consentsOf(tab, stage)).toEqual([{ pageId: page.id, limit: 7 }]);
    await tab.goto(address(page));
    expect(await shown(tab)).toContain('It has used 0 of the 7 that you allowed it.');
    await tab.getByRole('button', { name: 'Allow' }).click();
    await tab.getByRole('link', { name: 'Back to the page' }).click();
    await tab.waitForURL(page.address);
  });

  test('takes no for an answer', async () => {
    const tab = await stage.enter(await stage.register('nora'));
    await tab.goto(address(page));
    await tab.fill('input[name=limit]', '');
    await tab.getByRole('button', { name: 'Not now' }).click();
    await tab.getByRole('heading', { name: 'Nothing has changed' }).waitFor();
    expect(await consentsOf(tab, stage)).toEqual([]);
    await tab.getByRole('link', { name: 'Back to the page' }).click();
    await tab.waitForURL(page.address);
  });

  test('says so when the limit is none', async () => {
    const tab = await stage.enter(await stage.register('nele'));
    for (const limit of ['0', '1001', '2.5', '']) {
      await tab.goto(address(page));
      await tab.evaluate('document.forms[0].noValidate = true');
      await tab.fill('input[name=limit]', limit);
      await tab.getByRole('button', { name: 'Allow' }).click();
      await tab.getByRole('alert').waitFor();
      expect(await shown(tab)).toContain('a whole number from 1 to 1,000');
      expect(await tab.inputValue('input[name=limit]')).toBe(limit);
    }
    expect(await consentsOf(tab, stage)).toEqual([]);
    await tab.fill('input[name=limit]', '1000');
    await tab.press('input[name=limit]', 'Enter');
    await tab.getByRole('heading', { name: 'Done' }).waitFor();
    expect(await consentsOf(tab, stage)).toEqual([{ pageId: page.id, limit: 1000 }]);
  });

  test('knows no page that is not there', async () => {
    const draft = await stage.publish(owner, '<p>draft', { is_published: false });
    const tab = await stage.enter(await stage.register('nils'));
    for (const of of [draft, '999999', 'poems', '']) {
      expect((await tab.goto(address(of)))?.status()).toBe(404);
      expect(await shown(tab)).toContain('Nothing here');
    }
  });

  for (const colorScheme of ['light', 'dark'] as const) {
    for (const size of ['desktop', 'phone'] as const) {
      test(`fits and can be read: ${colorScheme}, ${size}`, async () => {
        const long = await stage.publish(owner, '<p>long', { name: LONG_NAME });
        const tab = await stage.enter(await stage.register(`eva-${colorScheme}-${size}`));
        await tab.emulateMedia({ colorScheme });
        if (size === 'phone') await tab.setViewportSize(PHONE);
        for (const of of [page, long]) {
          await tab.goto(address(of));
          await expectToFit(tab);
          await tab.getByRole('button', { name: 'Allow' }).click();
          await tab.getByRole('link', { name: 'Back to the page' }).waitFor();
          await expectToFit(tab);
        }
      });
    }
  }
});

async function expectToFit(tab: Page): Promise<void> {
  expect(await tab.locator('h1').count()).toBe(1);
  const overflow = 'document.documentElement.scrollWidth - document.documentElement.clientWidth';
  expect(await tab.evaluate(overflow)).toBe(0);
}

const SETTINGS: Setting[] = [
  'origin',
  'origin over HTTPS',
  'origin on a plain network',
  'sandbox',
  'sandbox on a plain network',
];

for (const setting of SETTINGS) {
  describe(`a hostile page in ${setting}`, () => {
    let stage: Stage;
    let scene: Scene;
    let consentUrl: string;
    let fields: Record<string, string>;
    let body: Record<string, number>;
    beforeAll(async () => {
      stage = await openStage(browser, setting);
      scene = await setScene(stage);
      consentUrl = `${stage.baseUrl}/consent?page=${scene.hostile.id}`;
      fields = { page: String(scene.hostile.id), limit: '1000', answer: 'allow' };
      body = { pageId: scene.hostile.id, limit: 1000 };
    });
    afterAll(() => stage.close());

    test('cannot give consent by asking for it, here or on its own host', async () => {
      const tab = await lure(stage, scene);
      const learned: Learned[] = [];
      for (const base of [stage.baseUrl, '']) {
        const api = `${base}/api/credits/consents`;
        for (const mode of ['cors', 'no-cors', 'same-origin']) {
          learned.push(await attempt(tab, 'fetch', 'POST', api, body, { mode }));
          learned.push(await attempt(tab, 'fetch', 'POST', `${base}/consent`, fields, { mode }));
        }
        learned.push(await attempt(tab, 'xhr', 'POST', api, body));
        await attempt(tab, 'beacon', api, body, 'text/plain');
        await attempt(tab, 'beacon', api, body, 'application/json');
        for (const type of ['application/x-www-form-urlencoded', 'text/plain', 'multipart/form-data']) {
          await attempt(tab, 'form', `${base}/consent`, fields, type);
          await attempt(tab, 'form', api, fields, type);
        }
        learned.push(await attempt(tab, 'fetch', 'GET', `${base}/api/credits`));
        learned.push(await attempt(tab, 'fetch', 'GET', `${base}/consent?page=${scene.hostile.id}`));
      }
      expect(learned.filter(({ status = 0 }) => status >= 200 && status < 300)).toEqual([]);
      expect(await consentsOf(tab, stage)).toEqual([]);
    });

    test('cannot give consent by a form in the window itself', async () => {
      const tab = await lure(stage, scene);
      const answered = tab.waitForResponse((response) => response.request().method() === 'POST');
      const type = 'application/x-www-form-urlencoded';
      await attempt(tab, 'form', `${stage.baseUrl}/consent`, fields, type, '_top');
      expect((await answered).status()).toBe(403);
      expect(await consentsOf(tab, stage)).toEqual([]);
    });

    test('cannot show the screen in a frame, where a click could be stolen', async () => {
      const tab = await lure(stage, scene);
      expect(await attempt<Learned[]>(tab, 'frame', consentUrl)).toEqual([]);
      const frame = await (await tab.evaluateHandle('lastFrame')).asElement()?.contentFrame();
      expect(frame?.url()).toBe('chrome-error://chromewebdata/');
      expect(await consentsOf(tab, stage)).toEqual([]);
    });

    test('cannot drive the screen in a window it opened, where the person herself can', async () => {
      const tab = await lure(stage, scene);
      const [popup] = await Promise.all([tab.waitForEvent('popup'), attempt(tab, 'popup', consentUrl)]);
      await popup.getByRole('button', { name: 'Allow' }).waitFor();
      expect(await attempt<Learned[]>(tab, 'lookIntoPopup')).toEqual([]);
      await tab.evaluate(`(() => {
        const script = "javascript:document.forms[0].requestSubmit(document.querySelector('button'))";
        for (const drive of [
          () => { lastPopup.location = script },
          () => lastPopup.location.replace(script),
          () => lastPopup.document.querySelector('button').click(),
          () => lastPopup.document.forms[0].submit(),
          () => lastPopup.eval("document.querySelector('button').click()"),
          () => lastPopup.postMessage('allow', '*'),
        ]) try { drive() } catch {}
      })()`);
      expect(await shown(popup)).toContain('Win a prize');
      expect(await consentsOf(tab, stage)).toEqual([]);
      await popup.getByRole('button', { name: 'Allow' }).click();
      await popup.getByRole('heading', { name: 'Done' }).waitFor();
      expect(await consentsOf(tab, stage)).toEqual([{ pageId: scene.hostile.id, limit: 10 }]);
      const cookies = await tab.context().cookies(stage.baseUrl);
      const cookie = cookies.map(({ name, value }) => `${name}=${value}`).join('; ');
      await stage.call('DELETE', `/api/credits/consents/${scene.hostile.id}`, { cookie });
    });
  });
}

test('in trusted isolation, where pages have the origin of the service, a script is believed like the person', async () => {
  const stage = await openStage(browser, 'trusted');
  try {
    const scene = await setScene(stage);
    const tab = await lure(stage, scene);
    const api = `${stage.baseUrl}/api/credits/consents`;
    expect(
      await attempt<Learned[]>(tab, 'frame', `${stage.baseUrl}/consent?page=${scene.hostile.id}`),
    ).toEqual([]);
    expect((await attempt(tab, 'fetch', 'POST', api, { pageId: scene.hostile.id })).status).toBe(200);
    expect(await consentsOf(tab, stage)).toEqual([{ pageId: scene.hostile.id, limit: 10 }]);
  } finally {
    await stage.close();
  }
});
