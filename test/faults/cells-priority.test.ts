import { afterAll, beforeAll, expect, test } from 'bun:test';
import { getPriority } from 'node:os';
import { setProcessPriority } from '../../server/runtime/workerd/index.ts';
import {
  type FunctionServer,
  HELLO,
  handler,
  helpers,
  startFunctionServer,
} from '../support/functions/server.ts';
import { type Account, register } from '../support/http/client.ts';
import { openConnection } from '../support/http/socket.ts';
import { waitUntil } from '../support/server.ts';

/** Uses a lot of CPU time, but never blocks for long. */
const BUSY = handler(`const end = Date.now() + 60_000;
  while (Date.now() < end && !request.signal.aborted) {
    for (const from = Date.now(); Date.now() - from < 50; );
    await scheduler.wait(1);
  }
  return new Response('done')`);

let quire: FunctionServer;
let neighbour: Account;
beforeAll(async () => {
  quire = await startFunctionServer();
  neighbour = await register(quire, 'neighbour');
});
afterAll(() => quire.stop());

const isRoot = process.getuid?.() === 0;
const cells = () => helpers(quire).flatMap(({ kind, pid }) => (kind === 'cell' ? [pid] : []));
const priorities = () =>
  cells()
    .map((pid) => getPriority(pid))
    .sort((a, b) => a - b);

test('functions run at a lower priority than the server, and a greedy owner at the lowest', async () => {
  const modest = await quire.deploy(HELLO, {}, neighbour);
  const others = cells();
  const busy = await quire.deploy(BUSY);
  expect((await quire.call(modest)).status).toBe(200);
  expect(getPriority(quire.pid)).toBe(getPriority(process.pid));
  expect(priorities()).toEqual([5, 5]);
  // However busy the machine is, this function gets enough CPU time to count as greedy.
  if (isRoot) for (const pid of cells()) if (!others.includes(pid)) setProcessPriority(pid, -20);
  const caller = await openConnection(quire.port);
  await caller.send(`POST /api/functions/${busy} HTTP/1.1\r\nhost: localhost\r\ncontent-length: 0\r\n\r\n`);
  await waitUntil(async () => String(priorities()) === '5,19');
  caller.socket.destroy();
  // The priority comes back. Only root can raise it.
  if (isRoot) await waitUntil(async () => String(priorities()) === '5,5');
});
