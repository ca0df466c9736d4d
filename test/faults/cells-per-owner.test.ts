import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { connect } from 'node:net';
import { Readable } from 'node:stream';
import {
  type FunctionServer,
  HELLO,
  handler,
  helpers,
  startFunctionServer,
} from '../support/functions/server.ts';
import { type Account, call, register } from '../support/http/client.ts';
import { openConnection } from '../support/http/socket.ts';
import { waitUntil } from '../support/server.ts';

/** Sends a byte now and then, as long as someone reads. */
const TRICKLE = handler(`const { readable, writable } = new TransformStream();
  ctx.waitUntil((async () => {
    const writer = writable.getWriter();
    for (;;) { await writer.write(new TextEncoder().encode('.')); await scheduler.wait(50); }
  })());
  return new Response(readable)`);
const NEVER_LOADS = `while (true) {} ${HELLO}`;

/** Calls a function that streams. Resolves when the response has begun. */
async function hold(server: FunctionServer, slug: string) {
  const connection = await openConnection(server.port);
  const begun = new Promise<void>((resolve) => connection.socket.once('data', () => resolve()));
  await connection.send(
    `POST /api/functions/${slug} HTTP/1.1\r\nhost: localhost\r\ncontent-length: 0\r\n\r\n`,
  );
  await begun;
  return connection;
}

let taking: ReturnType<typeof takePlace>;
beforeAll(() => {
  // Starts before all other tests, so that its seconds pass meanwhile.
  taking = takePlace();
  taking.catch(() => undefined);
});

describe('an owner who can use 2 of 8 places', () => {
  let quire: FunctionServer;
  let neighbour: Account;
  beforeAll(async () => {
    quire = await startFunctionServer({ settings: { QUIRE_CELLS: '8', QUIRE_CELLS_PER_OWNER: '2' } });
    neighbour = await register(quire, 'neighbour');
  });
  afterAll(() => quire.stop());

  test('gets 2 slow streams, is refused a third with an explanation, and takes nothing from others', async () => {
    const slugs: string[] = [];
    for (let at = 0; at < 3; at++) slugs.push(await quire.deploy(TRICKLE));
    const [first = '', second = '', third = ''] = slugs;
    const streams = [await hold(quire, first), await hold(quire, second)];
    const refused = await quire.call(third);
    expect([refused.status, refused.headers.get('retry-after'), refused.body]).toEqual([
      503,
      '5',
      { success: false, error: expect.stringContaining('2 functions running at once'), retryAfter: 5 },
    ]);
    const deployed = await call(quire, 'POST', '/api/functions', {
      token: quire.owner.token,
      body: { slug: 'one-more', code: HELLO },
    });
    expect([deployed.status, deployed.body.code, deployed.headers.get('retry-after')]).toEqual([
      503,
      'UNAVAILABLE',
      '5',
    ]);
    for (let at = 0; at < 3; at++) {
      const slug = await quire.deploy(HELLO, {}, neighbour);
      expect((await quire.call(slug)).body).toBe('hello');
    }
    for (const stream of streams) stream.close();
    const again = await hold(quire, third);
    again.close();
  }, 120_000);

  test('can deploy 2 modules at a time that never load, while others deploy and call', async () => {
    const running = () =>
      new Set(
        helpers(quire)
          .filter(({ kind }) => kind === 'cell')
          .map(({ name }) => name),
      );
    const before = running();
    let last = new Set<string>();
    let most = 0;
    const watching = setInterval(() => {
      // Listing processes takes time, in which one can end and the next can start. A cell that is in two lists ran
      // between them.
      const now = running().difference(before);
      most = Math.max(most, now.intersection(last).size);
      last = now;
    }, 50);
    const deploys = Array.from({ length: 4 }, (_, at) =>
      call(quire, 'POST', '/api/functions', {
        token: quire.owner.token,
        body: { slug: `never-${at}`, code: NEVER_LOADS },
        timeoutMs: 60_000,
      }),
    );
    await waitUntil(async () => most > 0);
    const slug = await quire.deploy(HELLO, {}, neighbour);
    expect((await quire.call(slug)).body).toBe('hello');
    const statuses = (await Promise.all(deploys)).map(({ status }) => status);
    clearInterval(watching);
    expect(statuses).toEqual([422, 422, 422, 422]);
    // Two of the owner's and one of the neighbour's.
    expect(most).toBeLessThanOrEqual(3);
  }, 120_000);

  test('has functions that one client address cannot fill', async () => {
    const slug = await quire.deploy(
      handler(`if ((await request.text()) === 'hold') await scheduler.wait(1e9);
        return new Response('hello')`),
    );
    const lines = `POST /api/functions/${slug} HTTP/1.1\r\nhost: localhost\r\n`;
    const held = await Promise.all(
      Array.from({ length: 500 }, async () => {
        const connection = await openConnection(quire.port);
        await connection.send(`${lines}content-length: 4\r\n\r\nhold`);
        return connection;
      }),
    );
    const refused = () => held.filter(({ socket }) => socket.bytesRead > 0);
    // At most two cells, and a hundred calls from one address in each.
    await waitUntil(async () => refused().length >= 300);
    const answer = await refused()[0]?.answer();
    expect([answer?.status, answer?.headers['retry-after'], answer?.body]).toEqual([
      503,
      '1',
      expect.stringContaining('100 calls from your address'),
    ]);
    const other = connect({ port: quire.port, host: '127.0.0.1', localAddress: '127.0.0.2' });
    other.write(`${lines}content-length: 0\r\nconnection: close\r\n\r\n`);
    expect(await new Response(Readable.toWeb(other) as ReadableStream).text()).toEndWith('hello');
    expect(held.length - refused().length).toBeGreaterThanOrEqual(100);
    for (const connection of held) connection.close();
  }, 120_000);
});

test('an owner without a cell gets one from the owner who has most, and that owner loses long calls', async () => {
  const { logs } = await taking;
  expect(logs.filter(({ message }) => message.includes('all places for functions were taken'))).toHaveLength(
    1,
  );
}, 120_000);

/** An owner has all places, and a neighbour needs one. Resolves when the neighbour has got it. */
async function takePlace() {
  const quire = await startFunctionServer({ settings: { QUIRE_CELLS: '3', QUIRE_CELLS_PER_OWNER: '3' } });
  const neighbour = await register(quire, 'neighbour');
  const late = await quire.deploy(HELLO, {}, neighbour);
  const slugs = [await quire.deploy(TRICKLE), await quire.deploy(TRICKLE), await quire.deploy(TRICKLE)];
  const streams = await Promise.all(slugs.map((slug) => hold(quire, slug)));
  const closed = Promise.race(streams.map((stream) => stream.closed));
  expect((await quire.call(late)).status).toBe(503);
  await waitUntil(async () => (await quire.call(late)).body === 'hello');
  await closed;
  const logs = (await Promise.all(slugs.map((slug) => quire.logs(slug)))).flat();
  for (const stream of streams) stream.close();
  await quire.stop();
  return { logs };
}
