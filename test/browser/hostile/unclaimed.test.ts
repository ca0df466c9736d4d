import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test';
import { closeTabs, openStage, type Person, type Setting, type Stage } from '../../support/browser/stage.ts';

/** What a page can do that somebody published without an account. */

const SETTINGS: Setting[] = ['origin', 'sandbox on a plain network', 'trusted'];

/** Tries to get rid of the bar and to learn something, and writes what worked into the document. */
const HOSTILE = `<!doctype html><title>Your bank</title>
<style>body { position: fixed; inset: -500px; z-index: 2147483647; background: red }</style>
<p id="done"></p>
<script>
const worked = [];
const attempt = async (name, act) => {
  try { if (await act()) worked.push(name) } catch {}
};
const soon = (promise) => Promise.race([promise, new Promise((done) => setTimeout(done, 2000))]);
onload = async () => {
  await attempt('the document of the bar', () => parent.document.body);
  await attempt('removing the bar', () => { parent.document.querySelector('.bar').remove(); return true });
  await attempt('nothing: the SDK keeps such a cookie in memory', () => { document.cookie = 'stolen=1'; return false });
  await attempt('an origin', () => origin !== 'null');
  await attempt('full screen', async () => { await soon(document.body.requestFullscreen()); return document.fullscreenElement });
  await attempt('the visitor', async () => (await fetch('/api/auth/me', { credentials: 'include' })).ok);
  const id = document.querySelector('script[data-page-id]').dataset.pageId;
  await attempt('the user', async () => (await soon(PageUser.current()))?.username);
  await attempt('data', async () => (await fetch('/api/pages/' + id + '/social-data/notes')).ok);
  await attempt('a form', async () => (await fetch('/api/pages/' + id + '/forms/x', { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"a":"b"}' })).ok);
  await attempt('another address in the tab', () => { top.location = '/docs'; return false });
  await attempt('another address in the parent', () => { parent.location.replace('/docs'); return false });
  document.querySelector('#done').textContent = 'worked: ' + worked.join(', ');
};
</script>`;

afterEach(closeTabs);

for (const setting of SETTINGS) {
  describe(`an unclaimed page (${setting})`, () => {
    let stage: Stage;
    let person: Person;
    let url: string;
    beforeAll(async () => {
      stage = await openStage(setting, { QUIRE_ANONYMOUS_PAGES: 'on', QUIRE_NPM_REGISTRY: 'off' });
      person = await stage.register('vera-unclaimed');
      url = (await stage.call('POST', '/api/publish', { body: { html_content: HOSTILE } })).body.url;
    });
    afterAll(() => stage?.close());

    test('cannot hide, cover or leave the bar, or learn who looks at it', async () => {
      const tab = await stage.enter(person);
      await tab.goto(url);
      const frame = tab.frameLocator('iframe');
      await frame.getByText('worked:').waitFor({ state: 'attached' });
      expect(await frame.locator('#done').textContent()).toBe('worked: ');
      const bar = tab.getByRole('note');
      expect(await bar.innerText()).toContain('Published anonymously');
      const box = await bar.boundingBox();
      const point = { x: (box?.x ?? 0) + 5, y: (box?.y ?? 0) + 5 };
      expect(await tab.evaluate(`document.elementFromPoint(${point.x}, ${point.y}).className`)).toBe('bar');
      const below = await tab.locator('iframe').boundingBox();
      expect(below?.y).toBeGreaterThanOrEqual((box?.y ?? 0) + (box?.height ?? 0) - 1);
      expect(new URL(tab.url()).pathname).not.toContain('docs');
      expect(await tab.title()).toBe('Your bank');
      const cookies = await tab.context().cookies();
      expect(cookies.map(({ name }) => name).filter((name) => !name.endsWith('quire_session'))).toEqual([]);
    });

    // With trusted isolation, pages of people with an account are the service itself, so they may frame it.
    if (setting === 'trusted') return;
    test('is not shown alone, in a tab or in a frame of somebody else', async () => {
      const tab = await stage.enter();
      await tab.goto(url);
      const address = await tab.evaluate('document.querySelector("iframe").src');
      await tab.goto(String(address));
      expect(await tab.getByRole('note').innerText()).toContain('Published anonymously');
      const owner = await stage.register('fred-unclaimed');
      const framing = await stage.publish(
        owner,
        `<iframe id="a" src="${address}"></iframe><iframe id="b" src="${url}"></iframe>`,
      );
      await tab.goto(framing.url);
      for (const id of ['a', 'b']) {
        const framed = tab.frameLocator(`#${id}`);
        await framed.locator('body').waitFor({ state: 'attached' });
        expect(await framed.locator('#done').count()).toBe(0);
        expect(await framed.locator('iframe').count()).toBe(0);
      }
    });
  });
}
