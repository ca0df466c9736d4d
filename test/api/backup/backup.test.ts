import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkArchive, restoreArchive } from '../../../server/product/backup/index.ts';
import type { PublishedPage } from '../../support/app.ts';
import { allRows, type DataLocation, promote, reopen } from '../../support/backup.ts';
import { freshDatabase } from '../../support/engines/postgres.ts';
import { type FunctionApp, functionApp, handler } from '../../support/functions/app.ts';
import { type CallOptions, PASSWORD, readResponse, type TestResponse } from '../../support/http/call.ts';
import { type DnsServer, startDns } from '../../support/pages/dns.ts';
import { connectDomain } from '../../support/pages/domains.ts';
import { waitUntil } from '../../support/server.ts';

const { QUIRE_TEST_POSTGRES_URL: postgres } = process.env;
const DOMAIN = 'shop.example.com';
const HTML = '<!doctype html><title>Ünïcödé 😀 "quotes" \\ </title>';
const ODD = { text: 'é😀\n"\\', nested: { b: [1, -0.5, 1e21, null, true] }, a: '' };

let dns: DnsServer;
let service: FunctionApp;
let admin: string;
let folder: string;
let personal: string;
let slug: string;
let page: { id: number; slug: string };
/** A page with a password and a domain. */
let shop: PublishedPage;
/** A page for some people. */
let shared: PublishedPage;
let fileId: string;
let imagePath: string;
let made: Buffer;
let rows: Record<string, unknown[]>;

const take = (token: string) =>
  service.quire.request('/api/admin/backup', { headers: { authorization: `Bearer ${token}` } });
const toStream = (bytes: Buffer) => new Blob([bytes as never]).stream() as ReadableStream<Uint8Array>;
const place = (name: string): DataLocation => ({ dataFolder: join(folder, name) });

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'quire-backup-'));
  dns = await startDns();
  service = await functionApp({ QUIRE_DNS_SERVERS: dns.address });
  const { owner, stranger, quire } = service;
  await promote(quire, 'stranger');
  const scopes = ['admin'];
  const tokenBody = { username: 'stranger', password: PASSWORD, scopes };
  admin = (await quire.call('POST', '/api/auth/token', { body: tokenBody })).body.accessToken;
  await owner.login();

  // Something of every kind.
  const pageScopes = ['pages:read', 'pages:write'];
  personal = (await owner.call('POST', '/api/auth/tokens', { body: { name: 'agent', scopes: pageScopes } }))
    .body.token;
  page = await owner.publish({ name: 'Team', storage_mode: 'team_app', html_content: HTML });
  await owner.call('PATCH', `/api/pages/${page.id}`, { body: { html_content: `${HTML}2`, slug: 'renamed' } });
  const messages = `/api/pages/${page.id}/messages`;
  await owner.call('POST', messages, { body: { role: 'user', content: 'Make it blue' } });
  await owner.call('PUT', `/api/pages/${page.id}/agent-spec`, { body: { spec: 'A spec' } });
  await owner.call('POST', `/api/pages/${page.id}/team-data/notes`, { body: { data: ODD } });
  const invite = await owner.call('POST', `/api/pages/${page.id}/team/invite`, { body: { role: 'member' } });
  await stranger.call('POST', `/api/join/${invite.body.inviteCode}`);
  const form = new FormData();
  // Random bytes do not compress: so the client never reads far behind the server.
  form.set('file', new File([randomBytes(300_000)], 'noise.bin'));
  const headers = { authorization: `Bearer ${owner.token}` };
  const upload = await quire.request(`/api/pages/${page.id}/team-files`, {
    method: 'POST',
    headers,
    body: form,
  });
  fileId = (await readResponse(upload)).body.id;
  await quire.request(`/api/pages/${page.id}/files/css/style.css`, { method: 'PUT', headers, body: 'a{}' });
  await quire.request(`/api/pages/${page.id}/files/css/style.css`, { method: 'PUT', headers, body: 'b{}' });
  const sent = new FormData();
  sent.set('photo', new File(['a photo'], 'photo.png'));
  await quire.request(`/api/pages/${page.id}/forms/contact`, { method: 'POST', body: sent });
  const preview = await owner.call('POST', `/api/pages/${page.id}/generate-preview-image`, { body: {} });
  imagePath = new URL(preview.body.imageUrl).pathname;
  slug = await service.deploy(handler('return new Response("first")'), { enableDatabase: true });
  const code = handler(`console.log('called');
      const { results } = await env.DB.prepare('select v from t').all();
      return Response.json({ secret: env.KEY, results });`);
  await owner.call('PATCH', `/api/functions/${slug}`, { body: { code } });
  await owner.call('PUT', `/api/functions/${slug}/secrets/KEY`, { body: { value: 's3cret' } });
  await service.sql(slug, { sql: 'create table t (v)' });
  await service.sql(slug, { sql: 'insert into t values (?)', params: ['kept'] });
  await service.call(slug);
  const access = { mode: 'password', password: 'open sesame' };
  shop = await owner.publish({ name: 'Shop', html_content: HTML, access });
  await quire.request(`/api/pages/${shop.id}/files/cat.svg`, { method: 'PUT', headers, body: '<svg/>' });
  await connectDomain(dns, owner, shop, DOMAIN);
  shared = await owner.publish({ name: 'Shared', access: { mode: 'people', people: ['stranger'] } });
  // An id that was used once and is free now.
  const gone = await owner.publish({ name: 'Gone' });
  await owner.call('DELETE', `/api/pages/${gone.id}`);
  // Logs and statistics are written with a delay.
  await waitUntil(async () => {
    const { function_logs: logs = [], function_stats: stats = [] } = await allRows(quire);
    return logs.length === 2 && stats.length === 1;
  });
  made = Buffer.from(await (await take(admin)).arrayBuffer());
  rows = await allRows(quire);
});
afterAll(async () => {
  await service.quire.stop();
  await dns.stop();
  rmSync(folder, { recursive: true });
});

/** Restores, compares every row, and requests everything from a server there. */
async function expectRestored(
  archive: Buffer,
  to: DataLocation,
  expected: Record<string, unknown[]>,
): Promise<void> {
  const { totals } = await restoreArchive(toStream(archive), to);
  expect(totals).toMatchObject({
    blobs: 6,
    databases: 1,
    missing: [],
    rows: {
      ...{ users: 2, records: 1, pages: 3, page_manifests: 3, page_blobs: 3, file_blobs: 3 },
      ...{
        function_versions: 2,
        form_messages: 1,
        form_files: 1,
        page_domains: 1,
        page_access: 1,
        page_people: 1,
      },
    },
  });
  expect(await allRows(to)).toEqual(expected);
  const { app, call } = await reopen(to);
  try {
    const login = await call('POST', '/api/auth/login', { body: { username: 'owner', password: PASSWORD } });
    expect(login.status).toBe(200);
    const token = personal;
    expect((await call('GET', `/api/pages/${page.id}`, { token })).body.page.html_content).toBe(`${HTML}2`);
    expect((await call('GET', '/p/renamed/')).status).toBe(200);
    expect((await call('POST', `/api/functions/${slug}`)).body).toEqual({
      secret: 's3cret',
      results: [{ v: 'kept' }],
    });
    const own = { token: service.owner.token };
    expect((await call('POST', `/api/functions/${slug}/versions/1/restore`, own)).body.version).toBe(3);
    expect((await call('POST', `/api/functions/${slug}`)).body).toBe('first');
    const { records } = (await call('GET', `/api/pages/${page.id}/team-data/notes`, own)).body;
    // Also the order of its keys.
    expect(JSON.stringify(records[0].data)).toBe(JSON.stringify(ODD));
    const file = await call('GET', `/api/pages/${page.id}/team-files/${fileId}`, own);
    expect([file.status, file.headers.get('content-length')]).toEqual([200, '300000']);
    const styles = await Promise.all(
      ['', '?version=3'].map((query) =>
        call('GET', `/api/pages/${page.id}/files/css/style.css${query}`, { token }),
      ),
    );
    expect(styles.map(({ body }) => body)).toEqual(['b{}', 'a{}']);
    const inbox = `/api/pages/${page.id}/forms/contact`;
    const [message] = (await call('GET', inbox, own)).body.messages;
    const photo = await call('GET', `${inbox}/${message.id}/files/${message.files[0].id}`, own);
    expect([photo.status, photo.headers.get('content-length')]).toEqual([200, '7']);
    const image = await call('GET', imagePath);
    expect([image.status, image.headers.get('content-type')]).toEqual([200, 'image/png']);
    const next = await call('POST', '/api/pages', { token, body: { name: 'Next', html_content: 'x' } });
    expect(next.body.page.id).toBe(5);
    await expectClosedPages(call);
  } finally {
    await app.stop();
  }
}

/** The pages that not everyone can see, at their own addresses. */
async function expectClosedPages(
  call: (method: string, path: string, options?: CallOptions) => Promise<TestResponse>,
): Promise<void> {
  const picture = `http://${DOMAIN}:3000/cat.svg`;
  const refused = await Promise.all(
    [`/p/${shop.slug}/`, `/p/${shared.slug}`, picture].map((path) => call('GET', path)),
  );
  expect(refused.map(({ status }) => status)).toEqual([403, 403, 403]);
  const wrong = await call('POST', `/api/pages/${shop.id}/pass`, { body: { password: 'open' } });
  expect(wrong.status).toBe(403);
  const given = await call('POST', `/api/pages/${shop.id}/pass`, { body: { password: 'open sesame' } });
  const seen = await call('GET', picture, { headers: { 'x-page-pass': given.body.pass } });
  expect([seen.status, seen.body]).toEqual([200, '<svg/>']);
  expect((await call('GET', `/p/${shared.slug}`, { token: service.stranger.token })).status).toBe(200);
}

describe('an archive', () => {
  test('restores everything in another folder', async () => {
    await expectRestored(made, place('same'), rows);
  });

  test.skipIf(!postgres)('restores everything on the other engine, and back again', async () => {
    const { url, drop } = await freshDatabase(postgres ?? '');
    try {
      // PostgreSQL (where this suite runs) -> SQLite -> PostgreSQL.
      const lite = place('lite');
      await restoreArchive(toStream(made), lite);
      const { app } = await reopen(lite);
      const again = Buffer.from(await new Response(app.backUp()).arrayBuffer());
      await app.stop();
      const to = { dataFolder: join(folder, 'back'), databaseUrl: url };
      await expectRestored(again, to, rows);
      const second = { dataFolder: join(folder, 'second'), databaseUrl: url };
      expect(restoreArchive(toStream(made), second)).rejects.toThrow('not empty');
    } finally {
      await drop();
    }
  });

  test.skipIf(!postgres)('that cannot be restored leaves an empty PostgreSQL database', async () => {
    const { url, drop } = await freshDatabase(postgres ?? '');
    try {
      const to = { dataFolder: join(folder, 'failing'), databaseUrl: url };
      await expect(restoreArchive(toStream(made.subarray(0, -2000)), to)).rejects.toThrow('incomplete');
      expect(readdirSync(to.dataFolder)).toEqual([]);
      const { totals } = await restoreArchive(toStream(made), to);
      expect(totals.rows.users).toBe(2);
    } finally {
      await drop();
    }
  });
});

describe('a backup', () => {
  test('needs an administrator with a token', async () => {
    const { owner, quire } = service;
    expect((await take(owner.token)).status).toBe(403);
    expect((await quire.call('GET', '/api/admin/backup')).status).toBe(401);
    const cookie = await service.stranger.login();
    expect((await quire.call('GET', '/api/admin/backup', { cookie })).status).toBe(401);
  });

  test('runs one at a time, and stops when its reader disconnects', async () => {
    const first = await take(admin);
    const second = await readResponse(await take(admin));
    expect(second).toMatchObject({ status: 409, body: { code: 'CONFLICT' } });
    await first.body?.cancel();
    const headers = { authorization: `Bearer ${admin}` };
    const asked = await service.quire.request('/api/admin/backup', { method: 'HEAD', headers });
    expect(asked.status).toBe(200);
    // Like the server, which sends no body for HEAD.
    await asked.body?.cancel();
    const third = await take(admin);
    expect(third.status).toBe(200);
    const { totals } = await checkArchive(third.body as ReadableStream<Uint8Array>);
    expect(totals.rows.users).toBe(2);
  });

  test('contains what is deleted while it runs', async () => {
    const { owner, quire } = service;
    const other = await owner.publish({ name: 'Short-lived', storage_mode: 'team_app' });
    const form = new FormData();
    form.set('file', new File(['bytes'], 'a.txt'));
    const headers = { authorization: `Bearer ${owner.token}` };
    await quire.request(`/api/pages/${other.id}/team-files`, { method: 'POST', headers, body: form });
    const code = handler('return new Response("x")');
    const doomed = await service.deploy(code, { enableDatabase: true });
    await service.sql(doomed, { sql: 'create table t (v)' });
    await service.sql(doomed, { sql: 'insert into t values (1)' });

    // The backup has begun when its first bytes arrive.
    const reader = ((await take(admin)).body as ReadableStream<Uint8Array>).getReader();
    const pieces = [(await reader.read()).value ?? new Uint8Array()];
    expect((await owner.call('DELETE', `/api/pages/${other.id}`)).status).toBe(200);
    expect((await owner.call('DELETE', `/api/functions/${doomed}`)).status).toBe(204);
    for (let next = await reader.read(); !next.done; next = await reader.read()) pieces.push(next.value);

    const to = place('deleted');
    const { totals } = await restoreArchive(toStream(Buffer.concat(pieces)), to);
    expect(totals).toMatchObject({ blobs: 7, databases: 2, missing: [], rows: { team_files: 2, pages: 4 } });
    const { app, call } = await reopen(to);
    const query = { token: owner.token, body: { sql: 'select v from t' } };
    const answer = await call('POST', `/api/functions/${doomed}/database`, query);
    await app.stop();
    expect(answer.body.results).toEqual([{ v: 1 }]);
    // Afterwards it is really gone.
    const blobs = join(quire.dataFolder, 'blobs', 'team-files');
    await waitUntil(async () => [...new Bun.Glob('**/*').scanSync(blobs)].length === 1);
  });
});
