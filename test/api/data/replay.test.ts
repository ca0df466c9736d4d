import { afterAll, afterEach, beforeAll, expect, test } from 'bun:test';
import { type TestApp, type TestUser, testApp } from '../../support/app.ts';
import {
  create,
  type DataPage,
  join,
  publishApp,
  type Reading,
  readEvents,
} from '../../support/data/data.ts';

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

const open: Reading[] = [];
afterEach(() => {
  for (const reading of open.splice(0)) reading.close();
});

/** Follows from an id on. Everything that was missed has arrived when it returns. */
async function follow(page: DataPage, user?: TestUser, lastEventId?: string): Promise<Reading> {
  const response = await quire.request(`/api/pages/${page.id}/events?collections=notes`, {
    headers: {
      ...(user && { authorization: `Bearer ${user.token}` }),
      ...(lastEventId && { 'last-event-id': lastEventId }),
    },
  });
  if (response.status !== 200) throw new Error(`${response.status} ${await response.text()}`);
  const reading = readEvents(response);
  open.push(reading);
  await reading.until(1, 'open');
  return reading;
}

/** The id from which somebody can resume later. Their connection stays, so that events are kept. */
async function position(page: DataPage, user?: TestUser): Promise<string> {
  return (await follow(page, user)).events[0]?.id ?? '';
}

const notes = (page: DataPage) => `${page.address}/notes`;
const change = (user: TestUser, page: DataPage, id: string, data: object) =>
  user.call('PATCH', `${notes(page)}/${id}`, { body: { data } });
const remove = (user: TestUser, page: DataPage, id: string) => user.call('DELETE', `${notes(page)}/${id}`);
const setAccess = (page: DataPage, mode: string) =>
  owner.call('PATCH', `/api/pages/${page.id}`, { body: { access: { mode } } });
const told = ({ events }: Reading) => events.filter(({ name }) => name === 'message').map(({ data }) => data);

test('a record that was created and deleted meanwhile is not in a replay', async () => {
  const page = await publishApp(owner, 'social');
  const from = await position(page);
  const gone = await create(ada, notes(page), { text: 'secret' });
  await change(ada, page, gone.id, { text: 'secret too' });
  await remove(ada, page, gone.id);
  const kept = await create(ada, notes(page), { text: 'kept' });
  const reader = await follow(page, undefined, from);
  expect(told(reader)).toEqual([{ type: 'created', collection: 'notes', record: kept }]);
});

test('a record that was changed meanwhile is replayed once, as it is now', async () => {
  const page = await publishApp(owner, 'social');
  const known = await create(ada, notes(page), { text: 'first' });
  const from = await position(page);
  const added = await create(ada, notes(page), { text: 'draft' });
  for (const text of ['secret', 'second']) await change(ada, page, known.id, { text });
  const last = await change(ada, page, added.id, { text: 'final' });
  const reader = await follow(page, undefined, from);
  expect(told(reader)).toEqual([
    {
      type: 'updated',
      collection: 'notes',
      record: { ...known, data: { text: 'second' }, updatedAt: expect.any(String) },
    },
    { type: 'created', collection: 'notes', record: last.body },
  ]);
  expect(JSON.stringify(reader.events)).not.toContain('secret');
});

test('a known record that was changed and deleted meanwhile is replayed as deleted, with its id only', async () => {
  const page = await publishApp(owner, 'social');
  const known = await create(ada, notes(page), { text: 'known' });
  const from = await position(page);
  await change(ada, page, known.id, { text: 'secret' });
  await remove(ada, page, known.id);
  const reader = await follow(page, undefined, from);
  expect(told(reader)).toEqual([{ type: 'deleted', collection: 'notes', id: known.id }]);
});

test.each([
  { mode: 'private' },
  { mode: 'people', people: ['ada'] },
  { mode: 'password', password: 'open sesame' },
])('nothing of the time when the page was closed is replayed to a stranger (%p)', async (access) => {
  const page = await publishApp(owner, 'social');
  const early = await create(owner, notes(page), { text: 'early' });
  const from = await position(page, owner);
  await owner.call('PATCH', `/api/pages/${page.id}`, { body: { access } });
  const secret = await create(owner, notes(page), { text: 'secret' });
  await change(owner, page, secret.id, { text: 'secret too' });
  await remove(owner, page, secret.id);
  await remove(owner, page, early.id);
  const refused = await quire.request(`/api/pages/${page.id}/events?collections=notes`, {
    headers: { 'last-event-id': from },
  });
  expect(refused.status).toBe(403);
  await setAccess(page, 'public');
  const stranger = await follow(page, undefined, from);
  expect(stranger.events.map(({ name }) => name)).toEqual(['reset', 'open']);
});

test('a page that was never public before replays nothing of that time', async () => {
  const page = await publishApp(owner, 'social', { access: { mode: 'private' } });
  const from = await position(page, owner);
  const secret = await create(owner, notes(page), { text: 'secret' });
  await remove(owner, page, secret.id);
  await setAccess(page, 'public');
  const stranger = await follow(page, undefined, from);
  expect(stranger.events.map(({ name }) => name)).toEqual(['reset', 'open']);
});

test('somebody who joins a team gets nothing of the time before', async () => {
  const page = await publishApp(owner, 'team');
  const from = await position(page, owner);
  const secret = await create(owner, notes(page), { text: 'secret' });
  await remove(owner, page, secret.id);
  await join(quire, owner, page, bob, 'viewer');
  const reader = await follow(page, bob, from);
  expect(reader.events.map(({ name }) => name)).toEqual(['reset', 'open']);
});

test('a new rule for reading holds for what was missed', async () => {
  const page = await publishApp(owner, 'social');
  const from = await position(page, owner);
  await create(ada, notes(page), { text: 'secret' });
  const mine = await create(bob, notes(page), { text: 'mine' });
  const body = { schema: { rules: { read: 'author' } } };
  await owner.call('PUT', `${notes(page)}/schema`, { body });
  const ruled = await position(page, owner);
  const [hers, his] = [
    await create(ada, notes(page), { text: 'secret' }),
    await change(bob, page, mine.id, { n: 1 }),
  ];
  await remove(ada, page, hers.id);
  expect((await follow(page, bob, from)).events.map(({ name }) => name)).toEqual(['reset', 'open']);
  expect(told(await follow(page, bob, ruled))).toEqual([
    { type: 'updated', collection: 'notes', record: his.body },
  ]);
});

test('solo records are replayed to their owner only', async () => {
  const page = await publishApp(owner, 'solo');
  const from = await position(page, ada);
  const hers = await create(ada, notes(page), { text: 'hers' });
  await create(bob, notes(page), { text: 'his' });
  expect(told(await follow(page, ada, from))).toEqual([
    { type: 'created', collection: 'notes', record: hers },
  ]);
});

test('a replay of many records is complete and in order, and goes on with new ones', async () => {
  const page = await publishApp(owner, 'social');
  const from = await position(page);
  const operations = Array.from({ length: 90 }, (_, n) => ({ op: 'create', data: { n } }));
  await ada.call('POST', `${notes(page)}/batch`, { body: { operations } });
  const reader = await follow(page, undefined, from);
  await create(ada, notes(page), { n: 90 });
  await reader.until(91);
  const numbers = told(reader).map((event) => (event as { record: { data: { n: number } } }).record.data.n);
  expect(numbers).toEqual(Array.from({ length: 91 }, (_, n) => n));
});

/** The same position after the server was restarted: its channel has forgotten it. */
const forgotten = (from: string) => from.replace(/^[^@]*/, 'gone-1');

test('a position that the server has forgotten continues from the record log', async () => {
  const page = await publishApp(owner, 'social');
  const [known, early, late] = [
    await create(ada, notes(page), { text: 'known' }),
    await create(ada, notes(page), { text: 'early' }),
    await create(ada, notes(page), { text: 'untouched' }),
  ];
  // Later than the overlap, so that only what follows is replayed.
  quire.advance(61_000);
  const from = forgotten(await position(page));
  quire.advance(1_000);
  await change(ada, page, known.id, { text: 'secret' });
  const last = await change(ada, page, known.id, { text: 'now' });
  const gone = await create(ada, notes(page), { text: 'secret' });
  await remove(ada, page, gone.id);
  await remove(ada, page, early.id);
  quire.advance(1_000);
  const added = await create(ada, notes(page), { text: 'added' });
  const reader = await follow(page, undefined, from);
  expect(told(reader)).toEqual(
    expect.arrayContaining([
      { type: 'updated', collection: 'notes', record: last.body },
      { type: 'deleted', collection: 'notes', id: early.id },
      { type: 'created', collection: 'notes', record: added },
    ]),
  );
  expect(told(reader).length).toBe(3);
  expect(JSON.stringify(reader.events)).not.toContain('secret');
  expect(JSON.stringify(reader.events)).not.toContain(late.id);
  expect(reader.events.at(-1)?.name).toBe('open');
  // A replay that breaks off continues from where it was.
  const middle = reader.events.find(({ data }) => (data as { record?: unknown }).record)?.id ?? '';
  expect(middle).toStartWith('@');
  const rest = await follow(page, undefined, middle);
  expect(told(rest)).toContainEqual({ type: 'created', collection: 'notes', record: added });
  const count = told(rest).length;
  const next = await create(ada, notes(page), { text: 'next' });
  await rest.until(count + 1);
  expect(told(rest).at(-1)).toEqual({ type: 'created', collection: 'notes', record: next });
});

test('a forgotten position shows solo records to their owner only, and is a reset after new rules or a day', async () => {
  const solo = await publishApp(owner, 'solo');
  const from = forgotten(await position(solo, ada));
  const hers = await create(ada, notes(solo), { text: 'hers' });
  const his = await create(bob, notes(solo), { text: 'his' });
  await remove(bob, solo, his.id);
  expect(told(await follow(solo, ada, from))).toEqual([
    { type: 'created', collection: 'notes', record: hers },
  ]);
  const page = await publishApp(owner, 'social');
  await create(ada, notes(page), { text: 'secret' });
  const before = forgotten(await position(page));
  quire.advance(10);
  await owner.call('PUT', `${notes(page)}/schema`, { body: { schema: { rules: { read: 'author' } } } });
  const names = (reading: Reading) => reading.events.map(({ name }) => name);
  expect(names(await follow(page, bob, before))).toEqual(['reset', 'open']);
  const old = `gone-1@${(Date.now() - 24 * 3600 * 1000).toString(36)}`;

  expect(names(await follow(solo, ada, old))).toEqual(['reset', 'open']);
  for (const bad of ['gone-1@', 'gone-1@zzzzzzzzzz', 'gone-1@-5', '@', 'a@b@c'])
    expect(names(await follow(solo, ada, bad))).toEqual(['reset', 'open']);
});
