import { randomUUID } from 'node:crypto';
import { type Bucket, openBucket, readErrorCode, type S3Settings } from './bucket.ts';

/** Requests an object that does not exist: any response shows that the bucket is available. */
export function askBucket(settings: S3Settings): () => Promise<void> {
  const bucket = openBucket(settings);
  return async () => {
    const response = await bucket.send('GET', 'probe/answer');
    await response.body?.cancel();
  };
}

/** Tries the operations that we need, with an object that is removed again. Throws with the reason if one fails. */
export async function checkS3(settings: S3Settings, needs: { conditions: boolean }): Promise<void> {
  const bucket = openBucket(settings);
  const key = `probe/${randomUUID()}`;
  const failure = await tryOut(bucket, key, needs).then(
    () => undefined,
    (error: unknown) => error,
  );
  const gone = await bucket.send('DELETE', key);
  if (failure) throw failure;
  if (!gone.ok) throw new Error(`nothing can be deleted (${await readErrorCode(gone)})`);
}

async function tryOut(bucket: Bucket, key: string, needs: { conditions: boolean }): Promise<void> {
  const headers = { 'if-none-match': '*' };
  const first = await bucket.send('PUT', key, { body: Buffer.from('probe'), headers });
  if (!first.ok) throw new Error(`it cannot be written (${await readErrorCode(first)})`);
  const again = await bucket.send('PUT', key, { body: Buffer.from('again'), headers });
  const isHonoured = again.status === 412 || again.status === 409;
  if (needs.conditions && !isHonoured)
    throw new Error('it does not honour If-None-Match, and a cluster needs conditional writes');
  const found = await bucket.send('GET', key);
  if (!found.ok) throw new Error(`it cannot be read (${await readErrorCode(found)})`);
  const bytes = Buffer.concat(await Array.fromAsync(bucket.read(found)));
  if (bytes.toString() !== (isHonoured ? 'probe' : 'again'))
    throw new Error('it gives back other bytes than were put');
}
