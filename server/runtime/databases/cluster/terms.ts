import { z } from 'zod';
import { type Bucket, openBucket } from '../../../platform/blobs/index.ts';
import { ClusterError } from './cluster-error.ts';
import type { ClusterOptions } from './options.ts';

/** Settings that must be the same on all nodes. `key` shows whether two keys are the same, and nothing else. */
const Terms = z.object({ shards: z.number(), key: z.string() });
type Terms = z.infer<typeof Terms>;
type TermsOptions = Pick<ClusterOptions, 's3' | 'shards' | 'key'>;

/** The key in the bucket, beside the folders of the shards. */
const PLACE = 'databases/terms';

/**
 * Stores the settings of the first node in the bucket, and throws if this node has different ones: databases are found
 * by the number of shards, and nodes with different keys do not see each other's changes.
 */
export async function assertTerms(
  { s3, shards, key }: TermsOptions,
  onLine: (line: string) => void,
): Promise<void> {
  const own = { shards, key: key.fingerprint };
  const stored = await store(openBucket(s3), own).catch((error: unknown) => {
    // A bucket that is unavailable must not keep a node from starting. The next start checks again.
    onLine(`the settings of the cluster could not be read from the bucket: ${error}`);
    return own;
  });
  if (stored.key !== own.key)
    throw new ClusterError(
      'This bucket belongs to a cluster with another database, or with another QUIRE_SECRET. Set DATABASE_URL, S3_BUCKET and QUIRE_SECRET to the same values on every node.',
    );
  if (stored.shards !== shards)
    throw new ClusterError(
      `QUIRE_CLUSTER_SHARDS is ${shards}, but this cluster has ${stored.shards}. Set it to ${stored.shards}: it cannot change after the cluster was created.`,
    );
}

/** Replaces the settings of a cluster while none of its nodes runs. */
export async function replaceTerms({ s3, shards, key }: TermsOptions): Promise<void> {
  const body = Buffer.from(JSON.stringify({ shards, key: key.fingerprint }));
  const put = await openBucket(s3).send('PUT', PLACE, { body });
  if (!put.ok) throw new Error(`the bucket answered with ${put.status}`);
}

async function store(bucket: Bucket, own: Terms): Promise<Terms> {
  const body = Buffer.from(JSON.stringify(own));
  const put = await bucket.send('PUT', PLACE, { body, headers: { 'if-none-match': '*' } });
  if (put.ok) return own;
  const found = await bucket.send('GET', PLACE);
  if (!found.ok) throw new Error(`the bucket answered with ${found.status}`);
  return Terms.parse(JSON.parse(Buffer.concat(await Array.fromAsync(bucket.read(found))).toString()));
}
