import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { startS3, type TestS3 } from '../../../test/support/engines/s3.ts';
import { type Blobs, checkS3, s3Blobs } from './index.ts';

/** A bucket that fails. */

let s3: TestS3;
let blobs: Blobs;
beforeEach(async () => {
  s3 = await startS3();
  blobs = s3Blobs(s3);
});
afterEach(() => s3.stop());

const BYTES = Buffer.from('bytes');
const AWAY = { code: 'UNAVAILABLE', status: 503, headers: { 'retry-after': '5' } };
const uses = (): Array<Promise<unknown>> => [
  blobs.put('b', BYTES),
  blobs.get('a'),
  blobs.open('a'),
  blobs.delete('b'),
];

/** Checks that all operations are refused, and returns the reason for the log. */
async function expectAway(): Promise<string[]> {
  const outcomes = await Promise.allSettled(uses());
  return outcomes.map((outcome) => {
    expect(outcome).toMatchObject({ status: 'rejected', reason: AWAY });
    const { reason } = outcome as PromiseRejectedResult;
    return String(reason.cause.message);
  });
}

test('gives up on a bucket that hangs, and uses it again when it is back', async () => {
  await blobs.put('a', BYTES);
  s3.freeze();
  try {
    for (const why of await expectAway()) expect(why).toContain('silent for 50');
  } finally {
    s3.thaw();
  }
  expect(Buffer.from((await blobs.get('a')) ?? []).toString()).toBe('bytes');
});

test('reports a bucket that is unavailable, and uses it again when it is back', async () => {
  await blobs.put('a', BYTES);
  await s3.kill();
  await expectAway();
  await s3.start();
  // Requests on connections to the previous server are retried once on a new one.
  expect(Buffer.from((await blobs.get('a')) ?? []).toString()).toBe('bytes');
  await blobs.put('a', BYTES);
});

test('never logs a signature', async () => {
  const port = Number(new URL(s3.endpoint).port);
  await s3.kill();
  const liar = Bun.listen({
    hostname: '127.0.0.1',
    port,
    socket: { data: (socket) => void socket.end('HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\n') },
  });
  const lied = await Promise.allSettled(uses());
  liar.stop(true);
  const away = await Promise.allSettled(uses());
  for (const outcome of [...lied, ...away]) {
    const { cause } = (outcome as PromiseRejectedResult).reason as Error;
    expect(Bun.inspect(cause)).toMatch(/InvalidContentLength|ECONNREFUSED|Unable to connect/);
    expect(Bun.inspect(cause) + JSON.stringify({ ...(cause as object) })).not.toContain('X-Amz');
  }
});

test('gives up on a bucket that hangs during a body', async () => {
  const pieces = new TransformStream<Uint8Array, Uint8Array>();
  const writer = pieces.writable.getWriter();
  void writer.write(BYTES);
  const server = Bun.serve({
    port: 0,
    fetch: () => new Response(pieces.readable, { headers: { 'content-length': '100' } }),
  });
  try {
    blobs = s3Blobs({ ...s3, endpoint: server.url.origin });
    await expect(blobs.get('a')).rejects.toMatchObject(AWAY);
  } finally {
    await server.stop(true);
  }
});

describe.each([
  ['a wrong key', { secretAccessKey: 'other' }, 'SignatureDoesNotMatch'],
  ['a missing bucket', { bucket: 'other' }, 'NoSuchBucket'],
])('%s', (_, wrong, code) => {
  test('is not treated as an empty bucket, and the reason is in the log', async () => {
    blobs = s3Blobs({ ...s3, ...wrong });
    for (const why of await expectAway()) expect(why).toContain(code);
    await expect(checkS3({ ...s3, ...wrong }, { conditions: true })).rejects.toThrow(code);
  });
});

test('a check leaves nothing behind', async () => {
  await checkS3(s3, { conditions: true });
  expect((await new Bun.S3Client(s3).list()).contents ?? []).toEqual([]);
});
