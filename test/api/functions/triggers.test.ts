import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test';
import { FAILED_CHANGES_KEPT_MS } from '../../../server/product/functions/jobs/limits.ts';
import type { PublishedPage, TestUser } from '../../support/app.ts';
import { runSql } from '../../support/engines/storage.ts';
import { type FunctionApp, functionApp } from '../../support/functions/app.ts';
import {
  type ReceivedChange,
  type ReceivedChanges,
  receiveChanges,
  sign,
} from '../../support/functions/received-changes.ts';
import { readJobs } from '../../support/functions/received-jobs.ts';
import { waitUntil } from '../../support/server.ts';

const HOUR = 3600_000;
const ALL = ['create', 'update', 'delete'];

let app: FunctionApp;
let changes: ReceivedChanges;
/** People with tokens that last longer than these tests move the clock. */
let owner: ApiUser;
let stranger: ApiUser;
beforeAll(async () => {
  app = await functionApp({ QUIRE_CHROMIUM: 'off' });
  changes = receiveChanges();
  owner = await lastingly(app.owner);
  stranger = await lastingly(app.stranger);
});
afterAll(async () => {
  changes.stop();
  await app.quire.stop();
});
afterEach(() => {
  changes.got.splice(0);
  changes.signed.splice(0);
});

type ApiUser = Pick<TestUser, 'call' | 'id'>;
const SCOPES = ['functions:read', 'functions:write', 'pages:read', 'pages:write'].concat([
  'solo-data:write',
  'social-data:read',
  'social-data:write',
]);
async function lastingly({ call, id }: TestUser): Promise<ApiUser> {
  const { body } = await call('POST', '/api/auth/tokens', { body: { name: 'lasting', scopes: SCOPES } });
  return {
    id,
    call: (method, path, options) => app.quire.call(method, path, { token: body.token, ...options }),
  };
}
const deploy = (code: string, fields: Fields = {}) => app.deploy(code, fields, owner);
type Fields = Record<string, unknown>;
const toData = (page: Pick<PublishedPage, 'id'>, collection: string) =>
  `/api/pages/${page.id}/social-data/${collection}`;
async function openPage(functions: string[], fields: Fields = {}): Promise<PublishedPage> {
  const page = { name: 'Orders', html_content: '<p>', is_published: true, storage_mode: 'social_app' };
  return (await owner.call('POST', '/api/pages', { body: { ...page, functions, ...fields } })).body.page;
}
async function create(
  page: Pick<PublishedPage, 'id'>,
  collection: string,
  data: Fields,
  as: ApiUser = owner,
) {
  const { status, body } = await as.call('POST', toData(page, collection), { body: { data } });
  if (status !== 201) throw new Error(JSON.stringify(body));
  return body.id as string;
}
const toRow = (id: string, n: number) => expect.objectContaining({ id, data: { n } });
const patch = (page: Pick<PublishedPage, 'id'>, collection: string, id: string, data: Fields) =>
  owner.call('PATCH', `${toData(page, collection)}/${id}`, { body: { data } });
const setOn = (slug: string, on: unknown) => owner.call('PATCH', `/api/functions/${slug}`, { body: { on } });
const readOn = async (slug: string) => (await owner.call('GET', `/api/functions/${slug}`)).body.on;
const untilIdle = (slug: string) =>
  waitUntil(async () => {
    const { waiting, running } = await readJobs(owner, slug);
    return waiting === 0 && running === 0;
  });
/** Makes the next try of a message that has failed once the last one. */
async function failForGood(slug: string, failed = 1): Promise<void> {
  await waitUntil(async () => {
    const { jobs, running } = await readJobs(owner, slug);
    return running === 0 && jobs[0]?.tries === 1;
  });
  await runSql(app.quire, `update function_jobs set tries = 9 where tries = 1`);
  app.quire.advance(HOUR);
  await waitUntil(async () => (await readJobs(owner, slug)).failed === failed);
}
async function fetchLog(slug: string): Promise<string[]> {
  const { body } = await owner.call('GET', `/api/functions/${slug}/logs`);
  return body.logs.map((entry: { message: string }) => entry.message);
}

describe('the triggers of a function', () => {
  test('are set with it, changed and removed', async () => {
    const on = [{ collection: 'orders', actions: ['create'] }];
    const slug = await deploy(changes.code(), { on });
    expect(await readOn(slug)).toEqual(on);
    const more = [
      { collection: 'orders', actions: ALL },
      { collection: 'people', actions: ['delete'] },
    ];
    expect((await setOn(slug, more)).body.on).toEqual(more);
    await owner.call('PATCH', `/api/functions/${slug}`, { body: { description: 'Other' } });
    expect(await readOn(slug)).toEqual(more);
    expect((await setOn(slug, [])).body.on).toEqual([]);
  });

  test('are for its owner only', async () => {
    const slug = await deploy(changes.code(), { on: [{ collection: 'orders', actions: ALL }] });
    expect((await stranger.call('GET', `/api/functions/${slug}`)).body.on).toBeUndefined();
    const { status } = await stranger.call('PATCH', `/api/functions/${slug}`, { body: { on: [] } });
    expect(status).toBe(403);
  });

  test('keep the secret of an address, which no other address has', async () => {
    const slug = await deploy(changes.code());
    const to = (url: string) => ({ collection: 'orders', actions: ['create'], url });
    const [first] = (await setOn(slug, [to('https://one.example/x')])).body.on;
    expect(first.secret).toMatch(/^whsec_[\w-]{43}$/);
    const reading = { name: 'reads', scopes: ['functions:read'] };
    const { token } = (await app.owner.call('POST', '/api/auth/tokens', { body: reading })).body;
    const { body: read } = await app.quire.call('GET', `/api/functions/${slug}`, { token });
    expect(read.on).toEqual([to('https://one.example/x')]);
    const [kept, other] = (await setOn(slug, [to('https://one.example/x'), to('https://two.example/')])).body
      .on;
    expect(kept).toEqual(first);
    expect(other.secret).not.toBe(first.secret);
  });

  test.each([
    [[{ collection: 'Orders', actions: ['create'] }], 'on.0.collection must be the name of a collection'],
    [[{ collection: 'orders', actions: [] }], 'on.0.actions must name at least one action'],
    [[{ collection: 'orders', actions: ['read'] }], 'on.0.actions.0 must be create, update or delete'],
    [[{ collection: 'orders', actions: ['create', 'create'] }], 'on.0.actions must not name an action twice'],
    [
      [{ collection: 'orders', actions: ['create'], url: 'ftp://x.example' }],
      'on.0.url must be an address that begins with https:// or http://',
    ],
    [
      [{ collection: 'orders', actions: ['create'], url: 'https://a:b@x.example' }],
      'on.0.url must be an address that begins with https:// or http://',
    ],
    [
      [
        { collection: 'orders', actions: ['create'] },
        { collection: 'orders', actions: ['delete'] },
      ],
      'on must not name a collection twice',
    ],
    [
      Array.from({ length: 21 }, (_, n) => ({ collection: `c${n}`, actions: ['create'] })),
      'on has more than 20 triggers',
    ],
  ])('refuses %j', async (on, error) => {
    const slug = await deploy(changes.code());
    const { status, body } = await setOn(slug, on);
    expect(status).toBe(400);
    expect(
      body.details.map((each: { path: string; message: string }) => `${each.path} ${each.message}`),
    ).toEqual([expect.stringContaining(error)]);
  });

  test('need code that takes messages, unless an address gets the changes', async () => {
    const code = 'export default { fetch() { return new Response(); } };';
    const on = [{ collection: 'orders', actions: ['create'] }];
    const slug = await deploy(code);
    expect((await setOn(slug, on)).body).toMatchObject({ code: 'DEPLOY_FAILED' });
    const { status } = await owner.call('POST', '/api/functions', { body: { slug: 'no', code, on } });
    expect(status).toBe(422);
    expect((await setOn(slug, [{ ...on[0], url: changes.url }])).status).toBe(200);
    const taking = await deploy(changes.code(), { on });
    expect((await owner.call('PATCH', `/api/functions/${taking}`, { body: { code } })).status).toBe(422);
  });

  test('are refused on a page whose records are private to their visitors, and get nothing there', async () => {
    const slug = await deploy(changes.code(), { on: [{ collection: 'notes', actions: ALL }] });
    const page = await openPage([slug], { storage_mode: 'solo_app' });
    const { status, body } = await setOn(slug, [{ collection: 'notes', actions: ['create'] }]);
    expect([status, body.error]).toEqual([409, expect.stringContaining('private to the visitor')]);
    const path = `/api/pages/${page.id}/solo-data/notes`;
    expect((await owner.call('POST', path, { body: { data: { a: 1 } } })).status).toBe(201);
    expect((await readJobs(owner, slug)).waiting).toBe(0);
    expect(changes.got).toEqual([]);
  });
});

describe('a change', () => {
  test('reaches the queue of the function with the record before and after it, and who made it', async () => {
    const slug = await deploy(changes.code(), { on: [{ collection: 'orders', actions: ALL }] });
    const page = await openPage([slug]);
    const id = await create(page, 'orders', { n: 1, text: 'ä "x"' }, stranger);
    await changes.until((got) => got.length === 1);
    await stranger.call('PATCH', `${toData(page, 'orders')}/${id}`, { body: { data: { n: 2 } } });
    await changes.until((got) => got.length === 2);
    await owner.call('DELETE', `${toData(page, 'orders')}/${id}`);
    await changes.until((got) => got.length === 3);
    const [created, updated, deleted] = changes.got as [ReceivedChange, ReceivedChange, ReceivedChange];
    const common = { type: 'record', collection: 'orders' };
    const by = { id: stranger.id, username: 'stranger' };
    expect(created).toEqual({
      ...{ ...common, action: 'create', before: null, by },
      record: expect.objectContaining({
        id,
        collection: 'orders',
        data: { n: 1, text: 'ä "x"' },
        createdBy: by,
      }),
    });
    expect(updated).toEqual({
      ...{ ...common, action: 'update', by },
      record: expect.objectContaining({ id, data: { n: 2, text: 'ä "x"' } }),
      before: created.record,
    });
    expect(deleted).toEqual({
      ...{ ...common, action: 'delete', record: null, before: updated.record },
      by: { id: owner.id, username: 'owner' },
    });
  });

  test('is sent for the collections and actions that were asked for, and for no others', async () => {
    const slug = await deploy(changes.code(), {
      on: [
        { collection: 'orders', actions: ['update'] },
        { collection: 'people', actions: ['create'] },
      ],
    });
    const page = await openPage([slug]);
    const order = await create(page, 'orders', { n: 1 });
    await create(page, 'others', { n: 2 });
    await create(page, 'people', { n: 3 });
    await patch(page, 'orders', order, { n: 4 });
    await changes.until((got) => got.length === 2);
    await untilIdle(slug);
    expect(changes.got.map(({ action, record }) => [action, record?.data.n])).toEqual([
      ['create', 3],
      ['update', 4],
    ]);
  });

  test('of a batch that fails is not sent', async () => {
    const slug = await deploy(changes.code(), { on: [{ collection: 'orders', actions: ALL }] });
    const page = await openPage([slug]);
    const batch = (operations: unknown[]) =>
      owner.call('POST', `${toData(page, 'orders')}/batch`, { body: { operations } });
    const missing = '01890000-0000-7000-8000-000000000000';
    const made = { op: 'create', data: { n: 1 } };
    expect((await batch([made, { op: 'delete', id: missing }])).status).toBe(404);
    expect((await batch([made, { op: 'create', data: { n: 2 } }])).status).toBe(200);
    await changes.until((got) => got.length === 2);
    await untilIdle(slug);
    expect(changes.got.map(({ record }) => record?.data.n)).toEqual([1, 2]);
  });

  test('is sent when a function joins the page later, and no more when it leaves', async () => {
    const slug = await deploy(changes.code(), { on: [{ collection: 'orders', actions: ALL }] });
    const page = await openPage([]);
    await create(page, 'orders', { n: 1 });
    const setFunctions = (functions: string[]) =>
      owner.call('PATCH', `/api/pages/${page.id}`, { body: { functions } });
    await setFunctions([slug]);
    await create(page, 'orders', { n: 2 });
    await changes.until((got) => got.length === 1);
    await setFunctions([]);
    await create(page, 'orders', { n: 3 });
    expect((await readJobs(owner, slug)).waiting).toBe(0);
    expect(changes.got.map(({ record }) => record?.data.n)).toEqual([2]);
  });

  test('of many writers at once arrives once each, and those of a record in order', async () => {
    const slug = await deploy(changes.code(), { on: [{ collection: 'orders', actions: ALL }] });
    const page = await openPage([slug]);
    const ids = await Promise.all(Array.from({ length: 20 }, (_, n) => create(page, 'orders', { n, at: 0 })));
    await Promise.all(
      ids.map(async (id) => {
        for (let at = 1; at <= 4; at++) await patch(page, 'orders', id, { at });
      }),
    );
    await changes.until((got) => got.length === 100);
    await untilIdle(slug);
    expect(changes.got).toHaveLength(100);
    for (const id of ids)
      expect(
        changes.got.filter(({ record }) => record?.id === id).map(({ record }) => record?.data.at),
      ).toEqual([0, 1, 2, 3, 4]);
  });

  test('that fails keeps the later ones of its record waiting, and no others', async () => {
    const slug = await deploy(changes.code(`if (change.record.data.bad) throw new Error('bad');`), {
      on: [{ collection: 'orders', actions: ALL }],
    });
    const page = await openPage([slug]);
    const bad = await create(page, 'orders', { at: 1, bad: true });
    const failedOnce = async () => (await readJobs(owner, slug)).jobs[0]?.tries === 1;
    await waitUntil(failedOnce);
    await patch(page, 'orders', bad, { at: 2, bad: false });
    await create(page, 'orders', { at: 3 });
    await changes.until((got) => got.length === 2);
    await waitUntil(async () => (await readJobs(owner, slug)).running === 0);
    const { jobs } = await readJobs(owner, slug);
    expect(jobs.map(({ nextTryAt }: { nextTryAt: string | null }) => nextTryAt !== null)).toEqual([
      true,
      false,
    ]);
    await failForGood(slug);
    await changes.until((got) => got.some(({ record }) => record?.data.at === 2));
    expect(changes.got.map(({ record }) => record?.data.at)).toEqual([1, 3, 1, 2]);
  }, 60_000);

  test('is deleted with its job, and the next one of its record is due', async () => {
    const slug = await deploy(changes.code(`if (change.record.data.bad) throw new Error('bad');`), {
      on: [{ collection: 'orders', actions: ALL }],
    });
    const page = await openPage([slug]);
    const id = await create(page, 'orders', { at: 1, bad: true });
    await waitUntil(async () => {
      const { jobs, running } = await readJobs(owner, slug);
      return running === 0 && jobs[0]?.tries === 1;
    });
    await patch(page, 'orders', id, { at: 2, bad: false });
    const [first] = (await readJobs(owner, slug)).jobs;
    const { status } = await owner.call('DELETE', `/api/functions/${slug}/jobs/${first.id}`);
    expect(status).toBe(204);
    app.quire.advance(1_000);
    await changes.until((got) => got.some(({ record }) => record?.data.at === 2));
  });

  test('by a restore of a record is sent, and by a restore of the page it is not', async () => {
    const slug = await deploy(changes.code(), { on: [{ collection: 'orders', actions: ALL }] });
    const page = await openPage([slug]);
    const id = await create(page, 'orders', { n: 1 });
    const { createdAt } = (await owner.call('GET', `${toData(page, 'orders')}/${id}`)).body;
    const moments = `/api/pages/${page.id}/moments`;
    const { body: moment } = await owner.call('POST', moments, { body: { name: 'First' } });
    app.quire.advance(5_000);
    await patch(page, 'orders', id, { n: 2 });
    await changes.until((got) => got.length === 2);
    const restored = await owner.call('POST', `${toData(page, 'orders')}/${id}/restore`, {
      body: { at: createdAt },
    });
    expect(restored.body).toMatchObject({ data: { n: 1 } });
    await changes.until((got) => got.length === 3);
    expect(changes.got.at(-1)).toMatchObject({ action: 'update', record: { data: { n: 1 } } });
    await patch(page, 'orders', id, { n: 3 });
    await changes.until((got) => got.length === 4);
    const restore = { body: { at: moment.at } };
    expect((await owner.call('POST', `/api/pages/${page.id}/restore`, restore)).status).toBe(200);
    const { body } = await owner.call('GET', `${toData(page, 'orders')}/${id}`);
    expect(body.data.n).toBe(1);
    await untilIdle(slug);
    expect(changes.got).toHaveLength(4);
    expect(await readOn(slug)).toEqual([{ collection: 'orders', actions: ALL }]);
  });

  test('by a merge or an update of a branch is sent to the functions of the page that it changes', async () => {
    const slug = await deploy(changes.code(), { on: [{ collection: 'orders', actions: ALL }] });
    const page = await openPage([slug]);
    const [changed, deleted] = [
      await create(page, 'orders', { n: 1 }),
      await create(page, 'orders', { n: 2 }),
    ];
    const ids = [changed, deleted];
    // The copy on which a merge is tried is attacked, with other records.
    const listOurs = (got: ReceivedChange[]) =>
      got.filter(({ record, before }) => ids.includes(record?.id ?? before?.id ?? ''));
    const until = (count: number) => changes.until((got) => listOurs(got).length === count);
    await until(2);
    // Only people merge.
    const { username, password } = app.owner;
    const { body: login } = await app.quire.call('POST', '/api/auth/token', { body: { username, password } });
    const ask = async (path: string, body: Fields) => {
      const options = { token: login.accessToken, body };
      const response = await app.quire.call('POST', `/api/pages/${page.id}/branches${path}`, options);
      expect([path, response.status < 300, response.body.error]).toEqual([path, true, undefined]);
      return response.body;
    };
    const branch = await ask('', { name: 'try', data: 'all' });
    expect(branch.state).toBe('ready');
    await patch(branch.page, 'orders', changed, { n: 3 });
    await owner.call('DELETE', `${toData(branch.page, 'orders')}/${deleted}`);
    const added = await create(branch.page, 'orders', { n: 4 });
    ids.push(added);
    await until(5);
    await untilIdle(`${slug}--try`);

    // Nothing of a merge is refused because of what waits already.
    const addWaiting = (count: number) =>
      runSql(
        app.quire,
        `update function_queues set waiting = waiting + ${count} where function_id =
        (select id from functions where slug = '${slug}')`,
      );
    await addWaiting(100_100);
    await ask('/try/merge', { records: true });
    await until(8);
    await addWaiting(-100_100);
    const by = { id: owner.id, username: 'owner' };
    const common = { type: 'record', collection: 'orders', by };
    expect(listOurs(changes.got).slice(5)).toEqual([
      expect.objectContaining({
        ...common,
        action: 'update',
        before: toRow(changed, 1),
        record: toRow(changed, 3),
      }),
      expect.objectContaining({ ...common, action: 'delete', before: toRow(deleted, 2), record: null }),
      expect.objectContaining({ ...common, action: 'create', before: null, record: toRow(added, 4) }),
    ]);

    await patch(page, 'orders', changed, { n: 5 });
    await until(9);
    await ask('/try/update', {});
    await until(10);
    expect(listOurs(changes.got).at(-1)).toMatchObject({
      ...common,
      action: 'update',
      record: { data: { n: 5 } },
    });
    for (const each of [slug, `${slug}--try`]) await untilIdle(each);
    expect(listOurs(changes.got)).toHaveLength(10);
  }, 60_000);

  test('by somebody who deletes their own data is sent, however much it is', async () => {
    const slug = await deploy(changes.code(), { on: [{ collection: 'orders', actions: ['delete'] }] });
    const page = await openPage([slug]);
    await create(page, 'orders', { n: 0 });
    // Together, they are more than one transaction can send.
    const text = 'x'.repeat(200_000);
    const ids: string[] = [];
    for (let n = 1; n <= 50; n++) ids.push(await create(page, 'orders', { n, text }, stranger));
    const { username, password } = app.stranger;
    const { body: login } = await app.quire.call('POST', '/api/auth/token', { body: { username, password } });
    const { status, body } = await app.quire.call('DELETE', `/api/auth/stored/${page.id}`, {
      token: login.accessToken,
    });
    expect([status, body]).toEqual([200, { success: true, deleted: 50, isDone: true }]);
    await changes.until((got) => got.length === 50);
    await untilIdle(slug);
    expect(changes.got.map(({ before }) => before?.id)).toEqual(ids);
    const by = { id: stranger.id, username: 'stranger' };
    expect(changes.got[0]).toMatchObject({ action: 'delete', record: null, before: { data: {} }, by });
    expect(changes.got).toHaveLength(50);
  }, 60_000);

  test('is refused when there are too many that wait', async () => {
    const slug = await deploy(changes.code(), { on: [{ collection: 'orders', actions: ALL }] });
    const page = await openPage([slug]);
    await create(page, 'orders', { n: 1 });
    await untilIdle(slug);
    const set = (waiting: number) =>
      runSql(
        app.quire,
        `update function_queues set waiting = ${waiting} where function_id =
        (select id from functions where slug = '${slug}')`,
      );
    const send = (as: ApiUser) => as.call('POST', toData(page, 'orders'), { body: { data: { n: 2 } } });
    await set(49_990);
    const own = await send(stranger);
    expect(own.status).toBe(201);
    await set(50_100);
    const refused = await send(stranger);
    expect(refused.body).toMatchObject({ code: 'QUOTA_EXCEEDED' });
    expect(refused.body.error).toContain('This page cannot take more changes now');
    expect((await send(owner)).status).toBe(201);
    await set(100_100);
    expect((await send(owner)).body).toMatchObject({ code: 'QUOTA_EXCEEDED' });
    const removed = await stranger.call('DELETE', `${toData(page, 'orders')}/${own.body.id}`);
    expect(removed.status).toBeLessThan(300);
    await set(0);
    expect((await owner.call('GET', toData(page, 'orders'))).body.records).toHaveLength(2);
  });

  test('of a batch is refused when all of them together are too large to send', async () => {
    const slug = await deploy(changes.code(), { on: [{ collection: 'orders', actions: ['update'] }] });
    const page = await openPage([slug]);
    const id = await create(page, 'orders', { text: 'x'.repeat(200_000) });
    const change = async (times: number) => {
      const operations = Array.from({ length: times }, (_, n) => ({ op: 'update', id, data: { n } }));
      return owner.call('POST', `${toData(page, 'orders')}/batch`, { body: { operations } });
    };
    const few = await change(10);
    expect([few.status, few.body]).toMatchObject([200, {}]);
    expect((await change(40)).status).toBe(413);
    expect((await readJobs(owner, slug)).waiting).toBeLessThanOrEqual(10);
  });
});

describe('a loop', () => {
  test.each([
    [
      'env.DATA',
      `await env.DATA.social('orders').update(change.record.id, { n: change.record.data.n + 1 });`,
    ],
    [
      'env.QUEUE and env.DATA',
      `if (change.type === 'record') await env.QUEUE.send({ later: change.record });
       else await env.DATA.social('orders').update(change.later.id, { n: change.later.data.n + 1 });`,
    ],
  ])('of a trigger with %s stops after 8 rounds, with a line in the log', async (_, then) => {
    const slug = await deploy(changes.code(then), { on: [{ collection: 'orders', actions: ALL }] });
    const page = await openPage([slug]);
    const id = await create(page, 'orders', { n: 0 });
    const stopped = /8 deliveries have caused each other/;
    await waitUntil(async () => (await fetchLog(slug)).some((line) => stopped.test(line)));
    await untilIdle(slug);
    const { body } = await owner.call('GET', `${toData(page, 'orders')}/${id}`);
    expect(body.data.n).toBeLessThanOrEqual(8);
    expect(body.data.n).toBeGreaterThan(2);
    // A person is no part of it.
    const before = changes.got.length;
    await patch(page, 'orders', id, { n: 100 });
    await changes.until((got) => got.length > before);
    await untilIdle(slug);
  });

  test('through another function stops too', async () => {
    const writer = await deploy(`export default { async fetch(request, env) {
      const { id, n } = await request.json();
      await env.DATA.social('orders').update(id, { n });
      return Response.json({});
    } };`);
    const slug = await deploy(
      changes.code(
        `await env.FUNCTIONS.call('${writer}', { id: change.record.id, n: change.record.data.n + 1 });`,
      ),
      { on: [{ collection: 'orders', actions: ALL }] },
    );
    const page = await openPage([slug, writer]);
    const id = await create(page, 'orders', { n: 0 });
    await waitUntil(async () => (await fetchLog(slug)).some((line) => /caused each other/.test(line)));
    await untilIdle(slug);
    expect((await owner.call('GET', `${toData(page, 'orders')}/${id}`)).body.data.n).toBe(8);
  });
});

describe('an address', () => {
  test('gets changes with a signature, and again until it takes them', async () => {
    const slug = await deploy('export default { fetch() { return new Response(); } };', {
      on: [{ collection: 'orders', actions: ALL, url: changes.url }],
    });
    const page = await openPage([slug]);
    changes.answers.push(500);
    const id = await create(page, 'orders', { n: 1 });
    const other = await create(page, 'orders', { n: 2 });
    await patch(page, 'orders', id, { n: 3 });
    await waitUntil(async () => {
      const { jobs, running } = await readJobs(owner, slug);
      return running === 0 && jobs.some(({ tries }: { tries: number }) => tries > 0) && jobs.length === 2;
    });
    const [failed] = (await readJobs(owner, slug)).jobs;
    expect(failed.error).toBe(`POST ${changes.url}: the answer was 500.`);
    app.quire.advance(10_000);
    await changes.until((got) => got.length === 3);
    await untilIdle(slug);
    expect(changes.got.map(({ record }) => [record?.id, record?.data.n])).toEqual([
      [other, 2],
      [id, 1],
      [id, 3],
    ]);
    const [{ secret }] = await readOn(slug);
    for (const { headers, body } of changes.signed) {
      const timestamp = headers.get('x-quire-timestamp') ?? '';
      expect(headers.get('x-quire-signature')).toBe(sign(secret, timestamp, body));
    }
    const [first, ...rest] = changes.signed.map(({ headers }) => headers.get('x-quire-delivery'));
    expect(rest).toContain(first ?? '');
  });

  test('that never takes a change leaves it with the failed jobs, to be sent again', async () => {
    const slug = await deploy('export default { fetch() { return new Response(); } };', {
      on: [{ collection: 'orders', actions: ['create'], url: changes.url }],
    });
    const page = await openPage([slug]);
    changes.answers.push(410, 410);
    await create(page, 'orders', { n: 1 });
    await failForGood(slug);
    const { jobs } = await readJobs(owner, slug, 'failed');
    expect(jobs).toMatchObject([{ tries: 10, error: `POST ${changes.url}: the answer was 410.` }]);
    await owner.call('POST', `/api/functions/${slug}/jobs/retry`, { body: { id: jobs[0].id } });
    await changes.until((got) => got.length === 1);
    await untilIdle(slug);
  }, 60_000);

  test('that is not public gets nothing, and no redirect is followed', async () => {
    const slug = await deploy('export default { fetch() { return new Response(); } };', {
      on: [{ collection: 'orders', actions: ['create'], url: 'http://10.0.0.1/x?key=1' }],
    });
    const page = await openPage([slug]);
    await create(page, 'orders', { n: 1 });
    await waitUntil(async () => (await readJobs(owner, slug)).jobs[0]?.error);
    expect((await readJobs(owner, slug)).jobs[0].error).toBe(
      'POST http://10.0.0.1/x: it is not a public address, or it does not answer.',
    );
  });

  test('leaves what it never takes for 30 days, and messages that the function has sent itself stay', async () => {
    const slug = await deploy(
      `export default {
        async fetch(request, env) { await env.QUEUE.send({ own: true }); return new Response('sent'); },
        queue() { throw new Error('no'); },
      };`,
      { on: [{ collection: 'orders', actions: ['create'], url: changes.url }] },
    );
    const page = await openPage([slug]);
    changes.answers.push(410, 410);
    await create(page, 'orders', { n: 1 });
    await failForGood(slug);
    await app.call(slug, {}, owner);
    await failForGood(slug, 2);
    // Tokens do not last that long.
    const read = async () => {
      const { username, password } = app.owner;
      const { body } = await app.quire.call('POST', '/api/auth/token', { body: { username, password } });
      const call: TestUser['call'] = (method, path) =>
        app.quire.call(method, path, { token: body.accessToken });
      const { jobs } = await readJobs({ call }, slug, 'failed');
      return jobs.map(({ preview }: { preview: string }) => preview);
    };
    // The first message has failed an hour ago.
    app.quire.advance(FAILED_CHANGES_KEPT_MS - 2 * HOUR);
    await app.quire.app.sweep();
    expect(await read()).toHaveLength(2);
    app.quire.advance(2 * HOUR);
    await app.quire.app.sweep();
    expect(await read()).toEqual(['{"own":true}']);
  }, 60_000);
});
