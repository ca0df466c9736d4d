import { afterAll, afterEach, expect, test } from 'bun:test';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { generateX25519Identity, identityToRecipient } from 'age-encryption';
import type { Backup, BackupList } from '../../../contract/admin/backups.ts';
import {
  checkArchive,
  decryptArchive,
  diskPlace,
  drillBackup,
  restoreArchive,
} from '../../../server/product/backup/index.ts';
import { type TestApp, testApp } from '../../support/app.ts';
import { promote } from '../../support/backup.ts';
import { runSql } from '../../support/engines/storage.ts';
import { ECHO, functionApp } from '../../support/functions/app.ts';
import { PASSWORD } from '../../support/http/call.ts';
import { readMetrics } from '../../support/http/metrics.ts';
import { startSmtp } from '../../support/mail/smtp.ts';
import { waitUntil } from '../../support/server.ts';

/** Backups by schedule, encrypted, and proven. */

const PATH = '/api/admin/backups';
const DAY_MS = 24 * 3600 * 1000;
const root = mkdtempSync(join(tmpdir(), 'quire-schedule-'));
const stops: Array<() => Promise<unknown>> = [];
afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop();
});
afterAll(() => rmSync(root, { recursive: true }));

async function administer(quire: TestApp, username: string) {
  const user = await quire.user(username);
  await promote(quire, username);
  /** A new one each time: tests move the clock, and tokens expire. */
  const logIn = async (): Promise<string> => {
    const body = { username, password: PASSWORD, scopes: ['admin'] };
    return (await quire.call('POST', '/api/auth/token', { body })).body.accessToken;
  };
  const call = async (method: string, path: string) => quire.call(method, path, { token: await logIn() });
  const list = async (): Promise<BackupList> => (await call('GET', PATH)).body;
  const until = async (isThere: (list: BackupList) => boolean): Promise<BackupList> => {
    let found: BackupList | undefined;
    await waitUntil(async () => {
      found = await list();
      return isThere(found);
    });
    return found as BackupList;
  };
  return { user, logIn, call, list, until };
}

test('the server backs itself up, proves it, and says so everywhere', async () => {
  const folder = join(root, 'elsewhere');
  const { quire, deploy, owner } = await functionApp({
    QUIRE_BACKUP_SCHEDULE: '0 0 * * *',
    QUIRE_BACKUP_KEEP: '2,30d',
    QUIRE_BACKUP_FOLDER: folder,
    QUIRE_METRICS_ALLOW: '127.0.0.1/32',
  });
  stops.push(() => quire.stop());
  const { call, list, until, user } = await administer(quire, 'schedule-ada');
  await user.publish({ name: 'Kept', html_content: '<p>kept</p>' });
  // One database that nobody has used, which has no file, and one with rows.
  await deploy(ECHO, { enableDatabase: true });
  const path = `/api/functions/${await deploy(ECHO, { enableDatabase: true })}/database`;
  for (const sql of ['CREATE TABLE notes (text)', "INSERT INTO notes VALUES ('a'), ('b'), ('c')"])
    expect((await owner.call('POST', path, { body: { sql } })).status).toBe(200);
  const first = await list();
  expect(first).toMatchObject({ backups: [], maxBackups: 2, maxDays: 30, place: folder, isLate: false });
  expect(first).toMatchObject({ lastProof: null, isEncrypted: false, schedule: { cron: '0 0 * * *' } });
  const { steps } = (await call('GET', '/api/admin/first-steps')).body;
  expect(steps).toContainEqual({ name: 'backup', isDone: true });

  quire.advance(DAY_MS);
  const made = await until(({ lastProof }) => lastProof !== null);
  const [backup] = made.backups;
  expect(backup).toMatchObject({ state: 'complete', isScheduled: true, isEncrypted: false, madeBy: null });
  expect(backup?.proof).toMatchObject({ name: backup?.name, problem: null });
  const name = backup?.name ?? '';
  expect(readdirSync(folder)).toEqual([name]);
  const options = { dataFolder: join(root, 'drill-rows'), now: Date.now, leaveBytes: 0 };
  const { proven } = await drillBackup(diskPlace(folder), name, options);
  expect(proven).toMatchObject({ databaseRows: 3, page: { bytes: 11 }, totals: { databases: 2 } });
  expect(existsSync(join(quire.dataFolder, '.drill'))).toBe(false);
  const read = async () => readMetrics(await (await quire.request('/metrics')).text());
  await waitUntil(async () => (await read()).has('quire_backup_proof_age_seconds{result="proven"}'));
  expect((await read()).get('quire_backup_failures')).toBe(0);
  expect((await read()).get('quire_backup_proof_seconds')).toBeGreaterThan(0);

  // A second one, and a third: the first is deleted. None of them has a half file.
  for (const count of [2, 3]) {
    quire.advance(DAY_MS);
    await until(({ backups }) => backups.length === Math.min(2, count) && backups[0]?.state === 'complete');
  }
  expect(await list()).toMatchObject({ isLate: false });
});

test('a failure is shown, mailed once, and leaves no file', async () => {
  const smtp = await startSmtp();
  stops.push(() => smtp.stop());
  const folder = join(root, 'broken');
  writeFileSync(folder, 'a file, where a folder should be');
  const service = await testApp({
    QUIRE_BACKUP_SCHEDULE: '*/30 * * * *',
    QUIRE_BACKUP_FOLDER: folder,
    QUIRE_SMTP_URL: smtp.url,
    QUIRE_METRICS_ALLOW: '127.0.0.1/32',
  });
  stops.push(() => service.stop());
  const { until, list } = await administer(service, 'schedule-bea');
  await runSql(service, "UPDATE users SET email_confirmed_at = 1 WHERE username = 'schedule-bea'");
  service.advance(30 * 60_000);
  const failed = await until(({ schedule }) => (schedule?.failures ?? 0) > 0);
  expect(failed).toMatchObject({ backups: [], placeProblem: expect.any(String), isLate: false });
  const mail = await smtp.nextMail('schedule-bea@example.com', /backup failed/);
  expect(mail.links).toContain('http://localhost:3000/admin/backups');
  service.advance(10 * 60_000);
  await until(({ schedule }) => (schedule?.failures ?? 0) > 1);
  rmSync(folder);
  service.advance(30 * 60_000);
  const good = await until(({ backups }) => backups.some(({ state }) => state === 'complete'));
  expect(good.schedule).toMatchObject({ failures: 0, problem: null });
  expect((await list()).placeProblem).toBeNull();
  expect(smtp.mails.filter(({ subject }) => subject.includes('backup failed'))).toHaveLength(1);
});

test('with a key, every backup is encrypted for it, and damage is found before anything is restored', async () => {
  const identity = await generateX25519Identity();
  const key = await identityToRecipient(identity);
  const quire = await testApp({ QUIRE_BACKUP_KEY: key });
  stops.push(() => quire.stop());
  const { call, logIn, until, user } = await administer(quire, 'schedule-cem');
  await user.publish({ name: 'Secret', html_content: '<p>a secret</p>' });
  const { name } = (await call('POST', PATH)).body.backup as Backup;
  expect(name).toEndWith('.tar.gz.age');
  const { backups } = await until((all) => all.backups[0]?.state === 'complete');
  expect(backups).toMatchObject([{ name, isEncrypted: true, isScheduled: false, madeBy: 'schedule-cem' }]);

  const headers = { authorization: `Bearer ${await logIn()}` };
  for (const path of [`${PATH}/${name}`, '/api/admin/backup']) {
    const response = await quire.request(path, { headers });
    expect(response.headers.get('content-type')).toBe('application/octet-stream');
    expect(response.headers.get('content-disposition')).toEndWith('.tar.gz.age"');
    const sealed = await response.bytes();
    const opened = await decryptArchive(new Blob([sealed]).stream(), [identity]);
    expect((await checkArchive(opened.stream)).totals.rows).toMatchObject({ users: 1, pages: 1 });
  }
  // A download that is broken off leaves room for the next one.
  const broken = await quire.request('/api/admin/backup', { headers });
  await broken.body?.cancel();
  await waitUntil(async () => {
    const again = await quire.request('/api/admin/backup', { headers });
    await again.body?.cancel();
    return again.status === 200;
  });

  const folder = join(quire.dataFolder, 'backups');
  const place = diskPlace(folder);
  const options = { dataFolder: join(root, 'drill'), now: Date.now, leaveBytes: 0 };
  mkdirSync(options.dataFolder);
  const proven = await drillBackup(place, name, { ...options, identities: [identity] });
  expect(proven).toMatchObject({ problem: null, proven: { page: { bytes: 15 }, totals: { databases: 0 } } });
  // It says nothing about the backup, so it is no result.
  await expect(drillBackup(place, name, options)).rejects.toThrow('--identity');
  const full = { ...options, identities: [identity], leaveBytes: Number.MAX_SAFE_INTEGER };
  expect(await drillBackup(place, name, full)).toMatchObject({
    problem: expect.stringContaining('not enough space'),
  });
  const bytes = readFileSync(join(folder, name));
  bytes[bytes.length - 100] = (bytes[bytes.length - 100] ?? 0) ^ 1;
  writeFileSync(join(folder, name), bytes);
  expect(await drillBackup(place, name, { ...options, identities: [identity] })).toMatchObject({
    problem: expect.stringContaining('damaged'),
  });
  const { stream } = await decryptArchive(new Blob([bytes]).stream(), [identity]);
  const into = { dataFolder: join(root, 'never') };
  await expect(restoreArchive(stream, into)).rejects.toThrow('damaged');
  expect(readdirSync(into.dataFolder)).toEqual([]);
  expect(readdirSync(options.dataFolder)).toEqual([]);
});
