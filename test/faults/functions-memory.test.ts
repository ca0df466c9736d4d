import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { rounds } from '../support/faults/rounds.ts';
import { keepCalling } from '../support/functions/load.ts';
import {
  type FunctionServer,
  HELLO,
  handler,
  helpers,
  startFunctionServer,
} from '../support/functions/server.ts';
import { waitUntil } from '../support/server.ts';

const OUT_OF_MEMORY = 'The function ran out of memory (256 MB).';

let quire: FunctionServer;
let neighbour: string;
beforeAll(async () => {
  quire = await startFunctionServer();
  neighbour = await quire.deploy(HELLO);
});
afterAll(() => quire.stop());

const systemLines = async (slug: string) =>
  (await quire.logs(slug)).filter(({ kind }) => kind === 'system').map(({ message }) => message);

/** Allocates as many megabytes as it is asked to, as buffers, arrays or files, and then responds or waits. */
const KEEP = handler(`
  const { writeFileSync } = await import('node:fs');
  const { megabytes, kind, waitMs } = await request.json();
  const kept = [];
  for (let i = 0; i < megabytes; i++) {
    if (kind === 'buffers') kept.push(new Uint8Array(1048576).fill(1));
    else if (kind === 'files') kept.push(writeFileSync('/tmp/' + i, new Uint8Array(1048576).fill(1)));
    else kept.push(new Array(131072).fill(i + 0.5));
    if (i % 16 === 0) await scheduler.wait(1);
  }
  if (waitMs) await scheduler.wait(waitMs);
  return Response.json(kept.length);`);

describe.concurrent('a function that stays within its memory', () => {
  test.each(['buffers', 'arrays'])('survives %s without a log line', async (kind) => {
    const slug = await quire.deploy(KEEP);
    for (const megabytes of [64, 160]) {
      const { status, body } = await quire.call(slug, { body: { kind, megabytes, waitMs: 500 } });
      expect([status, body]).toEqual([200, megabytes]);
    }
    expect(await systemLines(slug)).toEqual([]);
  });
});

// At the same time: most of them wait for the next look at their memory.
describe.concurrent('a function that exceeds its memory limit', () => {
  test.each([
    ['buffers', 'without end', { megabytes: 1e9 }],
    ['arrays', 'without end', { megabytes: 1e9 }],
    ['files', 'without end', { megabytes: 1e9 }],
    ['buffers', 'that it holds', { megabytes: 300, waitMs: 29_000 }],
  ])(
    'with %s %s is stopped; the caller and the owner see why, and others are not affected',
    async (kind, _, amount) => {
      const slug = await quire.deploy(KEEP);
      const calling = keepCalling(quire, neighbour);
      const { status, body } = await quire.call(slug, { body: { kind, ...amount }, timeoutMs: 90_000 });
      await calling.stop();
      expect([status, body]).toEqual([502, { success: false, error: OUT_OF_MEMORY }]);
      expect([...calling.answers.keys()]).toEqual(['200 hello']);
      await waitUntil(async () => (await systemLines(slug)).length > 0);
      expect(await systemLines(slug)).toEqual([OUT_OF_MEMORY]);
      const again = await quire.call(slug, { body: { kind, megabytes: 1 } });
      expect([again.status, again.body]).toEqual([200, 1]);
    },
    120_000,
  );

  test('with one buffer that is too large gets the same error', async () => {
    const slug = await quire.deploy(handler('return new Response(new ArrayBuffer(2 ** 36))'));
    const { status, body } = await quire.call(slug);
    expect([status, body.error]).toEqual([502, OUT_OF_MEMORY]);
  });

  test('a little with each call is replaced without a failed call', async () => {
    const slug = await quire.deploy(
      `const kept = []; ${handler(`
      for (let i = 0; i < 16; i++) kept.push(new Uint8Array(1048576).fill(1));
      await scheduler.wait(20);
      return new Response(String(kept.length));`)}`,
    );
    const statuses = new Set<number>();
    await Promise.all(
      Array.from({ length: 4 }, async () => {
        while ((await systemLines(slug)).length < 2) statuses.add((await quire.call(slug)).status);
      }),
    );
    expect([...statuses]).toEqual([200]);
    expect(new Set(await systemLines(slug))).toEqual(new Set([OUT_OF_MEMORY]));
  }, 120_000);

  test('finishes its other calls in progress', async () => {
    const slug = await quire.deploy(
      handler(`
      if (new URL(request.url).search === '?slow') { await scheduler.wait(3000); return new Response('slow'); }
      const kept = [];
      for (let i = 0; i < 300; i++) { kept.push(new Uint8Array(1048576).fill(1)); if (i % 16 === 0) await scheduler.wait(1); }
      await scheduler.wait(29000);
      return new Response(String(kept.length));`),
    );
    const slow = Array.from({ length: 5 }, () => quire.call(`${slug}?slow`));
    const fat = quire.call(slug, { timeoutMs: 90_000 });
    expect((await Promise.all(slow)).map(({ status, body }) => [status, body])).toEqual(
      Array(5).fill([200, 'slow']),
    );
    const { status, body } = await fat;
    expect([status, body.error]).toEqual([502, OUT_OF_MEMORY]);
  }, 120_000);
});

describe('ordinary JSON', () => {
  const ECHO = handler('return Response.json(await request.json())');
  const rows = (bytes: number) =>
    Array.from({ length: Math.floor(bytes / 64) }, (_, id) => ({
      id,
      name: `row ${id}`,
      tags: ['a', 'b'],
      price: id / 2,
    }));

  test.each([
    ['of 3 MB, eight at a time', 3e6, 8, rounds(2, 6)],
    ['of 10 MB, eight at a time', 9e6, 8, 1],
  ])(
    '%s is returned unchanged',
    async (_, bytes, callers, repeats) => {
      const slug = await quire.deploy(ECHO);
      const sent = JSON.stringify(rows(bytes));
      const url = `http://127.0.0.1:${quire.port}/api/functions/${slug}`;
      const answers: string[] = [];
      await Promise.all(
        Array.from({ length: callers }, async () => {
          for (let round = 0; round < repeats; round++) {
            const response = await fetch(url, { method: 'POST', body: sent, keepalive: false });
            const isWhole = (await response.text()) === sent;
            answers.push(`${response.status} ${isWhole ? 'whole' : 'changed'}`);
          }
        }),
      );
      expect(answers).toEqual(Array(callers * repeats).fill('200 whole'));
      expect(await systemLines(slug)).toEqual([]);
    },
    120_000,
  );

  test('with a string of 10 MB is returned unchanged', async () => {
    const slug = await quire.deploy(handler('return Response.json({ text: await request.text() })'));
    for (let round = 0; round < rounds(1, 3); round++) {
      const { status, body } = await quire.call(slug, { body: 'x'.repeat(10 * 1024 * 1024 - 2) });
      expect([status, body.text?.length]).toEqual([200, 10 * 1024 * 1024]);
    }
  }, 120_000);
});

test('the kernel kills cells first when the machine runs out of memory', async () => {
  await quire.call(neighbour);
  const adjustments = helpers(quire)
    .filter(({ kind }) => kind === 'cell')
    .map(({ pid }) => readFileSync(`/proc/${pid}/oom_score_adj`, 'utf8').trim());
  expect(adjustments.length).toBeGreaterThan(0);
  expect(new Set(adjustments)).toEqual(new Set(['1000']));
});
