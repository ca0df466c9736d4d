import { afterEach, beforeAll, describe, expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { allowSpending, clickInDialog, dialogSays } from '../support/browser/permission.ts';
import {
  closeTabs,
  logIn,
  type Person,
  type Published,
  type Setting,
  type Stage,
  sharedStage,
} from '../support/browser/stage.ts';

/** Visitor features with the demo providers, in each isolation. */

const BLANK = '<!doctype html><title>Blank</title><body>';
/** Hides everything it can and forbids other styles. */
const HARSH =
  '<!doctype html><title>Harsh</title><meta http-equiv="content-security-policy" content="style-src \'nonce-x\'">' +
  '<style nonce="x">html > * { display: none !important; opacity: 0 !important; pointer-events: none !important }</style>';
const MODES: Setting[] = ['origin', 'sandbox'];
const SWITCHES = ['ai', 'image_gen', 'image_search', 'image_recognition', 'spawn'];
const ASK = `PageFeatures.chat({ system_prompt: 'Be brief.', messages: [{ role: 'user', content: 'How are you?' }] })`;

afterEach(closeTabs);

for (const setting of MODES) {
  describe(`in ${setting} isolation`, () => {
    let stage: Stage;
    let olga: Person;
    let ben: Person;
    let page: Published;
    beforeAll(async () => {
      stage = await sharedStage(setting);
      [olga, ben] = [await stage.register('olga-features'), await stage.register('ben-features')];
      page = await publish(BLANK);
    });

    async function publish(html: string, isOn = true): Promise<Published> {
      const made = await stage.publish(olga, html, { name: 'Blank' });
      const body = Object.fromEntries(SWITCHES.map((word) => [`page_api_${word}_enabled`, isOn]));
      const answer = await stage.call('PATCH', `/api/pages/${made.id}`, { token: olga.token, body });
      expect(answer.status).toBe(200);
      return made;
    }

    async function open(person?: Person, at = page): Promise<Page> {
      const tab = await stage.enter(person);
      await tab.goto(at.url);
      return tab;
    }

    /** Opens the page for a user who has given consent. */
    async function openAllowed(person: Person, limit = 20): Promise<Page> {
      const tab = await open(person);
      const cookies = await tab.context().cookies(stage.baseUrl);
      const cookie = cookies.map(({ name, value }) => `${name}=${value}`).join('; ');
      const body = { pageId: page.id, limit };
      const answer = await stage.call('POST', '/api/credits/consents', { cookie, body });
      expect(answer.status).toBeLessThan(300);
      return tab;
    }

    test('a chat returns the whole response', async () => {
      const tab = await openAllowed(ben);
      expect(await tab.evaluate(ASK)).toEqual({
        success: true,
        content: expect.stringContaining('How are you?'),
        usage: {
          inputTokens: expect.any(Number),
          outputTokens: expect.any(Number),
          totalTokens: expect.any(Number),
        },
        credits: { deducted: expect.any(Number), remaining: expect.any(Number) },
      });
    });

    test('a chat can be streamed', async () => {
      const tab = await openAllowed(ben);
      const whole = await tab.evaluate<{ content: string }>(ASK);
      const { text, pieces, last } = await tab.evaluate<{
        text: string;
        pieces: number;
        last: { type: string; credits: object };
      }>(STREAM);
      expect(text).toBe(whole.content);
      expect(pieces).toBeGreaterThan(5);
      expect(last).toMatchObject({ type: 'done', credits: { deducted: expect.any(Number) } });
    });

    test('a page that leaves the loop cancels the request', async () => {
      const tab = await openAllowed(ben);
      const ended = tab.waitForEvent('requestfailed', (request) => request.url().endsWith('/page-api-ai'));
      expect(await tab.evaluate(LEAVE)).toBe('delta');
      await ended;
    });

    test('an image can be made and shown', async () => {
      const tab = await openAllowed(ben);
      expect(
        await tab.evaluate(
          `PageFeatures.generateImage('A paper boat').then(({ image_url }) => ${SIZE_OF}(image_url))`,
        ),
      ).toEqual([1024, 1024]);
      expect(
        await tab.evaluate(
          `PageFeatures.generateImage({ prompt: 'A paper boat', aspectRatio: '16:9' }).then(({ image_url }) => ${SIZE_OF}(image_url))`,
        ),
      ).toEqual([1280, 720]);
    });

    test('images can be searched without consent, and their thumbnails can be shown', async () => {
      const tab = await open(await stage.register('finn'));
      const found = await tab.evaluate<{ query: string; results: unknown[]; sizes: number[][] }>(
        `PageFeatures.searchImages({ query: 'tide pools', count: 3 }).then(async (found) =>
          ({ ...found, sizes: await Promise.all(found.results.map(({ thumbnail }) => ${SIZE_OF}(thumbnail))) }))`,
      );
      expect(found).toMatchObject({ success: true, query: 'tide pools' });
      expect(found.results).toHaveLength(3);
      for (const [width = 0, height = 0] of found.sizes) expect(width * height).toBeGreaterThan(0);
      expect(
        await tab.evaluate(`PageFeatures.searchImages('boats').then(({ results }) => results.length)`),
      ).toBe(10);
    });

    test('an image of the page can be described', async () => {
      const tab = await openAllowed(ben);
      expect(await tab.evaluate(RECOGNIZE)).toMatchObject({
        success: true,
        text: expect.stringMatching(/64 x 32.* red/),
        credits: { deducted: 1 },
      });
    });

    test('a page can be published in the name of the visitor', async () => {
      const tab = await openAllowed(ben);
      const html = '<!doctype html><title>Spawned</title>';
      const [made, copy] = await tab.evaluate<Array<{ page: { id: number; url: string } }>>(
        `Promise.all([PageFeatures.spawn({ name: 'Mine', html_content: '${html}' }), PageFeatures.spawn({ name: 'A copy' })])`,
      );
      for (const [each, title] of [
        [made, 'Spawned'],
        [copy, 'Blank'],
      ] as const) {
        const { status } = await stage.call('GET', `/api/pages/${each?.page.id}`, { token: ben.token });
        expect(status).toBe(200);
        await tab.goto(each?.page.url ?? '');
        expect(await tab.title()).toBe(title);
      }
    });

    test('a visitor who gives consent in the other tab gets the result', async () => {
      const tab = await open(await stage.register('carla'));
      await tab.evaluate(`void (window.outcome = ${ASK})`);
      await dialogSays(tab, 'This page wants to use your credits');
      const opened = tab.context().waitForEvent('page');
      await clickInDialog(tab, 'Continue in a new tab');
      const consent = await opened;
      await consent.waitForURL(`${stage.baseUrl}/consent?page=${page.id}&tab=new`);
      expect(await consent.evaluate('window.opener')).toBeNull();

      await clickInDialog(tab, 'Try again');
      await dialogSays(tab, 'You have not allowed it yet.');
      // The tab that was opened for the question closes with the answer.
      await Promise.all([consent.waitForEvent('close'), allowSpending(consent)]);
      await tab.bringToFront();
      await tab.evaluate('void dispatchEvent(new Event("focus"))');
      expect(await tab.evaluate('outcome')).toMatchObject({ success: true });
      expect(await tab.locator('quire-dialog').count()).toBe(0);
    });

    test('returning to the tab is enough, and a streamed chat continues too', async () => {
      const tab = await open(await stage.register('cora'));
      await tab.evaluate(`void (window.outcome = ${STREAM})`);
      await dialogSays(tab, 'This page wants to use your credits');
      // The visitor has not left the tab yet, so there is nothing to retry.
      let calls = 0;
      tab.on('request', (request) => {
        if (request.url().endsWith('/page-api-ai') && request.method() === 'POST') calls++;
      });
      await tab.evaluate('void dispatchEvent(new Event("focus"))');
      const opened = tab.context().waitForEvent('page');
      await tab.keyboard.press('Enter');
      const consent = await opened;
      await Promise.all([consent.waitForEvent('close'), allowSpending(consent)]);
      await tab.evaluate('void dispatchEvent(new Event("focus"))');
      expect(await tab.evaluate('outcome')).toMatchObject({ last: { type: 'done' } });
      expect(calls).toBe(1);
    });

    test('parallel calls share one dialog, and cancelling rejects all of them', async () => {
      const tab = await open(await stage.register('dora-features'));
      const both = `Promise.allSettled([${ASK}, PageFeatures.spawn({ name: 'x' })]).then((all) =>
        all.map(({ reason }) => [reason instanceof Error, reason?.status, reason?.code]))`;
      for (const cancel of [() => clickInDialog(tab, 'Cancel'), () => tab.keyboard.press('Escape')]) {
        const refused = Promise.all(
          ['ai', 'spawn'].map((name) =>
            tab.waitForResponse((each) => each.url().endsWith(`page-api-${name}`)),
          ),
        );
        await tab.evaluate(`void (window.outcome = ${both})`);
        await refused;
        await dialogSays(tab, 'This page wants to use your credits');
        expect(await tab.locator('quire-dialog').count()).toBe(1);
        await cancel();
        expect(await tab.evaluate('outcome')).toEqual([
          [true, 402, 'consent_required'],
          [true, 402, 'consent_required'],
        ]);
        expect(await tab.locator('quire-dialog').count()).toBe(0);
      }
    });

    test('the dialog is visible whatever styles and policies the page has', async () => {
      const tab = await open(ben, await publish(HARSH));
      await tab.evaluate(`void (window.outcome = ${ASK}.catch(({ code }) => code))`);
      await dialogSays(tab, 'This page wants to use your credits');
      await clickInDialog(tab, 'Cancel');
      expect(await tab.evaluate('outcome')).toBe('consent_required');
    });

    test('a visitor who has to log in can do so', async () => {
      await openAllowed(ben);
      const tab = await open();
      await tab.evaluate(`void (window.outcome = ${ASK})`);
      await dialogSays(tab, 'Log in to continue');
      if (setting === 'sandbox') {
        // The page has the login from its own document.
        await dialogSays(tab, 'Then do what you just did again.');
        await clickInDialog(tab, 'Log in');
        await tab.waitForURL('**/login?next=*');
        await logIn(tab, ben);
        await tab.waitForURL(page.address);
        expect(await tab.evaluate(ASK)).toMatchObject({ success: true });
        return;
      }
      const fred = await stage.register('fred');
      const opened = tab.context().waitForEvent('page');
      await clickInDialog(tab, 'Log in');
      const login = await opened;
      await logIn(login, fred);
      await login.waitForURL(page.address);
      await login.close();
      await clickInDialog(tab, 'Try again');
      // The same dialog continues with the next question.
      await dialogSays(tab, 'This page wants to use your credits');
      expect(await tab.evaluate('PageUser.current()')).toMatchObject({ username: 'fred' });
      const openedNext = tab.context().waitForEvent('page');
      await tab.keyboard.press('Enter');
      const consent = await openedNext;
      await Promise.all([consent.waitForEvent('close'), allowSpending(consent)]);
      await tab.evaluate('void dispatchEvent(new Event("focus"))');
      expect(await tab.evaluate('outcome')).toMatchObject({ success: true });
    });

    test('a visitor without credits is not asked anything', async () => {
      const tab = await openAllowed(await stage.register('emma'), 100);
      const spend = `(async () => { for (let count = 0; count < 5; count++) await PageFeatures.generateImage('All of it'); })()`;
      await tab.evaluate(spend);
      const refused = [402, 'insufficient_credits', expect.stringContaining('credits')];
      expect(await catchFailure(tab, ASK)).toEqual(refused);
      expect(await catchFailure(tab, `PageFeatures.generateImage('x')`)).toEqual(refused);
      expect(await tab.locator('quire-dialog').count()).toBe(0);
    });

    test('a feature that the owner has not enabled is refused by name', async () => {
      const tab = await open(ben, await publish(BLANK, false));
      const calls = [ASK, ...Object.values(OTHER_CALLS)];
      const refused = await Promise.all(calls.map((call) => catchFailure(tab, call)));
      expect(refused).toEqual(
        SWITCHES.map((word) => [403, `${word}_disabled`, expect.stringContaining('not enabled')]),
      );
    });

    test('an invalid call is refused with the reason', async () => {
      const tab = await open(ben);
      expect(
        await catchFailure(tab, `PageFeatures.generateImage({ prompt: 'x', aspectRatio: '2:1' })`),
      ).toEqual([400, 'invalid_request', expect.stringContaining('aspectRatio')]);
    });
  });
}

const STREAM = `(async () => {
  let text = '', pieces = 0, last;
  for await (const event of PageFeatures.chat({ system_prompt: 'Be brief.', messages: [{ role: 'user', content: 'How are you?' }], stream: true })) {
    last = event;
    if (event.type === 'delta') { text += event.content; pieces++; }
  }
  return { text, pieces, last };
})()`;

const LEAVE = `(async () => {
  for await (const { type } of PageFeatures.chat({ system_prompt: 'Be brief.', stream: true })) return type;
})()`;

const SIZE_OF = `(async (src) => {
  const image = Object.assign(new Image(), { src });
  await image.decode();
  return [image.naturalWidth, image.naturalHeight];
})`;

const RECOGNIZE = `(async () => {
  const canvas = Object.assign(document.createElement('canvas'), { width: 64, height: 32 });
  const paint = canvas.getContext('2d');
  paint.fillStyle = '#d22323';
  paint.fillRect(0, 0, 64, 32);
  const image = await new Promise((resolve) => canvas.toBlob(resolve));
  return PageFeatures.recognizeImage({ prompt: 'What is it?', image });
})()`;

const OTHER_CALLS = {
  image_gen: `PageFeatures.generateImage('x')`,
  image_search: `PageFeatures.searchImages('x')`,
  image_recognition: `PageFeatures.recognizeImage({ prompt: 'x', image_base64: 'AAAA' })`,
  spawn: `PageFeatures.spawn({ name: 'x' })`,
};

function catchFailure(tab: Page, call: string): Promise<unknown> {
  return tab.evaluate(
    `${call}.then(() => 'did not fail', ({ status, code, message }) => [status, code, message])`,
  );
}
