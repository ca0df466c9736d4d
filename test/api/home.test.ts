import { afterAll, beforeAll, expect, test } from 'bun:test';
import { administrator } from '../support/accounts/administrator.ts';
import { type TestApp, type TestUser, testApp } from '../support/app.ts';
import { runSql } from '../support/engines/storage.ts';
import { waitUntil } from '../support/server.ts';

/** The summary on the home screen. */

const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0';

let quire: TestApp;
let ada: TestUser;
let ben: TestUser;
beforeAll(async () => {
  quire = await testApp({ QUIRE_QUOTA_BYTES: '5000000' });
  ada = await quire.user('ada');
  ben = await quire.user('ben');
});
afterAll(() => quire.stop());

const home = async (user: TestUser) => (await user.call('GET', '/api/home')).body;

test('of a new account is empty', async () => {
  expect(await home(ben)).toEqual({
    pages: 0,
    functions: 0,
    storage: { bytes: 0, quota: 5_000_000, history: { bytes: 0, quota: 1_250_000 } },
    lastDay: { views: 0, pageErrors: 0, calls: 0, functionErrors: 0 },
    takenDownPages: [],
    exposedPages: [],
    unusedBranches: [],
    takenDownFunctions: [],
    failingPages: [],
    failingFunctions: [],
    failedJobs: [],
    repairs: [],
    reportedPages: [],
    openReports: 0,
    drafts: [],
  });
});

test('has what happened in the last day on one’s own pages and functions, and drafts', async () => {
  const page = await ada.publish({ name: 'Poll' });
  const quiet = await ada.publish({ name: 'Quiet' });
  await ben.publish({ name: 'Not mine' });
  for (let visit = 0; visit < 3; visit++)
    await quire.request(`/p/${page.slug}`, { headers: { 'user-agent': FIREFOX } });
  const draft = { html_content: '<!doctype html><title>t</title><p>Later' };
  const saved = await ada.call('POST', `/api/pages/${quiet.id}/drafts`, { body: draft });
  expect(saved.status).toBe(201);
  const code = 'export default { fetch: () => new Response("no", { status: 500 }) }';
  const deployed = await ada.call('POST', '/api/functions', { body: { slug: 'ada-fails', code } });
  expect(deployed.status).toBe(201);
  const hour = Date.now() - (Date.now() % 3_600_000);
  const old = hour - 30 * 3_600_000;
  await runSql(
    quire,
    ...[hour, old].flatMap((at) => [
      `INSERT INTO function_stats (function_id, hour, calls, errors, duration_total_ms, duration_max_ms) VALUES ((SELECT id FROM functions WHERE slug = 'ada-fails'), ${at}, 10, 4, 1, 1)`,
      `INSERT INTO page_hours (page_id, hour, views, errors, visitors) VALUES (${quiet.id}, ${at}, 5, 2, 1)`,
    ]),
  );
  const { storage, ...rest } = await home(ada);
  expect(rest).toEqual({
    pages: 2,
    functions: 1,
    lastDay: { views: 8, pageErrors: 2, calls: 10, functionErrors: 4 },
    takenDownPages: [],
    exposedPages: [],
    unusedBranches: [],
    takenDownFunctions: [],
    failingPages: [{ id: quiet.id, name: 'Quiet', errors: 2 }],
    failingFunctions: [{ slug: 'ada-fails', calls: 10, errors: 4 }],
    failedJobs: [],
    repairs: [],
    reportedPages: [],
    openReports: 0,
    drafts: [{ id: quiet.id, name: 'Quiet', drafts: 1 }],
  });
  expect(storage.bytes).toBeGreaterThan(50);
  expect((await home(ben)).lastDay.views).toBe(0);
});

test('lists at most five of each', async () => {
  const eva = await quire.user('eva');
  const hour = Date.now() - (Date.now() % 3_600_000);
  for (let index = 0; index < 6; index++) {
    const page = await eva.publish({ name: `Page ${index}` });
    await runSql(
      quire,
      `INSERT INTO page_hours (page_id, hour, views, errors, visitors) VALUES (${page.id}, ${hour}, 1, ${index + 1}, 1)`,
    );
  }
  const { failingPages, lastDay } = await home(eva);
  expect(failingPages.map(({ errors }: { errors: number }) => errors)).toEqual([6, 5, 4, 3, 2]);
  expect(lastDay.pageErrors).toBe(21);
});

test('lists what an administrator took down', async () => {
  const uma = await quire.user('uma');
  const page = await uma.publish({ name: 'Refused' });
  await uma.publish({ name: 'Fine' });
  const code = 'export default { fetch: () => new Response("yes") }';
  for (const slug of ['uma-fine', 'uma-refused'])
    expect((await uma.call('POST', '/api/functions', { body: { slug, code } })).status).toBe(201);
  const boss = await administrator(quire);
  const reason = { reason: 'Spam.' };
  for (const path of [`pages/${page.id}`, 'functions/uma-refused'])
    expect((await boss.admin('POST', `/api/admin/${path}/take-down`, reason)).status).toBe(200);
  const { takenDownPages, takenDownFunctions } = await home(uma);
  expect(takenDownPages).toEqual([{ id: page.id, name: 'Refused' }]);
  expect(takenDownFunctions).toEqual([{ slug: 'uma-refused' }]);
});

test('lists functions with failed jobs and repairs that ended in the last day, at most five of each', async () => {
  const job = await quire.user('jobina');
  const page = await job.publish({ name: 'Repaired' });
  const code = 'export default { queue() {} }';
  const report = (outcome: string) => JSON.stringify({ outcome });
  const row = (id: string, outcome: string, endedAt: number | 'null') =>
    `INSERT INTO repairs (id, page_id, fingerprint, message, data, state, report, branch, created_by, started_at, ended_at, claimed_until)
     VALUES ('${id}', ${page.id}, 'f', 'Error ${id}', 'masked', 'ended', '${report(outcome)}', 'b', ${job.id}, 1, ${endedAt}, 0)`;
  const now = Date.now();
  const hour = 3_600_000;
  await runSql(
    quire,
    ...[row('old', 'repaired', now - 25 * hour), row('running', 'repaired', 'null')],
    ...[row('first', 'repaired', now - 23 * hour), row('last', 'not_repaired', now - hour)],
  );
  expect((await home(job)).repairs).toEqual([
    { id: page.id, name: 'Repaired', message: 'Error last', outcome: 'not_repaired' },
    { id: page.id, name: 'Repaired', message: 'Error first', outcome: 'repaired' },
  ]);
  await runSql(quire, ...[1, 2, 3, 4].map((n) => row(`more ${n}`, 'unchanged', now - n)));
  expect((await home(job)).repairs).toHaveLength(5);

  for (let index = 0; index < 7; index++) {
    const slug = `jo-${index}`;
    expect((await job.call('POST', '/api/functions', { body: { slug, code } })).status).toBe(201);
    await runSql(
      quire,
      `INSERT INTO function_queues (function_id, owner_id, failed) VALUES ((SELECT id FROM functions WHERE slug = '${slug}'), ${job.id}, ${index})`,
    );
  }
  const { failedJobs } = await home(job);
  expect(failedJobs).toEqual([6, 5, 4, 3, 2].map((jobs) => ({ slug: `jo-${jobs}`, jobs })));
  const { repairs, failedJobs: others } = await home(ben);
  expect([repairs, others]).toEqual([[], []]);
});

test('has the views and calls of the last 14 days, and who is there now', async () => {
  const ivy = await quire.user('ivy');
  const page = await ivy.publish({ name: 'Poll' });
  const quiet = await ivy.publish({ name: 'Quiet' });
  const code = 'export default { fetch: () => new Response("yes") }';
  for (const slug of ['ivy-called', 'ivy-quiet'])
    expect((await ivy.call('POST', '/api/functions', { body: { slug, code } })).status).toBe(201);
  const read = async (path: string, user = ivy) => (await user.call('GET', `/api/home/${path}`)).body;
  expect(await read('activity')).toEqual({ pages: [], functions: [] });
  expect(await read('visitors')).toEqual({ visitors: 0, pages: [] });

  const day = Date.now() - (Date.now() % 86_400_000);
  const hour = 3_600_000;
  const call = (at: number, calls: number) =>
    `INSERT INTO function_stats (function_id, hour, calls, errors, duration_total_ms, duration_max_ms) VALUES ((SELECT id FROM functions WHERE slug = 'ivy-called'), ${at}, ${calls}, 0, 1, 1)`;
  const view = (at: number, views: number) =>
    `INSERT INTO page_days (page_id, day, views, errors, visitors) VALUES (${page.id}, ${at}, ${views}, 0, 1)`;
  await runSql(
    quire,
    ...[call(day - 13 * 24 * hour, 1), call(day - 2 * 24 * hour, 2), call(day - 2 * 24 * hour + hour, 3)],
    ...[
      call(day - 13 * 24 * hour - hour, 100),
      view(day - 13 * 24 * hour, 7),
      view(day - 14 * 24 * hour, 100),
    ],
  );
  for (const [agent, path] of [
    [FIREFOX, page.slug],
    [FIREFOX, page.slug],
    [`${FIREFOX} other`, page.slug],
    ['curl/8', quiet.slug],
  ])
    await quire.request(`/p/${path}`, { headers: { 'user-agent': agent ?? '' } });
  const zeros = (count: number) => Array.from({ length: count }, () => 0);
  expect(await read('activity')).toEqual({
    pages: [
      { id: page.id, views: [7, ...zeros(12), 3] },
      { id: quiet.id, views: [...zeros(13), 1] },
    ],
    functions: [{ slug: 'ivy-called', calls: [1, ...zeros(10), 5, 0, 0] }],
  });
  expect(await read('visitors')).toEqual({
    visitors: 2,
    pages: [{ id: page.id, name: 'Poll', visitors: 2 }],
  });
  expect(await read('visitors', ben)).toEqual({ visitors: 0, pages: [] });
  expect((await read('activity', ben)).pages).toEqual([]);
  quire.advance(5 * 60_000 + 1);
  expect((await read('visitors')).visitors).toBe(0);
});

test.each(['', '/activity', '/visitors'])('%p needs a token of an account', async (path) => {
  expect((await quire.call('GET', `/api/home${path}`)).status).toBe(401);
});

test('counts the databases of functions as storage, as the quota and administrators do', async () => {
  const eve = await quire.user('eve');
  const code = 'export default { fetch: () => new Response() }';
  const body = { slug: 'eve-stores', code, enableDatabase: true };
  expect((await eve.call('POST', '/api/functions', { body })).status).toBe(201);
  const before = (await home(eve)).storage.bytes;
  const sql = async (text: string) =>
    (await eve.call('POST', '/api/functions/eve-stores/database', { body: { sql: text } })).status;
  expect(await sql('create table bytes (value blob)')).toBe(200);
  expect(await sql('insert into bytes values (zeroblob(1000000))')).toBe(200);
  await waitUntil(async () => (await home(eve)).storage.bytes > before + 1_000_000);
  const admin = await administrator(quire, 'counts');
  const detail = (await admin.admin('GET', `/api/admin/users/${eve.id}`)).body.user;
  expect((await home(eve)).storage.bytes).toBe(detail.storedBytes);
  await sql('insert into bytes values (zeroblob(3900000))');
  const full = await eve.call('POST', '/api/pages', {
    body: { name: 'No', html_content: `<!doctype html><title>t</title>${'x'.repeat(200_000)}` },
  });
  expect([full.status, full.body.code]).toEqual([403, 'QUOTA_EXCEEDED']);
}, 60_000);
