import { createHmac } from 'node:crypto';
import { z } from 'zod';
import { type Bucket, openBucket } from '../../../platform/blobs/index.ts';
import { ClusterError } from './cluster-error.ts';
import type { ClusterOptions } from './options.ts';

/** Settings that must be the same on all nodes. `key` shows whether two secrets are the same, and nothing else. */
const Terms = z.object({ shards: z.number(), key: z.string() });
type Terms = z.infer<typeof Terms>;

/** The key in the bucket, beside the folders of the shards. */
const PLACE = 'databases/terms';

/**
 * Stores the settings of the first node in the bucket, and throws if this node has different ones: databases are found
 * by the number of shards, and nodes with different keys do not see each other's changes.
 */
export async function assertTerms(
  { s3, shards, secret, nextSecret }: ClusterOptions,
  onLine: (line: string) => void,
): Promise<void> {
  const own = toTerms(shards, secret);
  const stored = await store(openBucket(s3), own).catch((error: unknown) => {
    // A bucket that is unavailable must not keep a node from starting. The next start checks again.
    onLine(`the settings of the cluster could not be read from the bucket: ${error}`);
    return own;
  });
  const accepted = [own.key, ...(nextSecret ? [toTerms(shards, nextSecret).key] : [])];
  if (!accepted.includes(stored.key))
    throw new ClusterError(
      'QUIRE_SECRET differs from that of the cluster in this bucket. Set it to the same value on every node.',
    );
  if (stored.shards !== shards)
    throw new ClusterError(
      `QUIRE_CLUSTER_SHARDS is ${shards}, but this cluster has ${stored.shards}. Set it to ${stored.shards}: it cannot change after the cluster was created.`,
    );
}

/** Lets nodes start that know only the next key. Those that know both still do too. */
export async function replaceTerms({
  s3,
  shards,
  nextSecret,
}: Pick<ClusterOptions, 's3' | 'shards' | 'nextSecret'>): Promise<void> {
  if (!nextSecret) return;
  const body = Buffer.from(JSON.stringify(toTerms(shards, nextSecret)));
  const put = await openBucket(s3).send('PUT', PLACE, { body });
  if (!put.ok) throw new Error(`the bucket answered with ${put.status}`);
}

function toTerms(shards: number, secret: Buffer): Terms {
  return { shards, key: createHmac('sha256', secret).update('terms of a cluster').digest('hex') };
}

async function store(bucket: Bucket, own: Terms): Promise<Terms> {
  const body = Buffer.from(JSON.stringify(own));
  const put = await bucket.send('PUT', PLACE, { body, headers: { 'if-none-match': '*' } });
  if (put.ok) return own;
  const found = await bucket.send('GET', PLACE);
  if (!found.ok) throw new Error(`the bucket answered with ${found.status}`);
  return Terms.parse(JSON.parse(Buffer.concat(await Array.fromAsync(bucket.read(found))).toString()));
}
