import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { createServer, type Server, type Socket } from 'node:net';
import { isDeepStrictEqual } from 'node:util';
import { type FunctionServer, helpers, startFunctionServer } from '../support/functions/server.ts';
import { type Account, register } from '../support/http/client.ts';
import { waitUntil } from '../support/server.ts';

/** Opens as many connections as it is asked to, and keeps them open while the function lives. */
const OPENER = `import { connect } from 'cloudflare:sockets';
const ways = {
  async connect(port) {
    const socket = connect('127.0.0.1:' + port);
    await socket.opened;
    return 'open';
  },
  async fetch(port) {
    const response = await fetch('http://127.0.0.1:' + port + '/');
    if (response.status !== 200) return await response.text();
    await response.body.getReader().read();
    return 'open';
  },
};
export default { async fetch(request, env, ctx) {
  const { way, port, count, holdMs } = await request.json();
  const outcomes = await Promise.all(Array.from({ length: count }, () =>
    ways[way](port).catch((error) => 'failed: ' + error.message)));
  ctx.waitUntil(scheduler.wait(holdMs));
  return Response.json(outcomes);
} };`;

const TALKER = `import { connect } from 'cloudflare:sockets';
export default { async fetch(request) {
  const socket = connect('127.0.0.1:' + await request.text(), { allowHalfOpen: true });
  const writer = socket.writable.getWriter();
  await writer.write(new TextEncoder().encode('a question'));
  await writer.close();
  return new Response(socket.readable);
} };`;

function listen(onSocket: (socket: Socket) => void): Promise<Server> {
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    socket.on('error', () => undefined);
    onSocket(socket);
  });
  return new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(server)));
}
const readPort = (server: Server) => (server.address() as { port: number }).port;

let silent: Server;
const sockets = new Set<Socket>();
let web: ReturnType<typeof Bun.serve>;
beforeAll(async () => {
  silent = await listen((socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('data', () => socket.write('HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\nx'));
    socket.on('end', () => socket.end());
  });
  web = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => new Response('outside') });
});
afterAll(async () => {
  for (const socket of sockets) socket.destroy();
  silent.close();
  await web.stop(true);
});

/** Counts each outcome. */
const tally = (outcomes: string[]) => Object.entries(Object.groupBy(outcomes, (outcome) => outcome));
const findEgress = (quire: FunctionServer) =>
  helpers(quire)
    .filter(({ kind }) => kind === 'egress')
    .map(({ pid }) => pid);

/** Ends all cells, and with them their connections. */
async function endCells(quire: FunctionServer): Promise<void> {
  for (const { pid, kind } of helpers(quire)) if (kind === 'cell') process.kill(pid, 'SIGKILL');
  await waitUntil(async () => sockets.size === 0);
}

async function withNeighbour(settings: Record<string, string>) {
  const quire = await startFunctionServer({ settings });
  const neighbour: Account = await register(quire, 'neighbour');
  const code = `export default { fetch: () => fetch('http://127.0.0.1:${web.port}/') }`;
  const download = await quire.deploy(code, {}, neighbour);
  const open = async (slug: string, way: string, count: number, holdMs = 100): Promise<string[]> =>
    (await quire.call(slug, { body: { way, port: readPort(silent), count, holdMs } })).body;
  return { quire, download, open };
}

describe('an owner with a limit of 10 connections', () => {
  let stage: Awaited<ReturnType<typeof withNeighbour>>;
  beforeAll(async () => {
    stage = await withNeighbour({ QUIRE_EGRESS_CONNECTIONS: '40' });
  });
  afterAll(() => stage.quire.stop());

  test.each([
    ['connect', 'failed: proxy request failed, cannot connect to the specified address'],
    ['fetch', expect.stringContaining('have 10 connections open, which is the limit for one owner')],
  ])(
    'has 10 open with %s: the next is refused and logged, and others are not affected',
    async (way, refusal) => {
      const { quire, open, download } = stage;
      const slug = await quire.deploy(OPENER);
      const other = await quire.deploy(OPENER);
      // Half by one function and half by another, because the limit is per owner.
      expect(await open(slug, way, 5, 60_000)).toEqual(Array(5).fill('open'));
      expect(await open(other, way, 5, 60_000)).toEqual(Array(5).fill('open'));
      expect(await open(slug, way, 3)).toEqual([refusal, refusal, refusal]);
      expect((await quire.call(download)).body).toBe('outside');
      const line = 'a connection was refused: your functions have 10 open';
      // At most one line is logged each second, however many connections are refused.
      await waitUntil(async () => {
        await open(slug, way, 1);
        return (await quire.logs(slug)).some(({ message }) => message.includes(line));
      });
      // New code closes the connections of the old code.
      for (const name of [slug, other]) await quire.redeploy(name, `${OPENER}\n`);
      await endCells(quire);
      await waitUntil(async () => isDeepStrictEqual(await open(slug, way, 10), Array(10).fill('open')));
      await endCells(quire);
    },
    120_000,
  );

  test('gets the response on a socket that is closed in one direction', async () => {
    const { quire } = stage;
    const echo = await listen((socket) => {
      const chunks: Buffer[] = [];
      socket.on('data', (chunk: Buffer) => chunks.push(chunk));
      socket.on('end', () => socket.end(`received ${Buffer.concat(chunks)}`));
    });
    const slug = await quire.deploy(TALKER);
    const answer = await quire.call(slug, { body: readPort(echo) });
    expect(answer.body).toBe('received a question');
    echo.close();
  });
});

test('1,200 connections of one function do not stop the egress or the downloads of others', async () => {
  const { quire, download, open } = await withNeighbour({
    QUIRE_CELLS_PER_OWNER: '4',
  });
  expect((await quire.call(download)).body).toBe('outside');
  const before = findEgress(quire);
  const slug = await quire.deploy(OPENER);
  const outcomes = open(slug, 'connect', 1_200, 1_000);
  for (let at = 0; at < 10; at++) expect((await quire.call(download)).body).toBe('outside');
  const counts = tally(await outcomes);
  expect(counts.find(([outcome]) => outcome === 'open')?.[1]?.length).toBe(1024);
  expect((await quire.call(download)).body).toBe('outside');
  expect(findEgress(quire)).toEqual(before);
  await quire.stop();
}, 120_000);
