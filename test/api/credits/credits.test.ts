import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { setAdmin } from '../../../server/product/accounts/index.ts';
import { PASSWORD, type PublishedPage, type TestApp, type TestUser, testApp } from '../../support/app.ts';
import { type Bank, openBank } from '../../support/credits.ts';

const CREDIT = 2_500;

let quire: TestApp;
let bank: Bank;
let owner: TestUser;
let page: PublishedPage;
beforeAll(async () => {
  quire = await testApp();
  owner = await quire.user('owner');
  page = await owner.publish({ name: 'Poems', page_api_ai_enabled: true });
  bank = await openBank(quire);
});
afterAll(async () => {
  await bank.stop();
  await quire.stop();
});

/** A new user, logged in. Calls send only the cookie. */
async function visitor() {
  const user = await quire.user();
  const cookie = await user.login();
  const call = (method: string, path: string, body?: unknown, headers?: Record<string, string>) =>
    quire.call(method, path, { cookie, ...(body !== undefined && { body }), ...(headers && { headers }) });
  return { ...user, cookie, call };
}

/** Lets the page spend some credits of a user. */
async function spend(user: TestUser, tokens: number, feature: 'ai' | 'image_gen' = 'ai'): Promise<void> {
  const wish = { userId: user.id, pageId: page.id, feature, tokens: tokens + 100, needsConsent: false };
  const outcome = await bank.credits.reserve(wish);
  if (typeof outcome === 'string') throw new Error(outcome);
  await bank.credits.settle(outcome.reservationId, tokens);
}

const CONSENTS = '/api/credits/consents';

describe('GET /api/credits', () => {
  test('returns the balance and the pages that can spend it', async () => {
    const { call } = await visitor();
    expect((await call('GET', '/api/credits')).body).toEqual({ balance: 20, consents: [] });
    await call('POST', CONSENTS, { pageId: page.id, limit: 3 });
    expect((await call('GET', '/api/credits')).body).toEqual({
      balance: 20,
      consents: [
        {
          pageId: page.id,
          page: { id: page.id, name: 'Poems', slug: page.slug },
          limit: 3,
          used: 0,
          publish: true,
          createdAt: expect.stringMatching(/^\d{4}-.*Z$/),
        },
      ],
    });
  });

  test('counts tokens as fractions of credits', async () => {
    const user = await visitor();
    await spend(user, 1);
    expect((await user.call('GET', '/api/credits')).body.balance).toBe(19.9996);
    expect((await user.call('GET', '/api/auth/me')).body.user.credits).toBe(19.9996);
  });

  test('returns 0 if new users get no credits', async () => {
    const stingy = await testApp({ QUIRE_CREDITS_NEW_USER: '0' });
    try {
      const cookie = await (await stingy.user()).login();
      expect((await stingy.call('GET', '/api/credits', { cookie })).body.balance).toBe(0);
      expect((await stingy.call('GET', '/api/credits/history', { cookie })).body.history).toEqual([]);
    } finally {
      await stingy.stop();
    }
  });
});

describe('POST /api/credits/consents', () => {
  test('lets a page spend 10 credits by default', async () => {
    const { call } = await visitor();
    const answer = await call('POST', CONSENTS, { pageId: page.id });
    expect(answer.status).toBe(200);
    const expected = {
      pageId: page.id,
      page: { id: page.id, name: 'Poems', slug: page.slug },
      limit: 10,
      used: 0,
    };
    expect(answer.body).toMatchObject({ success: true, consent: expected });
  });

  test('lets a page spend and not publish, or both again', async () => {
    const { call } = await visitor();
    const spawned = () => call('POST', `/api/pages/${page.id}/page-api-spawn`, { name: 'Mine' });
    await owner.call('PATCH', `/api/pages/${page.id}`, { body: { page_api_spawn_enabled: true } });
    const body = { pageId: page.id, limit: 2, publish: false };
    expect((await call('POST', CONSENTS, body)).body.consent).toMatchObject({ limit: 2, publish: false });
    const refused = await spawned();
    expect([refused.status, refused.body.consent_required]).toEqual([402, true]);
    expect((await call('POST', CONSENTS, { ...body, publish: true })).body.consent.publish).toBe(true);
    expect((await spawned()).status).toBe(201);
    await call('DELETE', `${CONSENTS}/${page.id}`);
    expect((await spawned()).status).toBe(402);
  });

  test('again allows the full amount from now on', async () => {
    const user = await visitor();
    await user.call('POST', CONSENTS, { pageId: page.id, limit: 2 });
    const wish = {
      userId: user.id,
      pageId: page.id,
      feature: 'ai',
      tokens: CREDIT,
      needsConsent: true,
    } as const;
    await bank.credits.reserve(wish);
    const answer = await user.call('POST', CONSENTS, { pageId: page.id, limit: 5 });
    expect(answer.body.consent).toMatchObject({ limit: 6, used: 1 });
    expect((await user.call('GET', '/api/credits')).body.consents).toHaveLength(1);
  });

  for (const limit of [1, 1000]) {
    test(`accepts a limit of ${limit}`, async () => {
      const { call } = await visitor();
      expect((await call('POST', CONSENTS, { pageId: page.id, limit })).body.consent.limit).toBe(limit);
    });
  }

  test.each([
    ['a limit of 0', { limit: 0 }, 'limit'],
    ['a limit above the maximum', { limit: 1001 }, 'limit'],
    ['a fraction', { limit: 1.5 }, 'limit'],
    ['a limit that is a string', { limit: '5' }, 'limit'],
    ['no page', { pageId: undefined }, 'pageId'],
    ['a page that is not a number', { pageId: 'poems' }, 'pageId'],
    ['an unknown field', { user: 1 }, 'user'],
  ])('refuses %s', async (_, fields, path) => {
    const { call } = await visitor();
    const answer = await call('POST', CONSENTS, { pageId: page.id, ...fields });
    expect([answer.status, answer.body.code]).toEqual([400, 'BAD_REQUEST']);
    expect(JSON.stringify(answer.body)).toContain(path);
    expect((await call('GET', '/api/credits')).body.consents).toEqual([]);
  });

  test('returns 404 for a missing page and for a draft of someone else', async () => {
    const draft = await owner.publish({ is_published: false });
    const { call } = await visitor();
    for (const pageId of [draft.id, 999_999, 2_147_483_647]) {
      expect((await call('POST', CONSENTS, { pageId })).status).toBe(404);
      expect((await call('GET', `/consent?page=${pageId}`)).status).toBe(404);
    }
    const cookie = await owner.login();
    expect((await quire.call('POST', CONSENTS, { body: { pageId: draft.id }, cookie })).status).toBe(200);
  });
});

describe('DELETE /api/credits/consents/:pageId', () => {
  test('withdraws the consent once', async () => {
    const { call } = await visitor();
    await call('POST', CONSENTS, { pageId: page.id });
    expect((await call('DELETE', `${CONSENTS}/${page.id}`)).status).toBe(204);
    expect((await call('GET', '/api/credits')).body.consents).toEqual([]);
    for (const id of [page.id, 999_999, 'poems']) {
      expect((await call('DELETE', `${CONSENTS}/${id}`)).status).toBe(404);
    }
  });

  test("leaves other people's consents alone", async () => {
    const [one, other] = [await visitor(), await visitor()];
    for (const { call } of [one, other]) await call('POST', CONSENTS, { pageId: page.id });
    await one.call('DELETE', `${CONSENTS}/${page.id}`);
    expect((await other.call('GET', '/api/credits')).body.consents).toHaveLength(1);
  });
});

describe('the consent screen', () => {
  test('shows the total usage with two decimals, also after the consent was withdrawn', async () => {
    const user = await visitor();
    const other = await owner.publish({ name: 'Other', page_api_ai_enabled: true });
    const ask = async (pageId: number) =>
      (await quire.request(`/consent?page=${pageId}`, { headers: { cookie: user.cookie } })).text();
    expect(await ask(page.id)).toContain('It has used 0. You have 20.');
    await user.call('POST', CONSENTS, { pageId: page.id, limit: 5 });
    await spend(user, 10_117);
    await user.call('DELETE', `${CONSENTS}/${page.id}`);
    expect(await ask(page.id)).toContain('It has used 4.05. You have 15.95.');
    expect(await ask(other.id)).toContain('It has used 0. You have 15.95.');
    await user.call('POST', CONSENTS, { pageId: page.id, limit: 5 });
    expect(await ask(page.id)).toContain('It has used 0 of the 5 you allowed it.');
  });
});

describe('GET /api/credits/history', () => {
  test('lists grants and spending, newest first, and nothing else', async () => {
    const user = await visitor();
    await spend(user, CREDIT);
    const wish = {
      userId: user.id,
      pageId: page.id,
      feature: 'ai',
      tokens: CREDIT,
      needsConsent: false,
    } as const;
    const given = await bank.credits.reserve(wish);
    if (typeof given !== 'string') await bank.credits.release(given.reservationId);
    await bank.credits.reserve(wish);
    await bank.grant(user, 2 * CREDIT);
    await spend(user, 1, 'image_gen');
    const { status, body } = await user.call('GET', '/api/credits/history');
    expect(status).toBe(200);
    const always = { id: expect.any(String), createdAt: expect.stringMatching(/^\d{4}-.*Z$/) };
    expect(body).toEqual({
      history: [
        {
          ...always,
          kind: 'spend',
          credits: -0.0004,
          feature: 'image_gen',
          pageId: page.id,
          page: { id: page.id, name: 'Poems', slug: page.slug },
          reason: 'Image generation',
        },
        { ...always, kind: 'grant', credits: 2, reason: 'A present' },
        {
          ...always,
          kind: 'spend',
          credits: -1,
          feature: 'ai',
          pageId: page.id,
          page: { id: page.id, name: 'Poems', slug: page.slug },
          reason: 'AI chat',
        },
        { ...always, kind: 'grant', credits: 20, reason: 'Opening balance' },
      ],
      total: 4,
      limit: 50,
      offset: 0,
    });
  });

  test('still lists a page that was deleted, without its name', async () => {
    const user = await visitor();
    const gone = await owner.publish({ name: 'Gone' });
    const wish = { userId: user.id, pageId: gone.id, feature: 'ai', tokens: 1, needsConsent: false } as const;
    const outcome = await bank.credits.reserve(wish);
    if (typeof outcome === 'string') throw new Error(outcome);
    await bank.credits.settle(outcome.reservationId, 1);
    await owner.call('DELETE', `/api/pages/${gone.id}`);
    const [latest] = (await user.call('GET', '/api/credits/history')).body.history;
    expect(latest).toMatchObject({ kind: 'spend', reason: 'AI chat' });
    expect(latest.page).toBeUndefined();
  });

  test('is paginated', async () => {
    const user = await visitor();
    for (const tokens of [1, 2, 3]) await spend(user, tokens * CREDIT);
    const part = async (query: string) => (await user.call('GET', `/api/credits/history?${query}`)).body;
    const amounts = (body: { history: Array<{ credits: number }> }) =>
      body.history.map(({ credits }) => credits);
    expect(amounts(await part('limit=2'))).toEqual([-3, -2]);
    expect(amounts(await part('limit=2&offset=2'))).toEqual([-1, 20]);
    expect(await part('limit=1&offset=9')).toEqual({ history: [], total: 4, limit: 1, offset: 9 });
    expect((await part('limit=100')).total).toBe(4);
    for (const query of ['limit=0', 'limit=101', 'limit=x', 'offset=-1']) {
      expect((await part(query)).code).toBe('BAD_REQUEST');
    }
  });
});

describe('credits routes refuse', () => {
  const ENDPOINTS: Array<[method: string, path: () => string, body?: () => unknown]> = [
    ['GET', () => '/api/credits'],
    ['GET', () => '/api/credits/history'],
    ['POST', () => CONSENTS, () => ({ pageId: page.id })],
    ['DELETE', () => `${CONSENTS}/${page.id}`],
  ];

  for (const [method, path, body] of ENDPOINTS) {
    const name = `${method} ${path.toString().replace(/^\(\) => /, '')}`;

    test(`${name}: a request without a login, or with a token`, async () => {
      const user = await visitor();
      for (const given of [{}, { token: user.token }]) {
        const answer = await quire.call(method, path(), { ...given, ...(body && { body: body() }) });
        expect(answer.status).toBe(401);
      }
      expect((await user.call('GET', '/api/credits')).body.consents).toEqual([]);
    });

    test(`${name}: any request that the script of a published page could make`, async () => {
      const user = await visitor();
      const host = `http://p${page.id}.pages.localhost:3000`;
      for (const headers of [
        { origin: 'null' },
        { origin: host },
        { origin: 'https://elsewhere.example' },
        { 'sec-fetch-site': 'cross-site' },
        { 'sec-fetch-site': 'same-site' },
        { origin: 'null', 'sec-fetch-site': 'same-origin' },
      ]) {
        const answer = await user.call(method, path(), body?.(), headers as Record<string, string>);
        expect([headers, answer.status]).toEqual([headers, 403]);
        expect(answer.headers.get('access-control-allow-origin')).toBeNull();
      }
      const onHost = await user.call(method, host + path(), body?.());
      expect(onHost.status).toBe(404);
      expect((await user.call('GET', '/api/credits')).body.consents).toEqual([]);
    });
  }

  test('the script of a page that uses the session of its visitor', async () => {
    const boxed = await testApp({ QUIRE_ISOLATION: 'sandbox' });
    try {
      const user = await boxed.user();
      const { id, slug } = await user.publish();
      const navigation = { 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' };
      const shown = await boxed.request(`/p/${slug}`, {
        headers: { ...navigation, cookie: await user.login() },
      });
      const session = /data-page-session="([^"]+)"/.exec(await shown.text())?.[1] ?? '';
      const asPage = (method: string, path: string, body?: unknown, origin?: string) =>
        boxed.call(method, path, {
          headers: { 'x-page-session': session, ...(origin && { origin }) },
          ...(body !== undefined && { body }),
        });
      expect((await asPage('GET', `/api/pages/${id}/visitor`)).body.user.id).toBe(user.id);
      for (const [method, path] of ENDPOINTS) {
        const body = method === 'POST' ? { pageId: id } : undefined;
        expect((await asPage(method, path(), body)).status).toBe(401);
        expect((await asPage(method, path(), body, 'null')).status).toBe(403);
      }
    } finally {
      await boxed.stop();
    }
  });

  test('a form post from the script of a page', async () => {
    const user = await visitor();
    const send = (headers: Record<string, string>) =>
      quire.request('/consent', {
        method: 'POST',
        headers: { 'content-type': 'application/x-www-form-urlencoded', cookie: user.cookie, ...headers },
        body: `page=${page.id}&limit=5&answer=allow`,
      });
    for (const origin of ['null', 'https://elsewhere.example', `http://p${page.id}.pages.localhost:3000`]) {
      expect((await send({ origin })).status).toBe(403);
    }
    expect((await user.call('GET', '/api/credits')).body.consents).toEqual([]);
    expect((await send({ origin: quire.baseUrl, 'sec-fetch-site': 'same-origin' })).status).toBe(200);
    expect((await user.call('GET', '/api/credits')).body.consents).toHaveLength(1);
  });
});

describe('POST /api/admin/users/:id/credits', () => {
  let token: string;
  beforeAll(async () => {
    const boss = await quire.user('boss');
    await bank.db.transaction().execute((tx) => setAdmin(tx, boss.username));
    const body = { username: boss.username, password: PASSWORD, scopes: ['admin'] };
    token = (await quire.call('POST', '/api/auth/token', { body })).body.accessToken;
  });
  const give = (id: number | string, body: unknown, by = token) =>
    quire.call('POST', `/api/admin/users/${id}/credits`, { body, token: by });

  test('grants credits, and the user sees why', async () => {
    const user = await visitor();
    const answer = await give(user.id, { credits: 5, reason: 'For the workshop' });
    expect([answer.status, answer.body]).toEqual([200, { success: true, balance: 25 }]);
    const { history } = (await user.call('GET', '/api/credits/history')).body;
    expect(history[0]).toMatchObject({ kind: 'grant', credits: 5, reason: 'For the workshop' });
    const users = await quire.call('GET', '/api/admin/users?limit=100', { token });
    expect(users.body.users.find(({ id }: TestUser) => id === user.id).credits).toBe(25);
    expect(await bank.faults()).toEqual([]);
  });

  test('accepts amounts and reasons up to their limits', async () => {
    const user = await visitor();
    expect((await give(user.id, { credits: 1, reason: 'x' })).body.balance).toBe(21);
    const most = { credits: 1_000_000, reason: 'ü'.repeat(500) };
    expect((await give(user.id, most)).body.balance).toBe(1_000_021);
  });

  test.each([
    ['no credits', { credits: 0, reason: 'x' }],
    ['taking away', { credits: -1, reason: 'x' }],
    ['a fraction', { credits: 0.5, reason: 'x' }],
    ['too many', { credits: 1_000_001, reason: 'x' }],
    ['no reason', { credits: 1 }],
    ['an empty reason', { credits: 1, reason: ' ' }],
    ['a reason that is too long', { credits: 1, reason: 'x'.repeat(501) }],
    ['an unknown field', { credits: 1, reason: 'x', silent: true }],
  ])('refuses %s', async (_, body) => {
    const user = await visitor();
    expect((await give(user.id, body)).status).toBe(400);
    expect((await user.call('GET', '/api/credits')).body.balance).toBe(20);
  });

  test('needs an administrator and an existing user', async () => {
    const user = await visitor();
    const body = { credits: 1, reason: 'x' };
    expect((await give(999_999, body)).status).toBe(404);
    expect((await give('boss', body)).status).toBe(404);
    expect((await give(user.id, body, user.token)).body).toMatchObject({ code: 'INSUFFICIENT_SCOPE' });
    expect((await user.call('POST', `/api/admin/users/${user.id}/credits`, body)).status).toBe(401);
    expect((await user.call('GET', '/api/credits')).body.balance).toBe(20);
  });
});
