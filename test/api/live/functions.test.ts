import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { PublishedPage, TestUser } from '../../support/app.ts';
import { type LiveApp, liveApp } from '../../support/data/live.ts';

/** What functions publish with `env.LIVE`. */

const PUBLISH = `export default { async fetch(request, env) {
  const { times = 1, pageId, channel = 'room', message } = await request.json();
  const outcomes = await Promise.all(Array.from({ length: times }, () =>
    env.LIVE.publish(pageId, channel, message).then(() => 'sent', ({ code, message, retryAfter }) => ({ code, message, retryAfter }))));
  return Response.json({ outcomes, keys: Object.keys(env), names: Object.getOwnPropertyNames(env.LIVE) });
} };`;

let app: LiveApp;
let owner: TestUser;
let page: PublishedPage;
beforeAll(async () => {
  app = await liveApp({ QUIRE_FUNCTION_CALLS_PER_MINUTE: '0' });
  owner = await app.user('owner');
  page = await owner.publish();
  await deploy(owner, 'publish');
});
afterAll(() => app.stop());

async function deploy(user: TestUser, slug: string): Promise<void> {
  const answer = await user.call('POST', '/api/functions', { body: { slug, code: PUBLISH } });
  expect(answer.status).toBe(201);
}

async function run(body: object, slug = 'publish') {
  const answer = await app.call('POST', `/api/functions/${slug}`, { body });
  return answer.body as {
    outcomes: Array<string | { code: string; message: string; retryAfter?: number }>;
    keys: string[];
    names: string[];
  };
}

test('reach the visitors of its owner’s page, by its id or slug, also of a draft', async () => {
  const tab = await app.connect(page.id);
  await tab.join('room');
  for (const pageId of [page.id, String(page.id), page.slug]) {
    expect((await run({ pageId, message: { to: pageId } })).outcomes).toEqual(['sent']);
    expect(await tab.hear()).toEqual({
      type: 'message',
      channel: 'room',
      from: null,
      message: { to: pageId },
    } as never);
  }
  tab.close();
  const draft = await owner.publish({ is_published: false });
  const own = await app.connect(draft.id, { token: owner.token });
  await own.join('room');
  await run({ pageId: draft.id, message: 1 });
  expect((await own.hear()).message).toBe(1);
  own.close();
  // Nobody is there.
  expect((await run({ pageId: page.id, channel: 'empty', message: 1 })).outcomes).toEqual(['sent']);
});

test('do not reach pages of others, and cannot tell them from pages that do not exist', async () => {
  const other = await app.user('other');
  await deploy(other, 'others');
  const tab = await app.connect(page.id);
  await tab.join('room');
  const refusals = [
    ...(await run({ pageId: page.id, message: 'spam' }, 'others')).outcomes,
    ...(await run({ pageId: 987654, message: 'spam' }, 'others')).outcomes,
  ];
  const texts = refusals.map((refusal) => (typeof refusal === 'string' ? refusal : refusal.message));
  expect(texts[0]?.replace(String(page.id), 'X')).toBe(texts[1]?.replace('987654', 'X') as string);
  expect(refusals[0]).toMatchObject({ code: 'NOT_FOUND' });
  await run({ pageId: page.id, message: 'mine' });
  expect((await tab.hear()).message).toBe('mine');
  tab.close();
});

test('are refused with a reason', async () => {
  const refusal = async (body: object) => (await run(body)).outcomes[0];
  const message = 'x'.repeat(4094);
  expect(await refusal({ pageId: page.id, message })).toBe('sent');
  expect(await refusal({ pageId: page.id, message: `${message}x` })).toMatchObject({
    code: 'PAYLOAD_TOO_LARGE',
  });
  expect(await refusal({ pageId: page.id, message: 'x'.repeat(200_000) })).toMatchObject({
    code: 'PAYLOAD_TOO_LARGE',
  });
  expect(await refusal({ pageId: page.id })).toMatchObject({ code: 'BAD_REQUEST' });
  expect(await refusal({ pageId: {}, message: 1 })).toMatchObject({ code: 'BAD_REQUEST' });
  expect(await refusal({ pageId: page.id, channel: 'a b', message: 1 })).toMatchObject({
    code: 'BAD_REQUEST',
    message: expect.stringContaining('channel name'),
  });
});

test('are limited for each owner, and the binding shows nothing but publish', async () => {
  const quick = await app.user('quick');
  await deploy(quick, 'quick');
  const own = await quick.publish();
  const { outcomes, keys, names } = await run({ pageId: own.id, message: 1, times: 150 }, 'quick');
  const refused = outcomes.filter((outcome) => outcome !== 'sent');
  expect(outcomes.slice(0, 100).every((outcome) => outcome === 'sent')).toBe(true);
  expect(refused.length).toBeGreaterThan(20);
  expect(refused[0]).toMatchObject({ code: 'RATE_LIMITED', retryAfter: 1 });
  expect([keys.includes('LIVE'), names]).toEqual([true, ['publish']]);
  expect((await run({ pageId: page.id, message: 1 })).outcomes).toEqual(['sent']);
});

test('a secret of that name keeps its place', async () => {
  const slug = 'older';
  const code = 'export default { fetch: (request, env) => Response.json(env.LIVE) };';
  expect((await owner.call('POST', '/api/functions', { body: { slug, code } })).status).toBe(201);
  const put = await owner.call('PUT', `/api/functions/${slug}/secrets/LIVE`, { body: { value: 'own' } });
  expect(put.status).toBe(204);
  expect((await app.call('POST', `/api/functions/${slug}`)).body).toBe('own');
});
