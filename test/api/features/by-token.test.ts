import { afterAll, beforeAll, expect, test } from 'bun:test';
import { type TestApp, type TestUser, testApp } from '../../support/app.ts';
import { type Bank, openBank } from '../../support/credits.ts';

/** Page features by a bearer token with the scope `features`, with the demo providers. */

const CREDIT = 2_500;
let quire: TestApp;
let owner: TestUser;
let bank: Bank;
let pageId: number;
beforeAll(async () => {
  quire = await testApp({ QUIRE_IMAGE_SEARCH: 'demo', QUIRE_CREDITS_NEW_USER: '100' });
  owner = await quire.user('owner');
  bank = await openBank(quire);
  pageId = (
    await owner.publish({
      page_api_ai_enabled: true,
      page_api_image_gen_enabled: true,
      page_api_image_search_enabled: true,
    })
  ).id;
  await owner.call('PATCH', `/api/pages/${pageId}`, { body: { page_api_spawn_enabled: true } });
});
afterAll(async () => {
  expect(await bank.faults()).toEqual([]);
  await bank.stop();
  await quire.stop();
});

const create = (user: TestUser, fields: object) =>
  user.call('POST', '/api/auth/tokens', { body: { name: 'agent', scopes: ['features'], ...fields } });

async function agent(creditLimit: number, scopes = ['features'], consents = 100) {
  const user = await quire.user();
  if (consents > 0) await bank.allow(user, pageId, consents);
  const { id, token } = (await create(user, { creditLimit, scopes })).body;
  const ask = (path: string, body: object) =>
    quire.call('POST', `/api/pages/${pageId}/page-api-${path}`, { token, body });
  const used = async (): Promise<number> => {
    const { tokens } = (await user.call('GET', '/api/auth/tokens')).body;
    return tokens.find((each: { id: number }) => each.id === id).creditsUsed;
  };
  return { user, id, token, ask, draw: () => ask('image-gen', { prompt: 'A red ball' }), used };
}

test('a token with the scope spends its owner’s credits, and no more than its limit', async () => {
  const { user, ask, draw, used } = await agent(8);
  expect((await ask('image-search', { query: 'Bern' })).status).toBe(200);
  expect(await used()).toBe(0);
  expect((await draw()).status).toBe(200);
  expect((await draw()).status).toBe(200);
  expect(await used()).toBe(8);
  const refused = await draw();
  expect(refused.status).toBe(402);
  expect(refused.body).toEqual({
    credit_limit_reached: true,
    message: expect.stringContaining('creditLimit'),
  });
  expect((await ask('ai', { system_prompt: 'Be brief.' })).body.credit_limit_reached).toBe(true);
  expect((await bank.account(user)).balance).toBe(92 * CREDIT);
});

test('one credit less than a picture costs is too little, and chat uses what is left', async () => {
  const { ask, draw, used } = await agent(3);
  expect((await draw()).body.credit_limit_reached).toBe(true);
  expect(await used()).toBe(0);
  const { status, body } = await ask('ai', { system_prompt: 'Be brief.' });
  expect(status).toBe(200);
  expect(await used()).toBeCloseTo(body.credits.deducted, 6);
});

test('requests at the same time never exceed the limit', async () => {
  const { user, draw, used } = await agent(20);
  const answers = await Promise.all(Array.from({ length: 10 }, draw));
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(5);
  expect(answers.filter(({ body }) => body.credit_limit_reached)).toHaveLength(5);
  expect(await used()).toBe(20);
  expect(await bank.account(user)).toEqual({ balance: 80 * CREDIT, held: 0 });
});

test('what is reserved and not spent does not count', async () => {
  const { user, id, used } = await agent(4);
  const wish = { userId: user.id, pageId, feature: 'ai', needsConsent: true, tokenId: id } as const;
  const reserve = (tokens: number) => bank.credits.reserve({ ...wish, tokens });
  const first = await reserve(4 * CREDIT);
  if (typeof first === 'string') throw new Error(first);
  expect(await reserve(1)).toBe('token limit reached');
  expect(await bank.credits.affordable(wish)).toBe('token limit reached');
  await bank.credits.settle(first.reservationId, CREDIT);
  expect(await used()).toBe(1);
  expect(await bank.credits.affordable(wish)).toBe(3 * CREDIT);
  const second = await reserve(3 * CREDIT);
  if (typeof second === 'string') throw new Error(second);
  // The token is revoked while the work goes on.
  expect((await user.call('DELETE', `/api/auth/tokens/${id}`)).status).toBe(204);
  expect(await bank.credits.release(second.reservationId)).toMatchObject({ isFirst: true });
  expect(await bank.credits.affordable(wish)).toBe('token limit reached');
});

test('the page still needs the person’s consent, and its limit holds too', async () => {
  const unasked = await agent(50, ['features'], 0);
  expect((await unasked.draw()).body).toMatchObject({ consent_required: true });
  const little = await agent(50, ['features'], 4);
  expect((await little.draw()).status).toBe(200);
  expect((await little.draw()).body).toMatchObject({ consent_required: true });
  // A token gives no consent, whatever its scopes.
  const body = { pageId, limit: 5 };
  const answer = await quire.call('POST', '/api/credits/consents', { token: unasked.token, body });
  expect(answer.status).toBe(401);
});

test('publishing a page needs the scope pages:write too', async () => {
  const spawn = { name: 'Spawned' };
  const without = await (await agent(1)).ask('spawn', spawn);
  expect([without.status, without.body.error]).toEqual([403, 'insufficient_scope']);
  expect((await (await agent(1, ['features', 'pages:write'])).ask('spawn', spawn)).status).toBe(201);
});

test('the scope alone opens nothing else, and nothing else opens features', async () => {
  const { token, user } = await agent(5);
  for (const path of ['/api/pages', '/api/auth/tokens', `/api/pages/${pageId}`])
    expect((await quire.call('GET', path, { token })).body.code).toBe('INSUFFICIENT_SCOPE');
  const other = (await create(user, { scopes: ['pages:read', 'pages:write'] })).body.token;
  for (const lacking of [other, user.token]) {
    const { status, body } = await quire.call('POST', `/api/pages/${pageId}/page-api-ai`, {
      token: lacking,
      body: { system_prompt: 'x' },
    });
    expect([status, body.error]).toEqual([401, 'auth_required']);
    expect(body.message).toContain('features');
  }
});

test.each<[object, string]>([
  [{}, 'creditLimit'],
  [{ creditLimit: 0 }, 'creditLimit'],
  [{ creditLimit: 1_001 }, 'creditLimit'],
  [{ creditLimit: 1.5 }, 'creditLimit'],
  [{ creditLimit: '5' }, 'creditLimit'],
  [{ creditLimit: 5, scopes: ['pages:read'] }, 'creditLimit'],
])('a token with %j is not created', async (fields, path) => {
  const { status, body } = await create(owner, fields);
  expect([status, body.details.map((each: { path: string }) => each.path)]).toEqual([400, [path]]);
});

test('a limit can be from 1 to 1,000 credits, and is shown', async () => {
  for (const creditLimit of [1, 1_000]) {
    const { status, body } = await create(owner, { creditLimit });
    expect([status, body.creditLimit]).toEqual([201, creditLimit]);
  }
  const plain = await create(owner, { scopes: ['pages:read'] });
  expect(plain.body.creditLimit).toBeNull();
  const [listed] = (await owner.call('GET', '/api/auth/tokens')).body.tokens;
  expect(listed).toMatchObject({ creditLimit: null, creditsUsed: 0 });
});

test('no token obtained with a password has the scope', async () => {
  const { username, password } = owner;
  const ask = (fields: object) =>
    quire.call('POST', '/api/auth/token', { body: { username, password, ...fields } });
  expect((await ask({})).body.scopes).not.toContain('features');
  const { status, body } = await ask({ scopes: ['features'] });
  expect([status, body.error]).toEqual([400, expect.stringContaining('personal tokens')]);
});

test('a personal token cannot create one', async () => {
  const { token } = await agent(5, ['features', 'pages:read']);
  const body = { name: 'more', scopes: ['features'], creditLimit: 1_000 };
  expect((await quire.call('POST', '/api/auth/tokens', { token, body })).status).toBe(403);
});
