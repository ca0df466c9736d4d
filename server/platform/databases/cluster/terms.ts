import { createHmac } from 'node:crypto';
import { z } from 'zod';
import { type Bucket, openBucket } from '../../blobs/index.ts';
import type { ClusterOptions } from './options.ts';
import { ClusterError } from './shard-host.ts';

/** What all nodes must have in common; `key` tells the same secret from another, and nothing more of it. */
const Terms = z.object({ shards: z.number(), key: z.string() });
type Terms = z.infer<typeof Terms>;

/** Beside the folders of the shards. */
const PLACE = 'databases/terms';

/**
 * Notes in the bucket what the first node was told, and throws when this one was told something else: databases are
 * found by the number of shards, and nodes with another key hear nothing of each other's changes.
 */
export async function assertTerms(
  { s3, shards, secret }: ClusterOptions,
  onLine: (line: string) => void,
): Promise<void> {
  const own = { shards, key: createHmac('sha256', secret).update('terms of a cluster').digest('hex') };
  const noted = await note(openBucket(s3), own).catch((error: unknown) => {
    // A bucket that is away keeps nobody from starting, and from finding out at the next start.
    onLine(`what the nodes have in common could not be looked up: ${error}`);
    return own;
  });
  if (noted.key !== own.key)
    throw new ClusterError(
      'QUIRE_SECRET is another than that of the cluster in this bucket. Set it to the same on every node.',
    );
  if (noted.shards !== shards)
    throw new ClusterError(
      `QUIRE_CLUSTER_SHARDS is ${shards}, and this cluster has ${noted.shards}. Set it to ${noted.shards}: it stays what it was when the cluster began.`,
    );
}

async function note(bucket: Bucket, own: Terms): Promise<Terms> {
  const body = Buffer.from(JSON.stringify(own));
  const put = await bucket.send('PUT', PLACE, { body, headers: { 'if-none-match': '*' } });
  if (put.ok) return own;
  const found = await bucket.send('GET', PLACE);
  if (!found.ok) throw new Error(`the bucket answered with ${found.status}`);
  return Terms.parse(JSON.parse(Buffer.concat(await Array.fromAsync(bucket.read(found))).toString()));
}
