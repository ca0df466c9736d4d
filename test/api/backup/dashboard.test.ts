import { afterAll, beforeAll, expect, test } from 'bun:test';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { picturePath } from '../../../contract/pages/page-picture.ts';
import { loadSharp } from '../../../server/platform/pictures/index.ts';
import { restoreArchive } from '../../../server/product/backup/index.ts';
import { type Administrator, administrator } from '../../support/accounts/administrator.ts';
import { PASSWORD, type PublishedPage } from '../../support/app.ts';
import { allRows, reopen } from '../../support/backup.ts';
import { runSql } from '../../support/engines/storage.ts';
import { ECHO, type FunctionApp, functionApp } from '../../support/functions/app.ts';
import { readResponse } from '../../support/http/call.ts';

/** A backup has what people make in the dashboard: drafts, pictures, saved queries, the look of the server, analytics. */

const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0';
const TAKEN_AT = 1_700_000_000_000;

let service: FunctionApp;
let boss: Administrator;
let folder: string;
let adminToken: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'quire-backup-'));
  service = await functionApp();
  boss = await administrator(service.quire, 'boss');
  const body = { username: 'boss', password: PASSWORD, scopes: ['admin'] };
  adminToken = (await service.quire.call('POST', '/api/auth/token', { body })).body.accessToken;
});
afterAll(async () => {
  await boss.admin('PATCH', '/api/admin/instance', { name: 'Quire', color: null });
  await boss.admin('DELETE', '/api/admin/instance/logo');
  await service.quire.stop();
  rmSync(folder, { recursive: true });
});

const pixels = async (format: 'png' | 'webp', background: string) => {
  const sharp = await loadSharp();
  return sharp({ create: { width: 32, height: 20, channels: 3, background } })
    .toFormat(format)
    .toBuffer();
};
const send = async (
  method: string,
  path: string,
  token: string,
  body: string | Uint8Array<ArrayBuffer>,
  type: string,
) =>
  readResponse(
    await service.quire.request(path, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': type },
      body,
    }),
  );

async function makeDraft(page: PublishedPage) {
  const path = `/api/pages/${page.id}/drafts`;
  const body = { html_content: '<p>next</p>', note: 'A new text' };
  const { draft } = (await service.owner.call('POST', path, { body })).body;
  const file = `${path}/${draft.id}/files/only/here.css`;
  expect((await send('PUT', file, service.owner.token, 'p{}', 'text/css')).status).toBe(200);
  return { path: `${path}/${draft.id}`, file, previewUrl: draft.preview_url as string };
}

/** As the server keeps the picture that a browser took. */
async function placePicture(page: PublishedPage) {
  const key = `pictures/${page.id}-${TAKEN_AT.toString(36)}`;
  const bytes = await pixels('webp', '#00f');
  const file = join(service.quire.dataFolder, 'blobs', key);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, bytes);
  const values = `${page.id}, 1, '${key}', ${bytes.length}, 32, 20, ${TAKEN_AT}`;
  const columns = 'page_id, version, blob_key, size, width, height, created_at';
  await runSql(service.quire, `insert into page_pictures (${columns}) values (${values})`);
  return { path: picturePath(page.id, TAKEN_AT), bytes };
}

async function useIt(page: PublishedPage) {
  const headers = { 'user-agent': FIREFOX, referer: 'https://news.example/item' };
  for (const peer of ['10.0.0.1', '10.0.0.1', '10.0.0.2'])
    await service.quire.request(`/p/${page.slug}`, { headers, peer });
  const body = { message: 'x is not defined', source: page.url, line: 3 };
  const path = `/api/pages/${page.id}/errors`;
  expect((await service.quire.call('POST', path, { body, headers })).status).toBe(204);
  // Views are written every few seconds, and before a page is read.
  expect((await service.owner.call('GET', `/api/pages/${page.id}`)).body.page.views).toBe(3);
  return (await service.owner.call('GET', `/api/pages/${page.id}/analytics?range=7d`)).body;
}

async function setLook() {
  const look = { name: 'Acme', tagline: 'Pages of Acme', text: 'Hello.', color: '#ffeb3b' };
  expect((await boss.admin('PATCH', '/api/admin/instance', look)).status).toBe(200);
  const png = Uint8Array.from(await pixels('png', '#c2185b'));
  const path = '/api/admin/instance/logo';
  return (await send('PUT', path, adminToken, png, 'image/png')).body as { name: string; logo: string };
}

async function saveQuery() {
  const slug = await service.deploy(ECHO, { enableDatabase: true });
  const path = `/api/functions/${slug}/database/queries`;
  const made = await service.owner.call('POST', path, { body: { name: 'Newest', sql: 'SELECT 1' } });
  return { path, query: made.body };
}

/** All but the salt of the day, which must not outlive it. */
async function readRows(place: Parameters<typeof allRows>[0]) {
  const { service_settings: settings = [], ...others } = await allRows(place);
  const isSalt = (row: unknown) => (row as { name: string }).name === 'daily salt';
  return { ...others, service_settings: settings.filter((row) => !isSalt(row)) };
}

test('everything is there after it is restored in an empty folder', async () => {
  const page = await service.owner.publish({ html_content: '<p>live</p>' });
  const draft = await makeDraft(page);
  const picture = await placePicture(page);
  const analytics = await useIt(page);
  const look = await setLook();
  const { path: queries, query } = await saveQuery();
  expect(analytics.totals).toMatchObject({ views: 3, visitors: 2, errors: 1 });

  const headers = { authorization: `Bearer ${adminToken}` };
  const archive = await service.quire.request('/api/admin/backup', { headers });
  const to = { dataFolder: join(folder, 'restored') };
  const { totals } = await restoreArchive(archive.body as ReadableStream<Uint8Array>, to);
  expect(totals).toMatchObject({ blobs: 2, databases: 1, missing: [] });
  const rows = { page_drafts: 1, page_pictures: 1, saved_queries: 1, page_days: 1, page_hours: 1 };
  expect(totals.rows).toMatchObject({ ...rows, page_errors: 1, page_referrers: 1 });
  expect(await readRows(to)).toEqual(await readRows(service.quire));

  const { app, call } = await reopen(to);
  try {
    const { token } = service.owner;
    const read = async (path: string) => (await call('GET', path, { token })).body;
    expect(await read(draft.path)).toMatchObject({ html_content: '<p>next</p>', note: 'A new text' });
    expect(await read(draft.file)).toBe('p{}');
    // Links that people sent each other still work.
    expect((await call('GET', draft.previewUrl)).body).toContain('<p>next</p>');
    expect((await call('GET', `${draft.previewUrl}only/here.css`)).body).toBe('p{}');
    const sent = await app.fetch(new Request(`http://localhost:3000${picture.path}`), () => '127.0.0.1');
    expect(picture.bytes.equals(await sent.bytes())).toBe(true);
    expect((await read(queries)).queries).toEqual([query]);
    expect(await read(`/api/pages/${page.id}/analytics?range=7d`)).toEqual(analytics);
    expect(await read('/api/instance')).toEqual(look);
    expect((await call('GET', new URL(look.logo).pathname)).headers.get('content-type')).toBe('image/png');
    expect((await call('GET', '/')).body).toContain('Acme</');
    const published = await call('POST', `${draft.path}/publish`, { token });
    expect(published.body).toMatchObject({ success: true, version: 2 });
  } finally {
    await app.stop();
  }
});
