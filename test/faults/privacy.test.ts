import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startVendors, type Vendors } from '../support/agents/vendors.ts';
import { type TestApp, type TestUser, testApp } from '../support/app.ts';
import { readSql, runSql } from '../support/engines/storage.ts';
import { rounds } from '../support/faults/rounds.ts';
import { deployDatabase } from '../support/functions/database.ts';
import { call, publish, register } from '../support/http/client.ts';
import { unpackExport } from '../support/privacy/export.ts';
import { startServer, waitUntil } from '../support/server.ts';

const blobsIn = (folder: string) =>
  existsSync(join(folder, 'blobs'))
    ? readdirSync(join(folder, 'blobs'), { recursive: true, withFileTypes: true }).filter((file) =>
        file.isFile(),
      )
    : [];

test('a server that is killed while it removes an account removes the rest when it starts', async () => {
  for (let round = 0; round < rounds(1, 20); round++) {
    const dataFolder = mkdtempSync(join(tmpdir(), 'quire-removal-'));
    const place = { dataFolder, databaseUrl: undefined };
    const first = await startServer({ dataFolder });
    const { token, id } = await register(first, 'leaver');
    for (let i = 0; i < 25; i++) {
      const page = await publish(first, token, { name: `Page ${i}` });
      const path = `${first.baseUrl}/api/pages/${page.id}/files/a.txt`;
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'text/plain' };
      await fetch(path, { method: 'PUT', headers, body: `file ${i}` });
    }
    await call(first, 'POST', '/api/functions', {
      token,
      body: { slug: 'f', code: 'export default { fetch: () => new Response("x") }', enableDatabase: true },
    });
    await call(first, 'POST', '/api/functions/f/database', { token, body: { sql: 'CREATE TABLE t (x)' } });
    await first.stop();
    await runSql(place, `UPDATE users SET removal_due_at = 1 WHERE id = ${id}`);

    const pagesLeft = async () =>
      (await readSql(place, `SELECT id FROM pages WHERE owner_id = ${id}`)).length;
    const second = await startServer({ dataFolder });
    await waitUntil(async () => (await pagesLeft()) < 25);
    await second.kill();

    const third = await startServer({ dataFolder });
    await waitUntil(async () => (await readSql(place, `SELECT id FROM users WHERE id = ${id}`)).length === 0);
    await waitUntil(async () => blobsIn(dataFolder).length === 0);
    expect(await pagesLeft()).toBe(0);
    expect(await readSql(place, 'SELECT id FROM function_databases')).toEqual([]);
    expect(existsSync(join(dataFolder, 'databases', String(id)))).toBe(false);
    expect(await third.stop()).toBe(0);
    rmSync(dataFolder, { recursive: true, force: true });
  }
}, 240_000);

describe('an account that is removed while', () => {
  let quire: TestApp;
  let vendors: Vendors;
  beforeAll(async () => {
    vendors = await startVendors();
    quire = await testApp({
      QUIRE_AI_PROVIDER: 'openai-compatible',
      QUIRE_AI_URL: vendors.urls.chat,
      QUIRE_AI_MODEL: 'a-model',
      QUIRE_CREDITS_NEW_USER: '20',
    });
  });
  afterAll(async () => {
    await quire.stop();
    await vendors.stop();
  });

  async function removeNow({ id }: TestUser) {
    await runSql(quire, `UPDATE users SET removal_due_at = 1 WHERE id = ${id}`);
    await quire.app.sweep();
  }
  const isGone = async ({ id }: TestUser) =>
    (await readSql(quire, `SELECT id FROM users WHERE id = ${id}`)).length === 0;

  test('a backup runs is in the backup as it was, and gone afterwards', async () => {
    const user = await quire.user();
    const page = await user.publish();
    await quire.request(`/api/pages/${page.id}/files/a.txt`, {
      method: 'PUT',
      headers: { authorization: `Bearer ${user.token}`, 'content-type': 'text/plain' },
      body: 'kept in the backup',
    });
    const database = await deployDatabase(quire, user, 'in-backup');
    await database.rows('CREATE TABLE t (x)');
    const reader = quire.app.backUp().getReader();
    const pieces = [(await reader.read()).value];
    await removeNow(user);
    expect(await isGone(user)).toBe(true);
    for (let next = await reader.read(); !next.done; next = await reader.read()) pieces.push(next.value);
    const bytes = Buffer.concat(pieces.filter((piece) => piece !== undefined));
    const { paths } = await unpackExport(new Response(bytes), quire.dataFolder);
    expect(paths).toContain('totals.json');
    expect(paths.some((path) => path.startsWith('blobs/files/'))).toBe(true);
    expect(paths.some((path) => path.startsWith(`databases/${user.id}/`))).toBe(true);
    while (blobsIn(quire.dataFolder).length > 0) await Bun.sleep(50);
    expect(existsSync(join(quire.dataFolder, 'databases', String(user.id)))).toBe(false);
  });

  test('its function is called leaves no database behind', async () => {
    const user = await quire.user();
    const slug = 'slow-writer';
    const code = `export default { async fetch(request, env) {
      for (let i = 0; i < 100; i++) {
        await env.DB.prepare('CREATE TABLE IF NOT EXISTS t (x)').run();
        await env.DB.prepare('INSERT INTO t VALUES (1)').run();
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
      return new Response('done');
    } };`;
    const deployed = await user.call('POST', '/api/functions', {
      body: { slug, code, enableDatabase: true },
    });
    expect(deployed.status).toBe(201);
    const calling = quire.request(`/api/functions/${slug}`, { method: 'POST' });
    const folder = join(quire.dataFolder, 'databases', String(user.id));
    while (!existsSync(folder)) await Bun.sleep(20);
    while (!(await isGone(user))) await removeNow(user);
    const answer = await calling;
    await answer.text();
    expect(answer.status).toBeGreaterThanOrEqual(400);
    expect(existsSync(folder)).toBe(false);
    expect((await quire.request(`/api/functions/${slug}`, { method: 'POST' })).status).toBe(404);
  });

  test('a file of its database is in the way is removed soon after the file has gone', async () => {
    const user = await quire.user();
    const database = await deployDatabase(quire, user, 'in-the-way');
    await database.rows('CREATE TABLE t (x)');
    const folder = join(quire.dataFolder, 'databases', String(user.id));
    const [file = ''] = readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.sqlite') && !name.includes('metadata'))
      .map((name) => join(folder, name));
    rmSync(`${file}-shm`, { force: true });
    mkdirSync(`${file}-shm`);
    const removing = removeNow(user);
    await waitUntil(async () => !existsSync(file));
    rmSync(`${file}-shm`, { recursive: true });
    await removing;
    expect(await isGone(user)).toBe(true);
    expect(existsSync(folder)).toBe(false);
  });

  test('it chats is not charged, and the books still balance', async () => {
    vendors.behave('silence');
    const owner = await quire.user();
    const user = await quire.user();
    const page = await owner.publish();
    await owner.call('PATCH', `/api/pages/${page.id}`, { body: { page_api_ai_enabled: true } });
    const cookie = await user.login();
    await quire.call('POST', '/api/credits/consents', { headers: { cookie }, body: { pageId: page.id } });
    const arrived = vendors.nextRequest();
    const asking = quire.request(`/api/pages/${page.id}/page-api-ai`, {
      method: 'POST',
      headers: { cookie, 'content-type': 'application/json' },
      body: JSON.stringify({ system_prompt: 'Be brief.' }),
    });
    await arrived;
    await removeNow(user);
    expect(await isGone(user)).toBe(true);
    vendors.cut();
    await (await asking).text();
    const sums = await readSql<{ tokens: string }>(
      quire,
      'SELECT CAST(SUM(tokens) AS TEXT) AS tokens FROM ledger_entries',
    );
    expect(sums).toEqual([{ tokens: '0' }]);
    expect(await readSql(quire, 'SELECT id FROM credit_reservations')).toEqual([]);
    const spent = await readSql(
      quire,
      "SELECT tokens FROM ledger_entries JOIN ledger_transfers ON id = transfer_id WHERE user_id = 0 AND account IN ('spent', 'held') AND kind = 'settle'",
    );
    expect(spent).toEqual([]);
  });

  test('it exports itself breaks the export off', async () => {
    const user = await quire.user();
    for (let i = 0; i < 5; i++) await user.publish({ html_content: `<p>${'x'.repeat(1_000_000)}${i}` });
    const response = await quire.request('/api/auth/export', {
      headers: { authorization: `Bearer ${user.token}` },
    });
    const reader = response.body?.getReader();
    await reader?.read();
    await removeNow(user);
    expect(await isGone(user)).toBe(true);
    const rest = async () => {
      while (!(await reader?.read())?.done);
    };
    await expect(rest()).rejects.toThrow('deleted');
  });
});
