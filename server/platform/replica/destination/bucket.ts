import { type Bucket, openBucket, readErrorCode, type S3Settings } from '../../blobs/index.ts';
import type { Destination } from './destination.ts';

/** As many names as a bucket lists at once. */
const PAGE_KEYS = 1_000;

export function bucketDestination(
  settings: S3Settings,
  prefix: string,
  bucket: Bucket = openBucket(settings),
): Destination {
  const inside = prefix === '' ? '' : `${prefix}/`;

  async function put(
    key: string,
    bytes: Uint8Array,
    headers: Record<string, string> = {},
  ): Promise<Response> {
    return explain(bucket.send('PUT', inside + key, { body: bytes, headers }));
  }

  return {
    name: `s3://${settings.bucket}/${prefix}`,
    async put(key, bytes) {
      const response = await put(key, bytes);
      if (!response.ok) throw refused(await readErrorCode(response));
      await response.body?.cancel();
    },
    async create(key, bytes) {
      const response = await put(key, bytes, { 'if-none-match': '*' });
      // Two writers at once: one of them may be told that there was a conflict.
      const isTaken = response.status === 412 || response.status === 409;
      if (!response.ok && !isTaken) throw refused(await readErrorCode(response));
      await response.body?.cancel();
      return !isTaken;
    },
    get: (key) => read(bucket, key, inside),
    async list(below) {
      const all: string[] = [];
      for (;;) {
        const last = all.at(-1);
        const some = await explain(
          bucket.list(inside + below, PAGE_KEYS, last === undefined ? undefined : inside + last),
        );
        all.push(...some.map((key) => key.slice(inside.length)));
        if (some.length < PAGE_KEYS) return all;
      }
    },
    async delete(key) {
      const response = await explain(bucket.send('DELETE', inside + key));
      if (!response.ok && response.status !== 404) throw refused(await readErrorCode(response));
      await response.body?.cancel();
    },
  };
}

async function read(bucket: Bucket, key: string, inside: string): Promise<Uint8Array | undefined> {
  const response = await explain(bucket.send('GET', inside + key));
  if (!response.ok) {
    const code = await readErrorCode(response);
    if (response.status === 404 && code !== 'NoSuchBucket') return undefined;
    throw refused(code);
  }
  const size = Number(response.headers.get('content-length'));
  const bytes = Buffer.concat(await explain(Array.fromAsync(bucket.read(response))));
  // Without a content length, a broken connection looks like the end of the body.
  if (bytes.length !== size) throw new Error(`${key} broke off`);
  return bytes;
}

/** The bucket's own errors are for visitors, and name the reason only as their cause. */
async function explain<Result>(work: Promise<Result>): Promise<Result> {
  try {
    return await work;
  } catch (error) {
    const { cause } = error as Error;
    throw cause instanceof Error ? cause : error;
  }
}

function refused(code: string): Error {
  return new Error(`the bucket refused: ${code}`);
}
