import { toStream } from '../../lib/streams.ts';
import type { Blobs } from './blobs.ts';
import { type Bucket, openBucket, readErrorCode, type S3Settings, unavailable } from './bucket.ts';
import { assertKey } from './key.ts';

/** The prefix of blobs in the bucket. A cluster's databases are next to them. */
const BLOBS_PREFIX = 'blobs/';

export function s3Blobs(settings: S3Settings, bucket: Bucket = openBucket(settings)): Blobs {
  const toObjectName = (key: string) => {
    assertKey(key);
    return BLOBS_PREFIX + key;
  };

  async function find(key: string, headers: Record<string, string> = {}): Promise<Response | undefined> {
    const response = await bucket.send('GET', toObjectName(key), { headers });
    if (response.ok) return response;
    await assertMissing(response);
    return undefined;
  }

  async function put(key: string, body: Uint8Array | Blob): Promise<void> {
    const response = await bucket.send('PUT', toObjectName(key), { body });
    if (!response.ok) throw refused(await readErrorCode(response));
  }

  return {
    put,
    putFile: (key, path) => put(key, Bun.file(path)),
    async get(key) {
      const response = await find(key);
      if (!response) return undefined;
      const bytes = Buffer.concat(await Array.fromAsync(bucket.read(response)));
      // Without a content length, a broken connection looks like the end of the body.
      if (bytes.length !== readSize(response)) throw unavailable(new Error(`${key} broke off`));
      return bytes;
    },
    async open(key) {
      const response = await find(key);
      return response && { size: readSize(response), bytes: bucket.read(response) };
    },
    async slice(key, range) {
      if (range && range.start === range.end) return new Blob();
      // Both ends of a Range header are included.
      const headers = range && { range: `bytes=${range.start}-${range.end - 1}` };
      const response = await find(key, headers);
      return response && toStream(bucket.read(response));
    },
    async delete(key) {
      const response = await bucket.send('DELETE', toObjectName(key));
      if (!response.ok) await assertMissing(response);
    },
  };
}

/** Whether a bucket contains no blobs. */
export async function isBucketEmpty(settings: S3Settings): Promise<boolean> {
  return (await openBucket(settings).list(BLOBS_PREFIX, 1)).length === 0;
}

/** Throws unless the only problem is that the object does not exist. */
async function assertMissing(response: Response): Promise<void> {
  const code = await readErrorCode(response);
  if (response.status !== 404 || code === 'NoSuchBucket') throw refused(code);
}

function readSize(response: Response): number {
  return Number(response.headers.get('content-length'));
}

/** Only the operator can fix a wrong key or a missing bucket, so callers just see that it is unavailable. */
function refused(code: string) {
  return unavailable(new Error(`the bucket refused: ${code}`));
}
