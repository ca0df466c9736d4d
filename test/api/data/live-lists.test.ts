import { afterAll, afterEach, beforeAll, describe, expect, spyOn, test } from 'bun:test';
import { MAX_LIVE_QUERIES } from '../../../contract/live/limits.ts';
import { RestingQueue } from '../../../server/lib/live/rerun.ts';
import {
  MAX_LISTS_OF_ADDRESS,
  MAX_LISTS_PER_PAGE,
} from '../../../server/product/data/live-lists/page-lists.ts';
import { type TestApp, type TestUser, testApp } from '../../support/app.ts';
import { create, join, publishApp } from '../../support/data/data.ts';
import { type LiveTab, openLists, requestLists } from '../../support/data/live-lists.ts';
import { waitUntil } from '../../support/server.ts';

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

const tabs: LiveTab[] = [];
afterEach(() => {
  for (const tab of tabs.splice(0)) tab.close();
});

type Given = Parameters<typeof openLists>[2];
async function open(page: { id: number }, lists: Given, user?: TestUser): Promise<LiveTab> {
  const tab = await openLists(quire, page.id, lists, user);
  tabs.push(tab);
  return tab;
}

const change = (user: TestUser, address: string, n: unknown) =>
  user.call('PATCH', address, { body: { data: { n } } });

describe('a live list', () => {
  test('is sent when it opens, and then what changes in it', async () => {
    const page = await publishApp(owner, 'social');
    const first = await create(ada, `${page.address}/x`, { n: 1 });
    const tab = await open(page, [{ collection: 'x' }]);
    await tab.untilShows([1]);
    await create(bob, `${page.address}/x`, { n: 2 });
    await tab.untilShows([2, 1]);
    await change(ada, `${page.address}/x/${first.id}`, 3);
    await tab.untilShows([2, 3]);
    await ada.call('DELETE', `${page.address}/x/${first.id}`);
    await tab.untilShows([2]);
    expect(tab.shown.get('0')?.total).toBe(1);
    const [whole, ...changes] = tab.events;
    expect(whole).toMatchObject({ records: [{ data: { n: 1 } }] });
    expect(changes).toMatchObject([
      { removed: [], put: [{ at: 0, record: { data: { n: 2 } } }] },
      { removed: [], put: [{ at: 1, record: { data: { n: 3 } } }] },
      { removed: [first.id], put: [] },
    ]);
  });

  test('of a search follows what it finds, with the words marked', async () => {
    const page = await publishApp(owner, 'social');
    const schema = { fields: { n: { type: 'string' } }, search: ['n'] };
    expect((await owner.call('PUT', `${page.address}/x/schema`, { body: { schema } })).status).toBe(200);
    await waitUntil(async () => {
      const { body } = await owner.call('GET', `${page.address}/x/schema`);
      return body.search?.state === 'ready';
    });
    const tab = await open(page, [{ collection: 'x', query: { q: 'soup' } }]);
    await tab.untilShows([]);
    const { id } = await create(ada, `${page.address}/x`, { n: 'Tomato soup' });
    await tab.untilShows(['Tomato soup']);
    expect(tab.shown.get('0')?.records).toMatchObject([
      {
        marks: [
          {
            field: 'n',
            pieces: [
              { text: 'Tomato ', hit: false },
              { text: 'soup', hit: true },
            ],
          },
        ],
      },
    ]);
    await create(ada, `${page.address}/x`, { n: 'Salad' });
    await change(ada, `${page.address}/x/${id}`, 'Bread');
    await tab.untilShows([]);
  });

  test('is sent only if a change is about it', async () => {
    const page = await publishApp(owner, 'social');
    const queries = [
      { where: { n: { gte: 10 } } },
      { where: { n: { lt: 10 } }, order: 'asc' },
      { where: { kind: 'none' } },
      { limit: 1, orderBy: 'data.n', order: 'desc' },
    ];
    const tab = await open(
      page,
      queries.map((query) => ({ collection: 'x', query })),
    );
    await tab.until(({ shown }) => shown.size === queries.length);
    const before = tab.events.length;
    const record = await create(ada, `${page.address}/x`, { n: 5 });
    await tab.untilShows([5], '1');
    await tab.untilShows([5], '3');
    await change(ada, `${page.address}/x/${record.id}`, 12);
    await tab.untilShows([12], '0');
    await tab.untilShows([], '1');
    await tab.untilShows([12], '3');
    await create(ada, `${page.address}/x`, { n: 11 });
    await tab.untilShows([11, 12], '0');
    await tab.until(({ shown }) => shown.get('3')?.total === 2 && shown.get('3')?.hasMore === true);
    const told = tab.events.slice(before).map(({ id }) => id);
    expect(told).not.toContain('2');
    expect(told.filter((id) => id === '1')).toHaveLength(2);
  });

  test('ends for one who loses the right to read, and never shows what came later', async () => {
    const page = await publishApp(owner, 'team');
    await join(quire, owner, page, ada, 'member');
    await join(quire, owner, page, bob, 'member');
    const [hers, his] = [
      await open(page, [{ collection: 'x' }], ada),
      await open(page, [{ collection: 'x' }], bob),
    ];
    await create(ada, `${page.address}/x`, { n: 'for both' });
    for (const tab of [hers, his]) await tab.untilShows(['for both']);
    const removed = await owner.call('DELETE', `/api/pages/${page.id}/team/${bob.id}`);
    expect(removed.status).toBe(204);
    await create(ada, `${page.address}/x`, { n: 'secret' });
    await hers.untilShows(['secret', 'for both']);
    await his.reading.ended;
    expect(JSON.stringify(his.reading.events)).not.toContain('secret');
    expect((await requestLists(quire, page.id, [{ collection: 'x' }], bob)).status).toBe(403);
    expect((await requestLists(quire, page.id, [{ collection: 'x' }])).status).toBe(401);
  });

  test('shows a stranger only what the rules of the collection allow, also after they change', async () => {
    const page = await publishApp(owner, 'social');
    const rule = (read: string) =>
      owner.call('PUT', `${page.address}/x/schema`, { body: { schema: { fields: {}, rules: { read } } } });
    await create(ada, `${page.address}/x`, { n: 'public' });
    const lists = [{ collection: 'x' }, { collection: 'y' }];
    const [guest, his, hers] = [
      await open(page, lists),
      await open(page, lists, bob),
      await open(page, lists, ada),
    ];
    for (const tab of [guest, his, hers]) await tab.untilShows(['public']);
    expect((await rule('author')).status).toBe(200);
    await create(ada, `${page.address}/x`, { n: 'secret' });
    await create(bob, `${page.address}/x`, { n: 'his' });
    await hers.untilShows(['secret', 'public']);
    await his.untilShows(['his']);
    await guest.until(({ refused }) => refused.get('0')?.status === 401);
    expect((await rule('owner')).status).toBe(200);
    for (const tab of [his, hers]) await tab.until(({ refused }) => refused.get('0')?.code === 'FORBIDDEN');
    await create(owner, `${page.address}/x`, { n: 'hidden' });
    // What they still can read goes on.
    await create(ada, `${page.address}/y`, { n: 1 });
    for (const tab of [guest, his, hers]) {
      await tab.untilShows([1], '1');
      expect(JSON.stringify(tab.events)).not.toContain('hidden');
    }
    for (const tab of [guest, his]) expect(JSON.stringify(tab.events)).not.toContain('secret');
  });

  test('has only the own records of each visitor in solo mode, and with mine', async () => {
    const solo = await publishApp(owner, 'solo');
    const [hers, his] = [
      await open(solo, [{ collection: 'x' }], ada),
      await open(solo, [{ collection: 'x' }], bob),
    ];
    await create(ada, `${solo.address}/x`, { n: 'hers' });
    await create(bob, `${solo.address}/x`, { n: 'his' });
    await hers.untilShows(['hers']);
    await his.untilShows(['his']);
    expect((await requestLists(quire, solo.id, [{ collection: 'x' }])).status).toBe(401);
    const social = await publishApp(owner, 'social');
    const mine = [{ collection: 'x', query: { mine: true } }, { collection: 'x' }];
    const [own, guest] = [await open(social, mine, ada), await open(social, mine)];
    await create(bob, `${social.address}/x`, { n: 1 });
    await create(ada, `${social.address}/x`, { n: 2 });
    await own.untilShows([2], '0');
    for (const tab of [own, guest]) await tab.untilShows([2, 1], '1');
    expect(guest.refused.get('0')).toMatchObject({
      status: 401,
      error: 'Log in first to find your own records.',
    });
  });

  test('is read once for all readers with equal rights, and each change once more', async () => {
    const page = await publishApp(owner, 'social');
    await create(owner, `${page.address}/x`, { n: 0 });
    // Every read of a list waits here for its turn.
    using reads = spyOn(RestingQueue.prototype, 'add');
    const all = await Promise.all(
      [ada, bob, undefined].flatMap((user) =>
        Array.from({ length: 10 }, () => open(page, [{ collection: 'x' }], user)),
      ),
    );
    for (const tab of all) await tab.untilShows([0]);
    expect(reads).toHaveBeenCalledTimes(1);
    await create(bob, `${page.address}/x`, { n: 1 });
    for (const tab of all) await tab.untilShows([1, 0]);
    expect(reads).toHaveBeenCalledTimes(2);
    // What they may read is not the same here.
    const mine = [{ collection: 'x', query: { mine: true } }];
    const own = await Promise.all([ada, ada, bob, bob].map((user) => open(page, mine, user)));
    for (const [at, tab] of own.entries()) await tab.untilShows(at < 2 ? [] : [1]);
    expect(reads).toHaveBeenCalledTimes(4);
  });

  test('is not sent again to a tab that has it, but when it is another one', async () => {
    const page = await publishApp(owner, 'social');
    await create(ada, `${page.address}/x`, { n: 1 });
    const tab = await open(page, [{ collection: 'x' }]);
    await tab.untilShows([1]);
    const before = structuredClone(tab.shown.get('0') as NonNullable<ReturnType<typeof tab.shown.get>>);
    const known = before.hash;
    const again = await open(page, [{ collection: 'x', known }, { collection: 'x' }]);
    await again.untilShows([1], '1');
    expect(again.events.map(({ id }) => id)).toEqual(['1']);
    again.close();
    await create(ada, `${page.address}/x`, { n: 2 });
    await tab.untilShows([2, 1]);
    // Another tab shows it, so that the change is known. Then nobody does.
    for (const isShared of [true, false]) {
      if (!isShared) tab.close();
      const shown = new Map([['0', structuredClone(before)]]);
      const later = await openLists(quire, page.id, [{ collection: 'x', known }], undefined, shown);
      tabs.push(later);
      await later.untilShows([2, 1]);
      expect(later.events).toHaveLength(1);
      later.close();
    }
  });

  test('ends with its page', async () => {
    const page = await publishApp(owner, 'social');
    const tab = await open(page, [{ collection: 'x' }]);
    await tab.untilShows([]);
    await owner.call('DELETE', `/api/pages/${page.id}`);
    await tab.reading.ended;
    expect((await requestLists(quire, page.id, [{ collection: 'x' }])).status).toBe(404);
  });
});

describe('a request for live lists', () => {
  test(`takes ${MAX_LIVE_QUERIES}, and refuses one more with a sentence`, async () => {
    const page = await publishApp(owner, 'social');
    const lists = Array.from({ length: MAX_LIVE_QUERIES }, (_, n) => ({
      collection: 'x',
      query: { where: { n } },
    }));
    const tab = await open(page, lists);
    await tab.until(({ shown }) => shown.size === MAX_LIVE_QUERIES);
    const refused = await requestLists(quire, page.id, [...lists, { collection: 'x' }]);
    expect(refused.status).toBe(400);
    expect(await refused.text()).toContain(
      `has more than ${MAX_LIVE_QUERIES} live lists: end some of them first`,
    );
  });

  test(`is one of ${MAX_LISTS_OF_ADDRESS} different ones from an address, and one more is refused`, async () => {
    const page = await publishApp(owner, 'social');
    const toList = (n: number) => ({ collection: 'x', query: { where: { n } } });
    for (let from = 0; from < MAX_LISTS_OF_ADDRESS; from += MAX_LIVE_QUERIES) {
      const count = Math.min(MAX_LIVE_QUERIES, MAX_LISTS_OF_ADDRESS - from);
      const tab = await open(
        page,
        Array.from({ length: count }, (_, n) => toList(from + n)),
      );
      await tab.until(({ shown }) => shown.size === count);
    }
    const last = await open(page, [toList(0), toList(-1)]);
    await last.until(({ shown, refused }) => shown.size === 1 && refused.size === 1);
    expect(last.refused.get('1')).toMatchObject({ status: 429, code: 'RATE_LIMITED' });
  });

  test(`is one of ${MAX_LISTS_PER_PAGE} different ones of a page, and one more is refused until one ends`, async () => {
    const page = await publishApp(owner, 'social');
    const openFrom = async (peer: string, numbers: number[]) => {
      const from: typeof quire.request = (path, init) => quire.request(path, { ...init, peer });
      const lists = numbers.map((n) => ({ collection: 'x', query: { where: { n } } }));
      const tab = await openLists({ request: from }, page.id, lists);
      tabs.push(tab);
      await tab.until(({ shown, refused }) => shown.size + refused.size > 0);
      return tab;
    };
    for (let from = 0; from < MAX_LISTS_PER_PAGE; from += 10) {
      const peer = `10.8.0.${Math.floor(from / MAX_LISTS_OF_ADDRESS)}`;
      const tab = await openFrom(
        peer,
        Array.from({ length: 10 }, (_, n) => from + n),
      );
      expect(tab.refused.size).toBe(0);
    }
    const refused = (await openFrom('10.8.0.9', [-1])).refused.get('0');
    expect(refused).toMatchObject({ status: 429, code: 'RATE_LIMITED' });
    expect(refused?.error).toContain('1,000 different live lists');
    // An equal one is no other one.
    expect((await openFrom('10.8.0.9', [0])).refused.size).toBe(0);
    tabs[tabs.length - 3]?.close();
    while ((await openFrom('10.8.0.9', [-1])).refused.size > 0);
  }, 120_000);

  test('of large records is refused when those of its page, or of one address, take too much memory', async () => {
    const page = await publishApp(owner, 'social');
    const text = 'x'.repeat(200_000);
    const operations = Array.from({ length: 20 }, (_, n) => ({ op: 'create', data: { n, text } }));
    for (let round = 0; round < 4; round++) {
      const part = operations.slice(round * 5, round * 5 + 5);
      const stored = await ada.call('POST', `${page.address}/x/batch`, { body: { operations: part } });
      expect(stored.status).toBe(200);
    }
    // Each has nearly 8 MB, as much as one address gets, and those of a page have 32 MB.
    const isRefused = async (n: number, peer: string) => {
      const from: typeof quire.request = (path, init) => quire.request(path, { ...init, peer });
      const tab = await openLists({ request: from }, page.id, [
        { collection: 'x', query: { limit: 50 + n } },
      ]);
      tabs.push(tab);
      await tab.until(({ shown, refused }) => shown.size + refused.size === 1);
      const refused = tab.refused.get('0');
      if (refused) expect(refused).toMatchObject({ status: 429, code: 'RATE_LIMITED' });
      return refused !== undefined;
    };
    for (const n of [1, 2, 3, 4]) {
      expect(await isRefused(n, `10.6.0.${n}`)).toBe(false);
      expect(await isRefused(10 + n, `10.6.0.${n}`)).toBe(true);
    }
    expect(await isRefused(5, '10.6.0.5')).toBe(true);
    expect(await isRefused(4, '10.6.0.5')).toBe(false);
  });

  test('refuses a wrong list for itself', async () => {
    const page = await publishApp(owner, 'social');
    const wrong = [
      { collection: 'No' },
      { collection: 'x', query: { limit: 101 } },
      { collection: 'x', query: { where: { n: { like: 1 } } } },
      { collection: 'x', query: { orderBy: 'n' } },
      { collection: 'x', query: { sort: 'n' } },
      { collection: 'x', query: { after: 'nothing' } },
    ];
    const tab = await open(page, [...wrong, { collection: 'x' }]);
    await tab.until(({ refused, shown }) => refused.size === wrong.length && shown.size === 1);
    for (const { status, code, error } of tab.refused.values()) {
      expect({ status, code }).toEqual({ status: 400, code: 'BAD_REQUEST' });
      expect(error).not.toBe('');
    }
    const alone = await requestLists(quire, page.id, [{ collection: 'x', query: { limit: 101 } }]);
    expect(alone.status).toBe(400);
  });

  test('is refused in a page without data, and for a page that the caller cannot see', async () => {
    const plain = await owner.publish({ name: 'No data' });
    expect((await requestLists(quire, plain.id, [{ collection: 'x' }])).status).toBe(409);
    const draft = await publishApp(owner, 'social', { is_published: false });
    expect((await requestLists(quire, draft.id, [{ collection: 'x' }], ada)).status).toBe(404);
  });
});
