import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { type Administrator, administrator } from '../../support/accounts/administrator.ts';
import { type PublishedPage, type TestApp, type TestUser, testApp } from '../../support/app.ts';

/** Pages that their owners show to everyone: what gets into the gallery, what leaves it, and who decides. */

let quire: TestApp;
let boss: Administrator;
let owner: TestUser;
beforeAll(async () => {
  quire = await testApp();
  boss = await administrator(quire, 'boss');
  owner = await quire.user('ada');
});
afterAll(() => quire.stop());

const patch = (page: PublishedPage, body: Record<string, unknown>) =>
  owner.call('PATCH', `/api/pages/${page.id}`, { body });
const list = async (page: PublishedPage) => expect((await patch(page, { is_listed: true })).status).toBe(200);
const gallery = async (query = '') => (await quire.call('GET', `/api/gallery${query}`)).body;
const names = async () => (await gallery('?limit=48')).pages.map(({ name }: { name: string }) => name);
const isListed = async (page: PublishedPage) =>
  (await owner.call('GET', `/api/pages/${page.id}`)).body.page.is_listed;

test('a listed page is shown to strangers with its author, and can be forked', async () => {
  const page = await owner.publish({
    name: 'Quince',
    description: 'About quinces',
    storage_mode: 'social_app',
  });
  expect(await names()).not.toContain('Quince');
  await list(page);
  const { pages } = await gallery();
  expect(pages[0]).toEqual({
    id: page.id,
    name: 'Quince',
    description: 'About quinces',
    author: 'ada',
    url: page.url,
    picture: null,
    preview_image: null,
    storage_mode: 'social_app',
    topic: 'other',
    views: 0,
    listed_at: expect.any(String),
    can_fork: true,
  });
  expect(await isListed(page)).toBe(true);
  const stranger = await quire.user();
  const fork = await stranger.call('POST', `/api/pages/${page.id}/fork`);
  expect(fork.status).toBe(201);
  // A copy is listed only by its new owner.
  expect((await stranger.call('GET', `/api/pages/${fork.body.page.id}`)).body.page.is_listed).toBe(false);
});

const CLOSINGS: Array<[string, Record<string, unknown>, RegExp]> = [
  ['a draft', { is_published: false }, /Publish it/],
  ['unlisted', { is_unlisted: true }, /is_unlisted to false/],
  ['private', { access: { mode: 'private' } }, /access to public/],
  [
    'only for people with a password',
    { access: { mode: 'password', password: 'open sesame' } },
    /access to public/,
  ],
  [
    'public until a moment',
    { access: { mode: 'public', expires_at: '2099-01-01T00:00:00Z' } },
    /expires_at to null/,
  ],
];

describe.each(CLOSINGS)('a page that is %s', (what, change, advice) => {
  test('cannot be listed: the error says what to do', async () => {
    const page = await owner.publish({ name: `Never ${what}` });
    await patch(page, change);
    const answer = await patch(page, { is_listed: true });
    expect(answer).toMatchObject({
      status: 409,
      body: { code: 'CONFLICT', error: expect.stringMatching(advice) },
    });
    expect(await names()).not.toContain(`Never ${what}`);
  });

  test('leaves the gallery, and does not come back by itself', async () => {
    const page = await owner.publish({ name: `Once ${what}` });
    await list(page);
    expect(await names()).toContain(`Once ${what}`);
    await patch(page, change);
    expect(await names()).not.toContain(`Once ${what}`);
    await patch(page, {
      is_published: true,
      is_unlisted: false,
      access: { mode: 'public', expires_at: null },
    });
    expect(await isListed(page)).toBe(false);
    await list(page);
    expect(await names()).toContain(`Once ${what}`);
  });
});

test('one request can publish a page and list it, or neither', async () => {
  const page = await owner.publish({ name: 'Both', is_published: false });
  expect((await patch(page, { name: 'Neither', is_unlisted: true, is_listed: true })).status).toBe(409);
  expect((await patch(page, { is_published: true, is_listed: true })).status).toBe(200);
  expect(await names()).toContain('Both');
  await patch(page, { is_listed: false });
  expect(await names()).not.toContain('Both');
});

test('pages that are taken down and pages of suspended owners are hidden until they are restored', async () => {
  const page = await owner.publish({ name: 'Zanzibar' });
  await list(page);
  const reason = { reason: 'spam' };
  await boss.admin('POST', `/api/admin/pages/${page.id}/take-down`, reason);
  expect(await names()).not.toContain('Zanzibar');
  await boss.admin('POST', `/api/admin/pages/${page.id}/restore`);
  expect(await names()).toContain('Zanzibar');
  await boss.admin('POST', `/api/admin/users/${owner.id}/suspend`, reason);
  expect((await gallery()).total).toBe(0);
  await boss.admin('POST', `/api/admin/users/${owner.id}/restore`);
  expect(await names()).toContain('Zanzibar');
});

describe('an administrator', () => {
  test('removes a page from the gallery, with a reason that the owner sees, and can allow it again', async () => {
    const ben = await quire.user('ben');
    const page = await ben.publish({ name: 'Bank' });
    const path = `/api/pages/${page.id}`;
    await ben.call('PATCH', path, { body: { is_listed: true } });
    const removed = await boss.admin('POST', `/api/admin/pages/${page.id}/gallery/remove`, {
      reason: 'An advert.',
    });
    expect(removed.status).toBe(200);
    expect(await names()).not.toContain('Bank');
    expect((await ben.call('GET', path)).body.page).toMatchObject({
      is_listed: false,
      is_published: true,
      removed_from_gallery: { reason: 'An advert.' },
    });
    const again = await ben.call('PATCH', path, { body: { is_listed: true } });
    expect(again).toMatchObject({ status: 409, body: { error: expect.stringContaining('An advert.') } });
    await boss.admin('POST', `/api/admin/pages/${page.id}/gallery/allow`);
    expect(await names()).not.toContain('Bank');
    expect((await ben.call('PATCH', path, { body: { is_listed: true } })).status).toBe(200);
    const { entries } = (await boss.admin('GET', '/api/admin/audit?action=page.')).body;
    expect(entries.slice(0, 2)).toMatchObject([
      { action: 'page.allow_in_gallery', target: { name: page.slug } },
      { action: 'page.remove_from_gallery', details: { reason: 'An advert.' } },
    ]);
    const { pages } = (await boss.admin('GET', '/api/admin/pages?state=listed&owner=ben')).body;
    expect(pages).toMatchObject([{ id: page.id, isListed: true, removedFromGallery: null }]);
  });

  test('is the only one who can', async () => {
    const [page] = (await gallery()).pages;
    const path = `/api/admin/pages/${page.id}/gallery/remove`;
    const stranger = await quire.user();
    expect((await stranger.call('POST', path, { body: { reason: 'x' } })).status).toBe(403);
    expect((await boss.admin('POST', '/api/admin/pages/999999/gallery/remove', { reason: 'x' })).status).toBe(
      404,
    );
  });
});

describe('the list', () => {
  test('is paged from the newest, and searched by name, description and author', async () => {
    const eve = await quire.user('eve');
    for (const name of ['First', 'Second', 'Third']) {
      const page = await eve.publish({ name, description: name === 'First' ? 'A %tree% of eve' : '' });
      quire.advance(1000);
      await eve.call('PATCH', `/api/pages/${page.id}`, { body: { is_listed: true } });
    }
    const fetchNames = async (query: string) =>
      (await gallery(query)).pages.map(({ name }: { name: string }) => name);
    expect(await fetchNames('?q=EVE')).toEqual(['Third', 'Second', 'First']);
    expect(await fetchNames('?q=%25tree%25')).toEqual(['First']);
    expect(await gallery('?q=eve&limit=1&offset=1')).toMatchObject({
      total: 3,
      limit: 1,
      offset: 1,
      pages: [{ name: 'Second' }],
    });
    expect(await gallery('?q=nothing-like-this')).toMatchObject({ total: 0, pages: [] });
  });

  test.each([
    '?limit=48&offset=10000',
    '?topic=cats',
    '?topic=',
    '?order=worst',
    '?limit=49',
    '?offset=10001',
    `?q=${'x'.repeat(101)}`,
  ])('is bounded: %p', async (query) => {
    const { status } = await quire.call('GET', `/api/gallery${query}`);
    expect(status).toBe(query.endsWith('=10000') ? 200 : 400);
  });

  test('has topics and orders, together with a search', async () => {
    const zoe = await quire.user('zoe');
    const made: PublishedPage[] = [];
    for (const [name, topic] of [
      ['Zoe one', 'games'],
      ['Zoe two', 'art'],
      ['Zoe three', 'games'],
    ]) {
      const page = await zoe.publish({ name });
      quire.advance(1000);
      const answer = await zoe.call('PATCH', `/api/pages/${page.id}`, { body: { topic, is_listed: true } });
      expect([answer.status, answer.body.page.topic]).toEqual([200, topic]);
      made.push(page);
    }
    const fetchNames = async (query: string) =>
      (await gallery(query)).pages.map(({ name }: { name: string }) => name);
    expect(await fetchNames('?topic=games')).toEqual(['Zoe three', 'Zoe one']);
    expect(await fetchNames('?topic=games&q=one')).toEqual(['Zoe one']);
    expect(await fetchNames('?topic=events')).toEqual([]);
    const { topics } = await gallery();
    expect(topics).toContainEqual({ topic: 'games', pages: 2 });
    expect(topics.some(({ topic }: { topic: string }) => topic === 'events')).toBe(false);

    const [first, second] = made as [PublishedPage, PublishedPage];
    for (let load = 0; load < 2; load++) await (await quire.request(`/p/${second.slug}`)).arrayBuffer();
    // Reading a page writes the views that are counted so far.
    await zoe.call('GET', `/api/pages/${second.id}`);
    quire.advance(1000);
    await zoe.call('PATCH', `/api/pages/${first.id}`, { body: { description: 'new' } });
    expect(await fetchNames('?q=zoe&order=changed')).toEqual(['Zoe one', 'Zoe three', 'Zoe two']);
    expect((await fetchNames('?q=zoe&order=popular'))[0]).toBe('Zoe two');
    expect((await zoe.call('PATCH', `/api/pages/${first.id}`, { body: { topic: 'cats' } })).status).toBe(400);
  });

  test('is a page without script whose state is in its address', async () => {
    const eva = await quire.user('eva');
    const page = await eva.publish({ name: '<img src=x onerror=alert(1)>', description: '"><script>' });
    await eva.call('PATCH', `/api/pages/${page.id}`, { body: { topic: 'tools', is_listed: true } });
    const open = async (path: string) => (await quire.request(path)).text();
    const screen = await open('/gallery?topic=tools&order=changed&q=%3Cimg');
    expect(screen).toContain('&lt;img src=x onerror=alert(1)&gt;');
    expect(screen).not.toMatch(/<script|<img src=x/);
    expect(screen).toContain('1 found for “&lt;img” in Tools');
    expect(screen).toContain('<meta name="robots" content="noindex">');
    expect(screen).toMatch(/<link rel="canonical" href="[^"]+\/gallery\?topic=tools">/);
    // A link changes one thing and keeps the others.
    expect(screen).toContain('href="/gallery?q=%3Cimg&amp;order=changed"');
    expect(await open('/gallery?q=e&order=changed')).toContain('href="/gallery?q=e&amp;order=popular"');
    expect(screen).toContain('<input type="hidden" name="topic" value="tools">');
    const whole = await open('/gallery');
    expect(whole).not.toContain('noindex');
    expect(whole).toMatch(/<link rel="canonical" href="[^"]+\/gallery">/);
    expect(whole).toMatch(/<title>Gallery · [^<]+<\/title>/);
    expect(await open('/gallery?q=nothing-like-this')).toContain('Nothing found');
    expect(await open('/gallery?offset=9000')).toContain('There are no more pages');
    expect((await quire.request('/gallery?topic=cats')).status).toBe(400);
  });

  test('costs a stranger who asks for many different ones their own limit, not that of others', async () => {
    const ask = (peer: string, query: string) => quire.call('GET', `/api/gallery?q=${query}`, { peer });
    for (let search = 0; search < 60; search++)
      expect((await ask('10.9.9.9', `s${search}`)).status).toBe(200);
    expect((await ask('10.9.9.9', 'one-more')).status).toBe(429);
    expect((await ask('10.9.9.9', 's59')).status).toBe(200);
    expect((await ask('10.9.9.8', 'one-more')).status).toBe(200);
  });

  test('costs all addresses of one IPv6 network the same limit', async () => {
    const ask = (peer: string, query: string) => quire.call('GET', `/api/gallery?q=${query}`, { peer });
    for (let search = 0; search < 60; search++)
      expect((await ask(`2001:db8::${search + 1}`, `v6-${search}`)).status).toBe(200);
    expect((await ask('2001:db8::ffff', 'v6-more')).status).toBe(429);
    expect((await ask('2001:db8:0:1::1', 'v6-more')).status).toBe(200);
  });
});
