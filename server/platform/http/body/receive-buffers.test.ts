import { dlopen, FFIType, ptr } from 'bun:ffi';
import { afterAll, expect, test } from 'bun:test';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { createConnection } from 'node:net';
import { limitReceiveBuffers } from './receive-buffers.ts';

const SOL_SOCKET = 1;
/** Tells which buffers of a socket no longer grow by themselves. */
const SO_BUF_LOCK = 72;
const RECEIVE_BUFFER = 2;

const { int, ptr: pointer } = FFIType;
const { symbols, close } = dlopen('libc.so.6', {
  getsockopt: { args: [int, int, int, pointer, pointer], returns: int },
});
afterAll(() => close());

/** How many sockets of this process have a limited buffer. */
function countLimited(): number {
  const locked = new Int32Array(1);
  const length = new Uint32Array([locked.byteLength]);
  return readdirSync('/proc/self/fd').filter((descriptor) => {
    const failed =
      symbols.getsockopt(Number(descriptor), SOL_SOCKET, SO_BUF_LOCK, ptr(locked), ptr(length)) !== 0;
    return !failed && ((locked[0] ?? 0) & RECEIVE_BUFFER) !== 0;
  }).length;
}

test('a limit on a listening socket holds for the connections it accepts', async () => {
  const server = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => new Response('hello') });
  const atFirst = countLimited();
  limitReceiveBuffers();
  // Other tests in this process may have servers too.
  const listening = countLimited();
  expect(listening).toBeGreaterThan(atFirst);
  const client = createConnection(Number(server.port), '127.0.0.1');
  await once(client, 'connect');
  client.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n');
  await once(client, 'data');
  expect(countLimited()).toBeGreaterThan(listening);
  client.destroy();
  await server.stop(true);
});
