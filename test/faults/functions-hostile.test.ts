import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { cpuSeconds, residentMegabytes } from '../support/faults/process.ts';
import { rounds } from '../support/faults/rounds.ts';
import { keepCalling } from '../support/functions/load.ts';
import {
  type FunctionServer,
  HELLO,
  handler,
  helpers,
  startFunctionServer,
} from '../support/functions/server.ts';
import type { TestResponse } from '../support/http/call.ts';
import { call } from '../support/http/client.ts';
import { waitUntil } from '../support/server.ts';

/** Low limits, so that tests reach them quickly. */
const SETTINGS = { QUIRE_CELL_CPU_SECONDS: '1', QUIRE_FUNCTION_MEMORY_MB: '64' };
const OUT_OF_MEMORY = 'The function ran out of memory (64 MB).';

let quire: FunctionServer;
let neighbour: string;
let patient: FunctionServer;
let unending: Promise<TestResponse[]>;
beforeAll(async () => {
  [quire, patient] = await Promise.all([startFunctionServer({ settings: SETTINGS }), startFunctionServer()]);
  neighbour = await quire.deploy(HELLO);
  // Starts before all other tests, so that its 30 seconds pass meanwhile.
  unending = callUnending(patient);
}, 120_000);
afterAll(() => Promise.all([quire.stop(), patient.stop()]));

const cells = () => helpers(quire).filter(({ kind }) => kind === 'cell').length;

/** A function that runs this code when it is asked to, and responds normally otherwise. */
const bomb = (body: string) =>
  handler(`if ((await request.text()) !== '"now"') return new Response('ok'); ${body}`);
const explode = (slug: string) => quire.call(slug, { body: 'now', timeoutMs: 60_000 });

/** Waits until the function responds again. Until then the only allowed refusal is 503 with Retry-After. */
async function recovers(slug: string): Promise<void> {
  await waitUntil(async () => {
    const answer = await quire.call(slug);
    if (answer.status === 200) return true;
    expect([answer.status, Number(answer.headers.get('retry-after')) > 0]).toEqual([503, true]);
    return false;
  });
}

const TOO_LONG = /^The function was stopped: it used the processor for too long\.$/;
/** A loop that also allocates can reach either limit first. */
const STOPPED = new RegExp(`${TOO_LONG.source}|^${RegExp.escape(OUT_OF_MEMORY)}$`);
/** More than this machine is likely to have to spare. */
const MANY = rounds(3, 8);
const BREEDING = 'microtasks that breed';

const LOOPS: Array<[name: string, body: string]> = [
  ['an endless loop', 'for (;;);'],
  ['an endless loop in a promise', 'await new Promise(() => { for (;;); });'],
  ['an endless chain of promises', 'const next = () => Promise.resolve().then(next); await next();'],
  [BREEDING, 'const breed = () => { queueMicrotask(breed); queueMicrotask(breed); }; breed();'],
  ['a regular expression that never ends', 'return new Response(/^(a+)+$/.test("a".repeat(60) + "!"))'],
];

const BOMBS: Array<[name: string, body: string]> = [
  ['endless objects', 'const kept = []; for (;;) kept.push({ a: [1, 2, 3] });'],
  ['endless ArrayBuffers', 'const kept = []; for (;;) kept.push(new Uint8Array(1e7).fill(1));'],
  ['endless strings', 'const kept = []; for (let i = 0; ; i++) kept.push(("x" + i).repeat(1e6).slice(1));'],
  ['a string that doubles', 'let text = "x"; for (;;) text += text;'],
  [
    'an endless file',
    `const { appendFileSync } = await import('node:fs');
    for (;;) appendFileSync('/tmp/file', new Uint8Array(1e7).fill(1));`,
  ],
  ['endless recursion', 'const dig = () => dig() + 1; return new Response(dig());'],
];

describe('a function that blocks', () => {
  test('is stopped after its time limit, for each kind of loop, while its neighbour responds', async () => {
    const slugs = await Promise.all(LOOPS.map(([, body]) => quire.deploy(bomb(body))));
    const calling = keepCalling(quire, neighbour);
    const answers = await Promise.all(slugs.map(explode));
    await calling.stop();
    expect(answers.map(({ status, body }, at) => [LOOPS[at]?.[0], status, body.error])).toEqual(
      LOOPS.map(([name]) => [name, 502, expect.stringMatching(name === BREEDING ? STOPPED : TOO_LONG)]),
    );
    expect([...calling.answers.keys()]).toEqual(['200 hello']);
    await Promise.all(slugs.map(recovers));
    const logs = await quire.logs(slugs[0] ?? '');
    expect(logs.filter(({ kind }) => kind === 'system').map(({ message }) => message)).toEqual([
      'The function was stopped: it used the processor for too long.',
    ]);
  }, 120_000);

  test('is stopped even if many block at once and each gets little CPU time', async () => {
    const slugs = await Promise.all(Array.from({ length: MANY }, () => quire.deploy(bomb('for (;;);'))));
    const answers = await Promise.all(slugs.map(explode));
    // On a slow machine the caller may get the timeout first, but the cell must still end.
    expect(answers.filter(({ status }) => status !== 502 && status !== 504)).toEqual([]);
    await waitUntil(async () => {
      const logs = await Promise.all(slugs.map((slug) => quire.logs(slug)));
      return logs.every((entries) => entries.some(({ kind }) => kind === 'system'));
    });
  }, 120_000);
});

// At the same time: most of them wait for the next look at their memory, or for a backoff.
describe.concurrent('a function that uses too much memory', () => {
  test.each(BOMBS)(
    'with %s fails alone',
    async (_, body) => {
      const slug = await quire.deploy(bomb(body));
      const calling = keepCalling(quire, neighbour);
      const answer = await explode(slug);
      await calling.stop();
      // Either V8 throws an exception in the function, or the cell is killed.
      expect([500, 502]).toContain(answer.status);
      expect(answer.body).toEqual({ success: false, error: expect.any(String) });
      expect([...calling.answers.keys()]).toEqual(['200 hello']);
      expect(residentMegabytes(quire.pid)).toBeLessThan(400);
      await recovers(slug);
    },
    120_000,
  );

  test('is suspended when it keeps crashing, and works again after Retry-After', async () => {
    const slug = await quire.deploy(bomb(BOMBS[2]?.[1] ?? ''));
    // The backoff doubles with every crash, so sooner or later a call comes during it.
    let refused = await explode(slug);
    for (let crash = 1; crash <= 9 && refused.status === 502; crash++) refused = await explode(slug);
    expect([refused.status, refused.body.success, refused.body.error]).toEqual([
      503,
      false,
      'The function keeps crashing and is suspended for a moment. Check its log.',
    ]);
    const seconds = Number(refused.headers.get('retry-after'));
    expect(seconds).toBeWithin(1, 31);
    await Bun.sleep(seconds * 1000);
    expect((await quire.call(slug)).status).toBe(200);
    // A new version does not wait for the backoff of the old one.
    expect((await explode(slug)).status).toBe(502);
    // The process may take a moment to end after it cut off the response.
    await waitUntil(async () => (await quire.call(slug)).status === 503);
    await quire.redeploy(slug, HELLO);
    expect((await quire.call(slug)).body).toBe('hello');
  }, 120_000);
});

describe('a module that', () => {
  const HOSTILE: Array<[name: string, code: string, message: RegExp]> = [
    ['never finishes loading', 'for (;;); export default { fetch() {} }', /5 seconds/],
    [
      'logs endlessly while it loads',
      'for (;;) console.log("x"); export default { fetch() {} }',
      /5 seconds/,
    ],
    [
      'runs out of memory while it loads',
      'const a = []; for (;;) a.push(("x" + a.length).repeat(1e6).slice(1)); export default { fetch() {} }',
      /out of memory/,
    ],
    ['hangs when its handler is read', 'export default { get fetch() { for (;;); } }', /5 seconds/],
    ['throws when its handler is read', 'export default { get fetch() { throw 1; } }', /cannot be read/],
    ['replaces Response.json', 'Response.json = () => 1; export default { fetch() {} }', /cannot be read/],
  ];

  test('cannot load is refused with the reason, and leaves nothing running', async () => {
    const before = cells();
    const answers = await Promise.all(
      HOSTILE.map(([, code], at) =>
        call(quire, 'POST', '/api/functions', {
          token: quire.owner.token,
          body: { slug: `hostile-${at}`, code },
        }),
      ),
    );
    for (const [at, { status, body }] of answers.entries()) {
      const [name = '', , message = /./] = HOSTILE[at] ?? [];
      expect([name, status, body.code]).toEqual([name, 422, 'DEPLOY_FAILED']);
      expect(body.error).toMatch(message);
    }
    await waitUntil(async () => cells() <= before);
  }, 120_000);
});

describe('a function that works endlessly without blocking', () => {
  test('is cut off after 30 seconds, whether it has responded or not', async () => {
    const [after, ...others] = await unending;
    expect(after?.body).toBe('ok');
    expect(others.map(({ status, body }) => [status, body.error])).toEqual(
      Array(3).fill([504, 'The function did not answer within 30 seconds.']),
    );
    // CPU time comes from the kernel, so that this also counts work nobody waits for.
    const used = () =>
      helpers(patient)
        .filter(({ kind }) => kind === 'cell')
        .reduce((sum, { pid }) => sum + cpuSeconds(pid), 0);
    await waitUntil(async () => {
      const before = used();
      await Bun.sleep(500);
      return used() - before < 0.1;
    });
  }, 120_000);
});

function callUnending(server: FunctionServer): Promise<TestResponse[]> {
  const work = 'for (;;) { for (let i = 0; i < 2e6; i++); await scheduler.wait(1); }';
  const breed = 'const breed = () => { for (let i = 0; i < 1000; i++) setTimeout(breed, 0); }; breed();';
  const start = async (body: string) =>
    server.call(await server.deploy(bomb(body)), { body: 'now', timeoutMs: 90_000 });
  return Promise.all([
    start(`ctx.waitUntil((async () => { ${work} })()); return new Response('ok');`),
    start(work),
    start(`${breed} await scheduler.wait(1e9);`),
    start('await scheduler.wait(1e9);'),
  ]);
}
