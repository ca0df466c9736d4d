import { afterEach, beforeEach, expect, test } from 'bun:test';
import { type FunctionServer, handler, helpers, startFunctionServer } from '../support/functions/server.ts';
import { call } from '../support/http/client.ts';

/** The egress starts when the first cell needs it. */

let quire: FunctionServer;
beforeEach(async () => {
  quire = await startFunctionServer();
}, 60_000);
afterEach(() => quire.kill());

const findEgress = (server: FunctionServer) => helpers(server).filter(({ name }) => name === 'egress');

/** Waits for a process of the egress other than these. */
async function untilEgress(former: number[] = []): Promise<void> {
  while (findEgress(quire).every(({ pid }) => former.includes(pid))) await Bun.sleep(1);
}

function killEgress(): void {
  for (const { pid } of findEgress(quire)) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // It has ended since.
    }
  }
}

test('functions that start together share one egress', async () => {
  expect(findEgress(quire)).toEqual([]);
  const target = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => new Response('reached') });
  const code = handler(`return fetch('http://127.0.0.1:${target.port}/')`);
  const slugs = await Promise.all(Array.from({ length: 8 }, () => quire.deploy(code)));
  const answers = await Promise.all(slugs.map((slug) => quire.call(slug)));
  expect(answers.map(({ status, body }) => `${status} ${body}`)).toEqual(slugs.map(() => '200 reached'));
  expect(findEgress(quire).filter(({ kind }) => kind === 'egress')).toHaveLength(1);
  await target.stop(true);
}, 120_000);

test('a deploy is refused while the egress cannot start, and works when it can', async () => {
  const body = { slug: 'first', code: handler('return new Response("hello")'), enableDatabase: true };
  const deploy = () => call(quire, 'POST', '/api/functions', { token: quire.owner.token, body });
  let isOver = false;
  const refused = deploy().finally(() => {
    isOver = true;
  });
  while (!isOver) {
    killEgress();
    await Bun.sleep(1);
  }
  expect(await refused).toMatchObject({ status: 503, body: { code: 'UNAVAILABLE' } });
  expect(await deploy()).toMatchObject({ status: 201 });
  expect(await quire.call('first')).toMatchObject({ status: 200, body: 'hello' });
}, 120_000);

test('a server that stops while the egress starts leaves no process behind', async () => {
  const deploying = quire.deploy(handler('return new Response()')).catch(() => undefined);
  await untilEgress();
  expect(await quire.stop()).toBe(0);
  await deploying;
  expect(helpers(quire)).toEqual([]);
}, 120_000);

test('a server that stops while the egress starts again leaves no process behind', async () => {
  await quire.deploy(handler('return new Response()'));
  const former = findEgress(quire).map(({ pid }) => pid);
  killEgress();
  await untilEgress(former);
  expect(await quire.stop()).toBe(0);
  expect(helpers(quire)).toEqual([]);
}, 120_000);
