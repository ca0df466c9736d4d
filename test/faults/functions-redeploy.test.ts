import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { rounds } from '../support/faults/rounds.ts';
import { keepCalling } from '../support/functions/load.ts';
import {
  type FunctionServer,
  HELLO,
  handler,
  helpers,
  startFunctionServer,
} from '../support/functions/server.ts';
import { call } from '../support/http/client.ts';
import { waitUntil } from '../support/server.ts';

const DEPLOYS = rounds(20, 200);
const SECRETS = rounds(5, 20);
const CRASHES = rounds(1, 12);

let quire: FunctionServer;
beforeAll(async () => {
  quire = await startFunctionServer({ settings: { QUIRE_CELL_CPU_SECONDS: '1' } });
});
afterAll(() => quire.stop());

const cells = () => helpers(quire).filter(({ kind }) => kind === 'cell').length;
const remove = async (slug: string) => {
  const { token } = quire.owner;
  expect((await call(quire, 'DELETE', `/api/functions/${slug}`, { token })).status).toBe(204);
};
const version = (n: number) =>
  handler(`await scheduler.wait(Math.random() * 5); return new Response('version ${n}')`);

describe('a function that is deployed again and again', () => {
  test('loses no call under load, and leaves no cell behind', async () => {
    const slug = await quire.deploy(version(0));
    // Enough callers for a second cell, so that a cell is sometimes starting when the next version comes.
    const calling = keepCalling(quire, slug, 30, 0);
    for (let deploy = 1; deploy <= DEPLOYS; deploy++)
      expect((await quire.redeploy(slug, version(deploy % 2))).status).toBe(200);
    await calling.stop();
    expect([...calling.answers.keys()].sort()).toEqual(['200 version 0', '200 version 1']);
    expect(calling.count).toBeGreaterThan(5 * DEPLOYS);
    expect((await quire.call(slug)).body).toBe('version 0');
    await waitUntil(async () => cells() <= 2);
    await remove(slug);
    await waitUntil(async () => cells() === 0);
  }, 240_000);

  test('or gets new secrets, or is deleted while it starts, leaves no cell behind either', async () => {
    const { token } = quire.owner;
    const slug = await quire.deploy(handler('return new Response(env.NUMBER ?? "none")'));
    const calling = keepCalling(quire, slug, 4);
    for (let number = 1; number <= SECRETS; number++) {
      const path = `/api/functions/${slug}/secrets/NUMBER`;
      expect((await call(quire, 'PUT', path, { token, body: { value: String(number) } })).status).toBe(204);
    }
    await calling.stop();
    expect([...calling.answers.keys()].filter((answer) => !/^200 (none|\d+)$/.test(answer))).toEqual([]);
    expect((await quire.call(slug)).body).toBe(String(SECRETS));
    for (let at = 1; at <= rounds(3, 10); at++) {
      const doomed = await quire.deploy(HELLO, { enableDatabase: true });
      await remove(doomed);
    }
    await waitUntil(async () => cells() <= 2);
  }, 120_000);
});

describe('a neighbour of functions that spin, eat memory and crash', () => {
  test('always gets a response', async () => {
    const neighbour = await quire.deploy(HELLO);
    const hostile = await Promise.all(
      [
        'for (;;);',
        'const kept = []; for (;;) kept.push(new Uint8Array(1e7).fill(1));',
        'const kept = []; for (let i = 0; ; i++) kept.push(("x" + i).repeat(1e6).slice(1));',
        'for (;;) { console.log("x".repeat(1000)); await null; }',
      ].map((body) => quire.deploy(handler(body))),
    );
    const calling = keepCalling(quire, neighbour, 2);
    await Promise.all(
      hostile.map(async (slug) => {
        for (let crash = 0; crash < CRASHES; ) {
          const { status } = await quire.call(slug, { timeoutMs: 60_000 });
          expect([500, 502, 503, 504]).toContain(status);
          if (status !== 503) crash++;
          else await Bun.sleep(100);
        }
      }),
    );
    await calling.stop();
    expect([...calling.answers.keys()]).toEqual(['200 hello']);
    expect(calling.count).toBeGreaterThan(0);
  }, 240_000);
});
