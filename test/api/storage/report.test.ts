import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { StorageReport } from '../../../contract/accounts/home/storage.ts';
import { type TestApp, type TestUser, testApp } from '../../support/app.ts';
import { readSql, runSql } from '../../support/engines/storage.ts';
import { startSmtp, type TestSmtp } from '../../support/mail/smtp.ts';
import { waitUntil } from '../../support/server.ts';

/** What uses storage and credits, and the warnings before nothing is left. The bytes of each kind: `quota.test.ts`. */

const QUOTA = 2_000_000;
let smtp: TestSmtp;
let quire: TestApp;
beforeAll(async () => {
  smtp = await startSmtp();
  quire = await testApp({ QUIRE_QUOTA_BYTES: String(QUOTA), QUIRE_SMTP_URL: smtp.url });
});
afterAll(async () => {
  await quire.stop();
  await smtp.stop();
});

const read = async (user: TestUser): Promise<StorageReport> => {
  const { status, body } = await user.call('GET', '/api/storage');
  expect(status).toBe(200);
  return body;
};

test('of somebody who has nothing is empty', async () => {
  expect(await read(await quire.user())).toEqual({
    ...{ bytes: 0, quota: QUOTA, history: { bytes: 0, quota: QUOTA / 4 } },
    ...{ pages: [], functions: [], otherBytes: 0 },
    credits: { days: 30, spent: 0, pages: [] },
  });
});

test('has pages and functions with what they store, the largest first, and nothing of others', async () => {
  const user = await quire.user('keeper');
  const other = await quire.user('neighbour');
  await other.publish({ name: 'Not mine' });
  const small = await user.publish({ name: 'Small' });
  const large = await user.publish({ name: 'Large', storage_mode: 'team_app' });
  const headers = { authorization: `Bearer ${user.token}`, 'content-type': 'text/plain' };
  const put = { method: 'PUT', headers, body: 'x'.repeat(3_000) };
  expect((await quire.request(`/api/pages/${large.id}/files/notes.txt`, put)).status).toBeLessThan(300);
  const data = { data: { text: 'y'.repeat(500) } };
  await user.call('POST', `/api/pages/${large.id}/team-data/notes`, { body: data });
  const form = new FormData();
  form.append('file', new File(['z'.repeat(700)], 'team.bin'));
  const upload = { method: 'POST', headers: { authorization: headers.authorization }, body: form };
  expect((await quire.request(`/api/pages/${large.id}/team-files`, upload)).status).toBe(201);
  const code = 'export default { fetch: () => new Response() }';
  await user.call('POST', '/api/functions', { body: { slug: 'stores', code, enableDatabase: true } });
  await user.call('PUT', '/api/functions/stores/secrets/WORD', { body: { value: 'sesame' } });
  const sql = async (text: string) =>
    expect((await user.call('POST', '/api/functions/stores/database', { body: { sql: text } })).status).toBe(
      200,
    );
  await sql('create table t (v)');
  await sql('insert into t values (zeroblob(100000))');
  let report = await read(user);
  // The size of a database is looked at every few seconds.
  await waitUntil(async () => {
    report = await read(user);
    return report.bytes > 100_000;
  });
  expect(report.pages.map(({ id, name }) => [id, name])).toEqual([
    [large.id, 'Large'],
    [small.id, 'Small'],
  ]);
  expect(report.pages[0]?.parts).toEqual([
    { kind: 'files', bytes: expect.any(Number), path: `/pages/${large.id}` },
    { kind: 'records', bytes: expect.any(Number), path: `/pages/${large.id}/data` },
    { kind: 'team files', bytes: 700, path: `/pages/${large.id}/team` },
    { kind: 'documents', bytes: expect.any(Number), path: `/pages/${large.id}/settings` },
  ]);
  expect(report.functions).toMatchObject([{ slug: 'stores', pageId: null }]);
  expect(report.functions[0]?.parts).toEqual([
    { kind: 'database', bytes: expect.any(Number), path: '/functions/stores/database' },
    {
      kind: 'code',
      bytes: code.length + 'WORD'.length + 'sesame'.length,
      path: '/functions/stores/settings',
    },
  ]);
  const all = [...report.pages, ...report.functions];
  expect(all.reduce((sum, { bytes }) => sum + bytes, report.otherBytes)).toBe(report.bytes);
  expect(report.otherBytes).toBe(0);
  expect((await user.call('DELETE', `/api/pages/${large.id}`)).status).toBe(200);
  expect((await read(user)).pages).toHaveLength(1);
}, 60_000);

test('has the credits of 30 days by page, and not of the day before', async () => {
  const user = await quire.user();
  const page = await user.publish({ name: 'Chat' });
  const day = 24 * 3600 * 1000;
  const now = (
    await readSql<{ at: number }>(quire, `select created_at as at from users where id = ${user.id}`)
  )[0];
  const spend = (id: string, pageId: number | null, tokens: number, at: number) => [
    `insert into ledger_transfers (id, kind, user_id, page_id, feature, reason, created_at)
      values ('${id}', 'settle', ${user.id}, ${pageId}, 'chat', 'AI chat', ${at})`,
    `insert into ledger_entries (transfer_id, account, tokens) values ('${id}', 'held', ${-tokens}), ('${id}', 'spent', ${tokens})`,
  ];
  const at = now?.at ?? 0;
  await runSql(
    quire,
    ...spend('s-1', page.id, 3_000, at),
    ...spend('s-2', page.id, 4_000, at - 30 * day + 60_000),
    ...spend('s-3', null, 9_000, at),
    ...spend('s-4', page.id, 1_000_000, at - 30 * day - 60_000),
  );
  const { credits } = await read(user);
  expect(credits.pages.map(({ id, name }) => [id, name])).toEqual([
    [null, null],
    [page.id, 'Chat'],
  ]);
  expect(credits.pages[0]?.spent).toBeCloseTo((9 / 7) * (credits.pages[1]?.spent ?? 0), 1);
  expect(credits.spent).toBeCloseTo(
    credits.pages.reduce((sum, { spent }) => sum + spent, 0),
    2,
  );
});

test('needs a token that may read pages', async () => {
  expect((await quire.call('GET', '/api/storage')).status).toBe(401);
  const user = await quire.user();
  const { token } = (
    await user.call('POST', '/api/auth/tokens', { body: { name: 'narrow', scopes: ['functions:read'] } })
  ).body;
  expect((await quire.call('GET', '/api/storage', { token })).status).toBe(403);
});

test('mails a warning once at 80 and at 95 percent, and again after less than 75', async () => {
  const user = await quire.user('fills-up');
  await runSql(quire, `update users set email_confirmed_at = 1 where id = ${user.id}`);
  const fill = (bytes: number) =>
    runSql(quire, `update usage set bytes = ${bytes} where user_id = ${user.id}`);
  const mails = () => smtp.mails.filter(({ subject }) => subject.includes('of your storage is used')).length;
  const sweepAt = async (bytes: number) => {
    await fill(bytes);
    await quire.app.sweep();
    // The sender is woken by a commit. What was not queued cannot be sent.
    const queued = `select count(*) as n from mails where kind = 'storage almost full' and user_id = ${user.id}`;
    const [row] = await readSql<{ n: number }>(quire, queued);
    return Number(row?.n);
  };
  expect(await sweepAt(0.8 * QUOTA - 1)).toBe(0);
  expect(await sweepAt(0.8 * QUOTA)).toBe(1);
  const mail = await smtp.nextMail('fills-up@example.com', /of your storage is used/);
  expect(mail.subject).toBe('80 % of your storage is used');
  expect(await sweepAt(0.95 * QUOTA - 1)).toBe(1);
  expect(await sweepAt(0.95 * QUOTA)).toBe(2);
  expect(await sweepAt(QUOTA)).toBe(2);
  expect(await sweepAt(0.75 * QUOTA)).toBe(2);
  expect(await sweepAt(0.8 * QUOTA)).toBe(2);
  expect(await sweepAt(0.75 * QUOTA - 1)).toBe(2);
  expect(await sweepAt(0.8 * QUOTA)).toBe(3);
  await waitUntil(async () => mails() === 3);
});

test('warns nobody without a limit, or without a confirmed address', async () => {
  const user = await quire.user('unconfirmed');
  const boundless = await quire.user('boundless');
  await runSql(
    quire,
    `update usage set bytes = ${QUOTA} where user_id in (${user.id}, ${boundless.id})`,
    `update users set quota_bytes = 0, email_confirmed_at = 1 where id = ${boundless.id}`,
  );
  await quire.app.sweep();
  const rows = await readSql<{ n: number }>(
    quire,
    `select count(*) as n from mails where kind = 'storage almost full' and user_id in (${user.id}, ${boundless.id})`,
  );
  expect(Number(rows[0]?.n)).toBe(0);
});
