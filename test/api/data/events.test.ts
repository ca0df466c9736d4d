import { afterAll, afterEach, beforeAll, describe, expect, spyOn, test } from 'bun:test';
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

async function follow(
  page: DataPage,
  collections: string,
  user?: TestUser,
  lastEventId?: string,
): Promise<Reading> {
  const response = await quire.request(`/api/pages/${page.id}/events?collections=${collections}`, {
    headers: {
      ...(user && { authorization: `Bearer ${user.token}` }),
      ...(lastEventId && { 'last-event-id': lastEventId }),
    },
  });
  if (response.status !== 200) throw new Error(`${response.status} ${await response.text()}`);
  expect(response.headers.get('content-type')).toBe('text/event-stream');
  const reading = readEvents(response);
  open.push(reading);
  await reading.until(1, 'open');
  return reading;
}

const told = (reading: Reading) =>
  reading.events.filter(({ name }) => name === 'message').map(({ data }) => data);

describe('a stream', () => {
  test('sends what is created, changed and deleted, in order', async () => {
    const page = await publishApp(owner, 'social');
    const stream = await follow(page, 'posts');
    const made = await create(ada, `${page.address}/posts`, { n: 1 });
    const changed = await ada.call('PATCH', `${page.address}/posts/${made.id}`, { body: { data: { n: 2 } } });
    await ada.call('DELETE', `${page.address}/posts/${made.id}`);
    await stream.until(3);
    expect(told(stream)).toEqual([
      { type: 'created', collection: 'posts', record: made },
      { type: 'updated', collection: 'posts', record: changed.body },
      { type: 'deleted', collection: 'posts', id: made.id },
    ]);
    expect(new Set(stream.events.filter(({ name }) => name === 'message').map(({ id }) => id)).size).toBe(3);
  });

  test('sends only events of the requested collections', async () => {
    const page = await publishApp(owner, 'social');
    const stream = await follow(page, 'a,b');
    for (const name of ['c', 'a', 'b', 'a']) await create(ada, `${page.address}/${name}`, { name });
    const other = await publishApp(owner, 'social');
    await create(ada, `${other.address}/a`, { name: 'elsewhere' });
    await create(ada, `${page.address}/b`, { name: 'last' });
    await stream.until(4);
    expect(told(stream).map((event) => (event as { collection: string }).collection)).toEqual([
      'a',
      'b',
      'a',
      'b',
    ]);
  });

  test('sends the events of a committed batch, and none of a failed one', async () => {
    const page = await publishApp(owner, 'social');
    const stream = await follow(page, 'x');
    const bad = [
      { op: 'create', data: { n: 1 } },
      { op: 'delete', id: 'nothing' },
    ];
    await ada.call('POST', `${page.address}/x/batch`, { body: { operations: bad } });
    const good = [
      { op: 'create', data: { n: 2 } },
      { op: 'create', data: { n: 3 } },
    ];
    await ada.call('POST', `${page.address}/x/batch`, { body: { operations: good } });
    await stream.until(2);
    expect(told(stream)).toMatchObject([{ record: { data: { n: 2 } } }, { record: { data: { n: 3 } } }]);
  });

  test('continues after the last event that was seen, without gap or repetition', async () => {
    const page = await publishApp(owner, 'social');
    const first = await follow(page, 'x');
    for (const n of [1, 2, 3]) await create(ada, `${page.address}/x`, { n });
    const events = await first.until(3);
    first.close();
    for (const n of [4, 5]) await create(ada, `${page.address}/x`, { n });
    const second = await follow(page, 'x', undefined, events[1]?.id);
    await create(ada, `${page.address}/x`, { n: 6 });
    await second.until(4);
    const numbers = told(second).map((event) => (event as { record: { data: { n: number } } }).record.data.n);
    expect(numbers).toEqual([3, 4, 5, 6]);
    expect(second.events.some(({ name }) => name === 'reset')).toBe(false);
  });

  test('can be continued with the id of its first event', async () => {
    const page = await publishApp(owner, 'social');
    const first = await follow(page, 'x');
    const [opening] = await first.until(1, 'open');
    first.close();
    await create(ada, `${page.address}/x`, { n: 1 });
    const second = await follow(page, 'x', undefined, opening?.id);
    await second.until(1);
    expect(told(second)).toMatchObject([{ record: { data: { n: 1 } } }]);
  });

  test('sends a reset when it cannot know what was missed', async () => {
    const page = await publishApp(owner, 'social');
    for (const id of ['another-run-5', 'nonsense', '99999999']) {
      const stream = await follow(page, 'x', undefined, id);
      expect(stream.events[0]).toMatchObject({ name: 'reset', id: expect.any(String) });
    }
    const first = await follow(page, 'x');
    const [opening] = await first.until(1, 'open');
    const operations = Array.from({ length: 100 }, (_, n) => ({ op: 'create', data: { n } }));
    for (let round = 0; round < 11; round++) {
      await ada.call('POST', `${page.address}/x/batch`, { body: { operations } });
    }
    const late = await follow(page, 'x', undefined, opening?.id);
    expect(late.events[0]?.name).toBe('reset');
  });

  test('refuses no collections, invalid ones and too many', async () => {
    const page = await publishApp(owner, 'social');
    const hundred = Array.from({ length: 100 }, (_, n) => `c${n}`).join(',');
    for (const query of [
      '',
      '?collections=',
      '?collections=A',
      '?collections=a,b-c',
      `?collections=${hundred},more`,
    ]) {
      const answer = await quire.call('GET', `/api/pages/${page.id}/events${query}`);
      expect([query, answer.status]).toEqual([query, 400]);
    }
    await follow(page, hundred);
    const plain = await owner.publish();
    const answer = await owner.call('GET', `/api/pages/${plain.id}/events?collections=a`);
    expect([answer.status, answer.body.code]).toEqual([409, 'CONFLICT']);
  });
});

describe('event access', () => {
  test('to solo data: only its owner gets events', async () => {
    const page = await publishApp(owner, 'solo');
    const [ofAda, ofBob, ofOwner] = [
      await follow(page, 'x', ada),
      await follow(page, 'x', bob),
      await follow(page, 'x', owner),
    ];
    await create(ada, `${page.address}/x`, { by: 'ada' });
    await create(bob, `${page.address}/x`, { by: 'bob' });
    await ofAda.until(1);
    await ofBob.until(1);
    expect(told(ofAda)).toMatchObject([{ record: { data: { by: 'ada' } } }]);
    expect(told(ofBob)).toMatchObject([{ record: { data: { by: 'bob' } } }]);
    expect(told(ofOwner)).toEqual([]);
  });

  test('to team data: members get events as long as they are in the team', async () => {
    const page = await publishApp(owner, 'team');
    for (const user of [ada, bob]) await join(quire, owner, page, user, 'viewer');
    const [ofAda, ofBob] = [await follow(page, 'x', ada), await follow(page, 'x', bob)];
    await create(owner, `${page.address}/x`, { n: 1 });
    await Promise.all([ofAda.until(1), ofBob.until(1)]);
    await owner.call('DELETE', `/api/pages/${page.id}/team/${bob.id}`);
    await create(owner, `${page.address}/x`, { n: 2 });
    await ofBob.ended;
    await ofAda.until(2);
    expect(told(ofBob).length).toBe(1);
    const again = await bob.call('GET', `/api/pages/${page.id}/events?collections=x`);
    expect([again.status, again.body.code]).toEqual([403, 'FORBIDDEN']);
    // A role change that still allows reading ends nothing.
    await owner.call('PATCH', `/api/pages/${page.id}/team/${ada.id}`, { body: { role: 'member' } });
    await create(owner, `${page.address}/x`, { n: 3 });
    await ofAda.until(3);
  });

  test('ends when the page becomes a draft, changes its mode, or is deleted', async () => {
    const ends: Array<(page: DataPage) => Promise<unknown>> = [
      (page) => owner.call('PATCH', `/api/pages/${page.id}`, { body: { is_published: false } }),
      (page) => owner.call('PATCH', `/api/pages/${page.id}`, { body: { storage_mode: 'page' } }),
      (page) => owner.call('PATCH', `/api/pages/${page.id}`, { body: { storage_mode: 'solo_app' } }),
      (page) => owner.call('DELETE', `/api/pages/${page.id}`),
    ];
    for (const end of ends) {
      const page = await publishApp(owner, 'social');
      const stream = await follow(page, 'x', bob);
      await end(page);
      await stream.ended;
    }
  });

  test('of the owner goes on after access has ended, without checking that again and again', async () => {
    const page = await publishApp(owner, 'social');
    const access = { mode: 'public', expires_at: '2020-01-01T00:00:00Z' };
    await owner.call('PATCH', `/api/pages/${page.id}`, { body: { access } });
    using timers = spyOn(globalThis, 'setTimeout');
    const stream = await follow(page, 'x', owner);
    for (let count = 0; count < 50; count++) await create(owner, `${page.address}/x`, { count });
    await stream.until(50);
    expect(timers.mock.calls.filter(([, waitMs]) => waitMs === 0).length).toBeLessThan(5);
  });

  test('is not affected by unrelated changes of the page', async () => {
    const page = await publishApp(owner, 'social');
    const stream = await follow(page, 'x');
    await owner.call('PATCH', `/api/pages/${page.id}`, { body: { name: 'Another name' } });
    await create(ada, `${page.address}/x`, {});
    await stream.until(1);
  });
});

test('streams end when the service stops', async () => {
  const other = await testApp();
  const user = await other.user();
  const page = await publishApp(user, 'social');
  const response = await other.request(`/api/pages/${page.id}/events?collections=x`);
  const reading = readEvents(response);
  await reading.until(1, 'open');
  other.app.endStreams();
  await reading.ended;
  await other.stop();
});
