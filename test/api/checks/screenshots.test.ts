import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { type TestApp, type TestUser, testApp } from '../../support/app.ts';
import { runSql } from '../../support/engines/storage.ts';
import { untilDecided } from '../../support/http/call.ts';
import { sizeOfPng } from '../../support/pages/png.ts';

/** The screenshots that checks of pages leave behind. */

const DAY_MS = 24 * 3600 * 1000;

let quire: TestApp;
let owner: TestUser;
let stranger: TestUser;
beforeAll(async () => {
  quire = await testApp();
  owner = await quire.user('owner');
  stranger = await quire.user('stranger');
});
afterAll(() => quire.stop());

const check = (page: { id: number }, as = owner) =>
  untilDecided(() => as.call('POST', `/api/pages/${page.id}/check`));

describe('a screenshot', () => {
  test('replaces the oldest ones of its owner when there are twenty', async () => {
    const page = await owner.publish();
    const later = (names: string[]) => {
      const rows = names.map(
        (name) => `('${name}', ${owner.id}, ${page.id}, 'phone', 1, 9000000000000, 9000000000000)`,
      );
      const columns = 'id, owner_id, page_id, viewport, size, created_at, expires_at';
      return runSql(quire, `INSERT INTO screenshots (${columns}) VALUES ${rows.join(', ')}`);
    };
    const take = async () => new URL((await check(page)).body.screenshot.url).pathname;
    const urls = [await take()];
    const statuses = () => Promise.all(urls.map(async (url) => (await quire.request(url)).status));
    await later(Array.from({ length: 18 }, (_, index) => `later-${index}`));
    urls.push(await take());
    expect(await statuses()).toEqual([200, 200]);
    await later(['one-more']);
    urls.push(await take());
    expect(await statuses()).toEqual([404, 404, 200]);
  }, 60_000);

  test('can become the preview image of the page', async () => {
    const page = await owner.publish();
    const use = () =>
      owner.call('POST', `/api/pages/${page.id}/generate-preview-image`, { body: { source: 'screenshot' } });
    expect([(await use()).status, (await use()).body.error]).toEqual([
      409,
      expect.stringContaining('/check'),
    ]);
    await check(page);
    const { status, body } = await use();
    expect(status).toBe(200);
    const picture = await quire.request(new URL(body.imageUrl).pathname);
    expect(sizeOfPng(await picture.bytes())).toEqual([1200, 630]);
  }, 60_000);

  test.each(['a', `${'a'.repeat(64)}.jpg`, '..%2Fimages', `${'a'.repeat(64)}.png`])(
    'is not found at /screenshots/%s',
    async (name) => {
      expect((await quire.request(`/screenshots/${name}`)).status).toBe(404);
    },
  );

  test('is deleted with its page, and expires after a day', async () => {
    const pages = [await stranger.publish(), await stranger.publish()];
    const urls: string[] = [];
    for (const page of pages) urls.push(new URL((await check(page, stranger)).body.screenshot.url).pathname);
    const statuses = () => Promise.all(urls.map(async (url) => (await quire.request(url)).status));
    expect(await statuses()).toEqual([200, 200]);
    await stranger.call('DELETE', `/api/pages/${pages[0]?.id}`);
    expect(await statuses()).toEqual([404, 200]);
    quire.advance(DAY_MS);
    expect(await statuses()).toEqual([404, 404]);
  }, 60_000);
});
