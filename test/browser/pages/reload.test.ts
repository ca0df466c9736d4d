import { afterEach, beforeAll, describe, expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import {
  closeTabs,
  type Person,
  type Published,
  type Setting,
  type Stage,
  sharedStage,
} from '../../support/browser/stage.ts';

/** The page that `quire dev` shows reloads after each new version, in each isolation. */

const MODES: Setting[] = ['origin', 'sandbox'];

afterEach(closeTabs);

for (const setting of MODES) {
  describe(`in ${setting} isolation`, () => {
    let stage: Stage;
    let owner: Person;
    let page: Published;
    beforeAll(async () => {
      stage = await sharedStage(setting);
      owner = await stage.register('olga-reload');
      page = await stage.publish(owner, html('one'));
    });

    const html = (text: string) => `<!doctype html><title>Live</title><p id="text">${text}</p>`;
    const save = (text: string) =>
      stage.call('PATCH', `/api/pages/${page.id}`, {
        token: owner.token,
        body: { html_content: html(text) },
      });
    const showing = (tab: Page, text: string) =>
      tab.waitForFunction(`document.querySelector('#text')?.textContent === '${text}'`);
    const following = (tab: Page) =>
      tab.waitForResponse((response) => response.url().endsWith('/version-events'));

    test('a new version reloads the tab of its owner, again and again', async () => {
      const tab = await stage.enter(owner);
      const opened = following(tab);
      await tab.goto(`${page.url}?quire-dev=1`);
      expect((await opened).status()).toBe(200);
      for (const text of ['two', 'three']) {
        const again = following(tab);
        await save(text);
        await showing(tab, text);
        await again;
      }
      // Two versions in quick succession: the last one is shown.
      await save('four');
      await save('five');
      await showing(tab, 'five');
    });

    test('the preview of a draft reloads after each save, for anyone with its link', async () => {
      const drafts = `/api/pages/${page.id}/drafts`;
      const body = (text: string) => ({ token: owner.token, body: { html_content: html(text) } });
      const made = await stage.call('POST', drafts, body('draft one'));
      const { id, preview_url } = made.body.draft;
      const tab = await stage.enter(undefined);
      await tab.goto(`${preview_url}?quire-dev`);
      await showing(tab, 'draft one');
      for (const text of ['draft two', 'draft three']) {
        const asked = tab.waitForResponse((response) => response.request().method() === 'HEAD');
        expect((await asked).headers()['x-quire-preview']).toBeDefined();
        await stage.call('PATCH', `${drafts}/${id}`, body(text));
        await showing(tab, text);
      }
    });

    test('nobody else can follow the versions', async () => {
      for (const person of [undefined, await stage.register('vera-reload')]) {
        const tab = await stage.enter(person);
        const opened = following(tab);
        const told = tab.waitForEvent('console', (message) => message.text().includes('log in as the owner'));
        await tab.goto(`${page.url}?quire-dev`);
        expect((await opened).status()).toBe(person ? 403 : 401);
        // It tries no more after that.
        await told;
      }
    });

    test('without the mark nothing is loaded', async () => {
      const tab = await stage.enter(owner);
      const paths: string[] = [];
      tab.on('request', (request) => paths.push(new URL(request.url()).pathname));
      await tab.goto(page.url);
      await tab.waitForLoadState('load');
      expect(paths.filter((path) => /reload|version-events/.test(path))).toEqual([]);
    });
  });
}
