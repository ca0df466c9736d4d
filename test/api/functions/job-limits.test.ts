import { Database } from 'bun:sqlite';
import { afterAll, beforeAll, beforeEach, expect, test } from 'bun:test';
import { join } from 'node:path';
import { administrator } from '../../support/accounts/administrator.ts';
import type { TestUser } from '../../support/app.ts';
import { type FunctionApp, functionApp } from '../../support/functions/app.ts';
import { type ReceivedJobs, readJobs, receiveJobs } from '../../support/functions/received-jobs.ts';
import { waitUntil } from '../../support/server.ts';

/** How much functions can send, and what stops it. */

let app: FunctionApp;
let jobs: ReceivedJobs;
beforeAll(async () => {
  app = await functionApp();
  jobs = receiveJobs();
});
afterAll(async () => {
  jobs.stop();
  await app.quire.stop();
});
beforeEach(() => {
  jobs.got.splice(0);
});

const read = (slug: string, as = app.owner) => readJobs(as, slug);
const countStored = async (user: Pick<TestUser, 'call'>): Promise<number> =>
  (await user.call('GET', '/api/home')).body.storage.bytes;
/** The code of a function that returns what sending fails with. */
const SENDER = `export default {
  async fetch(request, env) {
    const { size, batch, message = 'x'.repeat(size ?? 1), options } = await request.json();
    try {
      if (batch) await env.QUEUE.sendBatch(batch, options);
      else await env.QUEUE.send(message, options);
      return Response.json({ error: null });
    } catch (error) {
      return Response.json({ error: error.message, code: error.code ?? error.name });
    }
  },
  queue() {},
};`;
const later = { delaySeconds: 600 };

test('a message has at most 128 KB as JSON', async () => {
  const slug = await app.deploy(SENDER);
  const try_ = async (size: number) => (await app.call(slug, { size, options: later })).body;
  // The quotes count too.
  expect(await try_(128 * 1024 - 2)).toEqual({ error: null });
  expect((await try_(128 * 1024 - 1)).error).toContain('is larger than 128 KB as JSON');
  expect((await try_(1024 * 1024)).code).toBe('PAYLOAD_TOO_LARGE');
  expect((await read(slug)).waiting).toBe(1);
});

test('a batch has at most 100 messages', async () => {
  const slug = await app.deploy(SENDER);
  const sendMany = async (length: number) => {
    const batch = Array.from({ length }, (_, body) => ({ body }));
    return (await app.call(slug, { batch, options: later })).body.error;
  };
  expect(await sendMany(100)).toBeNull();
  expect(await sendMany(101)).toBe('QUEUE.sendBatch: Send at most 100 messages at once.');
  expect(await sendMany(0)).toBeNull();
  expect((await read(slug)).waiting).toBe(100);
});

test.each([
  ['a delay of more than seven days', { options: { delaySeconds: 604_801 } }, 'from 0 to 604800'],
  ['a negative delay', { options: { delaySeconds: -1 } }, 'from 0 to 604800'],
  ['a key that is too long', { options: { key: 'k'.repeat(201) } }, 'at most 200 characters'],
  ['an empty key', { options: { key: '' } }, 'must not be empty'],
])('%s is refused', async (_, body, error) => {
  const slug = await app.deploy(SENDER);
  expect((await app.call(slug, body)).body.error).toContain(error);
  expect(
    (await app.call(slug, { options: { delaySeconds: 604_800, key: 'k'.repeat(200) } })).body.error,
  ).toBeNull();
});

test('what JSON cannot have, and what is not a list, is refused with what to write instead', async () => {
  const slug = await app.deploy(`export default {
    async fetch(request, env) {
      const circular = {};
      circular.own = circular;
      const fail = (promise) => promise.then(() => 'sent', ({ message }) => message);
      const send = [undefined, () => 1, 10n, circular, Symbol('x'), { toJSON() { throw new Error('no'); } }];
      const batch = [undefined, null, {}, 'text', [1], [null], [{ body: 10n }]];
      return Response.json({
        send: await Promise.all(send.map((each) => fail(env.QUEUE.send(each)))),
        batch: await Promise.all(batch.map((each) => fail(env.QUEUE.sendBatch(each)))),
      });
    },
    queue() {},
  };`);
  const { send, batch } = (await app.call(slug)).body;
  expect([...new Set(send)]).toEqual(['QUEUE.send: A message must be something that JSON can have.']);
  expect([...new Set(batch)]).toEqual([expect.stringContaining("such as [{ body: 'first' }].")]);
  expect((await read(slug)).waiting).toBe(0);
});

test('a module without queue cannot send, and a secret with the name keeps it', async () => {
  const slug = await app.deploy(SENDER.replace('queue() {},', ''));
  expect((await app.call(slug)).body).toEqual({
    error: `QUEUE.send: The default export of ${slug} has no queue function, so nobody would get the message. Write: export default { queue(batch, env, ctx) { … } }`,
    code: 'CONFLICT',
  });
  const named = await app.deploy(
    'export default { fetch: (_, env) => Response.json(typeof env.QUEUE), queue() {} };',
  );
  expect((await app.call(named)).body).toBe('object');
  await app.owner.call('PUT', `/api/functions/${named}/secrets/QUEUE`, { body: { value: 'mine' } });
  expect((await app.call(named)).body).toBe('string');
});

test('messages count towards the storage of their owner until they are done, or their function is deleted', async () => {
  const user = await app.quire.user();
  const storedBytes = () => countStored(user);
  const slug = await app.deploy(SENDER, {}, user);
  const before = await storedBytes();
  await app.call(slug, { size: 10_000, options: { ...later, key: 'k' } });
  expect((await storedBytes()) - before).toBe(10_002 + 1 + 100);
  await app.call(slug, { size: 5_000, options: { ...later, key: 'k' } });
  expect((await storedBytes()) - before).toBe(5_002 + 1 + 100);
  app.quire.advance(601_000);
  await waitUntil(async () => (await storedBytes()) === before);
  const other = await app.deploy(SENDER, {}, user);
  await app.call(other, { size: 1_000, options: later });
  expect(await storedBytes()).toBeGreaterThan(before + 1_000);
  expect((await user.call('DELETE', `/api/functions/${other}`)).status).toBe(204);
  expect(await storedBytes()).toBe(before);
});

test('more failed jobs than one transaction changes are all sent again, and all deleted', async () => {
  const user = await app.quire.user();
  const slug = await app.deploy(SENDER, {}, user);
  const before = await countStored(user);
  const batch = Array.from({ length: 100 }, (_, body) => ({ body }));
  for (let sent = 0; sent < 600; sent += 100) await app.call(slug, { batch, options: later });
  const stored = await countStored(user);
  const db = new Database(join(app.quire.dataFolder, 'quire.db'));
  const ofFunction = 'where function_id = (select id from functions where slug = ?)';
  const failAll = () => {
    db.run(`update function_jobs set failed_at = 1, due_at = due_at + 1000000000 ${ofFunction}`, [slug]);
    db.run(`update function_queues set failed = 600, waiting = 0, due_at = null ${ofFunction}`, [slug]);
  };
  failAll();
  expect((await user.call('POST', `/api/functions/${slug}/jobs/retry`)).body).toEqual({ count: 600 });
  await waitUntil(async () => (await countStored(user)) === before);
  for (let sent = 0; sent < 600; sent += 100) await app.call(slug, { batch, options: later });
  failAll();
  expect(await countStored(user)).toBe(stored);
  expect((await user.call('DELETE', `/api/functions/${slug}/jobs`)).body).toEqual({ count: 600 });
  expect(await countStored(user)).toBe(before);
  for (let sent = 0; sent < 600; sent += 100) await app.call(slug, { batch, options: later });
  expect((await user.call('DELETE', `/api/functions/${slug}`)).status).toBe(204);
  const left = db.query('select count(*) as count from function_jobs where body = ?').get('99');
  expect(left).toEqual({ count: 0 });
  db.close();
}, 60_000);

test('an owner has at most 100,000 messages', async () => {
  const user = await app.quire.user();
  const slug = await app.deploy(SENDER, {}, user);
  const fail = async () => (await app.call(slug, { options: later })).body.error;
  expect(await fail()).toBeNull();
  const db = new Database(join(app.quire.dataFolder, 'quire.db'));
  const set = (count: number) =>
    db.run(
      'update function_queues set waiting = ? where function_id = (select id from functions where slug = ?)',
      [count, slug],
    );
  set(99_999);
  expect(await fail()).toBeNull();
  expect(await fail()).toContain('Your functions have 100,000 jobs');
  set(2);
  db.close();
});

test('messages of a suspended owner wait until the account is active again', async () => {
  const boss = await administrator(app.quire, 'boss');
  const slug = await app.deploy(jobs.code(), {}, app.stranger);
  await app.call(slug, { message: 'paused', options: { delaySeconds: 60 } }, app.quire);
  const change = (path: string, body?: object) =>
    boss.admin('POST', `/api/admin/users/${app.stranger.id}/${path}`, body);
  expect((await change('suspend', { reason: 'test' })).status).toBeLessThan(300);
  app.quire.advance(120_000);
  const other = await app.deploy(jobs.code());
  await app.call(other, { message: 'other' });
  await jobs.until((got) => got.length === 1);
  expect(jobs.got).toEqual(['1 other']);
  expect((await change('restore')).status).toBeLessThan(300);
  await jobs.until((got) => got.length === 2);
  expect(jobs.got).toEqual(['1 other', '1 paused']);
});
