import { afterAll, beforeEach, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runSql } from '../support/engines/storage.ts';
import { isSoak, rounds } from '../support/faults/rounds.ts';
import { functionApp } from '../support/functions/app.ts';
import { readJobs, receiveJobs } from '../support/functions/received-jobs.ts';
import { call, register } from '../support/http/client.ts';
import { startServer, waitUntil } from '../support/server.ts';

const jobs = receiveJobs();
afterAll(() => jobs.stop());
beforeEach(() => {
  jobs.got.splice(0);
});

const settings = { QUIRE_EGRESS_ALLOW: '127.0.0.1/32', QUIRE_FUNCTION_CALLS_PER_MINUTE: '0' };
const ROUNDS = rounds(2, 50);
const PER_ROUND = 30;
/** How many messages are accepted in each round at least, before the server is killed. */
const MIN_ACCEPTED = 10;

test(
  'every message that was accepted is delivered, however often the server is killed',
  async () => {
    const dataFolder = mkdtempSync(join(tmpdir(), 'quire-jobs-'));
    const start = () => startServer({ dataFolder, settings });
    const accepted: string[] = [];
    try {
      let server = await start();
      const { token } = await register(server, 'owner');
      const body = { slug: 'worker', code: jobs.code() };
      expect((await call(server, 'POST', '/api/functions', { token, body })).status).toBe(201);
      for (let round = 0; round < ROUNDS; round++) {
        const [before, acceptedBefore] = [jobs.got.length, accepted.length];
        const enough = Promise.withResolvers<void>();
        const sending = Array.from({ length: PER_ROUND }, async (_, n) => {
          const message = `${round}-${n}`;
          const sent = call(server, 'POST', '/api/functions/worker', { body: { message } });
          // Those that the server was killed with may be stored or not.
          const answer = await sent.catch(() => undefined);
          if (answer?.status === 200) accepted.push(message);
          if (accepted.length >= acceptedBefore + MIN_ACCEPTED) enough.resolve();
        });
        // Some have been delivered, and some are being sent.
        await jobs.until((got) => got.length > before);
        await Promise.race([enough.promise, Promise.all(sending)]);
        await server.kill();
        await Promise.allSettled(sending);
        server = await start();
      }
      const missing = () => {
        const got = new Set(jobs.got.map((line) => line.split(' ')[1]));
        return accepted.filter((message) => !got.has(message));
      };
      await jobs.until(() => missing().length === 0);
      expect(accepted.length).toBeGreaterThanOrEqual(ROUNDS * MIN_ACCEPTED);
      if (isSoak) console.log(accepted.length, 'accepted', jobs.got.length, 'deliveries', ROUNDS, 'kills');
      await waitUntil(async () => {
        const path = '/api/functions/worker/jobs?state=waiting';
        const { body: left } = await call(server, 'GET', path, { token });
        return left.waiting === 0 && left.running === 0 && left.failed === 0;
      });
      await server.stop();
    } finally {
      rmSync(dataFolder, { recursive: true, force: true });
    }
  },
  120_000 + ROUNDS * 30_000,
);

test('a message that kills its process or blocks it is a failed try, and takes no others along', async () => {
  const app = await functionApp({ QUIRE_CELL_CPU_SECONDS: '1' });
  try {
    const slug = await app.deploy(
      jobs.code(`if (batch.messages.some(({ body }) => body === 'bad')) for (;;) {}`),
    );
    const batch = ['a', 'bad', 'b'].map((body) => ({ body }));
    await app.call(slug, { batch });
    const read = () => readJobs(app.owner, slug);
    await waitUntil(async () => {
      const { running, jobs: left } = await read();
      return running === 0 && left.length === 3 && left[0].tries === 1;
    });
    expect((await read()).jobs[0].error).toMatch(/stopped/);
    app.quire.advance(10_000);
    await waitUntil(async () => {
      const { waiting, running } = await read();
      return waiting === 1 && running === 0;
    });
    expect((await read()).jobs).toMatchObject([{ preview: '"bad"', tries: 2 }]);
    expect(jobs.got.filter((line) => line !== '2 bad')).toEqual(['1 a', '1 bad', '1 b', '2 a', '2 b']);
  } finally {
    await app.quire.stop();
  }
}, 120_000);

test('a message whose promise never settles is a failed try', async () => {
  const app = await functionApp();
  try {
    const slug = await app.deploy(jobs.code('await new Promise(() => {});'));
    await app.call(slug, { message: 'hangs' });
    const read = () => readJobs(app.owner, slug);
    await waitUntil(async () => (await read()).jobs[0]?.error && (await read()).running === 0);
    expect((await read()).jobs).toMatchObject([{ preview: '"hangs"', tries: 1 }]);
  } finally {
    await app.quire.stop();
  }
}, 120_000);

test('a queue that grows faster than it is emptied delays no other owner', async () => {
  const app = await functionApp({ QUIRE_CELLS: '8' });
  try {
    // Each of its messages sends more.
    const growing = await app.deploy(`export default {
      async fetch(request, env) { await env.QUEUE.send(1); return new Response('sent'); },
      async queue(batch, env) {
        await env.QUEUE.sendBatch(Array.from({ length: 50 }, (_, body) => ({ body })));
      },
    };`);
    await app.call(growing);
    await waitUntil(async () => (await readJobs(app.owner, growing)).waiting > 300);
    const slug = await app.deploy(jobs.code(), {}, app.stranger);
    await app.call(slug, { message: 'quick' });
    await jobs.until((got) => got.includes('1 quick'));
    expect((await readJobs(app.owner, growing)).waiting).toBeGreaterThan(300);
  } finally {
    await app.quire.stop();
  }
}, 120_000);

test('messages that are cut off because others wait are tried again, and no try is counted for the first 20 times', async () => {
  // One batch at a time.
  const app = await functionApp({ QUIRE_CELLS: '4' });
  try {
    const long = await app.deploy(jobs.code());
    jobs.hold();
    await app.call(long, { batch: [{ body: 'a' }, { body: 'b' }] });
    await jobs.until((got) => got.length === 2);
    await runSql(app.quire, `update function_jobs set cut_offs = 20 where body = '"b"'`);
    const short = await app.deploy(jobs.code(), {}, app.stranger);
    await app.call(short, { message: 'other' });
    await jobs.until((got) => got.includes('1 other'));
    await waitUntil(async () => (await readJobs(app.owner, long)).running === 0);
    const error = 'The function was stopped after 30 seconds, because jobs of others were waiting.';
    const left = (await readJobs(app.owner, long)).jobs;
    expect(left).toMatchObject([
      { preview: '"a"', tries: 0, error },
      { preview: '"b"', tries: 1, error },
    ]);
    jobs.release();
    app.quire.advance(10_000);
    await waitUntil(async () => (await readJobs(app.owner, long)).waiting === 0);
    await jobs.until((got) => got.length === 5);
    // Next time they come alone, so that each needs less time.
    expect(jobs.got).toEqual(['1 a', '1 b', '1 other', '1 a', '2 b']);
    expect(jobs.batches.slice(-2)).toEqual([1, 1]);
  } finally {
    jobs.release();
    await app.quire.stop();
  }
}, 120_000);

test('a server that stops gives messages back, and no try is counted', async () => {
  const dataFolder = mkdtempSync(join(tmpdir(), 'quire-jobs-'));
  try {
    let server = await startServer({ dataFolder, settings, finishMs: 100 });
    const { token } = await register(server, 'owner');
    const body = { slug: 'worker', code: jobs.code() };
    await call(server, 'POST', '/api/functions', { token, body });
    jobs.hold();
    await call(server, 'POST', '/api/functions/worker', { body: { message: 'cut' } });
    await jobs.until((got) => got.length === 1);
    await server.stop();
    jobs.release();
    server = await startServer({ dataFolder, settings });
    await jobs.until((got) => got.length === 2);
    expect(jobs.got).toEqual(['1 cut', '1 cut']);
    await server.stop();
  } finally {
    jobs.release();
    rmSync(dataFolder, { recursive: true, force: true });
  }
}, 120_000);
