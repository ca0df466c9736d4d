import { afterAll, beforeAll, expect, test } from 'bun:test';
import { join } from 'node:path';
import { startMigratedDatabase } from '../support/engines/process-postgres.ts';
import { startRedis, type TestRedis } from '../support/engines/redis.ts';
import { readSql } from '../support/engines/storage.ts';
import { environment } from '../support/environment.ts';
import { countRuns } from '../support/functions/scheduled-runs.ts';
import { call, register } from '../support/http/client.ts';
import { readMetrics } from '../support/http/metrics.ts';
import { startSmtp, type TestSmtp } from '../support/mail/smtp.ts';
import { startServer, type TestServer, untilPrinted, waitUntil } from '../support/server.ts';

/** Three nodes, one of them with a clock that is five minutes ahead. */

const AHEAD = join(import.meta.dir, '../support/cluster/clock-ahead.ts');
const AHEAD_SECONDS = 300;

let database: Awaited<ReturnType<typeof startMigratedDatabase>>;
let redis: TestRedis;
let smtp: TestSmtp;
let right: TestServer;
let other: TestServer;
let ahead: TestServer;
const counter = countRuns();
beforeAll(async () => {
  [database, redis, smtp] = await Promise.all([startMigratedDatabase(), startRedis(), startSmtp()]);
  const settings = {
    DATABASE_URL: database.url,
    REDIS_URL: redis.url,
    QUIRE_SMTP_URL: smtp.url,
    QUIRE_SECRET: 'a secret that all nodes have, of some length',
    QUIRE_METRICS_ALLOW: '127.0.0.1/32',
    QUIRE_EGRESS_ALLOW: '127.0.0.1/32',
    QUIRE_SCHEDULED_RUNS_PER_MINUTE: '0',
  };
  [right, other, ahead] = await Promise.all([
    startServer({ settings }),
    startServer({ settings }),
    startServer({ settings, preload: AHEAD }),
  ]);
}, 120_000);
afterAll(async () => {
  counter.stop();
  await Promise.all([right?.stop(), other?.stop(), ahead?.stop()]);
  await Promise.all([redis?.stop(), smtp?.stop(), database?.stop()]);
}, 60_000);

const place = () => ({ dataFolder: '', databaseUrl: database.url });

/** Makes a node send a mail to somebody. */
async function share(node: TestServer, token: string, to: string): Promise<void> {
  const body = { name: 'Plans', html_content: '<p>Plans', access: { mode: 'people', people: [to] } };
  expect((await call(node, 'POST', '/api/pages', { token, body })).status).toBe(201);
}

test('a mail that a node is sending is not sent by a node whose clock is ahead', async () => {
  const { token } = await register(right, 'mia');
  smtp.behave('hang after data');
  await share(right, token, 'first@elsewhere.example');
  await smtp.nextMail('first@elsewhere.example');
  smtp.behave('accept');
  // Its own mail makes the node look for everything that is due.
  await share(ahead, token, 'second@elsewhere.example');
  await smtp.nextMail('second@elsewhere.example');
  const rows = await readSql<{ recipient: string; attempts: number }>(
    place(),
    "select recipient, attempts from mails where recipient like '%@elsewhere.example' order by id",
  );
  expect(rows).toEqual([
    { recipient: 'first@elsewhere.example', attempts: 1 },
    { recipient: 'second@elsewhere.example', attempts: 1 },
  ]);
  expect(smtp.mailsTo('first@elsewhere.example')).toHaveLength(1);
});

test('each schedule runs once and not before its time, whichever node it was made on', async () => {
  const { token } = await register(right, 'sid');
  const slugs = ['on-right', 'on-other', 'on-ahead'];
  // The node that is ahead comes last: a new schedule makes it look for what is due.
  for (const [index, node] of [right, other, ahead].entries()) {
    const slug = slugs[index] as string;
    const body = { slug, code: counter.code(slug), schedules: [{ cron: '* * * * *' }] };
    expect((await call(node, 'POST', '/api/functions', { token, body })).status).toBe(201);
  }
  const planned = await Promise.all(
    slugs.map(async (slug) => {
      const { body } = await call(right, 'GET', `/api/functions/${slug}`, { token });
      return `${slug} ${body.schedules[0].nextRunAt}`;
    }),
  );
  const parseMoment = (run: string) => Date.parse(run.split(' ')[1] ?? '');
  for (const run of planned) expect(parseMoment(run) - Date.now()).toBeLessThanOrEqual(60_000);
  await waitUntil(async () => planned.every((run) => counter.runs.includes(run)));
  expect(new Set(counter.runs).size).toBe(counter.runs.length);
  for (const [index, run] of counter.runs.entries())
    expect(counter.times[index]).toBeGreaterThanOrEqual(parseMoment(run));
}, 150_000);

test('a moment has what a node with another clock has stored, and nothing that came after it', async () => {
  const { token } = await register(right, 'momo');
  const send = async (node: TestServer, method: string, path: string, body?: object) => {
    const answer = await call(node, method, path, { token, ...(body && { body }) });
    expect(answer.status).toBeLessThan(300);
    return answer.body;
  };
  const fields = { name: 'Board', html_content: '<p>Board', storage_mode: 'team_app' };
  const { id } = (await send(right, 'POST', '/api/pages', fields)).page;
  const notes = `/api/pages/${id}/team-data/notes`;
  const read = async (node: TestServer) =>
    (await send(node, 'GET', notes)).records.map(({ data }: { data: { n: string } }) => data.n).sort();
  const kept: Array<{ at: string; notes: string[] }> = [];
  const { id: changed } = await send(right, 'POST', notes, { data: { n: 'first' } });
  for (const [index, [writer, keeper]] of [
    [ahead, right],
    [right, ahead],
    [other, right],
    [ahead, other],
    [right, other],
  ].entries()) {
    await send(writer as TestServer, 'POST', notes, { data: { n: `new ${index}` } });
    await send(writer as TestServer, 'PATCH', `${notes}/${changed}`, { data: { n: `changed ${index}` } });
    const { at } = await send(keeper as TestServer, 'POST', `/api/pages/${id}/moments`, {
      name: `Moment ${index}`,
    });
    kept.push({ at, notes: await read(right) });
  }
  const times = kept.map(({ at }) => at);
  expect(times).toEqual([...times].sort());
  for (const [index, node] of [ahead, right, other, right, ahead].entries()) {
    const { at, notes: expected } = kept.at(-1 - index) as (typeof kept)[number];
    await send(node, 'POST', `/api/pages/${id}/restore`, { at });
    for (const each of [right, other, ahead]) expect(await read(each)).toEqual(expected);
  }
}, 120_000);

test('a node whose clock is ahead is not ready, says so, and the others are', async () => {
  for (const node of [right, other]) {
    const { status, body } = await call(node, 'GET', '/readyz');
    expect([status, body.status]).toEqual([200, 'ready']);
  }
  const { status, body } = await call(ahead, 'GET', '/readyz');
  expect(status).toBe(503);
  expect(body).toMatchObject({ status: 'not ready', reasons: ['clock'] });
  expect((await call(ahead, 'GET', '/readyz/haproxy')).status).toBe(404);
  await untilPrinted(ahead, /the clock of this machine is (299|300)\.\d s ahead of PostgreSQL's/);
  expect(right.output()).not.toContain('the clock of this machine');

  const difference = async (node: TestServer) =>
    readMetrics((await call(node, 'GET', '/metrics')).body).get('quire_clock_difference_seconds') ??
    Number.NaN;
  expect(Math.round(await difference(ahead))).toBe(AHEAD_SECONDS);
  expect(Math.abs(await difference(right))).toBeLessThan(1);
});

test('quire doctor finds a clock that is ahead', async () => {
  const examine = async (...preload: string[]) => {
    const child = Bun.spawn(
      [process.execPath, ...preload, join(import.meta.dir, '../../bin/launch.ts'), 'doctor', '--json'],
      { env: { ...environment, DATABASE_URL: database.url }, stdout: 'pipe', stderr: 'ignore' },
    );
    const { checks } = JSON.parse(await new Response(child.stdout).text()) as {
      checks: Array<{ name: string; status: string; message: string }>;
    };
    return checks.find(({ name }) => name === 'clock');
  };
  expect(await examine('--preload', AHEAD)).toMatchObject({
    status: 'fail',
    message: expect.stringMatching(/^(299|300)\.\d s ahead of PostgreSQL's$/),
  });
  expect(await examine()).toMatchObject({ status: 'ok', message: "agrees with PostgreSQL's" });
});
