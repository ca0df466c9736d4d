import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test';
import type { Job } from '../../../contract/functions/jobs/jobs.ts';
import { connectToPage } from '../../support/agents/page-mcp.ts';
import type { TestUser } from '../../support/app.ts';
import { type FunctionApp, functionApp } from '../../support/functions/app.ts';
import { type ReceivedJobs, readJobs, receiveJobs } from '../../support/functions/received-jobs.ts';
import { waitUntil } from '../../support/server.ts';

const HOUR = 3600_000;
/** Longer than the longest wait between two tries. */
const NEXT_TRY = HOUR;

let app: FunctionApp;
let jobs: ReceivedJobs;
/** People with tokens that last longer than these tests move the clock. */
let owner: ApiUser;
let stranger: ApiUser;
/** The owner, with a token that cannot write. */
let reader: ApiUser;
beforeAll(async () => {
  app = await functionApp();
  jobs = receiveJobs();
  reader = await lastingly(app.owner, ['functions:read']);
  owner = await lastingly(app.owner);
  stranger = await lastingly(app.stranger);
});
afterAll(async () => {
  jobs.stop();
  await app.quire.stop();
});
afterEach(() => {
  jobs.release();
  jobs.got.splice(0);
  jobs.batches.splice(0);
});

type ApiUser = Pick<TestUser, 'call' | 'token'>;
async function lastingly(user: ApiUser, scopes = ['functions:read', 'functions:write']): Promise<ApiUser> {
  const { body } = await user.call('POST', '/api/auth/tokens', { body: { name: 'lasting', scopes } });
  const { token } = body;
  return { token, call: (method, path, options) => app.quire.call(method, path, { token, ...options }) };
}
const deploy = (code: string) => app.deploy(code, {}, owner);
const read = (slug: string, state?: string) => readJobs(owner, slug, state);
const toPath = (slug: string) => `/api/functions/${slug}/jobs`;
async function untilIdle(slug: string): Promise<void> {
  await waitUntil(async () => {
    const { waiting, running } = await read(slug);
    return waiting === 0 && running === 0;
  });
}
async function fetchLog(slug: string): Promise<string[]> {
  const { body } = await owner.call('GET', `/api/functions/${slug}/logs`);
  return body.logs.map((entry: { kind: string; message: string }) => `${entry.kind}: ${entry.message}`);
}
/** Lets all messages fail as often as they are tried. */
async function failAll(slug: string): Promise<void> {
  for (let tries = 1; tries <= 10; tries++) {
    await waitUntil(async () => {
      const { jobs: left, running } = await read(slug);
      return running === 0 && left.every((job: Job) => job.tries === tries);
    });
    app.quire.advance(NEXT_TRY);
  }
}

describe('a message', () => {
  test('reaches the queue of its function, and is in the log and the statistics', async () => {
    const slug = await deploy(`export default {
      async fetch(request, env) { await env.QUEUE.send({ order: 7, text: 'ä "x"' }); return new Response('sent'); },
      queue(batch, env, ctx) {
        const [{ id, timestamp, attempts, body }] = batch.messages;
        console.log(batch.queue, typeof id, timestamp instanceof Date, attempts, JSON.stringify(body));
        ctx.waitUntil(new Promise((done) => setTimeout(done, 20)).then(() => console.log('waited')));
      },
    };`);
    expect((await app.call(slug)).status).toBe(200);
    await untilIdle(slug);
    await waitUntil(async () => (await fetchLog(slug)).length === 4);
    expect((await fetchLog(slug)).toSorted()).toEqual([
      'call: jobs (1): ok',
      'call: ok',
      `console: ${slug} string true 1 {"order":7,"text":"ä \\"x\\""}`,
      'console: waited',
    ]);
    expect(await read(slug, 'failed')).toEqual({ waiting: 0, running: 0, failed: 0, jobs: [] });
  });

  test('comes with others, at most ten at a time, in their order', async () => {
    const slug = await deploy(jobs.code());
    const batch = Array.from({ length: 25 }, (_, body) => ({ body }));
    expect((await app.call(slug, { batch })).status).toBe(200);
    await jobs.until((got) => got.length === 25);
    expect(jobs.got).toEqual(batch.map(({ body }) => `1 ${body}`));
    expect(jobs.batches).toEqual([10, 10, 5]);
  });

  test('waits as long as it should', async () => {
    const slug = await deploy(jobs.code());
    await app.call(slug, { message: 'late', options: { delaySeconds: 7200 } });
    await app.call(slug, { message: 'now' });
    await jobs.until((got) => got.length === 1);
    await untilRunning(slug, 0);
    expect(await read(slug)).toMatchObject({
      waiting: 1,
      jobs: [{ preview: '"late"', tries: 0, error: null }],
    });
    app.quire.advance(7200_000);
    await jobs.until((got) => got.length === 2);
    expect(jobs.got).toEqual(['1 now', '1 late']);
  });

  test('replaces a waiting one with the same key, and not one that has begun', async () => {
    const slug = await deploy(jobs.code());
    jobs.hold();
    await app.call(slug, { message: 'first', options: { key: 'k' } });
    await jobs.until((got) => got.length === 1);
    const options = { key: 'k' };
    await app.call(slug, { message: 'second', options });
    await app.call(slug, { message: 'third', options });
    await app.call(slug, {
      batch: [{ body: 'fourth', key: 'k' }, { body: 'fifth', key: 'k' }, { body: 'other' }],
    });
    expect(await read(slug)).toMatchObject({ waiting: 2, running: 1 });
    jobs.release();
    await jobs.until((got) => got.length === 3);
    expect(jobs.got).toEqual(['1 first', '1 fifth', '1 other']);
  });

  test('is stored once when many are sent at the same time, and replaces one of them with its key', async () => {
    const slug = await deploy(`export default {
      async fetch(request, env) {
        const send = (n) => env.QUEUE.send(n, { delaySeconds: 600, ...(n < 2 && { key: 'k' }) });
        await Promise.all(Array.from({ length: 40 }, (_, n) => send(n)));
        return new Response('sent');
      },
      queue() {},
    };`);
    expect((await app.call(slug)).status).toBe(200);
    const { body } = await owner.call('GET', `${toPath(slug)}?state=waiting&limit=100`);
    const numbers = body.jobs.map(({ preview }: Job) => Math.max(1, Number(preview)));
    expect(body.waiting).toBe(39);
    expect(numbers.toSorted((a: number, b: number) => a - b)).toEqual(
      Array.from({ length: 39 }, (_, n) => n + 1),
    );
  });

  test('that was acknowledged is not sent again when the handler throws, and the others come alone', async () => {
    const slug = await deploy(
      jobs.code(`for (const message of batch.messages) {
        if (message.body === 'good') { message.ack(); message.retry(); }
      }
      if (batch.messages.some(({ attempts }) => attempts < 2)) throw new Error('not yet');`),
    );
    await app.call(slug, { batch: ['good', 'a', 'b'].map((body) => ({ body })) });
    await waitUntil(async () => (await read(slug)).jobs.some(({ error }: { error: string }) => error));
    expect((await read(slug)).jobs).toMatchObject([
      { preview: '"a"', tries: 1, error: 'not yet', state: 'waiting' },
      { preview: '"b"', tries: 1, error: 'not yet', state: 'waiting' },
    ]);
    app.quire.advance(NEXT_TRY);
    await jobs.until((got) => got.length === 5);
    expect(jobs.got).toEqual(['1 good', '1 a', '1 b', '2 a', '2 b']);
    expect(jobs.batches).toEqual([3, 1, 1]);
    await untilIdle(slug);
  });

  test('is tried again when the handler asks for it, after the time that it wants', async () => {
    const slug = await deploy(
      jobs.code(`if (batch.messages[0].attempts === 1) batch.retryAll({ delaySeconds: 7200 });`),
    );
    await app.call(slug, { message: 'again' });
    await waitUntil(async () => (await read(slug)).jobs[0]?.tries === 1 && (await read(slug)).running === 0);
    const [{ nextTryAt, sentAt }] = (await read(slug)).jobs;
    expect(Date.parse(nextTryAt) - Date.parse(sentAt)).toBeGreaterThanOrEqual(7200_000);
    app.quire.advance(7300_000);
    await jobs.until((got) => got.length === 2);
    expect(jobs.got).toEqual(['1 again', '2 again']);
  });

  test('comes once when the clock jumps while it is done, and soon if it was sent by a clock that was wrong', async () => {
    const slug = await deploy(jobs.code());
    jobs.hold();
    await app.call(slug, { message: 'running' });
    await jobs.until((got) => got.length === 1);
    app.quire.advance(3 * HOUR);
    await app.call(slug, { message: 'next' });
    jobs.release();
    await jobs.until((got) => got.length === 2);
    await untilIdle(slug);
    await app.call(slug, { message: 'sent ahead', options: { delaySeconds: 600 } });
    app.quire.advance(-3 * HOUR);
    await jobs.until((got) => got.length === 3);
    await untilIdle(slug);
    expect(jobs.got).toEqual(['1 running', '1 next', '1 sent ahead']);
  });

  test('that fails stores no long error, no NUL, and no delay that nobody may ask for', async () => {
    const slug = await deploy(
      jobs.code(`String.prototype.slice = () => 'x'.repeat(100) + '\\0' + 'y'.repeat(50_000);
      Math.ceil = () => 1e300;
      batch.messages[0].retry({ delaySeconds: 1 });
      throw new Error('never');`),
    );
    await app.call(slug, { batch: [{ body: 'a' }, { body: 'b' }] });
    await waitUntil(async () => (await read(slug)).jobs.some(({ error }: { error: string }) => error));
    for (const { error, nextTryAt, sentAt } of (await read(slug)).jobs) {
      expect(error).toBe(`${'x'.repeat(100)}\ufffd${'y'.repeat(899)}`);
      expect(Date.parse(nextTryAt) - Date.parse(sentAt)).toBeLessThan(HOUR);
    }
  });

  async function untilRunning(slug: string, count: number): Promise<void> {
    await waitUntil(async () => (await read(slug)).running === count);
  }
});

describe('a message that fails ten times', () => {
  test('is in the list of failed jobs, and can be read, sent again and deleted', async () => {
    const slug = await deploy(
      `export default {
        async fetch(request, env) { await env.QUEUE.sendBatch([{ body: { n: 1 } }, { body: { n: 2 } }]); return new Response('sent'); },
        queue() { throw new Error('never'); },
      };`,
    );
    await app.call(slug);
    await waitUntil(async () => (await read(slug)).waiting === 2);
    await failAll(slug);
    const { waiting, failed, jobs: listed } = await read(slug, 'failed');
    const fields = { state: 'failed', tries: 10, error: 'never', bytes: 7, nextTryAt: null };
    expect({ waiting, failed }).toEqual({ waiting: 0, failed: 2 });
    expect(listed).toMatchObject([
      { ...fields, preview: '{"n":2}' },
      { ...fields, preview: '{"n":1}' },
    ]);
    const [{ id }] = listed;
    const { body: job } = await owner.call('GET', `${toPath(slug)}/${id}`);
    expect(job).toMatchObject({ id, body: '{"n":2}' });
    const line = 'system: 1 of the jobs have failed for the last time. The last error: never';
    await waitUntil(async () => (await fetchLog(slug)).filter((each) => each === line).length === 2);

    const retry = () => owner.call('POST', `${toPath(slug)}/retry`, { body: { id } });
    expect((await retry()).body).toEqual({ count: 1 });
    const again = await retry();
    expect([again.status, again.body.code]).toEqual([409, 'CONFLICT']);
    await waitUntil(async () => (await read(slug)).jobs[0]?.tries === 1 && (await read(slug)).running === 0);
    expect((await owner.call('DELETE', toPath(slug))).body).toEqual({ count: 1 });
    expect((await owner.call('DELETE', `${toPath(slug)}/${id}`)).status).toBe(204);
    expect(await read(slug, 'failed')).toEqual({ waiting: 0, running: 0, failed: 0, jobs: [] });
    expect((await owner.call('GET', `${toPath(slug)}/${id}`)).status).toBe(404);
    expect((await owner.call('POST', `${toPath(slug)}/retry`)).body).toEqual({ count: 0 });
  }, 120_000);

  test('can be read, sent again and deleted by an agent', async () => {
    const slug = await deploy(`export default {
      async fetch(request, env) { await env.QUEUE.sendBatch([1, 2, 3].map((body) => ({ body }))); return new Response('sent'); },
      queue() { throw new Error('never'); },
    };`);
    await app.call(slug);
    await waitUntil(async () => (await read(slug)).waiting === 3);
    await failAll(slug);
    const agent = await connectToPage(app.quire, `${app.quire.baseUrl}/mcp`, { token: owner.token });
    const use = async (name: string, input: object = {}) => (await agent.tool(name, { slug, ...input })).data;
    const { failed, jobs: listed } = await use('list_jobs');
    expect([failed, listed.map(({ preview }: Job) => preview)]).toEqual([3, ['3', '2', '1']]);
    const [third, second] = listed;
    expect(await use('list_jobs', { id: third.id })).toMatchObject({ body: '3', error: 'never', tries: 10 });
    expect(await use('retry_jobs', { id: third.id })).toEqual({ count: 1 });
    expect(await use('list_jobs', { state: 'waiting' })).toMatchObject({
      failed: 2,
      jobs: [{ preview: '3' }],
    });
    await use('retry_jobs', { id: second.id, delete: true });
    expect(await use('retry_jobs', { delete: true })).toEqual({ count: 1 });
    expect(await use('list_jobs')).toMatchObject({ failed: 0, jobs: [] });
    await agent.client.close();
  }, 120_000);
});

describe('access', () => {
  test('is for the owner only, with the scopes of functions', async () => {
    const slug = await deploy(jobs.code());
    await app.call(slug, { message: 'secret', options: { delaySeconds: 600 } });
    const [{ id }] = (await read(slug)).jobs;
    const requests = [
      ['GET', toPath(slug)],
      ['GET', `${toPath(slug)}/${id}`],
      ['POST', `${toPath(slug)}/retry`],
      ['DELETE', `${toPath(slug)}/${id}`],
      ['DELETE', toPath(slug)],
    ] as const;
    for (const [method, path] of requests) {
      expect((await stranger.call(method, path)).status).toBe(403);
      expect((await app.quire.call(method, path)).status).toBe(401);
    }
    const other = await deploy(jobs.code());
    expect((await owner.call('GET', `${toPath(other)}/${id}`)).status).toBe(404);
    expect((await owner.call('DELETE', `${toPath(other)}/${id}`)).status).toBe(404);
    expect((await reader.call('GET', toPath(slug))).status).toBe(200);
    expect((await reader.call('DELETE', `${toPath(slug)}/${id}`)).body.code).toBe('INSUFFICIENT_SCOPE');
    expect((await owner.call('DELETE', `${toPath(slug)}/${id}`)).status).toBe(204);
    expect((await read(slug)).waiting).toBe(0);
  });
});
