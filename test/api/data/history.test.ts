import { afterAll, beforeAll, expect, test } from 'bun:test';
import { type TestApp, type TestUser, testApp } from '../../support/app.ts';
import { create, type DataPage, join, publishApp } from '../../support/data/data.ts';
import { readSql } from '../../support/engines/storage.ts';

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

const notes = (page: DataPage, ...rest: string[]) => [`${page.address}/notes`, ...rest].join('/');
const change = (user: TestUser, page: DataPage, id: string, data: object) =>
  user.call('PATCH', notes(page, id), { body: { data } });
const remove = (user: TestUser, page: DataPage, id: string) => user.call('DELETE', notes(page, id));
const readHistory = (user: TestUser, page: DataPage, id: string, query = '') =>
  user.call('GET', notes(page, id, `history${query}`));
const restore = (user: TestUser, page: DataPage, id: string, at: string) =>
  user.call('POST', notes(page, id, 'restore'), { body: { at } });
const ref = ({ id, username }: TestUser) => ({ id, username });

test('the history of a record has every change, and each can be taken back', async () => {
  const page = await publishApp(owner, 'social');
  const { id } = await create(ada, notes(page), { text: 'one' });
  quire.advance(10);
  await change(ada, page, id, { text: 'two' });
  quire.advance(10);
  await ada.call('PUT', notes(page, id), { body: { data: { other: 3 } } });
  const { body } = await readHistory(bob, page, id);
  expect(body).toEqual({
    changes: [
      { at: expect.any(String), by: ref(ada), action: 'update', before: { text: 'two' } },
      { at: expect.any(String), by: ref(ada), action: 'update', before: { text: 'one' } },
    ],
    next: null,
  });
  const first = await readHistory(bob, page, id, '?limit=1');
  expect(first.body.changes).toEqual([body.changes[0]]);
  const second = await readHistory(bob, page, id, `?limit=1&before=${first.body.next}`);
  expect([second.body.changes, second.body.next]).toEqual([[body.changes[1]], null]);
  expect((await restore(bob, page, id, body.changes[1].at)).status).toBe(403);
  const restored = await restore(ada, page, id, body.changes[1].at);
  expect([restored.status, restored.body.data]).toEqual([200, { text: 'one' }]);
  expect((await readHistory(ada, page, id)).body.changes[0].before).toEqual({ other: 3 });
});

test('a deleted record can be brought back by its author and by those who manage the page', async () => {
  const page = await publishApp(owner, 'team');
  await join(quire, owner, page, ada, 'member');
  await join(quire, owner, page, bob, 'member');
  const made = await create(ada, notes(page), { text: 'mine' });
  quire.advance(10);
  await remove(owner, page, made.id);
  expect((await readHistory(bob, page, made.id)).status).toBe(404);
  expect((await bob.call('GET', notes(page, 'deleted'))).body).toEqual({ records: [], next: null });
  const deleted = (await ada.call('GET', notes(page, 'deleted'))).body.records;
  expect(deleted).toEqual([{ ...made, deletedAt: expect.any(String), deletedBy: ref(owner) }]);
  expect((await owner.call('GET', notes(page, 'deleted'))).body.records).toEqual(deleted);
  expect((await restore(bob, page, made.id, deleted[0].deletedAt)).status).toBe(404);
  expect((await restore(ada, page, made.id, '2000-01-01T00:00:00Z')).status).toBe(409);
  const back = await restore(ada, page, made.id, deleted[0].deletedAt);
  expect(back.body).toEqual({ ...made, updatedAt: expect.any(String) });
  expect((await owner.call('GET', notes(page, 'deleted'))).body.records).toEqual([]);
  expect((await readHistory(ada, page, made.id)).body.changes).toEqual([
    { at: expect.any(String), by: ref(ada), action: 'restore', before: null },
    { at: expect.any(String), by: ref(owner), action: 'delete', before: { text: 'mine' } },
  ]);
});

test('the history of solo data belongs to its visitor alone', async () => {
  const page = await publishApp(owner, 'solo');
  const { id } = await create(ada, notes(page), { text: 'private' });
  quire.advance(10);
  await remove(ada, page, id);
  expect((await readHistory(owner, page, id)).status).toBe(404);
  expect((await owner.call('GET', notes(page, 'deleted'))).body.records).toEqual([]);
  const { records } = (await ada.call('GET', notes(page, 'deleted'))).body;
  expect((await restore(owner, page, id, records[0].deletedAt)).status).toBe(404);
  expect((await restore(ada, page, id, records[0].deletedAt)).body.data).toEqual({ text: 'private' });
});

test('what is brought back must match the schema, and hidden records have no visible history', async () => {
  const page = await publishApp(owner, 'social');
  const { id } = await create(ada, notes(page), { text: 'one' });
  quire.advance(10);
  await change(ada, page, id, { text: null, n: 1 });
  const [{ at }] = (await readHistory(ada, page, id)).body.changes;
  const schema = { fields: { n: { type: 'number', required: true } }, rules: { read: 'author' } };
  await owner.call('PUT', notes(page, 'schema'), { body: { schema } });
  expect((await restore(ada, page, id, at)).status).toBe(422);
  expect((await readHistory(bob, page, id)).status).toBe(404);
  expect((await restore(bob, page, id, at)).status).toBe(404);
  expect((await quire.call('GET', notes(page, id, 'history'))).status).toBe(401);
  for (const bad of ['yesterday', '', 7])
    expect((await ada.call('POST', notes(page, id, 'restore'), { body: { at: bad } })).status).toBe(400);
  expect((await readHistory(ada, page, id, '?limit=101')).status).toBe(400);
  expect((await readHistory(ada, page, id, '?limit=100')).status).toBe(200);
});

test('an admin sees no deleted records that the rules hide from them', async () => {
  const page = await publishApp(owner, 'team');
  await join(quire, owner, page, ada, 'member');
  await join(quire, owner, page, bob, 'admin');
  await owner.call('PUT', notes(page, 'schema'), { body: { schema: { rules: { read: 'author' } } } });
  const [hidden, own] = [await create(ada, notes(page), { n: 1 }), await create(bob, notes(page), { n: 2 })];
  await remove(ada, page, hidden.id);
  await remove(bob, page, own.id);
  const list = async (user: TestUser) =>
    (await user.call('GET', notes(page, 'deleted'))).body.records.map(({ id }: { id: string }) => id);
  expect(await list(bob)).toEqual([own.id]);
  expect((await list(owner)).toSorted()).toEqual([hidden.id, own.id].toSorted());
});

test('what a person deletes as their own data does not come back', async () => {
  const page = await publishApp(owner, 'social');
  const kept = await create(ada, notes(page), { text: 'kept until now' });
  const gone = await create(ada, notes(page), { text: 'deleted before' });
  await change(ada, page, kept.id, { text: 'changed' });
  await remove(ada, page, gone.id);
  const answer = await quire.call('DELETE', `/api/auth/stored/${page.id}`, {
    headers: { cookie: await ada.login() },
  });
  expect([answer.status, answer.body.isDone]).toEqual([200, true]);
  const rows = await readSql<{ before: string | null }>(
    quire,
    `SELECT before FROM record_changes WHERE record_id IN ('${kept.id}', '${gone.id}')`,
  );
  expect(rows.map(({ before }) => before)).toEqual([null, null]);
  for (const { id } of [kept, gone]) {
    expect((await readHistory(owner, page, id)).status).toBe(404);
    expect((await readHistory(ada, page, id)).status).toBe(404);
  }
  expect((await owner.call('GET', notes(page, 'deleted'))).body.records).toEqual([]);
});

test('without history nothing is kept', async () => {
  const plain = await testApp({ QUIRE_HISTORY_DAYS: '0' });
  const user = await plain.user('plain-owner');
  const page = await publishApp(user, 'team');
  const { id } = await create(user, notes(page), { n: 1 });
  await change(user, page, id, { n: 2 });
  expect((await readHistory(user, page, id)).body).toEqual({ changes: [], next: null });
  await remove(user, page, id);
  expect((await readHistory(user, page, id)).status).toBe(404);
  expect(await readSql(plain, 'SELECT id FROM record_changes')).toEqual([]);
  await plain.stop();
});
