import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { type TestApp, type TestUser, testApp } from '../../support/app.ts';
import { create, type DataPage, publishApp } from '../../support/data/data.ts';

let quire: TestApp;
let owner: TestUser;
let ada: TestUser;
let bob: TestUser;
beforeAll(async () => {
  quire = await testApp();
  owner = await quire.user('owner');
  ada = await quire.user('ada');
  bob = await quire.user('bob');
});
afterAll(() => quire.stop());

const UUID7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const MOMENT = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

describe('a record', () => {
  let page: DataPage;
  beforeAll(async () => {
    page = await publishApp(owner, 'social');
  });

  test('can be created, read, merged and deleted', async () => {
    const address = `${page.address}/notes`;
    const made = await ada.call('POST', address, {
      body: { data: { title: 'One', tags: ['a'], deep: { x: 1, y: 2 } } },
    });
    expect(made.status).toBe(201);
    expect(made.body).toEqual({
      id: expect.stringMatching(UUID7),
      collection: 'notes',
      data: { title: 'One', tags: ['a'], deep: { x: 1, y: 2 } },
      createdAt: MOMENT,
      updatedAt: made.body.createdAt,
      createdBy: { id: ada.id, username: 'ada' },
    });
    const own = `${address}/${made.body.id}`;
    expect((await ada.call('GET', own)).body).toEqual(made.body);

    quire.advance(1000);
    const changed = await ada.call('PATCH', own, { body: { data: { title: null, deep: { x: 3 } } } });
    expect(changed.status).toBe(200);
    expect(changed.body).toEqual({
      ...made.body,
      // Top-level fields are merged, and their values replaced. Null removes a field.
      data: { tags: ['a'], deep: { x: 3 } },
      updatedAt: MOMENT,
    });
    expect(Date.parse(changed.body.updatedAt)).toBeGreaterThan(Date.parse(made.body.updatedAt));
    expect((await ada.call('GET', own)).body).toEqual(changed.body);

    const replaced = await ada.call('PUT', own, { body: { data: { title: null, new: 1 } } });
    expect([replaced.status, replaced.body]).toEqual([
      200,
      { ...changed.body, data: { title: null, new: 1 }, updatedAt: MOMENT },
    ]);
    expect((await ada.call('GET', own)).body).toEqual(replaced.body);

    const gone = await ada.call('DELETE', own);
    expect([gone.status, gone.body]).toEqual([204, '']);
    for (const method of ['GET', 'DELETE']) {
      expect((await ada.call(method, own)).body).toMatchObject({ code: 'NOT_FOUND' });
    }
    expect((await ada.call('PATCH', own, { body: { data: {} } })).status).toBe(404);
    expect((await ada.call('PUT', own, { body: { data: {} } })).status).toBe(404);
  });

  test('can be found with the slug of the page', async () => {
    const { id } = await create(ada, `/api/pages/${page.slug}/social-data/by_slug`, { a: 1 });
    expect((await ada.call('GET', `${page.address}/by_slug/${id}`)).body.data).toEqual({ a: 1 });
  });

  test('is not found in another collection or page, or with another form of its id', async () => {
    const { id } = await create(ada, `${page.address}/here`, {});
    const other = await publishApp(owner, 'social');
    const addresses = [
      `${page.address}/there/${id}`,
      `${other.address}/here/${id}`,
      `${page.address}/here/1`,
      `${page.address}/here/${id}x`,
      `${page.address}/here/00000000-0000-4000-8000-000000000000`,
      `${page.address}/here/'%20or%201=1`,
    ];
    for (const address of addresses) {
      expect([address, (await ada.call('GET', address)).status]).toEqual([address, 404]);
    }
    expect((await ada.call('GET', `${page.address}/here/${id.toUpperCase()}`)).status).toBe(200);
  });
});

describe('a list', () => {
  test('is empty for a collection that does not exist', async () => {
    const page = await publishApp(owner, 'social');
    const list = await quire.call('GET', `${page.address}/nothing`);
    expect(list.body).toEqual({ records: [], total: 0, limit: 50, offset: 0, hasMore: false });
    expect((await quire.call('GET', `${page.address}/nothing/count`)).body).toEqual({ count: 0 });
    expect((await quire.call('GET', `${page.address}/nothing/count?groupBy=a`)).body).toEqual({
      count: 0,
      groups: [],
    });
    expect((await quire.call('GET', page.address)).body).toEqual({ collections: [] });
  });

  test('starts with the newest, has pages, and says whether there is more', async () => {
    const page = await publishApp(owner, 'social');
    const address = `${page.address}/numbers`;
    for (const n of [1, 2, 3, 4, 5]) await create(ada, address, { n });
    const ns = async (query: string) => {
      const { body } = await quire.call('GET', `${address}?${query}`);
      return [body.records.map((record: { data: { n: number } }) => record.data.n), body.total, body.hasMore];
    };
    expect(await ns('')).toEqual([[5, 4, 3, 2, 1], 5, false]);
    expect(await ns('limit=2')).toEqual([[5, 4], 5, true]);
    expect(await ns('limit=2&offset=4')).toEqual([[1], 5, false]);
    expect(await ns('order=asc&limit=5')).toEqual([[1, 2, 3, 4, 5], 5, false]);
    for (const orderBy of ['created_at', 'createdAt', 'updated_at', 'updatedAt', 'data.n']) {
      expect(await ns(`orderBy=${orderBy}&order=asc&limit=2`)).toEqual([[1, 2], 5, true]);
    }
    expect(await ns('where={"n":{"gt":1,"lte":3}}')).toEqual([[3, 2], 2, false]);
  });

  test('sorted by last change follows changes', async () => {
    const page = await publishApp(owner, 'social');
    const address = `${page.address}/things`;
    const first = await create(ada, address, { n: 1 });
    await create(ada, address, { n: 2 });
    quire.advance(1000);
    await ada.call('PATCH', `${address}/${first.id}`, { body: { data: { n: 3 } } });
    const { body } = await quire.call('GET', `${address}?orderBy=updated_at`);
    expect(body.records.map((record: { data: unknown }) => record.data)).toEqual([{ n: 3 }, { n: 2 }]);
  });

  test('continues after a record that was deleted meanwhile', async () => {
    const page = await publishApp(owner, 'social');
    const address = `${page.address}/gaps`;
    const all = [];
    for (const n of [1, 2, 3]) all.push(await create(ada, address, { n }));
    const [, middle] = all;
    await ada.call('DELETE', `${address}/${middle.id}`);
    const next = await quire.call('GET', `${address}?after=${middle.id}`);
    expect(next.body.records.map((record: { data: unknown }) => record.data)).toEqual([{ n: 1 }]);
    const lost = await quire.call('GET', `${address}?after=${middle.id}&orderBy=data.n`);
    expect([lost.status, lost.body.code]).toEqual([400, 'BAD_REQUEST']);
  });

  test('of collections has their record counts', async () => {
    const page = await publishApp(owner, 'social');
    await create(ada, `${page.address}/b`, {});
    const a = await create(ada, `${page.address}/a`, {});
    await create(bob, `${page.address}/a`, {});
    const { body } = await quire.call('GET', page.address);
    expect(body).toEqual({
      collections: [
        { name: 'a', recordCount: 2, lastUpdated: MOMENT },
        { name: 'b', recordCount: 1, lastUpdated: MOMENT },
      ],
    });
    await ada.call('DELETE', `${page.address}/a/${a.id}`);
    expect((await quire.call('GET', page.address)).body.collections[0].recordCount).toBe(1);
  });

  test('can be grouped by a value', async () => {
    const page = await publishApp(owner, 'social');
    const address = `${page.address}/votes`;
    for (const vote of ['yes', 'yes', 'no', 1, null]) await create(ada, address, { vote });
    await create(ada, address, {});
    const all = await quire.call('GET', `${address}/count?groupBy=vote`);
    expect(all.body).toEqual({
      count: 6,
      groups: expect.arrayContaining([
        { value: 'yes', count: 2 },
        { value: null, count: 2 },
        { value: 'no', count: 1 },
        { value: 1, count: 1 },
      ]),
    });
    const some = await quire.call('GET', `${address}/count?groupBy=vote&where={"vote":"no"}`);
    expect(some.body).toEqual({ count: 1, groups: [{ value: 'no', count: 1 }] });
  });

  test('explains how to write groupBy if it gets a path of orderBy', async () => {
    const { address } = await publishApp(owner, 'social');
    await create(owner, `${address}/titles`, { title: 'a' });
    const wrong = await quire.call('GET', `${address}/titles/count?groupBy=data.title`);
    expect([wrong.status, wrong.body.details[0].path]).toEqual([400, 'groupBy']);
    expect(wrong.body.error).toContain('write title');
    // A field can be called data.
    await create(owner, `${address}/titles`, { data: { title: 'b' } });
    const right = await quire.call('GET', `${address}/titles/count?groupBy=data.title`);
    expect(right.body.groups).toEqual([
      { value: 'b', count: 1 },
      { value: null, count: 1 },
    ]);
    const none = await quire.call('GET', `${address}/nothing/count?groupBy=data.title`);
    expect(none.body).toEqual({ count: 0, groups: [] });
  });

  test('of social data can be limited to one’s own records', async () => {
    const page = await publishApp(owner, 'social');
    const address = `${page.address}/posts`;
    await create(ada, address, { by: 'ada' });
    await create(bob, address, { by: 'bob' });
    const mine = await ada.call('GET', `${address}?mine=true`);
    expect(mine.body).toMatchObject({ records: [{ data: { by: 'ada' } }], total: 1 });
    expect((await ada.call('GET', `${address}/count?mine=true`)).body).toEqual({ count: 1 });
    expect((await quire.call('GET', `${address}?mine=true`)).status).toBe(401);
  });
});

describe('a batch', () => {
  test('does everything in one transaction', async () => {
    const page = await publishApp(owner, 'social');
    const address = `${page.address}/items`;
    const one = await create(ada, address, { n: 1 });
    const two = await create(ada, address, { n: 2 });
    const operations = [
      { op: 'create', data: { n: 3 } },
      { op: 'update', id: one.id, data: { n: 10 } },
      { op: 'delete', id: two.id },
    ];
    const answer = await ada.call('POST', `${address}/batch`, { body: { operations } });
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({
      results: [
        { success: true, record: expect.objectContaining({ data: { n: 3 } }) },
        { success: true, record: expect.objectContaining({ id: one.id, data: { n: 10 } }) },
        { success: true },
      ],
    });
    const { body } = await quire.call('GET', `${address}?orderBy=data.n&order=asc`);
    expect(body.records.map((record: { data: unknown }) => record.data)).toEqual([{ n: 3 }, { n: 10 }]);
  });

  test('does nothing if one operation fails, and says which', async () => {
    const page = await publishApp(owner, 'social');
    const address = `${page.address}/items`;
    const foreign = await create(bob, address, { n: 1 });
    const missing = '01900000-0000-7000-8000-000000000000';
    const failing: Array<[unknown, number, string]> = [
      [{ op: 'update', id: foreign.id, data: {} }, 403, 'FORBIDDEN'],
      [{ op: 'delete', id: missing }, 404, 'NOT_FOUND'],
      [{ op: 'delete', id: 'nonsense' }, 404, 'NOT_FOUND'],
      [{ op: 'create', data: [] }, 400, 'BAD_REQUEST'],
      [{ op: 'create', data: { x: 'x'.repeat(256 * 1024) } }, 413, 'PAYLOAD_TOO_LARGE'],
    ];
    for (const [operation, status, code] of failing) {
      const operations = [{ op: 'create', data: { n: 2 } }, operation];
      const answer = await ada.call('POST', `${address}/batch`, { body: { operations } });
      expect([answer.status, answer.body.code, answer.body.index]).toEqual([status, code, 1]);
    }
    expect((await quire.call('GET', `${address}/count`)).body).toEqual({ count: 1 });
  });

  test('can have 0 to 100 operations, not 101', async () => {
    const page = await publishApp(owner, 'social');
    const send = (count: number) =>
      ada.call('POST', `${page.address}/many/batch`, {
        body: { operations: Array.from({ length: count }, (_, n) => ({ op: 'create', data: { n } })) },
      });
    expect((await send(0)).body).toEqual({ results: [] });
    expect((await send(100)).body.results.length).toBe(100);
    expect((await send(101)).status).toBe(400);
    expect((await quire.call('GET', `${page.address}/many/count`)).body).toEqual({ count: 100 });
  });
});

test('100 parallel changes of one record lose none of their fields', async () => {
  const page = await publishApp(owner, 'social');
  const { id } = await create(ada, `${page.address}/shared`, {});
  const names = Array.from({ length: 100 }, (_, n) => `field_${n}`);
  const answers = await Promise.all(
    names.map((name) =>
      ada.call('PATCH', `${page.address}/shared/${id}`, { body: { data: { [name]: true } } }),
    ),
  );
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  const { body } = await ada.call('GET', `${page.address}/shared/${id}`);
  expect(Object.keys(body.data).sort()).toEqual(names.sort());
});

describe('a page with data', () => {
  test('keeps the data of a mode while it is in another', async () => {
    const page = await publishApp(owner, 'social');
    await create(ada, `${page.address}/kept`, { n: 1 });
    for (const mode of ['solo_app', 'team_app', 'page']) {
      await owner.call('PATCH', `/api/pages/${page.id}`, { body: { storage_mode: mode } });
      const away = await owner.call('GET', `${page.address}/kept`);
      expect([away.status, away.body.code]).toEqual([409, 'CONFLICT']);
      expect(away.body.error).toContain(mode);
      expect((await ada.call('POST', `${page.address}/kept`, { body: { data: {} } })).status).toBe(409);
    }
    await owner.call('PATCH', `/api/pages/${page.id}`, { body: { storage_mode: 'social_app' } });
    expect((await owner.call('GET', `${page.address}/kept`)).body.records).toMatchObject([
      { data: { n: 1 } },
    ]);
  });

  test('takes its data with it when it is deleted, and frees the quota', async () => {
    const small = await testApp({ QUIRE_QUOTA_BYTES: '20000' });
    const tidy = await small.user('tidy');
    const visitor = await small.user('visitor');
    const body = { data: { text: 'x'.repeat(12_000) } };
    for (const round of [1, 2, 3]) {
      const page = await publishApp(tidy, 'social');
      const made = await visitor.call('POST', `${page.address}/things`, { body });
      expect([round, made.status]).toEqual([round, 201]);
      const over = await visitor.call('POST', `${page.address}/things`, { body });
      expect([over.status, over.body.code]).toEqual([403, 'QUOTA_EXCEEDED']);
      // Making it smaller and deleting are always possible.
      const own = `${page.address}/things/${made.body.id}`;
      expect((await visitor.call('PATCH', own, { body: { data: { text: 'x' } } })).status).toBe(200);
      expect((await visitor.call('POST', `${page.address}/things`, { body })).status).toBe(201);
      expect((await visitor.call('DELETE', own)).status).toBe(204);
      await tidy.call('DELETE', `/api/pages/${page.id}`);
      expect((await visitor.call('GET', `${page.address}/things`)).status).toBe(404);
    }
    await small.stop();
  });

  test('does not exist for others while it is a draft', async () => {
    const page = await publishApp(owner, 'social', { is_published: false });
    expect((await quire.call('GET', `${page.address}/x`)).status).toBe(404);
    expect((await ada.call('POST', `${page.address}/x`, { body: { data: {} } })).status).toBe(404);
    expect((await owner.call('POST', `${page.address}/x`, { body: { data: {} } })).status).toBe(201);
  });

  test('is forked with its schemas but without its data', async () => {
    const page = await publishApp(owner, 'social');
    const schema = { fields: { title: { type: 'string', required: true } } };
    await owner.call('PUT', `${page.address}/posts/schema`, { body: { schema } });
    await create(ada, `${page.address}/posts`, { title: 'x' });
    const fork = (await ada.call('POST', `/api/pages/${page.id}/fork`)).body.page;
    const copied = await quire.call('GET', `/api/pages/${fork.id}/social-data/posts/schema`);
    expect(copied.body.schema).toEqual(schema);
    expect((await quire.call('GET', `/api/pages/${fork.id}/social-data/posts`)).body.total).toBe(0);
  });
});
