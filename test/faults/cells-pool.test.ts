import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { rounds } from '../support/faults/rounds.ts';
import { type Calling, keepCalling } from '../support/functions/load.ts';
import {
  type FunctionServer,
  HELLO,
  handler,
  helpers,
  startFunctionServer,
} from '../support/functions/server.ts';
import { call } from '../support/http/client.ts';
import { waitUntil } from '../support/server.ts';

const PLACES = 3;
let quire: FunctionServer;
beforeAll(async () => {
  quire = await startFunctionServer({ settings: { QUIRE_CELLS: String(PLACES) } });
});
afterAll(() => quire.stop());

const cells = () => helpers(quire).filter(({ kind }) => kind === 'cell').length;

describe('a pool with fewer places than functions', () => {
  test('serves all of them in turn', async () => {
    const code = handler('await scheduler.wait(Math.random() * 3); return new Response("ok")');
    const slugs: string[] = [];
    for (let at = 0; at < 2 * PLACES; at++)
      slugs.push(await quire.deploy(code, { enableDatabase: at % 2 === 0 }));
    const callings = slugs.map((slug) => keepCalling(quire, slug));
    const served = ({ answers }: Calling) => answers.get('200 ok') ?? 0;
    await waitUntil(async () => callings.every((calling) => served(calling) > 20), 120_000);
    await Promise.all(callings.map((calling) => calling.stop()));
    // On a busy machine a cell may not start within the two seconds that a call waits for a place.
    const others = callings.flatMap(({ answers }) =>
      [...answers.keys()].filter((answer) => answer !== '200 ok'),
    );
    expect(others.filter((answer) => !/^503 .*busy\. Try again/.test(answer))).toEqual([]);
    await waitUntil(async () => cells() <= PLACES);
  }, 240_000);

  test('asks callers to try again when all places are busy for long', async () => {
    // Each holds its place until it is let go.
    const held: Array<() => void> = [];
    using gate = Bun.serve({
      idleTimeout: 0,
      port: 0,
      hostname: '127.0.0.1',
      fetch: () => new Promise<Response>((resolve) => held.push(() => resolve(new Response('finished')))),
    });
    const waiting = handler(`return fetch('http://127.0.0.1:${gate.port}/')`);
    const busy: string[] = [];
    for (let at = 0; at < PLACES; at++) busy.push(await quire.deploy(waiting));
    const late = await quire.deploy(HELLO);
    const finishing = busy.map((slug) => quire.call(slug));
    await waitUntil(async () => held.length === PLACES);
    const called = await quire.call(late);
    expect([called.status, called.headers.get('retry-after'), called.body.success]).toEqual([
      503,
      '1',
      false,
    ]);
    const deployed = await call(quire, 'POST', '/api/functions', {
      token: quire.owner.token,
      body: { slug: 'one-too-many', code: HELLO },
    });
    expect([deployed.status, deployed.headers.get('retry-after')]).toEqual([503, '1']);
    for (const letGo of held) letGo();
    for (const answer of await Promise.all(finishing)) expect(answer.body).toBe('finished');
    expect((await quire.call(late)).body).toBe('hello');
  }, 120_000);
});

describe('the egress', () => {
  test('starts again when its process ends', async () => {
    const web = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => new Response('outside') });
    const slug = await quire.deploy(handler(`return fetch('http://127.0.0.1:${web.port}/')`));
    for (let round = 0; round < rounds(2, 5); round++) {
      expect((await quire.call(slug)).body).toBe('outside');
      for (const { pid, kind } of helpers(quire)) if (kind === 'egress') process.kill(pid, 'SIGKILL');
      await waitUntil(async () => (await quire.call(slug)).body === 'outside');
    }
    await web.stop(true);
  }, 120_000);
});
