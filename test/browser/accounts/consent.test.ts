import { afterEach, beforeAll, describe, expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { overflows, seriousFindings } from '../../support/browser/accessibility.ts';
import { allowSpending } from '../../support/browser/permission.ts';
import {
  closeTabs,
  logIn,
  openStage,
  type Person,
  type Published,
  type Setting,
  type Stage,
  sharedStage,
} from '../../support/browser/stage.ts';
import { rounds } from '../../support/faults/rounds.ts';
import { waitUntil } from '../../support/server.ts';
import { attempt, type Learned, lure, type Scene, setScene } from '../hostile/page.ts';

/** How people let a page spend credits, and how a hostile page tries to get around it. */

/** The longest possible name, without a place to break it. */
const LONG_NAME = 'Wochenplan'.repeat(20);

afterEach(closeTabs);

const shown = (tab: Page) => tab.locator('main').innerText();

async function readCookie(tab: Page, stage: Stage): Promise<string> {
  const cookies = await tab.context().cookies(stage.baseUrl);
  return cookies.map(({ name, value }) => `${name}=${value}`).join('; ');
}

const answer = (tab: Page, name: string) => tab.getByRole('button', { name, exact: true }).click();

/** Types a limit that is not one of the choices. */
async function choose(tab: Page, limit: string): Promise<void> {
  await tab.getByText('Other', { exact: true }).click();
  await tab.getByLabel('Another number').fill(limit);
}

/** What the person in this browser lets pages spend. */
async function fetchConsents(tab: Page, stage: Stage): Promise<Array<{ pageId: number; limit: number }>> {
  const { status, body } = await stage.call('GET', '/api/credits', { cookie: await readCookie(tab, stage) });
  expect(status).toBe(200);
  return body.consents.map(({ pageId, limit }: { pageId: number; limit: number }) => ({ pageId, limit }));
}

describe('the consent screen', () => {
  let stage: Stage;
  let owner: Person;
  let page: Published;
  beforeAll(async () => {
    stage = await sharedStage('origin');
    owner = await stage.register('olga-consent');
    page = await stage.publish(owner, '<!doctype html><title>Poems</title><p>Poems', {
      name: 'Poems <&> more',
      page_api_ai_enabled: true,
      page_api_image_gen_enabled: true,
    });
  });
  const address = (of: Published | string) =>
    `${stage.baseUrl}/consent?page=${typeof of === 'string' ? of : of.id}`;

  test('explains the request, and leads back to the page when it is allowed', async () => {
    const person = await stage.register('nina-consent');
    const tab = await stage.enter();
    await tab.goto(address(page));
    await logIn(tab, person);
    await tab.waitForURL(address(page));
    const text = await shown(tab);
    expect(text).toContain('This page wants to use your credits. It has used 0. You have 20.');
    expect(text).toContain('Poems <&> more');
    expect(text).toContain(`/p/${page.slug}`);
    expect(text).toContain('a page by olga-consent');
    expect(text).toContain('AI chat: 1 credit for 2,500 tokens');
    expect(text).toContain('Image generation: 4 credits each');
    expect(text).not.toContain('Image recognition');
    expect(text).toContain('How many credits can it use at most?');
    expect(text).toMatch(/At the limit it stops, and you are asked again.*withdraw/);
    expect(text).not.toContain('publish');
    expect(text).toContain('You are logged in as nina-consent. Not you?');
    expect(await tab.locator('[name=limit]:checked').count()).toBe(0);
    await choose(tab, '7');
    await answer(tab, 'Allow');
    await tab.getByRole('heading', { name: 'Done' }).waitFor();
    expect(await shown(tab)).toContain('may now spend up to 7 credits');
    expect(await shown(tab)).toContain('close it');
    expect(await fetchConsents(tab, stage)).toEqual([{ pageId: page.id, limit: 7 }]);
    await tab.getByRole('link', { name: 'Back to the page' }).click();
    await tab.waitForURL(page.address);
  });

  test('asks again when the limit is near, and a consent can be withdrawn', async () => {
    const person = await stage.register('nadia');
    const tab = await stage.enter(person);
    await tab.goto(address(page));
    await allowSpending(tab, '5');
    await tab.getByRole('heading', { name: 'Done' }).waitFor();
    const path = `/api/pages/${page.id}/page-api-image-gen`;
    const options = { cookie: await readCookie(tab, stage), body: { prompt: 'a swan' } };
    expect((await stage.call('POST', path, options)).status).toBe(200);
    const refused = await stage.call('POST', path, options);
    expect([refused.status, refused.body.consentUrl]).toEqual([402, address(page)]);
    await tab.goto(refused.body.consentUrl);
    expect(await shown(tab)).toContain('It has used 4 of the 5 you allowed it. You have 16.');
    await allowSpending(tab);
    await tab.getByRole('heading', { name: 'Done' }).waitFor();
    expect(await fetchConsents(tab, stage)).toEqual([{ pageId: page.id, limit: 14 }]);
    await tab.getByRole('link', { name: 'Change it or take it back' }).click();
    await answer(tab, 'Take it back');
    await tab.getByRole('heading', { name: 'Taken back' }).waitFor();
    expect(await fetchConsents(tab, stage)).toEqual([]);
  });

  test('allows nothing until a limit is chosen', async () => {
    const tab = await stage.enter(await stage.register('nuria'));
    await tab.goto(address(page));
    await answer(tab, 'Allow');
    expect(await tab.locator('[name=limit]:invalid').count()).toBeGreaterThan(0);
    expect(await fetchConsents(tab, stage)).toEqual([]);
    // A browser that does not validate.
    await tab.evaluate('document.forms[0].noValidate = true');
    await answer(tab, 'Allow');
    const problem = tab.getByRole('alert').getByRole('link', { name: 'Choose how many credits' });
    await problem.waitFor();
    expect(await tab.locator('[name=limit]:checked').count()).toBe(0);
    expect(await seriousFindings(tab)).toEqual([]);
    await problem.click();
    expect(await tab.evaluate('location.hash')).toBe('#limit');
    expect(await fetchConsents(tab, stage)).toEqual([]);
  });

  test('accepts a refusal', async () => {
    const tab = await stage.enter(await stage.register('nora'));
    await tab.goto(address(page));
    await choose(tab, '');
    await answer(tab, 'Not now');
    await tab.getByRole('heading', { name: 'Nothing has changed' }).waitFor();
    expect(await fetchConsents(tab, stage)).toEqual([]);
    await tab.getByRole('link', { name: 'Back to the page' }).click();
    await tab.waitForURL(page.address);
  });

  test('explains an invalid limit', async () => {
    const tab = await stage.enter(await stage.register('nele'));
    for (const limit of ['0', '21', '2.5', '']) {
      await tab.goto(address(page));
      await tab.evaluate('document.forms[0].noValidate = true');
      await choose(tab, limit);
      await answer(tab, 'Allow');
      await tab
        .getByRole('alert')
        .getByRole('link', { name: /a whole number from 1 to 20/ })
        .waitFor();
      expect(await tab.inputValue('#other')).toBe(limit);
      await waitUntil(async () => (await tab.evaluate('document.activeElement.id')) === 'other');
    }
    expect(await seriousFindings(tab)).toEqual([]);
    expect(await fetchConsents(tab, stage)).toEqual([]);
    await tab.fill('#other', '20');
    await tab.press('#other', 'Enter');
    await tab.getByRole('heading', { name: 'Done' }).waitFor();
    expect(await fetchConsents(tab, stage)).toEqual([{ pageId: page.id, limit: 20 }]);
  });

  test('asks nothing for a page that needs nothing, and grants it nothing', async () => {
    const plain = await stage.publish(owner, '<p>plain', { name: 'Plain' });
    const tab = await stage.enter(await stage.register('nanna'));
    await tab.goto(address(plain));
    await tab.getByRole('heading', { name: 'Nothing to allow' }).waitFor();
    expect(await tab.locator('button').count()).toBe(0);
    const given = await tab.evaluate(
      (body) => fetch('/consent', { method: 'POST', body: new URLSearchParams(body) }).catch(() => 'refused'),
      { page: String(plain.id), limit: '10', answer: 'allow' },
    );
    expect(given).toBe('refused');
    const asked = await stage.call('POST', '/consent', {
      cookie: await readCookie(tab, stage),
      body: { page: String(plain.id), limit: '10', answer: 'allow' },
    });
    expect([asked.status, asked.body]).toEqual([409, expect.stringContaining('Nothing to allow')]);
    expect(await fetchConsents(tab, stage)).toEqual([]);
    await tab.getByRole('link', { name: 'Back to the page' }).click();
    await tab.waitForURL(plain.address);
  });

  test('does not mention spending for a page that only publishes', async () => {
    const press = await stage.publish(owner, '<p>press', { name: 'Press' });
    const body = { page_api_spawn_enabled: true };
    await stage.call('PATCH', `/api/pages/${press.id}`, { token: owner.token, body });
    const tab = await stage.enter(await stage.register('nikki'));
    await tab.goto(address(press));
    const asked = 'This page wants to publish pages in your name. That costs nothing.';
    expect(await shown(tab)).toContain(asked);
    expect(await tab.locator('[name=limit]').count()).toBe(0);
    const spawn = async () => {
      const cookie = await readCookie(tab, stage);
      const body = { name: 'Mine', html_content: '<p>mine' };
      return (await stage.call('POST', `/api/pages/${press.id}/page-api-spawn`, { cookie, body })).status;
    };
    expect(await spawn()).toBe(402);
    await tab.getByLabel('It may publish pages in my name').check();
    await answer(tab, 'Allow');
    await tab.getByText('may now publish pages in your name.').waitFor();
    expect(await spawn()).toBe(201);
  });

  test('asks about publishing apart from spending', async () => {
    const both = await stage.publish(owner, '<p>both', { name: 'Both', page_api_ai_enabled: true });
    const body = { page_api_spawn_enabled: true };
    await stage.call('PATCH', `/api/pages/${both.id}`, { token: owner.token, body });
    const tab = await stage.enter(await stage.register('nadine'));
    const publishing = tab.getByLabel('It may publish pages in my name');
    const given = async () => {
      const { body } = await stage.call('GET', '/api/credits', { cookie: await readCookie(tab, stage) });
      return body.consents.map(({ limit, publish }: { limit: number; publish: boolean }) => [limit, publish]);
    };
    await tab.goto(address(both));
    expect(await publishing.isChecked()).toBe(false);
    await allowSpending(tab, '5');
    await tab.getByText('may now spend up to 5 credits of yours.').waitFor();
    expect(await given()).toEqual([[5, false]]);
    // Only publishing, in addition to what it may already spend.
    await tab.goto(address(both));
    await tab.getByText('None', { exact: true }).click();
    await answer(tab, 'Allow');
    await tab.getByRole('alert').getByText('Choose what the page may do').waitFor();
    expect(await seriousFindings(tab)).toEqual([]);
    await tab.getByText('None', { exact: true }).click();
    await publishing.check();
    await answer(tab, 'Allow');
    await tab.getByText('may now publish pages in your name.').waitFor();
    expect(await given()).toEqual([[5, true]]);
    // Unticked, it is taken back.
    await tab.goto(address(both));
    expect(await publishing.isChecked()).toBe(true);
    await publishing.uncheck();
    await allowSpending(tab, '5');
    await tab.getByRole('heading', { name: 'Done' }).waitFor();
    expect(await given()).toEqual([[5, false]]);
  });

  test('closes a tab that was opened for it, also after a refusal', async () => {
    const opener = await stage.enter(await stage.register('nelly'));
    for (const button of ['Not now', 'Allow']) {
      await opener.goto(`${stage.baseUrl}/docs`);
      const opened = opener.context().waitForEvent('page');
      await opener.evaluate(`void open('${address(page)}&tab=new', '_blank', 'noopener')`);
      const tab = await opened;
      await tab.getByText('10', { exact: true }).click();
      await Promise.all([tab.waitForEvent('close'), answer(tab, button)]);
    }
    expect(await fetchConsents(opener, stage)).toEqual([{ pageId: page.id, limit: 10 }]);
    // A tab that the person opened themselves stays, and says that it can be closed.
    await opener.goto(`${address(page)}&tab=new`);
    await answer(opener, 'Not now');
    await opener.getByText('You can close this tab').waitFor();
  });

  test('can be left by someone who is logged in with another account', async () => {
    const other = await stage.register('nathan');
    const tab = await stage.enter(await stage.register('naomi'));
    await tab.goto(address(page));
    await tab.getByRole('link', { name: 'Not you?' }).click();
    await tab.getByRole('button', { name: 'Log out' }).click();
    await tab.getByRole('link', { name: 'Log in again' }).click();
    await logIn(tab, other);
    await tab.waitForURL(address(page));
    expect(await shown(tab)).toContain('You are logged in as nathan.');
  });

  test('shows an error for a page that does not exist', async () => {
    const draft = await stage.publish(owner, '<p>draft', { is_published: false });
    const tab = await stage.enter(await stage.register('nils-consent'));
    for (const of of [draft, '999999', 'poems', '']) {
      expect((await tab.goto(address(of)))?.status()).toBe(404);
      expect(await shown(tab)).toContain('Nothing here');
    }
  });

  test('fits a desktop and a phone in light and dark mode', async () => {
    const long = await stage.publish(owner, '<p>long', { name: LONG_NAME, page_api_ai_enabled: true });
    const tab = await stage.enter(await stage.register('eva-consent'));
    for (const of of [page, long]) {
      await tab.goto(address(of));
      await expectToFit(tab);
      await allowSpending(tab);
      await tab.getByRole('link', { name: 'Back to the page' }).waitFor();
      await expectToFit(tab);
    }
  });
});

test('the consent screen says when no credits are left', async () => {
  const stage = await openStage('origin', { QUIRE_CREDITS_NEW_USER: '0' });
  try {
    const owner = await stage.register('olga-consent');
    const page = await stage.publish(owner, '<p>Poems', { page_api_ai_enabled: true });
    const tab = await stage.enter(owner);
    await tab.goto(`${stage.baseUrl}/consent?page=${page.id}`);
    expect(await shown(tab)).toMatch(/You have 0\.\s+You have no credits to allow\./);
    expect(await seriousFindings(tab)).toEqual([]);
    expect(await tab.getByRole('button', { name: 'Allow' }).count()).toBe(0);
    await answer(tab, 'Not now');
    await tab.getByRole('heading', { name: 'Nothing has changed' }).waitFor();
  } finally {
    await stage.close();
  }
});

async function expectToFit(tab: Page): Promise<void> {
  expect(await tab.locator('h1').count()).toBe(1);
  expect(await overflows(tab)).toEqual([]);
}

/** Over HTTPS, pages are of the same site as the screen, so they can do more than in plain `origin`. */
const HARDEST: Setting[] = [
  'origin over HTTPS',
  'origin on a plain network',
  'sandbox',
  'sandbox on a plain network',
];
const SETTINGS = rounds(HARDEST, ['origin', ...HARDEST] satisfies Setting[]);

for (const setting of SETTINGS) {
  describe(`a hostile page in ${setting}`, () => {
    let stage: Stage;
    let scene: Scene;
    let consentUrl: string;
    let fields: Record<string, string>;
    let body: Record<string, number>;
    beforeAll(async () => {
      stage = await sharedStage(setting);
      scene = await setScene(stage, 'consent');
      consentUrl = `${stage.baseUrl}/consent?page=${scene.hostile.id}`;
      fields = { page: String(scene.hostile.id), limit: '1000', answer: 'allow' };
      body = { pageId: scene.hostile.id, limit: 1000 };
    });

    test('cannot give consent with a request, here or on its own host', async () => {
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
      expect(await fetchConsents(tab, stage)).toEqual([]);
    });

    test('cannot give consent with a form in the window itself', async () => {
      const tab = await lure(stage, scene);
      const answered = tab.waitForResponse((response) => response.request().method() === 'POST');
      const type = 'application/x-www-form-urlencoded';
      await attempt(tab, 'form', `${stage.baseUrl}/consent`, fields, type, '_top');
      expect((await answered).status()).toBe(403);
      expect(await fetchConsents(tab, stage)).toEqual([]);
    });

    test('cannot show the screen in a frame, where it could steal a click', async () => {
      const tab = await lure(stage, scene);
      expect(await attempt<Learned[]>(tab, 'frame', consentUrl)).toEqual([]);
      const frame = await (await tab.evaluateHandle('lastFrame')).asElement()?.contentFrame();
      await frame?.waitForURL('chrome-error://chromewebdata/');
      expect(frame?.url()).toBe('chrome-error://chromewebdata/');
      expect(await fetchConsents(tab, stage)).toEqual([]);
    });

    test('cannot control the screen in a window it opened, but the person can', async () => {
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
      expect(await fetchConsents(tab, stage)).toEqual([]);
      // This is where the second click of a double click lands. It has no effect.
      await popup.getByRole('button', { name: 'Allow' }).dblclick();
      expect(await fetchConsents(tab, stage)).toEqual([]);
      await allowSpending(popup);
      await popup.getByRole('heading', { name: 'Done' }).waitFor();
      expect(await fetchConsents(tab, stage)).toEqual([{ pageId: scene.hostile.id, limit: 10 }]);
      const cookie = await readCookie(tab, stage);
      await stage.call('DELETE', `/api/credits/consents/${scene.hostile.id}`, { cookie });
    });
  });
}

test('in trusted isolation a script can do what the person can, because pages share the origin of the service', async () => {
  const stage = await sharedStage('trusted');
  const scene = await setScene(stage, 'consent');
  const tab = await lure(stage, scene);
  const api = `${stage.baseUrl}/api/credits/consents`;
  expect(await attempt<Learned[]>(tab, 'frame', `${stage.baseUrl}/consent?page=${scene.hostile.id}`)).toEqual(
    [],
  );
  expect((await attempt(tab, 'fetch', 'POST', api, { pageId: scene.hostile.id })).status).toBe(200);
  expect(await fetchConsents(tab, stage)).toEqual([{ pageId: scene.hostile.id, limit: 10 }]);
});
