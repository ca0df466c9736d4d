import { afterEach, expect, test } from 'bun:test';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startVendors } from '../../support/agents/vendors.ts';
import { type TestApp, testApp } from '../../support/app.ts';
import { runSql } from '../../support/engines/storage.ts';
import { ECHO, functionApp } from '../../support/functions/app.ts';
import { helpers } from '../../support/functions/server.ts';
import { expectAlert, expectNoAlert, type Phase } from '../../support/http/alerts.ts';
import { readMetrics } from '../../support/http/metrics.ts';
import { startSmtp } from '../../support/mail/smtp.ts';
import { waitUntil } from '../../support/server.ts';

/** Each alert about the work of a server fires with what it says under the fault that the alert is about. */

const DAY_MS = 24 * 3600 * 1000;
const stops: Array<() => unknown> = [];
afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop();
});

async function scrapeUntil(
  quire: TestApp,
  isSo: (figures: Map<string, number>) => boolean = () => true,
): Promise<string> {
  let text = '';
  await waitUntil(async () => {
    const response = await quire.request('/metrics', { peer: '127.0.0.1' });
    expect(response.status).toBe(200);
    text = await response.text();
    return isSo(readMetrics(text));
  });
  return text;
}

const wellFor = async (quire: TestApp): Promise<Phase> => ({ text: await scrapeUntil(quire), minutes: 30 });

test('every alert says what to do, in a section that exists', () => {
  const root = join(import.meta.dir, '../../..');
  const rules = readFileSync(join(root, 'deploy/prometheus/alerts.yml'), 'utf8');
  const { groups } = Bun.YAML.parse(rules) as {
    groups: { rules: { alert: string; annotations: { summary: string; runbook: string } }[] }[];
  };
  const alerts = groups.flatMap(({ rules }) => rules);
  const guide = readFileSync(join(root, 'docs/operating.md'), 'utf8');
  const anchors = [...guide.matchAll(/^## (.+)$/gm)].map(([, title = '']) =>
    title.toLowerCase().replaceAll(' ', '-'),
  );
  const tests = ['test/faults/alerts.test.ts', 'test/api/operations/alerts.test.ts'];
  const tested = tests.map((path) => readFileSync(join(root, path), 'utf8')).join('');
  for (const { alert, annotations } of alerts) {
    expect([alert, annotations.summary]).toEqual([alert, expect.stringMatching(/\.$/)]);
    const [file, anchor] = annotations.runbook.split('#');
    expect([alert, file, anchors]).toEqual([alert, 'docs/operating.md', expect.arrayContaining([anchor])]);
    expect(guide).toContain(`\`${alert}\``);
    expect([alert, tested.includes(`expectAlert('${alert}'`)]).toEqual([alert, true]);
  }
});

test('the dashboard for Grafana shows only figures that there are', async () => {
  const quire = await testApp({ QUIRE_SMTP_URL: 'smtp://127.0.0.1:9' });
  stops.push(() => quire.stop());
  const text = await scrapeUntil(quire);
  const path = join(import.meta.dir, '../../../deploy/grafana/quire.json');
  const names = [...readFileSync(path, 'utf8').matchAll(/\b(?:quire|process|nodejs)_[a-z_]+/g)].map(
    ([name]) => name.replace(/_(bucket|count|sum)$/, ''),
  );
  expect(new Set(names).size).toBeGreaterThan(20);
  const missing = names.filter((name) => !text.includes(`# TYPE ${name} `));
  // Only services with Redis or a replica have these.
  expect(new Set(missing)).toEqual(new Set(['quire_replica_age_seconds', 'quire_redis_up']));
});

test('no backup at all, backups that fail, that are late, and that are not proven', async () => {
  const root = mkdtempSync(join(tmpdir(), 'quire-alerts-'));
  stops.push(() => rmSync(root, { recursive: true }));
  const folder = join(root, 'backups');
  writeFileSync(folder, 'a file, where a folder should be');
  const quire = await testApp({ QUIRE_BACKUP_SCHEDULE: '0 0 * * *', QUIRE_BACKUP_FOLDER: folder });
  stops.push(() => quire.stop());
  const well = await wellFor(quire);
  await expectAlert('QuireNoBackup', [well, { text: well.text, minutes: 25 * 60 }]);
  // With a replica, or with backups that something else makes, nothing is missing.
  const others = ['quire_replica_age_seconds 4', 'quire_backups_elsewhere 1'].map(
    (line) => `${well.text?.replace(/^quire_backups_elsewhere .*$/m, '')}${line}\n`,
  );
  for (const text of others) await expectNoAlert([{ text, minutes: 25 * 60 }]);

  quire.advance(DAY_MS);
  const failures = (count: number) => (figures: Map<string, number>) =>
    (figures.get('quire_backup_failures') ?? 0) >= count;
  await waitUntil(async () => {
    quire.advance(10 * 60_000);
    await quire.app.sweep();
    return failures(2)(readMetrics(await scrapeUntil(quire)));
  });
  await expectAlert('QuireBackupFails', [well, { text: await scrapeUntil(quire), minutes: 5 }]);

  // A node that starts no more backups.
  quire.app.drain();
  quire.advance(2 * DAY_MS);
  await quire.app.sweep();
  const late = await scrapeUntil(quire, (figures) => (figures.get('quire_backup_delay_seconds') ?? 0) > 3600);
  await expectAlert('QuireBackupLate', [well, { text: late, minutes: 10 }]);
}, 180_000);

test('a backup that was proven too long ago', async () => {
  const quire = await testApp({ QUIRE_BACKUP_SCHEDULE: '0 0 1 1 *' });
  stops.push(() => quire.stop());
  await quire.user('ada');
  const isProven = (figures: Map<string, number>) =>
    figures.has('quire_backup_proof_age_seconds{result="proven"}');
  quire.advance(366 * DAY_MS);
  const proven = await scrapeUntil(quire, isProven);
  quire.advance(36 * DAY_MS);
  const old = await scrapeUntil(
    quire,
    (figures) => (figures.get('quire_backup_proof_age_seconds{result="proven"}') ?? 0) > 35 * 86_400,
  );
  await expectAlert('QuireBackupNotProven', [
    { text: proven, minutes: 30 },
    { text: old, minutes: 5 },
  ]);
}, 60_000);

test('a backup that cannot be restored', async () => {
  const quire = await testApp({ QUIRE_BACKUP_SCHEDULE: '0 0 * * *' });
  stops.push(() => quire.stop());
  await quire.user('ada');
  const well = await wellFor(quire);
  // As after a damage of the database, a row belongs to nothing.
  await runSql(
    quire,
    `insert into page_reports (id, page_id, version, reason, text, contact, state, created_at)
     values ('lost', 424242, 1, 'other', '', '', 'open', 1)`,
  );
  quire.advance(DAY_MS);
  const failed = 'quire_backup_proof_age_seconds{result="failed"}';
  const text = await scrapeUntil(quire, (figures) => figures.has(failed));
  expect(readMetrics(text).get('quire_backup_failures')).toBe(0);
  expect(text).not.toContain('quire_backup_proof_age_seconds{result="proven"}');
  await expectAlert('QuireBackupNotProven', [well, { text, minutes: 5 }]);
}, 60_000);

test('schedules and jobs that nobody runs', async () => {
  const { quire, owner, deploy, call } = await functionApp();
  stops.push(() => quire.stop());
  const schedules = [{ cron: '* * * * *' }];
  const late = 'export default { async fetch() { return new Response("") }, async scheduled() {} }';
  const body = { slug: 'late', code: late, schedules };
  expect((await owner.call('POST', '/api/functions', { body })).status).toBe(201);
  const slug = await deploy(`export default {
    async fetch(request, env) { await env.QUEUE.send('x'); return Response.json({ success: true }); },
    async queue() {},
  }`);
  const well = await wellFor(quire);
  quire.app.drain();
  expect((await call(slug)).status).toBe(200);
  quire.advance(15 * 60_000);
  await quire.app.sweep();
  const text = await scrapeUntil(
    quire,
    (figures) =>
      (figures.get('quire_schedules_delayed') ?? 0) > 0 &&
      (figures.get('quire_jobs_delay_seconds') ?? 0) > 300,
  );
  expect(readMetrics(text).get('quire_jobs_waiting')).toBe(1);
  await expectAlert('QuireSchedulesDelayed', [well, { text, minutes: 20 }]);
  await expectAlert('QuireJobsDelayed', [well, { text, minutes: 20 }]);
}, 60_000);

test('calls that find no process, and functions that fail by themselves', async () => {
  const held: Array<() => void> = [];
  using gate = Bun.serve({
    ...{ idleTimeout: 0, port: 0, hostname: '127.0.0.1' },
    fetch: () => new Promise<Response>((resolve) => held.push(() => resolve(new Response()))),
  });
  const { quire, stranger, deploy, call } = await functionApp({ QUIRE_CELLS: '2' });
  stops.push(() => quire.stop());
  const throws = await deploy('export default { fetch() { throw new Error("mine") } }');
  const waits = await deploy(`export default { fetch: () => fetch('http://127.0.0.1:${gate.port}/') }`);
  const also = `export default { fetch: () => fetch('http://127.0.0.1:${gate.port}/?b') }`;
  const waitsToo = await deploy(also, {}, stranger);
  const third = await quire.user('third');
  const others: string[] = [];
  while (others.length < 8) others.push(await deploy(ECHO, {}, third));
  const well = await wellFor(quire);
  const failing: Phase[] = [well];
  for (let round = 0; round < 3; round++) {
    for (let at = 0; at < 5; at++) expect((await call(throws)).status).toBe(500);
    failing.push({ text: await scrapeUntil(quire), minutes: 5 });
  }
  await expectNoAlert(failing);

  const finishing = [call(waits), call(waitsToo)];
  await waitUntil(async () => held.length === 2);
  const late = await Promise.all(others.map((slug) => call(slug)));
  expect(new Set(late.map(({ status }) => status))).toEqual(new Set([503]));
  const text = await scrapeUntil(quire);
  for (const letGo of held) letGo();
  await Promise.all(finishing);
  await expectAlert('QuireFunctionsRefused', [well, { text, minutes: 9 }]);
}, 60_000);

test('a database host that dies again and again', async () => {
  const { quire, deploy, sql } = await functionApp();
  stops.push(() => quire.stop());
  const slug = await deploy(ECHO, { enableDatabase: true });
  const isUp = async () => (await sql(slug, { sql: 'SELECT 1' })).status === 200;
  await waitUntil(isUp);
  const well = await wellFor(quire);
  const restarts = 'quire_database_host_restarts_total';
  for (let time = 1; time <= 3; time++) {
    const hosts = () => helpers(quire).filter(({ kind }) => kind === 'database host');
    await waitUntil(async () => hosts().length > 0);
    for (const { pid } of hosts()) process.kill(pid, 'SIGKILL');
    await scrapeUntil(quire, (figures) => (figures.get(restarts) ?? 0) >= time);
    await waitUntil(isUp);
  }
  await expectAlert('QuireDatabaseHosts', [well, { text: await scrapeUntil(quire), minutes: 20 }]);
}, 120_000);

test('mail that is not sent', async () => {
  const smtp = await startSmtp();
  stops.push(() => smtp.stop());
  const quire = await testApp({ QUIRE_SMTP_URL: smtp.url });
  stops.push(() => quire.stop());
  const ada = await quire.user('ada');
  const well = await wellFor(quire);
  smtp.behave('refuse login');
  await ada.publish({ access: { mode: 'people', people: ['guest@elsewhere.example'] } });
  const text = await scrapeUntil(quire, (figures) => (figures.get('quire_mails_waiting') ?? 0) > 0);
  await expectAlert('QuireMailStuck', [well, { text, minutes: 70 }]);
});

test('a provider that fails', async () => {
  const vendors = await startVendors();
  stops.push(() => vendors.stop());
  const quire = await testApp({
    QUIRE_AI_PROVIDER: 'openai-compatible',
    QUIRE_AI_URL: vendors.urls.chat,
    QUIRE_AI_MODEL: 'a-model',
    QUIRE_CREDITS_NEW_USER: '20',
  });
  stops.push(() => quire.stop());
  const ada = await quire.user('ada');
  const page = await ada.publish({ page_api_ai_enabled: true });
  const cookie = await ada.login();
  await quire.call('POST', '/api/credits/consents', { cookie, body: { pageId: page.id, limit: 50 } });
  const well = await wellFor(quire);
  vendors.behave({ status: 500 });
  const open = 'quire_provider_circuit_open{provider="chat"}';
  const body = { system_prompt: 'Be brief.', messages: [{ role: 'user', content: 'Hello' }] };
  await waitUntil(async () => {
    const { status } = await quire.call('POST', `/api/pages/${page.id}/page-api-ai`, { cookie, body });
    expect(status).toBeGreaterThanOrEqual(502);
    return readMetrics(await scrapeUntil(quire)).get(open) === 1;
  });
  await expectAlert('QuireProviderFails', [well, { text: await scrapeUntil(quire), minutes: 10 }]);
});

test('somebody who guesses passwords', async () => {
  const quire = await testApp({ QUIRE_LOGIN_FAILURES_PER_ADDRESS: '5' });
  stops.push(() => quire.stop());
  await quire.user('ada');
  const well = await wellFor(quire);
  const guess = (number: number) => {
    const body = { username: `person${number}`, password: `wrong password ${number}` };
    return quire.call('POST', '/api/auth/login', { body, peer: '192.0.2.7' });
  };
  const answers = await Promise.all(Array.from({ length: 30 }, (_, number) => guess(number)));
  expect(answers.filter(({ status }) => status === 429).length).toBeGreaterThan(20);
  await expectAlert('QuirePasswordGuessing', [well, { text: await scrapeUntil(quire), minutes: 5 }]);
});
