import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { residentMegabytes } from '../support/faults/process.ts';
import { rounds } from '../support/faults/rounds.ts';
import { keepCalling } from '../support/functions/load.ts';
import { type FunctionServer, HELLO, handler, startFunctionServer } from '../support/functions/server.ts';
import { waitUntil } from '../support/server.ts';

let quire: FunctionServer;
beforeAll(async () => {
  quire = await startFunctionServer();
});
afterAll(() => quire.stop());

/** A function for each test that runs this code when it is asked to. */
const onDemand = (body: string) =>
  handler(`if ((await request.json()) === 'now') { ${body} } return new Response('ok')`);
const TALKATIVE = handler('for (let i = 0; i < 20; i++) console.log("line " + i); return new Response("ok")');

/** How many entries were left out, according to the log. */
async function dropped(slug: string): Promise<number> {
  const counts = (await quire.logs(slug)).map(({ kind, message }) =>
    kind === 'system' ? Number(/^(\d+) more log entries/.exec(message)?.[1] ?? 0) : 0,
  );
  return counts.reduce((sum, count) => sum + count, 0);
}

describe('a flood of log lines', () => {
  test('is kept in part, the rest is counted, and other functions are not affected', async () => {
    const flood = await quire.deploy(
      onDemand(`for (let i = 0; i < ${rounds(1e5, 1e6)}; i++) console.log("line number " + i);`),
    );
    const talkative = await quire.deploy(TALKATIVE);
    const calling = keepCalling(quire, await quire.deploy(HELLO));
    const flooding = quire.call(flood, { body: 'now', timeoutMs: 90_000 });
    await waitUntil(async () => (await dropped(flood)) > 0);
    await quire.call(talkative);
    await waitUntil(
      async () => (await quire.logs(talkative)).filter(({ kind }) => kind === 'console').length >= 20,
    );
    const lines = (await quire.logs(talkative)).flatMap(({ kind, message }) =>
      kind === 'console' ? [message] : [],
    );
    expect(lines).toEqual(Array.from({ length: 20 }, (_, i) => `line ${i}`));
    // Logging uses CPU time too: on a slow machine it may reach a limit.
    expect([200, 502, 504]).toContain((await flooding).status);
    await calling.stop();
    expect([...calling.answers.keys()]).toEqual(['200 hello']);
    expect((await quire.logs(flood)).length).toBeLessThanOrEqual(1_000);
    expect(residentMegabytes(quire.pid)).toBeLessThan(400);
    // The same cell may still be logging, and be stopped for it.
    await waitUntil(async () => (await quire.call(flood, { body: 'later' })).status === 200);
  }, 120_000);

  test('that never ends stops with its caller, and system messages about it stay visible', async () => {
    const flood = await quire.deploy(
      onDemand(
        'for (;;) { for (let i = 0; i < 100; i++) console.log("x".repeat(1_000)); await scheduler.wait(0); }',
      ),
    );
    const left = quire.call(flood, { body: 'now', timeoutMs: 2_500 });
    expect(
      await left.then(
        () => 'answered',
        () => 'left',
      ),
    ).toBe('left');
    await waitUntil(async () => (await dropped(flood)) > 100);
    expect((await quire.logs(flood)).length).toBeLessThanOrEqual(1_000);
    expect((await quire.call(flood, { body: 'later' })).status).toBe(200);
    let entries = 0;
    await waitUntil(async () => {
      const before = entries;
      entries = await dropped(flood);
      await Bun.sleep(1_200);
      return entries === before;
    });
  }, 120_000);

  test('in other scripts arrives unchanged', async () => {
    const text = 'žluťoučký кінь 馬 🐎 ';
    const slug = await quire.deploy(
      handler(
        `for (let i = 0; i < 50; i++) console.log('${text}'.repeat(60) + i); return new Response('ok')`,
      ),
    );
    await quire.call(slug);
    await waitUntil(async () => (await quire.logs(slug)).length >= 51);
    const lines = (await quire.logs(slug)).filter(({ kind }) => kind === 'console');
    expect(lines.map(({ message }) => message)).toEqual(
      Array.from({ length: 50 }, (_, i) => text.repeat(60) + i),
    );
  });
});
