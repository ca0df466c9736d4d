import { Database } from 'bun:sqlite';
import { afterAll, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { functionApp } from '../support/functions/app.ts';
import { countRuns } from '../support/functions/scheduled-runs.ts';
import { call, register } from '../support/http/client.ts';
import { startServer, waitUntil } from '../support/server.ts';

const counter = countRuns();
afterAll(() => counter.stop());

const EVERY_DAY = [{ cron: '0 3 * * *' }];
const settings = { QUIRE_EGRESS_ALLOW: '127.0.0.1/32' };

test('a run whose server was killed is not repeated, and is reported as interrupted', async () => {
  const dataFolder = mkdtempSync(join(tmpdir(), 'quire-schedules-'));
  /** Changes the schedule while no server runs. */
  const change = (statement: string) => {
    const db = new Database(join(dataFolder, 'quire.db'));
    db.run(statement);
    db.close();
  };
  const start = () => startServer({ dataFolder, settings });
  try {
    let server = await start();
    const { token } = await register(server, 'owner');
    const read = async () =>
      (await call(server, 'GET', '/api/functions/nightly', { token })).body.schedules[0];
    const body = { slug: 'nightly', code: counter.code('nightly'), schedules: EVERY_DAY };
    expect((await call(server, 'POST', '/api/functions', { token, body })).status).toBe(201);
    await server.stop();
    // As if the service had been down for a day.
    change('update function_schedules set moment = moment - 86400000, due_at = due_at - 86400000');

    counter.hold();
    server = await start();
    await counter.until(1);
    expect(await read()).toMatchObject({ lastRun: { result: 'running' } });
    await server.kill();
    counter.release();

    server = await start();
    expect((await read()).lastRun.result).toBe('running');
    await server.stop();
    // As if its time were over.
    change('update function_schedules set running_until = 1');
    server = await start();
    await waitUntil(async () => (await read()).lastRun.result === 'interrupted');
    expect((await read()).failures).toBe(0);
    const { body: log } = await call(server, 'GET', '/api/functions/nightly/logs', { token });
    expect(log.logs.at(-1).message).toMatch(/^A scheduled run \(0 3 \* \* \*\) was interrupted\./);
    expect(counter.runs).toHaveLength(1);
    expect(await server.stop()).toBe(0);
  } finally {
    rmSync(dataFolder, { recursive: true, force: true });
  }
}, 120_000);

test('runs that hang keep no other owner waiting, and a server that stops does not wait for them', async () => {
  counter.runs.splice(0);
  const app = await functionApp({ ...settings, QUIRE_SCHEDULED_RUNS_PER_MINUTE: '3' });
  const { owner, stranger, quire } = app;
  try {
    counter.hold();
    const slugs: string[] = [];
    for (const name of ['hangs-1', 'hangs-2', 'hangs-3'])
      slugs.push(await app.deploy(counter.code(name), { schedules: [{ cron: '* * * * *' }] }));
    const quick = await app.deploy(
      'export default { scheduled() {}, fetch: () => new Response("here") };',
      { schedules: [{ cron: '* * * * *' }] },
      stranger,
    );
    quire.advance(60_000);
    await counter.until(2);
    const fetchResult = async (slug: string, as = owner) =>
      (await as.call('GET', `/api/functions/${slug}`)).body.schedules[0].lastRun?.result;
    await waitUntil(async () => (await fetchResult(quick, stranger)) === 'ok');
    expect((await app.call(quick)).status).toBe(200);
    // Two of an owner run at a time. The third waits, and so does the owner.
    expect(counter.runs).toHaveLength(2);
    const results = await Promise.all(slugs.map((slug) => fetchResult(slug)));
    expect(results.toSorted()).toEqual(['running', 'running', undefined]);
    const now = await owner.call('POST', `/api/functions/${slugs[0]}/schedules/run`);
    expect([now.status, now.headers.get('retry-after')]).toEqual([503, '5']);
  } finally {
    await quire.stop();
    counter.release();
  }
});

test('an owner over the limit is late, and others are not', async () => {
  const app = await functionApp({ QUIRE_SCHEDULED_RUNS_PER_MINUTE: '2' });
  const { owner, stranger, quire } = app;
  const code = 'export default { scheduled() {} };';
  try {
    const many = Array.from({ length: 4 }, (_, n) => ({ cron: `*/${n + 1} * * * *` }));
    const slug = await app.deploy(code, { schedules: many });
    quire.advance(3600_000 * 0.9);
    const countLastRuns = async (name: string, as = owner): Promise<number> => {
      const { body } = await as.call('GET', `/api/functions/${name}`);
      return body.schedules.filter((each: { lastRun: unknown }) => each.lastRun).length;
    };
    await waitUntil(async () => (await countLastRuns(slug)) === 2);
    const other = await app.deploy(code, { schedules: [{ cron: '* * * * *' }] }, stranger);
    quire.advance(60_000);
    await waitUntil(async () => (await countLastRuns(other, stranger)) === 1);
    expect(await countLastRuns(slug)).toBe(2);
    const refused = await owner.call('POST', `/api/functions/${slug}/schedules/run`);
    expect([refused.status, refused.body.code]).toEqual([429, 'RATE_LIMITED']);
  } finally {
    await quire.stop();
  }
});

test('owners take turns, however many schedules one of them has', async () => {
  counter.runs.splice(0);
  // One run at a time.
  const app = await functionApp({ ...settings, QUIRE_CELLS: '4', QUIRE_SCHEDULED_RUNS_PER_MINUTE: '0' });
  try {
    const hour = 3600_000;
    app.quire.advance(hour - (Date.now() % hour));
    const many = Array.from({ length: 10 }, (_, n) => ({ cron: `${n + 10} * * * *` }));
    await app.deploy(counter.code('many'), { schedules: many });
    await app.deploy(counter.code('one'), { schedules: [{ cron: '30 * * * *' }] }, app.stranger);
    app.quire.advance(hour * 0.9);
    await counter.until(11);
    expect(counter.runs.findIndex((run) => run.startsWith('one '))).toBeLessThan(3);
  } finally {
    await app.quire.stop();
  }
});

test('runs that are started at once are limited like others', async () => {
  counter.runs.splice(0);
  const app = await functionApp({ ...settings, QUIRE_SCHEDULED_RUNS_PER_MINUTE: '8' });
  try {
    const slug = await app.deploy(counter.code('now'));
    counter.hold();
    const path = `/api/functions/${slug}/schedules/run`;
    const runs = Array.from({ length: 8 }, () => app.owner.call('POST', path));
    await counter.until(2);
    expect((await Promise.any(runs)).status).toBe(503);
    counter.release();
    const statuses = (await Promise.all(runs)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(2);
    expect(counter.runs).toHaveLength(2);
    // Those that were refused were not counted.
    expect((await app.owner.call('POST', path)).status).toBe(200);
  } finally {
    counter.release();
    await app.quire.stop();
  }
});

test('a run that blocks is stopped, and says so', async () => {
  const app = await functionApp({ QUIRE_CELL_CPU_SECONDS: '1' });
  const { owner, quire } = app;
  try {
    const schedules = [{ cron: '* * * * *' }];
    const blocks = await app.deploy('export default { scheduled() { for (;;); } };', { schedules });
    const run = await owner.call('POST', `/api/functions/${blocks}/schedules/run`);
    expect(run.body).toMatchObject({
      result: 'error',
      error: 'The function was stopped: it used the processor for too long.',
    });
  } finally {
    await quire.stop();
  }
});
