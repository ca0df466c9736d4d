import { afterAll, beforeAll, expect, test } from 'bun:test';
import { isRunning, residentMegabytes } from '../support/faults/process.ts';
import { type HostileServer, startHostileServer } from '../support/hostile/server.ts';
import { publish } from '../support/http/client.ts';
import { exchange, openConnection, type RawConnection } from '../support/http/socket.ts';
import { form } from '../support/pages/files.ts';
import { waitUntil } from '../support/server.ts';

/** Clients that ask for large bodies and read them slowly, not at all, or as fast as they can. */

/** CPU time without a pause. On an idle machine this is how long a neighbour waits. */
const MAX_STALL_MS = 250;
const MAX_GROWTH_MB = 300;
const READERS = 1_000;
const FILE_BYTES = 20 * 1024 * 1024;
/** The readers of a file of this size that one address can have: a quarter of 2 GB, with 4 MB for each. */
const MAX_READERS = 128;
const LARGE = `<!doctype html><title>Large</title><p>${'large '.repeat(600_000)}`;

let hostile: HostileServer;
let paths: { page: string; file: string };
let answer: string;

beforeAll(async () => {
  hostile = await startHostileServer();
  const { server } = hostile;
  const headers = await hostile.headersFor('token');
  const token = headers.authorization?.slice('Bearer '.length) ?? '';
  const page = await publish(server, token, { name: 'Large', html_content: LARGE });
  const files = form({ 'large.bin': new Uint8Array(FILE_BYTES) });
  const url = `http://127.0.0.1:${server.port}/api/pages/${page.id}/files`;
  expect((await fetch(url, { method: 'PUT', headers, body: files })).status).toBe(200);
  paths = { page: `/p/${page.slug}/`, file: `/p/${page.slug}/large.bin` };
  answer = await (await fetch(`http://127.0.0.1:${server.port}${paths.page}`)).text();
});
afterAll(() => hostile.stop());

const ask = (path: string) => `GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`;

/** Opens connections that read nothing, and asks for the same on all of them at once. */
async function withReaders(count: number, path: string, work: (readers: RawConnection[]) => Promise<void>) {
  const readers = await Promise.all(Array.from({ length: count }, () => openConnection(hostile.server.port)));
  try {
    for (const { socket } of readers) socket.pause();
    await Promise.all(readers.map((reader) => reader.send(ask(path))));
    await work(readers);
  } finally {
    for (const reader of readers) reader.close();
  }
}

test.each(['page', 'file'] as const)(
  '1,000 clients that do not read a large %s do not delay other requests',
  async (what) => {
    const before = residentMegabytes(hostile.server.pid);
    hostile.reset();
    await withReaders(READERS, paths[what], async () => {
      // The last of them have been handled when this one is.
      expect((await exchange(hostile.server.port, ask('/livez')))?.status).toBe(200);
      const { stallMs } = await hostile.longest();
      expect(stallMs).toBeLessThan(MAX_STALL_MS);
      expect(residentMegabytes(hostile.server.pid) - before).toBeLessThan(MAX_GROWTH_MB);
    });
    expect(isRunning(hostile.server.pid)).toBeTrue();
    expect(hostile.failures()).toBe(0);
  },
  60_000,
);

test('clients that read a large page again and again do not delay other requests', async () => {
  const url = `http://127.0.0.1:${hostile.server.port}${paths.page}`;
  await waitUntil(async () => (await fetch(url, { method: 'HEAD' })).status === 200);
  hostile.reset();
  await Promise.all(
    Array.from({ length: 18 }, async () => {
      for (let round = 0; round < 5; round++) {
        const response = await fetch(url, { headers: { 'accept-encoding': 'identity' } });
        expect((await response.bytes()).length).toBe(answer.length);
      }
    }),
  );
  expect((await hostile.longest()).stallMs).toBeLessThan(MAX_STALL_MS);
}, 60_000);

test('an address can have its share of unread downloads, and others when it has read or closed some', async () => {
  const { port } = hostile.server;
  const head = (range: string) => `GET ${paths.file} HTTP/1.1\r\nHost: localhost\r\nRange: ${range}\r\n\r\n`;
  const small = head('bytes=0-9');
  await waitUntil(async () => (await exchange(port, head('bytes=0-400000')))?.status === 206);
  await withReaders(MAX_READERS, paths.file, async (readers) => {
    await Promise.all(readers.map(startsReading));
    const refused = await exchange(port, ask(paths.file));
    expect([refused?.status, refused?.headers['retry-after']]).toEqual([429, '5']);
    expect(refused?.body).toContain('Your address has too many downloads that are not read yet.');
    // What is small is not counted, and neither is what is not sent.
    expect((await exchange(port, small))?.status).toBe(206);
    const asked = await exchange(port, ask(paths.file).replace('GET', 'HEAD'));
    expect([asked?.status, asked?.headers['content-length']]).toEqual([200, String(FILE_BYTES)]);
    readers[0]?.close();
    await waitUntil(async () => (await exchange(port, head('bytes=0-400000')))?.status === 206);
  });
}, 60_000);

/** Resolves when the first bytes have arrived, and reads no more. */
async function startsReading({ socket }: RawConnection): Promise<void> {
  const arrived = new Promise<void>((resolve) => socket.once('data', () => resolve()));
  socket.resume();
  await arrived;
  socket.pause();
}

test('a large page arrives whole, and HEAD has its length', async () => {
  const { port } = hostile.server;
  await waitUntil(async () => (await exchange(port, ask(paths.page)))?.status === 200);
  expect(answer.includes('large '.repeat(600_000))).toBeTrue();
  const old = await exchange(port, `GET ${paths.page} HTTP/1.0\r\nHost: localhost\r\n\r\n`);
  expect(old?.body === answer).toBeTrue();
  const head = await exchange(port, `HEAD ${paths.page} HTTP/1.1\r\nHost: localhost\r\n\r\n`);
  expect(head?.headers['content-length']).toBe(String(answer.length));
});
