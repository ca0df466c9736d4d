import { type Bucket, openBucket } from '../blobs/index.ts';
import type { ClusterOptions } from './cluster-options.ts';
import { ClusterError } from './shard-host.ts';

/** Beside the folders of the shards. */
const KEY = 'databases/shards';

/** Notes in the bucket how many shards there are; throws when there are others: databases are found by that number. */
export async function assertShards(
  { s3, shards }: ClusterOptions,
  onLine: (line: string) => void,
): Promise<void> {
  const bucket = openBucket(s3);
  const noted = await note(bucket, shards).catch((error: unknown) => {
    // A bucket that is away keeps nobody from starting, and from finding out at the next start.
    onLine(`the number of shards could not be looked up: ${error}`);
    return shards;
  });
  if (noted === shards) return;
  throw new ClusterError(
    `QUIRE_CLUSTER_SHARDS is ${shards}, and this cluster has ${noted}. Set it to ${noted}: it stays what it was when the cluster began.`,
  );
}

async function note(bucket: Bucket, shards: number): Promise<number> {
  const body = Buffer.from(String(shards));
  const put = await bucket.send('PUT', KEY, { body, headers: { 'if-none-match': '*' } });
  if (put.ok) return shards;
  const found = await bucket.send('GET', KEY);
  if (!found.ok) throw new Error(`the bucket answered with ${found.status}`);
  return Number(Buffer.concat(await Array.fromAsync(bucket.read(found))).toString());
}
