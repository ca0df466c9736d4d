import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { TestUser } from '../../support/app.ts';
import { type BranchApp, branchApp } from '../../support/branches/branches.ts';
import { type Bank, openBank } from '../../support/credits.ts';
import { runSql } from '../../support/engines/storage.ts';

/** Features of visitors on branches: their owner pays, up to 100 credits a day. */

const CREDIT = 2_500;
const DAY = 24 * 3600 * 1000;
const DRAWING = 4;

let app: BranchApp;
let bank: Bank;
let pageId: number;
let branchId: number;
let visitors: TestUser[];
/** What the owner has before anything is spent. */
let before: number;
beforeAll(async () => {
  app = await branchApp({ QUIRE_CREDITS_NEW_USER: '20' });
  bank = await openBank(app.quire);
  await bank.grant(app.owner, 480 * CREDIT);
  before = await balance(app.owner);
  const page = await app.owner.publish({ page_api_ai_enabled: true, page_api_image_gen_enabled: true });
  pageId = page.id;
  const branch = await app.branch(pageId, 'try', { data: 'schema' });
  branchId = branch.page.id;
  const opened = await app.owner.call('PATCH', `/api/pages/${pageId}/branches/try`, {
    body: { access: { mode: 'public' } },
  });
  expect(opened.status).toBe(200);
  visitors = await Promise.all(
    ['visitor1', 'visitor2', 'visitor3', 'visitor4'].map((name) => app.quire.user(name)),
  );
});
afterAll(async () => {
  expect(await bank.faults()).toEqual([]);
  await bank.stop();
  await app.quire.stop();
});

const use = async (user: TestUser, feature: string, body: object, id = branchId) =>
  app.quire.call('POST', `/api/pages/${id}/page-api-${feature}`, { cookie: await user.login(), body });
const draw = (user: TestUser, id?: number) => use(user, 'image-gen', { prompt: 'A ball' }, id);
const balance = async (user: TestUser) => (await bank.account(user)).balance / CREDIT;

test('programs need a limit of their own, and keep to it', async () => {
  const make = async (fields: object) =>
    (
      await app.owner.call('POST', '/api/auth/tokens', {
        body: { name: 'a', scopes: ['features'], ...fields },
      })
    ).body.token;
  const ask = (token: string) =>
    app.quire.call('POST', `/api/pages/${branchId}/page-api-image-gen`, {
      token,
      body: { prompt: 'A ball' },
    });
  const limited = await make({ creditLimit: DRAWING });
  expect((await ask(limited)).status).toBe(200);
  expect((await ask(limited)).body).toMatchObject({
    credit_limit_reached: true,
    message: expect.stringContaining('creditLimit'),
  });
});

test('a visitor pays nothing and agrees to nothing on a branch, and its owner pays 100 credits a day', async () => {
  const [first] = visitors as [TestUser];
  expect((await draw(first, pageId)).body).toMatchObject({ consent_required: true });
  expect((await draw(first)).status).toBe(200);
  expect([await balance(first), await balance(app.owner)]).toEqual([20, before - 2 * DRAWING]);
  const said = await use(first, 'ai', { system_prompt: 'Be brief.', maxTokens: 100 });
  expect(said.status).toBe(200);
  // What the owner has is not shown to visitors.
  const left = 100 - (before - (await balance(app.owner)));
  expect(said.body.credits.remaining).toBeCloseTo(left, 4);
  const rest = Math.floor(left / DRAWING);

  // All at once: no more is spent than one after the other.
  const each = visitors.flatMap((visitor) => Array.from({ length: 7 }, () => visitor));
  const all = await Promise.all(each.map((visitor) => draw(visitor)));
  const statuses = all.map(({ status }) => status);
  expect([200, 402].map((status) => statuses.filter((each) => each === status).length)).toEqual([
    rest,
    each.length - rest,
  ]);
  const refused = all.find(({ status }) => status === 402);
  expect(refused?.body).toEqual({
    credit_limit_reached: true,
    message: expect.stringContaining('The owner of this branch pays 100 credits a day'),
  });
  expect(before - (await balance(app.owner))).toBeLessThanOrEqual(100);
  for (const visitor of visitors) expect(await balance(visitor)).toBe(20);
  expect((await draw(first, pageId)).body).toMatchObject({ consent_required: true });

  app.quire.advance(DAY);
  expect((await draw(first)).status).toBe(200);
}, 30_000);

test('an owner without credits is not charged, and a copy that is attacked spends nothing', async () => {
  const [first] = visitors as [TestUser];
  await runSql(app.quire, `update pages set slug = 'a--try-0123456789abcdef' where id = ${branchId}`);
  expect((await draw(first)).body).toMatchObject({ consent_required: true });
  const poor = await app.quire.user('poor');
  const page = await poor.publish({ page_api_image_gen_enabled: true });
  const branch = await app.branch(page.id, 'try', { data: 'schema' }, poor);
  for (let drawn = 0; drawn < 20 / DRAWING; drawn++)
    expect((await draw(poor, branch.page.id)).status).toBe(200);
  expect((await draw(poor, branch.page.id)).body).toEqual({ insufficient_credits: true });
  expect(await balance(poor)).toBe(0);
});
