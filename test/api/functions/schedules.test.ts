import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { MAX_CRON_LETTERS, type Schedule } from '../../../contract/functions/schedules.ts';
import { MAX_SCHEDULES } from '../../../contract/rules/limits.ts';
import type { TestUser } from '../../support/app.ts';
import { ECHO, type FunctionApp, functionApp } from '../../support/functions/app.ts';
import { countRuns, type RunCounter } from '../../support/functions/scheduled-runs.ts';
import { waitUntil } from '../../support/server.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const EVERY_MINUTE = [{ cron: '* * * * *' }];

let app: FunctionApp;
let counter: RunCounter;
let owner: ApiUser;
/** The owner, with a token that cannot read. */
let writer: ApiUser;
let stranger: ApiUser;
/** How far the service's clock is ahead. */
let aheadMs = 0;
beforeAll(async () => {
  app = await functionApp({ QUIRE_SCHEDULED_RUNS_PER_MINUTE: '0' });
  counter = countRuns();
  owner = await lastingly(app.owner);
  writer = await lastingly(app.owner, ['functions:write']);
  stranger = await lastingly(app.stranger);
});
afterAll(async () => {
  counter.stop();
  await app.quire.stop();
});
/** Functions of other tests must not run. */
const deployed: string[] = [];
beforeEach(async () => {
  for (const slug of deployed.splice(0)) await owner.call('DELETE', `/api/functions/${slug}`);
  counter.runs.splice(0);
  // Just after a full minute, so that the next moment does not come on its own while a test counts runs.
  advance(MINUTE - (now() % MINUTE) + 1);
});

type ApiUser = Pick<TestUser, 'call'>;
/** With a token that lasts longer than these tests move the clock. */
async function lastingly(user: TestUser, scopes = ['functions:read', 'functions:write']): Promise<ApiUser> {
  const fields = { name: 'lasting', scopes };
  const { body } = await user.call('POST', '/api/auth/tokens', { body: fields });
  return { call: (method, path, options) => app.quire.call(method, path, { token: body.token, ...options }) };
}

const now = () => Date.now() + aheadMs;
function advance(milliseconds: number): void {
  aheadMs += milliseconds;
  app.quire.advance(milliseconds);
}
async function deploy(code: string, schedules: unknown = EVERY_MINUTE) {
  const slug = await app.deploy(code, { schedules }, owner);
  deployed.push(slug);
  return slug;
}
const toPath = (slug: string) => `/api/functions/${slug}`;
const fetchSchedules = async (slug: string): Promise<Schedule[]> =>
  (await owner.call('GET', toPath(slug))).body.schedules;
const fetchSchedule = async (slug: string) => (await fetchSchedules(slug))[0] as Schedule;
const set = (slug: string, schedules: unknown) => owner.call('PATCH', toPath(slug), { body: { schedules } });
const run = (slug: string, body?: unknown) => owner.call('POST', `${toPath(slug)}/schedules/run`, { body });
async function fetchLog(slug: string): Promise<string[]> {
  const { body } = await owner.call('GET', `${toPath(slug)}/logs`);
  return body.logs.map((entry: { kind: string; message: string }) => `${entry.kind}: ${entry.message}`);
}
/** Moves the clock to the next run, or to some time after it, and waits for its end. */
async function untilRun(slug: string, laterMs = 0): Promise<Schedule> {
  // First, because the run can begin as soon as the clock has moved.
  const before = await fetchSchedule(slug);
  advance(Math.max(0, Date.parse(before.nextRunAt) - now()) + 1 + laterMs);
  await waitUntil(async () => {
    const { lastRun } = await fetchSchedule(slug);
    return (
      lastRun !== null && lastRun.startedAt !== before.lastRun?.startedAt && lastRun.result !== 'running'
    );
  });
  return fetchSchedule(slug);
}

describe('a schedule', () => {
  test('runs at its moment with what it waits for, and is in the log and the statistics', async () => {
    const slug = await deploy(
      `export default {
        async scheduled(controller, env, ctx) {
          console.log(controller.type, controller.cron, new Date(controller.scheduledTime).toISOString());
          ctx.waitUntil(new Promise((done) => setTimeout(done, 20)).then(() => console.log('waited')));
        },
      };`,
      [{ cron: '*/5 * * * *', timezone: 'Europe/Berlin' }],
    );
    const planned = await fetchSchedule(slug);
    expect(planned).toMatchObject({
      cron: '*/5 * * * *',
      timezone: 'Europe/Berlin',
      failures: 0,
      lastRun: null,
    });
    const { lastRun, nextRunAt } = await untilRun(slug);
    expect(lastRun).toMatchObject({ scheduledAt: planned.nextRunAt, result: 'ok', error: null });
    expect(Date.parse(nextRunAt)).toBe(Date.parse(planned.nextRunAt) + 5 * MINUTE);
    // Lines come through another pipe than the result.
    await waitUntil(async () => (await fetchLog(slug)).length === 3);
    expect((await fetchLog(slug)).toSorted()).toEqual([
      'call: scheduled run (*/5 * * * *): ok',
      `console: scheduled */5 * * * * ${planned.nextRunAt}`,
      'console: waited',
    ]);
    const { body } = await owner.call('GET', `${toPath(slug)}/stats`);
    expect(body.stats).toMatchObject([{ calls: 1, errors: 0 }]);
  });

  test('runs a class that has the handler as a method', async () => {
    const slug = await deploy(`import { WorkerEntrypoint } from 'cloudflare:workers';
      export default class extends WorkerEntrypoint {
        scheduled(controller) { this.ctx.waitUntil(Promise.resolve()); console.log('in a class', controller.cron); }
      }`);
    expect((await untilRun(slug)).lastRun?.result).toBe('ok');
    await waitUntil(async () => (await fetchLog(slug)).includes('console: in a class * * * * *'));
  });

  test('makes up for missed moments once', async () => {
    const slug = await deploy(counter.code('missed'));
    const { nextRunAt } = await fetchSchedule(slug);
    const { nextRunAt: next, lastRun } = await untilRun(slug, 3 * HOUR);
    expect(counter.runs).toEqual([`missed ${nextRunAt}`]);
    expect(lastRun?.scheduledAt).toBe(nextRunAt);
    expect(Date.parse(next)).toBeGreaterThan(now() - MINUTE);
  });

  test('does not overlap with itself, and makes up for what it missed when the run ends', async () => {
    const slug = await deploy(counter.code('slow'));
    counter.hold();
    advance(MINUTE);
    await counter.until(1);
    const missed = (await fetchSchedule(slug)).nextRunAt;
    advance(3 * MINUTE);
    // A run of another function begins and ends meanwhile.
    await untilRun(await deploy('export default { scheduled() {} };'));
    expect(counter.runs).toHaveLength(1);
    expect((await fetchSchedule(slug)).lastRun?.result).toBe('running');
    counter.release();
    await counter.until(2);
    expect(counter.runs[1]).toBe(`slow ${missed}`);
  });

  test('keeps its next moment when the clock is set back a little, and is planned anew after more', async () => {
    const slug = await deploy(counter.code('clock'));
    await untilRun(slug);
    const { nextRunAt } = await fetchSchedule(slug);
    advance(-30 * MINUTE);
    await untilRun(await deploy('export default { scheduled() {} };'));
    expect([counter.runs.length, (await fetchSchedule(slug)).nextRunAt]).toEqual([1, nextRunAt]);
    advance(-3 * HOUR);
    await waitUntil(async () => Date.parse((await fetchSchedule(slug)).nextRunAt) < now() + 2 * MINUTE);
    await untilRun(slug);
    expect(counter.runs).toHaveLength(2);
    advance(3.5 * HOUR);
  });
});

describe('a schedule that fails', () => {
  const FAILS = `export default { scheduled() { throw new Error('not today'); }, fetch: () => new Response() };`;

  test('is delayed from the third failure on, and says so', async () => {
    const slug = await deploy(FAILS);
    for (const failures of [1, 2]) {
      const { lastRun, ...schedule } = await untilRun(slug);
      expect(schedule.failures).toBe(failures);
      expect(lastRun).toMatchObject({ result: 'error', error: 'The function threw an exception' });
      expect(Date.parse(schedule.nextRunAt)).toBeLessThan(now() + 2 * MINUTE);
    }
    const { failures, nextRunAt } = await untilRun(slug);
    expect(failures).toBe(3);
    expect(Date.parse(nextRunAt)).toBeGreaterThanOrEqual(now() + 4 * MINUTE);
    const log = await fetchLog(slug);
    expect(log).toContain(
      `system: The schedule * * * * * has failed 3 times in a row. Its next run is delayed until ${nextRunAt}.`,
    );
    const isThrown = (line: string) => line.startsWith('exception: Error: not today');
    await waitUntil(async () => (await fetchLog(slug)).filter(isThrown).length === 3);
    expect(log.filter((line) => line === 'call: scheduled run (* * * * *): threw an exception')).toHaveLength(
      3,
    );
    const { body } = await owner.call('GET', `${toPath(slug)}/stats`);
    expect(body.stats.at(-1)).toMatchObject({ errors: 3 });
    // New code starts afresh.
    await owner.call('PATCH', toPath(slug), { body: { code: 'export default { scheduled() {} };' } });
    const revived = await fetchSchedule(slug);
    expect([revived.failures, Date.parse(revived.nextRunAt) < now() + 2 * MINUTE]).toEqual([0, true]);
  });

  test('is no longer delayed when its owner has run it with success', async () => {
    const slug = await deploy(`export default {
      scheduled({ scheduledTime }, env) { if (!env.WORKS) throw new Error('no'); } };`);
    for (let n = 0; n < 3; n++) await untilRun(slug);
    await owner.call('PUT', `${toPath(slug)}/secrets/WORKS`, { body: { value: 'yes' } });
    expect((await run(slug)).body.result).toBe('ok');
    const revived = await fetchSchedule(slug);
    expect(revived).toMatchObject({ failures: 0, lastRun: { result: 'ok' } });
    expect(Date.parse(revived.nextRunAt)).toBeLessThan(now() + 2 * MINUTE);
  });

  test.each([
    ['', "ctx.waitUntil(Promise.reject(new Error('later')))"],
    [
      ', also if that began after the handler had ended',
      "ctx.waitUntil(Promise.resolve().then(() => ctx.waitUntil(Promise.reject(new Error('later')))))",
    ],
  ])('fails if something fails that it waits for%s', async (_, wait) => {
    const slug = await deploy(`export default { scheduled(controller, env, ctx) { ${wait}; } };`);
    expect((await untilRun(slug)).lastRun?.result).toBe('error');
    await waitUntil(async () =>
      (await fetchLog(slug)).some((line) => line.startsWith('exception: Error: later')),
    );
  });
});

describe('running a schedule now', () => {
  test('returns what it printed and threw', async () => {
    const slug = await deploy(
      `export default { async scheduled({ cron }) { console.log('for', cron); if (cron[0] === '0') throw new Error('at night'); } };`,
      [{ cron: '30 * * * *' }, { cron: '0 3 * * *' }],
    );
    const first = await run(slug);
    expect(first.status).toBe(200);
    expect(first.body).toMatchObject({ cron: '30 * * * *', result: 'ok', error: null, exception: null });
    expect(first.body.logs).toMatchObject([{ kind: 'console', message: 'for 30 * * * *' }]);
    const second = (await run(slug, { cron: '0 3 * * *' })).body;
    expect(second).toMatchObject({ result: 'error', exception: { message: 'Error: at night' } });
    expect((await fetchSchedules(slug)).map(({ lastRun }) => lastRun?.result)).toEqual(['ok', 'error']);
    expect((await run(slug, { cron: '1 1 1 1 1' })).status).toBe(400);
  });

  test('works before a function has schedules, and says if it has no handler', async () => {
    const slug = await deploy(
      `export default { scheduled({ cron }) { console.log('<' + cron + '>'); } };`,
      [],
    );
    expect((await run(slug)).body).toMatchObject({ cron: '', result: 'ok', logs: [{ message: '<>' }] });
    const without = await deploy(ECHO, []);
    expect((await run(without)).body).toMatchObject({
      result: 'error',
      exception: { message: 'TypeError: the module has no scheduled function' },
    });
  });

  test('is for the owner only, with both scopes', async () => {
    const slug = await deploy(counter.code('mine'));
    const path = `${toPath(slug)}/schedules/run`;
    expect((await stranger.call('POST', path)).status).toBe(403);
    expect((await app.quire.call('POST', path)).status).toBe(401);
    expect((await writer.call('POST', path)).status).toBe(403);
    expect(counter.runs).toEqual([]);
  });
});

describe('the schedules of a function', () => {
  test('are replaced as a whole; those that stay keep their result', async () => {
    const slug = await deploy(counter.code('kept'), [{ cron: '* * * * *' }, { cron: '0 0 1 1 *' }]);
    const { lastRun } = await untilRun(slug);
    const answer = await set(slug, [{ cron: '0 3 * * 1-5', timezone: 'Asia/Tokyo' }, { cron: '* * * * *' }]);
    expect(answer.status).toBe(200);
    expect(answer.body.schedules).toMatchObject([
      { cron: '0 3 * * 1-5', timezone: 'Asia/Tokyo', lastRun: null },
      { cron: '* * * * *', timezone: 'UTC', lastRun },
    ]);
    expect((await set(slug, [])).body.schedules).toEqual([]);
  });

  test('are seen by the owner only', async () => {
    const slug = await deploy(counter.code('seen'));
    expect((await stranger.call('GET', toPath(slug))).body).not.toHaveProperty('schedules');
    expect((await app.quire.call('GET', toPath(slug))).body).not.toHaveProperty('schedules');
  });

  test(`are at most ${MAX_SCHEDULES}`, async () => {
    const slug = await deploy(counter.code('many'), []);
    const many = (count: number) => Array.from({ length: count }, (_, n) => ({ cron: `${n} 4 * * *` }));
    expect((await set(slug, many(MAX_SCHEDULES))).body.schedules).toHaveLength(MAX_SCHEDULES);
    const { status, body } = await set(slug, many(MAX_SCHEDULES + 1));
    expect([status, body.details]).toMatchObject([
      400,
      [{ path: 'schedules', message: 'has more than 10 schedules' }],
    ]);
  });

  const longest = `${'1,'.repeat((MAX_CRON_LETTERS - 9) / 2)}1 * * * *`.padStart(MAX_CRON_LETTERS, '0');
  test.each([
    ['six fields', { cron: '0 * * * * *' }, 'cron', 'must have five fields'],
    ['a nickname', { cron: '@daily' }, 'cron', 'must have five fields'],
    [
      'a minute of 60',
      { cron: '60 * * * *' },
      'cron',
      '60 is not a valid minute. Use *, numbers from 0 to 59',
    ],
    ['a day that never comes', { cron: '0 0 30 2 *' }, 'cron', 'never happens: there is no such day'],
    ['too long a text', { cron: `0${longest}` }, 'cron', 'must have at most 100 characters'],
    [
      'an unknown time zone',
      { cron: '0 0 * * *', timezone: 'Europe/Atlantis' },
      'timezone',
      'there is no time zone',
    ],
    ['an offset', { cron: '0 0 * * *', timezone: '+01:00' }, 'timezone', 'must be the name of a time zone'],
    ['an unknown field', { cron: '0 0 * * *', every: 'day' }, 'every', ''],
  ])('are refused with %s', async (_, schedule, field, message) => {
    const fields = {
      slug: 'refused',
      code: counter.code('refused'),
      schedules: [{ cron: '* * * * *' }, schedule],
    };
    const { status, body } = await owner.call('POST', '/api/functions', { body: fields });
    expect(status).toBe(400);
    expect(body.details).toMatchObject([
      { path: `schedules.1.${field}`, message: expect.stringContaining(message) },
    ]);
    expect((await owner.call('GET', '/api/functions/refused')).status).toBe(404);
  });

  test('are accepted with a text of the greatest length, and refused twice', async () => {
    expect(longest).toHaveLength(MAX_CRON_LETTERS);
    const slug = await deploy(counter.code('long'), [{ cron: longest }]);
    expect((await set(slug, [{ cron: longest }, { cron: longest }])).body.details[0].message).toBe(
      'must not contain a schedule twice',
    );
  });

  test('need a module that exports scheduled, now and after the next deploy', async () => {
    const fields = { slug: 'plain', code: ECHO, schedules: EVERY_MINUTE };
    const refused = await owner.call('POST', '/api/functions', { body: fields });
    expect([refused.status, refused.body.code]).toEqual([422, 'DEPLOY_FAILED']);
    expect(refused.body.error).toContain('its default export has no scheduled function');
    expect((await owner.call('GET', '/api/functions/plain')).status).toBe(404);
    const plain = await deploy(ECHO, []);
    expect((await set(plain, EVERY_MINUTE)).status).toBe(422);
    expect(await fetchSchedules(plain)).toEqual([]);
    const slug = await deploy(counter.code('needed'));
    const change = (body: unknown) => owner.call('PATCH', toPath(slug), { body });
    expect((await change({ code: ECHO })).status).toBe(422);
    expect((await owner.call('GET', `${toPath(slug)}/code`)).body.version).toBe(1);
    expect((await change({ code: ECHO, schedules: [] })).status).toBe(200);
  });
});

test('a function without fetch cannot be called, and says why', async () => {
  const slug = await deploy(counter.code('quiet'));
  const { status, body } = await app.call(slug);
  expect([status, body.success]).toEqual([404, false]);
  expect(body.error).toBe(
    'This function cannot be called: it has no fetch handler and only runs on its schedules and for its jobs.',
  );
  expect((await owner.call('POST', `${toPath(slug)}/test`)).body).toMatchObject({
    status: 404,
    exception: null,
  });
});
