import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { type PublishedPage, type TestApp, type TestUser, testApp } from '../../support/app.ts';
import { readSql } from '../../support/engines/storage.ts';

const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0';
const PHONE =
  'Mozilla/5.0 (Linux; Android 15; Pixel 9) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0 Mobile Safari/537.36';
const HOUR_MS = 3600 * 1000;
const DAY_MS = 24 * HOUR_MS;

let quire: TestApp;
let owner: TestUser;
let stranger: TestUser;
let token: string;
beforeAll(async () => {
  quire = await testApp({ QUIRE_PAGES_HOST: 'pages.example.com', QUIRE_IMAGE_SEARCH: 'demo' });
  owner = await quire.user('owner');
  stranger = await quire.user('stranger');
  token = owner.token;
});

/** Some time later. Tokens have ended by then. */
async function later(milliseconds: number) {
  quire.advance(milliseconds);
  const { body } = await quire.call('POST', '/api/auth/token', {
    body: { username: owner.username, password: owner.password },
  });
  token = body.accessToken;
}
afterAll(() => quire.stop());

interface Visit {
  peer?: string;
  userAgent?: string;
  headers?: Record<string, string>;
  method?: string;
  host?: string;
}

async function visit(page: PublishedPage, { peer = '10.0.0.1', userAgent = FIREFOX, ...rest }: Visit = {}) {
  const { headers = {}, method = 'GET', host } = rest;
  const address = host ? `${host}/` : `/p/${page.slug}`;
  const response = await quire.request(address, {
    method,
    peer,
    headers: { 'user-agent': userAgent, ...headers },
  });
  await response.arrayBuffer();
  return response;
}

async function analytics(page: PublishedPage, range = '24h') {
  const { status, body } = await owner.call('GET', `/api/pages/${page.id}/analytics?range=${range}`, {
    token,
  });
  expect(status).toBe(200);
  return body;
}

describe('views and visitors', () => {
  test('different people are visitors, and each load is a view', async () => {
    const page = await owner.publish();
    for (const peer of ['10.1.0.1', '10.1.0.2', '10.1.0.1', '10.1.0.3']) await visit(page, { peer });
    await visit(page, { peer: '10.1.0.1', userAgent: `${FIREFOX} Another` });
    const { totals, series, previous, previousTotals, unit } = await analytics(page);
    expect([totals.views, totals.visitors]).toEqual([5, 4]);
    expect([unit, series.length, previous.length]).toEqual(['hour', 24, 24]);
    // The hour may have ended meanwhile.
    expect(series.at(-1).views + series.at(-2).views).toBe(5);
    expect(previousTotals).toEqual({ views: 0, visitors: 0, errors: 0, featureUses: 0, credits: 0 });
    for (const [range, count] of [
      ['7d', 7],
      ['30d', 30],
      ['90d', 90],
    ] as const) {
      const days = await analytics(page, range);
      expect([days.unit, days.series.length, days.totals.views, days.totals.visitors]).toEqual([
        'day',
        count,
        5,
        4,
      ]);
    }
  });

  test('a browser that has the page already is a visitor, HEAD and missing pages are not', async () => {
    const page = await owner.publish();
    const first = await visit(page, { peer: '10.2.0.1' });
    const again = await visit(page, {
      peer: '10.2.0.2',
      headers: { 'if-none-match': first.headers.get('etag') ?? '' },
    });
    await visit(page, { peer: '10.2.0.3', method: 'HEAD' });
    expect(again.status).toBe(304);
    const { totals } = await analytics(page);
    expect([totals.views, totals.visitors]).toEqual([2, 2]);
    const { body } = await owner.call('GET', `/api/pages/${page.id}`);
    expect(body.page.views).toBe(1);
  });

  test('programs that announce themselves are views, but not visitors', async () => {
    const page = await owner.publish();
    for (const userAgent of ['Googlebot/2.1', 'curl/8.5.0', 'x'.repeat(600)])
      await visit(page, { userAgent });
    const { totals, referrers } = await analytics(page);
    expect([totals.views, totals.visitors, referrers]).toEqual([3, 0, []]);
  });

  test('others are counted without the person who asks, whether they came or not', async () => {
    const page = await owner.publish();
    const others = async (peer: string, userAgent = FIREFOX) => {
      const headers = { 'user-agent': userAgent };
      const path = `/api/pages/${page.id}/analytics/visitors`;
      return (await owner.call('GET', path, { token, peer, headers })).body.today;
    };
    expect(await others('10.7.0.1')).toBe(0);
    await visit(page, { peer: '10.7.0.1' });
    expect(await others('10.7.0.1')).toBe(0);
    expect(await others('10.7.0.2')).toBe(1);
    // The same address with another browser is somebody else. Bots are nobody.
    expect(await others('10.7.0.1', `${FIREFOX} Another`)).toBe(1);
    await visit(page, { peer: '10.7.0.3', userAgent: 'Googlebot/2.1' });
    await visit(page, { peer: '10.7.0.4' });
    expect(await others('10.7.0.1')).toBe(1);
    expect(await others('10.7.0.1', 'curl/8.5.0')).toBe(2);
  });
});

const addDocument = async (page: PublishedPage, path: string) => {
  const added = await owner.call('PUT', `/api/pages/${page.id}/files/${path}`, {
    token,
    body: new TextEncoder().encode(`<!doctype html><title>${path}</title>`),
    headers: { 'content-type': 'text/html' },
  });
  expect(added.status).toBe(200);
};

async function visitDocument(page: PublishedPage, path: string, userAgent = FIREFOX) {
  const response = await quire.request(`/p/${page.slug}/${path}`, { headers: { 'user-agent': userAgent } });
  await response.arrayBuffer();
}

test('views are counted by device, and those of a site by document', async () => {
  const page = await owner.publish();
  await addDocument(page, 'about.html');
  await visitDocument(page, '');
  await visitDocument(page, '');
  await visitDocument(page, 'about');
  await visitDocument(page, 'about.html', PHONE);
  await visitDocument(page, 'missing.html', PHONE);
  await visitDocument(page, '', 'curl/8.5.0');
  const found = await analytics(page);
  expect(found.paths).toEqual([
    { kind: 'page', path: null, views: 3 },
    { kind: 'file', path: 'about.html', views: 2 },
  ]);
  expect(found.devices).toEqual([
    { device: 'desktop', views: 3 },
    { device: 'phone', views: 1 },
  ]);
});

test('a site has 100 documents in a day, and counts more together', async () => {
  const page = await owner.publish();
  for (let i = 0; i < 101; i++) await addDocument(page, `${i}.html`);
  const other = { kind: 'other', path: null, views: 1 };
  for (let i = 0; i < 100; i++) await visitDocument(page, `${i}.html`);
  expect((await analytics(page)).paths).not.toContainEqual(other);
  // The empty name, for those that are more, comes first among equals.
  await visitDocument(page, '100.html');
  expect((await analytics(page)).paths).toContainEqual(other);
});

test('a page of one document has no list of documents', async () => {
  const page = await owner.publish();
  await visit(page);
  expect((await analytics(page)).paths).toEqual([]);
});

describe('referrers', () => {
  test('hosts are counted without paths; own hosts are not', async () => {
    const page = await owner.publish();
    const from = (referer: string, host?: string) =>
      visit(page, { headers: { referer }, ...(host && { host }) });
    await from('https://www.example.com/search?q=secret');
    await from('http://example.com:8080/other');
    await from('https://news.example.org/');
    await from(`${quire.baseUrl}/pages`);
    await from(`http://p${page.id}.pages.example.com/about`, `http://p${page.id}.pages.example.com`);
    await from('https://<script>/');
    await visit(page);
    const { referrers, totals } = await analytics(page);
    expect(referrers).toEqual([
      { kind: 'direct', host: null, views: 2 },
      { kind: 'host', host: 'example.com', views: 2 },
      { kind: 'host', host: 'news.example.org', views: 1 },
    ]);
    expect(totals.views).toBe(7);
  });

  test('a page has 100 in a day, and counts more together', async () => {
    const page = await owner.publish();
    for (let i = 0; i < 60; i++) await visit(page, { headers: { referer: `https://a${i}.example/` } });
    await analytics(page);
    for (let i = 0; i < 60; i++) await visit(page, { headers: { referer: `https://b${i}.example/` } });
    await visit(page, { headers: { referer: 'https://a0.example/' } });
    const { referrers } = await analytics(page);
    expect(referrers[0]).toEqual({ kind: 'other', host: null, views: 20 });
    expect(referrers[1]).toEqual({ kind: 'host', host: 'a0.example', views: 2 });
    const rows = await readSql(quire, `select referrer from page_referrers where page_id = ${page.id}`);
    expect(rows).toHaveLength(101);
    // Many at once, before anything is written.
    const other = await owner.publish();
    for (let i = 0; i < 101; i++) await visit(other, { headers: { referer: `https://c${i}.example/` } });
    expect((await analytics(other)).referrers).toContainEqual({ kind: 'other', host: null, views: 1 });
  });
});

test('features that visitors use are counted, with what they paid', async () => {
  const page = await owner.publish({ page_api_ai_enabled: true, page_api_image_search_enabled: true });
  const cookie = await stranger.login();
  const use = (path: string, body: object) =>
    quire.call('POST', `/api/pages/${page.id}/${path}`, { body, headers: { cookie } });
  await quire.call('POST', '/api/credits/consents', { body: { pageId: page.id }, headers: { cookie } });
  const chat = await use('page-api-ai', { system_prompt: 'Be brief.' });
  expect(chat.status).toBe(200);
  expect((await use('page-api-image-search', { query: 'trees' })).status).toBe(200);
  expect((await use('page-api-image-gen', { prompt: 'a tree' })).status).toBe(403);
  const { features, totals } = await analytics(page);
  expect(features).toEqual([
    { feature: 'ai', uses: 1, credits: chat.body.credits.deducted },
    { feature: 'image_search', uses: 1, credits: 0 },
  ]);
  expect([totals.featureUses, totals.credits]).toEqual([2, chat.body.credits.deducted]);
});

describe('who can read', () => {
  test('the owner and admins of the team, nobody else', async () => {
    const page = await owner.publish({ storage_mode: 'team_app' });
    const admin = await quire.user();
    const member = await quire.user();
    for (const [user, role] of [
      [admin, 'admin'],
      [member, 'member'],
    ] as const) {
      const invite = await owner.call('POST', `/api/pages/${page.id}/team/invite`, { body: { role } });
      await user.call('POST', `/api/join/${invite.body.inviteCode}`);
    }
    for (const path of ['analytics', 'errors']) {
      const of = async (user: Pick<TestUser, 'call'>) =>
        (await user.call('GET', `/api/pages/${page.id}/${path}`)).status;
      expect([
        await of(owner),
        await of(admin),
        await of(member),
        await of(stranger),
        await of(quire),
      ]).toEqual([200, 200, 403, 403, 401]);
    }
    const gone = async (user: TestUser) => (await user.call('DELETE', `/api/pages/${page.id}/errors`)).status;
    expect([await gone(member), await gone(stranger), await gone(admin)]).toEqual([403, 403, 204]);
  });

  test.each(['1h', '', '24H', '7'])('the range %p is refused', async (range) => {
    const page = await owner.publish();
    const { status } = await owner.call('GET', `/api/pages/${page.id}/analytics?range=${range}`);
    expect(status).toBe(400);
  });
});

test('what was counted is gone with the page', async () => {
  const page = await owner.publish();
  await visit(page, { peer: '10.9.0.1', headers: { referer: 'https://example.com/' } });
  await analytics(page);
  expect((await owner.call('DELETE', `/api/pages/${page.id}`)).status).toBe(200);
  expect(await readSql(quire, `select * from page_days where page_id = ${page.id}`)).toEqual([]);
});

test('counts of a page that is deleted before they are written do no harm', async () => {
  const [page, other] = [await owner.publish(), await owner.publish()];
  await visit(page);
  await visit(other);
  await owner.call('DELETE', `/api/pages/${page.id}`);
  expect((await analytics(other)).totals.views).toBe(1);
});

/** Last, because tokens end meanwhile. */
describe('as time goes by', () => {
  let page: PublishedPage;
  let second: PublishedPage;
  beforeAll(async () => {
    page = await owner.publish();
    second = await owner.publish();
  });

  test('nothing that is stored says who came, and the salt ends with its day', async () => {
    await visit(page, { peer: '203.0.113.77' });
    await analytics(page);
    const rows = JSON.stringify(await readSql(quire, 'select * from page_days'));
    expect(rows).not.toContain('203.0.113.77');
    const salt = "select value from service_settings where name = 'daily salt'";
    const [before] = await readSql(quire, salt);
    expect(before).toBeDefined();
    await later(DAY_MS);
    await quire.app.sweep();
    expect(await readSql(quire, salt)).toEqual([]);
    expect(await readSql(quire, 'select day from page_days where sketch is not null')).toEqual([]);
    await visit(page, { peer: '203.0.113.77' });
    const { totals } = await analytics(page, '7d');
    expect([totals.views, totals.visitors]).toEqual([2, 2]);
    expect(await readSql(quire, salt)).not.toEqual([before]);
  });

  test('the time before is there to compare with, and old numbers are removed', async () => {
    await visit(second, { peer: '10.3.0.1' });
    await visit(second, { peer: '10.3.0.2' });
    await analytics(second);
    await later(25 * HOUR_MS);
    await visit(second, { peer: '10.3.0.1' });
    const day = await analytics(second);
    expect([day.totals.views, day.previousTotals.views, day.previousTotals.visitors]).toEqual([1, 2, 2]);
    await later(30 * DAY_MS);
    const month = await analytics(second, '30d');
    expect([month.totals.views + month.previousTotals.views, month.totals.visitors]).toEqual([3, 0]);
    await later(160 * DAY_MS);
    await quire.app.sweep();
    const left = `select page_id from page_days where page_id = ${second.id} union all select page_id from page_hours where page_id = ${second.id} union all select page_id from page_referrers where page_id = ${second.id}`;
    expect(await readSql(quire, left)).toEqual([]);
  });
});
