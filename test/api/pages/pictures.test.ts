import { afterAll, beforeAll, expect, test } from 'bun:test';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { loadSharp } from '../../../server/platform/pictures/index.ts';
import { type PublishedPage, type TestApp, type TestUser, testApp } from '../../support/app.ts';
import { readSql, runSql } from '../../support/engines/storage.ts';
import { waitUntil } from '../../support/server.ts';

/** Pictures of pages: who gets one, what it shows, and who can see it. Each takes a browser, so there are few tests. */

const WAIT_MS = 50_000;

let quire: TestApp;
let owner: TestUser;
beforeAll(async () => {
  quire = await testApp({ QUIRE_PAGE_PICTURES: 'on' });
  owner = await quire.user('owner');
});
afterAll(() => quire.stop());

const html = (color: string) => `<!doctype html><title>t</title><body style="background:${color}">`;
const read = async (page: PublishedPage) => (await owner.call('GET', `/api/pages/${page.id}`)).body.page;
const fetchUrl = async (page: PublishedPage): Promise<string | undefined> => (await read(page)).picture?.url;
const readPath = async (page: PublishedPage) => new URL((await fetchUrl(page)) ?? '').pathname;
const patch = (page: PublishedPage, body: Record<string, unknown>) =>
  owner.call('PATCH', `/api/pages/${page.id}`, { body });
const rows = async () => {
  const found = await readSql<{ page_id: unknown; version: number; blob_key: string | null }>(
    quire,
    'SELECT page_id, version, blob_key FROM page_pictures',
  );
  // PostgreSQL sends large numbers as text.
  return found.map((row) => ({ ...row, page_id: Number(row.page_id) }));
};

async function fetchColor(path: string): Promise<number[]> {
  const response = await quire.request(path);
  expect(response.headers.get('content-type')).toBe('image/webp');
  const sharp = await loadSharp();
  const { data } = await sharp(await response.bytes())
    .resize(1, 1)
    .removeAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true });
  return [...data];
}
const isAbout = (color: number[], wanted: number[]) =>
  color.every((part, index) => Math.abs(part - (wanted[index] ?? 0)) < 12);

test(
  'many saves of a public page make one picture of the last, which counts as no view and goes with the page',
  async () => {
    const page = await owner.publish({ html_content: html('#f00') });
    const draft = await owner.publish({ name: 'Draft', is_published: false });
    const secret = await owner.publish({ name: 'Secret', access: { mode: 'private' } });
    for (const color of ['#0f0', '#ff0', '#00f']) await patch(page, { html_content: html(color) });
    await waitUntil(async () => (await fetchUrl(page)) !== undefined, WAIT_MS);
    const path = await readPath(page);
    expect(isAbout(await fetchColor(path), [0, 0, 255])).toBe(true);
    expect(await rows()).toMatchObject([{ page_id: page.id, version: 4 }]);
    expect((await read(page)).views).toBe(0);
    expect((await read(page)).picture).toMatchObject({ width: 1200, height: 750 });
    const response = await quire.request(path);
    expect(response.headers.get('cache-control')).toBe('private, no-cache');
    const known = { headers: { 'if-none-match': response.headers.get('etag') ?? 'none' } };
    expect((await quire.request(path, known)).status).toBe(304);
    const bytes = await response.bytes();
    expect(bytes.length).toBeLessThanOrEqual(60 * 1024);
    const sharp = await loadSharp();
    expect(await sharp(bytes).metadata()).toMatchObject({ format: 'webp', width: 1200, height: 750 });

    // An earlier address leads to the current picture; others have none.
    const moved = await quire.request(`/pictures/${page.id}-1.webp`);
    expect([moved.status, moved.headers.get('location')]).toEqual([302, path]);
    for (const { id } of [draft, secret])
      expect((await quire.request(`/pictures/${id}-1.webp`)).status).toBe(404);
    for (const file of ['x', `${page.id}.webp`, '0-1.webp', `${page.id}-1.png`])
      expect((await quire.request(`/pictures/${file}`)).status).toBe(404);

    // Nobody sees the picture of a page that they cannot see.
    await patch(page, { access: { mode: 'private' } });
    expect([(await quire.request(path)).status, await fetchUrl(page)]).toEqual([404, undefined]);
    expect((await quire.request(path, known)).status).toBe(404);
    await patch(page, { access: { mode: 'public' } });
    expect((await quire.request(path)).status).toBe(200);

    const [row] = await rows();
    const file = join(quire.dataFolder, 'blobs', row?.blob_key ?? 'none');
    expect(existsSync(file)).toBe(true);
    await owner.call('DELETE', `/api/pages/${page.id}`);
    expect(await rows()).toEqual([]);
    await waitUntil(async () => !existsSync(file));
  },
  2 * WAIT_MS,
);

test(
  'a picture that another node takes is not taken again, and an old page gets one when its owner lists it',
  async () => {
    const taken = await owner.publish({ name: 'Taken elsewhere' });
    await runSql(
      quire,
      `INSERT INTO page_pictures (page_id, version, blob_key, size, width, height, created_at) VALUES (${taken.id}, 1, NULL, 0, 0, 0, 5)`,
    );
    const old = await owner.publish({ name: 'Old' });
    await waitUntil(async () => (await fetchUrl(old)) !== undefined, WAIT_MS);
    expect(await fetchUrl(taken)).toBeUndefined();
    await runSql(quire, `DELETE FROM page_pictures WHERE page_id = ${old.id}`);
    await owner.call('GET', '/api/pages');
    await waitUntil(async () => (await fetchUrl(old)) !== undefined, WAIT_MS);
    expect(await fetchUrl(taken)).toBeUndefined();
    expect(quire.logs.filter((line) => line.includes('could not be taken'))).toEqual([]);
  },
  2 * WAIT_MS,
);

test('the picture of a page with noise everywhere stays small', async () => {
  const { smallWebp } = await import('../../../server/platform/pictures/index.ts');
  const sharp = await loadSharp();
  const noise = { type: 'gaussian' as const, mean: 128, sigma: 60 };
  const png = await sharp({
    create: { width: 320, height: 200, channels: 3, background: '#000', noise },
  })
    .png()
    .toBuffer();
  const size = { width: 240, height: 150 };
  const made = await smallWebp(png, { ...size, maxBytes: 12 * 1024 });
  expect(made?.length).toBeLessThanOrEqual(12 * 1024);
  expect(await smallWebp(png, { ...size, maxBytes: 1024 })).toBeUndefined();
});
