import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { TestApp, TestUser } from '../../support/app.ts';
import { type BranchApp, branchApp } from '../../support/branches/branches.ts';
import { create, join, type Mode } from '../../support/data/data.ts';
import { openLists } from '../../support/data/live-lists.ts';
import { ask, findTitles, isBuilt, publishSearched, SEARCHED } from '../../support/data/search.ts';
import { waitUntil } from '../../support/server.ts';

/** Searches show only what their reader may read, and no words harm them. */

let app: BranchApp;
let quire: TestApp;
let owner: TestUser;
let ada: TestUser;
let bob: TestUser;
let stranger: TestUser;
beforeAll(async () => {
  app = await branchApp();
  ({ quire, owner, stranger } = app);
  ada = await quire.user('ada');
  bob = await quire.user('bob');
});
afterAll(() => quire.stop());

const publish = (mode: Mode, schema?: object) => publishSearched(owner, mode, schema);
const find = (address: string, q: string, user = owner) => findTitles(user, address, q);

describe('a search never finds what its reader cannot read', () => {
  /** Asks in every way, with somebody else's record as a place to go on from. */
  async function expectOnly(user: TestUser, notes: string, own: string, others: { id: string }) {
    for (const more of [
      {},
      { limit: '1' },
      { order: 'asc' },
      { orderBy: 'updated_at' },
      { orderBy: 'data.title' },
      { where: '{"title":{"contains":"soup"}}' },
      { where: '{"or":[{"title":{"exists":true}},{"note":"x"}]}' },
      { mine: 'true' },
    ]) {
      const { body } = await ask(user, notes, { q: 'soup', ...more });
      expect([more, body.total, body.hasMore]).toEqual([more, 1, false]);
      expect([more, JSON.stringify(body)]).not.toEqual([more, expect.stringContaining('secret')]);
      expect(body.records[0].data.title).toBe(own);
    }
    for (const cursor of ['after', 'before'])
      for (const orderBy of ['created_at', 'updated_at', 'data.title']) {
        const { body } = await ask(user, notes, { q: 'soup', [cursor]: others.id, orderBy });
        expect(JSON.stringify(body)).not.toContain('secret');
        expect(body.total ?? 1).toBe(1);
      }
    for (const q of ['secret', 'sec', '"secret soup"', 'soup secret'])
      expect(await find(notes, q, user)).toEqual([]);
    expect((await ask(user, `${notes}/count`, { q: 'soup', groupBy: 'title' })).body).toEqual({
      count: 1,
      groups: [{ value: own, count: 1 }],
    });
  }

  test('private records of others', async () => {
    const { page, notes } = await publish('solo');
    const secret = await create(ada, notes, { title: 'secret soup' });
    await create(bob, notes, { title: 'my soup' });
    await create(owner, notes, { title: 'our soup' });
    await expectOnly(bob, notes, 'my soup', secret);
    await expectOnly(owner, notes, 'our soup', secret);
    expect(await find(notes, 'soup', stranger)).toEqual([]);
    expect((await quire.call('GET', `${notes}?q=soup`)).status).toBe(401);
    expect((await quire.call('GET', `${notes}/count?q=soup`)).status).toBe(401);
    const tab = await openLists(quire, page.id, [{ collection: 'notes', query: { q: 'soup' } }], bob);
    await tab.until(({ shown }) => shown.get('0')?.total === 1);
    await create(ada, notes, { title: 'another secret soup' });
    await create(bob, notes, { title: 'second soup' });
    await tab.until(({ shown }) => shown.get('0')?.total === 2);
    expect(JSON.stringify(tab.reading.events)).not.toContain('secret');
    tab.close();
  });

  test('records that a rule hides', async () => {
    const { page, notes } = await publish('team', { ...SEARCHED, rules: { read: 'author' } });
    for (const user of [ada, bob]) await join(quire, owner, page, user, 'member');
    const secret = await create(ada, notes, { title: 'secret soup' });
    await create(bob, notes, { title: 'my soup' });
    await expectOnly(bob, notes, 'my soup', secret);
    expect(await find(notes, 'soup')).toEqual(['my soup', 'secret soup']);
  });

  test('refuses as if there were no search', async () => {
    const { page, notes } = await publish('team', { ...SEARCHED, rules: { read: 'member' } });
    const plain = `${page.address}/plain`;
    await owner.call('PUT', `${plain}/schema`, { body: { schema: { rules: { read: 'member' } } } });
    await create(owner, notes, { title: 'secret soup' });
    await join(quire, owner, page, bob, 'viewer');
    for (const user of [bob, stranger])
      for (const path of ['', '/count']) {
        const [there, none] = [`${notes}${path}?q=soup`, `${plain}${path}?q=soup`];
        const [one, two] = [await user.call('GET', there), await user.call('GET', none)];
        expect([one.status, one.body]).toEqual([403, two.body]);
      }
    await owner.call('PATCH', `/api/pages/${page.id}/team/${bob.id}`, { body: { role: 'member' } });
    expect(await find(notes, 'soup', bob)).toEqual(['secret soup']);
    await owner.call('DELETE', `/api/pages/${page.id}/team/${bob.id}`);
    expect((await ask(bob, notes, { q: 'soup' })).status).toBe(403);
  });

  test('of a page that somebody cannot see', async () => {
    const { page, notes } = await publish('social');
    await create(ada, notes, { title: 'secret soup' });
    expect(await find(notes, 'soup', stranger)).toEqual(['secret soup']);
    await owner.call('PATCH', `/api/pages/${page.id}`, { body: { access: { mode: 'private' } } });
    for (const path of ['', '/count']) {
      const refused = await ask(stranger, `${notes}${path}`, { q: 'soup' });
      expect([401, 403, 404]).toContain(refused.status);
      expect(refused.body).toEqual((await ask(stranger, `${notes}${path}`, {})).body);
    }
  });

  test('of a branch, or of the page that it is of', async () => {
    const { page, notes } = await publish('social');
    await create(ada, notes, { title: 'tomato soup' });
    const branch = await app.branch(page.id, 'try');
    const copy = `/api/pages/${branch.page.id}/social-data/notes`;
    await waitUntil(() => isBuilt(owner, copy));
    expect(await find(copy, 'soup')).toEqual(['tomato soup']);
    await create(owner, copy, { title: 'soup of the branch' });
    await create(owner, notes, { title: 'soup of the page' });
    expect(await find(copy, 'soup')).toEqual(['soup of the branch', 'tomato soup']);
    expect(await find(notes, 'soup')).toEqual(['soup of the page', 'tomato soup']);
  });
});

describe('hostile words', () => {
  let notes: string;
  beforeAll(async () => {
    ({ notes } = await publish('social'));
    await create(ada, notes, { title: 'soup' });
  });

  const FOUND = [
    '"',
    '*',
    '""',
    '-',
    '()',
    '!!!',
    '\u200f\u202e',
    ' ',
    '" "',
    '\ufeff',
    '\u0301',
    '\u{10ffff}',
  ];
  test.each([
    ...[
      'soup*',
      '"soup',
      'soup"',
      '(soup)',
      '^soup',
      '-soup',
      '+soup',
      'soup:*',
      "'soup'",
      '\u202esoup\u202c',
    ],
    ...['soup\\', 'soup;', '{soup}', 'soup || soup', 'soup/**/', '“soup”', 'soup '.repeat(20)],
  ])('%j finds the word in it', async (q) => {
    expect(await find(notes, q)).toEqual(['soup']);
  });
  test.each(FOUND)('%j has no word', async (q) => {
    expect(await find(notes, q)).toHaveLength(q.trim() === '' ? 1 : 0);
  });
  test.each([
    ...[
      'NEAR(soup other, 2)',
      'title:other',
      'soup NOT soup',
      'soup AND NOT x',
      "soup' OR '1'='1",
      '%soup%x',
    ],
    ...[
      'a-'.repeat(100),
      '一'.repeat(200),
      '\u0301'.repeat(150),
      '🇩'.repeat(100),
      'ﷺ'.repeat(200),
      'ŀ'.repeat(200),
    ],
    ...[
      '"a" '.repeat(20),
      '"'.repeat(200),
      '"*" AND',
      "';drop table records;--",
      '0x0xsoup',
      '1x0x',
      '\\\\:*',
    ],
  ])('%j finds nothing', async (q) => {
    expect(await find(notes, q)).toEqual([]);
  });
  test.each([
    ['more than 20 words', 'a '.repeat(21)],
    ['more than 200 characters', 'x'.repeat(201)],
    ['a character that no text can have', 'soup\u0000'],
    ['10,000 words', 'soup '.repeat(10_000)],
    ['1 MB', 'x'.repeat(1_000_000)],
  ])('%s are refused', async (_, q) => {
    for (const path of ['', '/count']) {
      const { status, body } = await ask(ada, `${notes}${path}`, { q });
      expect([path, status]).toEqual([path, 400]);
      expect(JSON.stringify(body).length).toBeLessThan(1_000);
    }
  });
  test('that are half of a character are refused or find nothing', async () => {
    for (const bytes of ['%ed%a0%80', '%ff', '%c0%80', '%']) {
      const { status } = await ada.call('GET', `${notes}?q=${bytes}`);
      expect([200, 400]).toContain(status);
    }
  });
  test('a letter with thousands of marks is stored and found at once', async () => {
    const { notes } = await publish('social');
    const title = `soup a${'\u0315\u0300'.repeat(9_990)}`;
    const operations = Array.from({ length: 40 }, () => ({ op: 'create', data: { title } }));
    expect((await owner.call('POST', `${notes}/batch`, { body: { operations } })).status).toBe(200);
    expect(await find(notes, 'soup a')).toHaveLength(40);
  });
});

test('marks are pieces of the text as it is', async () => {
  const { notes } = await publish('social');
  const title = '<img src=x onerror=alert(1)> soup & <b>soup</b> "soup"';
  await create(ada, notes, { title, note: 'soup' });
  const { body } = await ask(ada, notes, { q: 'soup' });
  const [{ field, pieces }, ...others] = body.records[0].marks;
  expect([field, others]).toEqual(['title', []]);
  expect(pieces.map(({ text }: { text: string }) => text).join('')).toBe(title);
  expect(pieces.filter(({ hit }: { hit: boolean }) => hit)).toEqual(
    Array(3).fill({ text: 'soup', hit: true }),
  );
});

test('marks end where the search ends', async () => {
  const { notes } = await publish('social', { ...SEARCHED, search: ['title', 'note'] });
  await create(ada, notes, { title: `soup ${'x '.repeat(9_995)}`, note: 'soup soup' });
  const { body } = await ask(ada, notes, { q: 'soup' });
  expect(body.records[0].marks).toEqual([
    expect.objectContaining({ field: 'title' }),
    {
      field: 'note',
      pieces: [
        { text: 'soup', hit: true },
        { text: ' soup', hit: false },
      ],
    },
  ]);
});
