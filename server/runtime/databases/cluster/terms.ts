import { z } from 'zod';
import { type Bucket, openBucket } from '../../../platform/blobs/index.ts';
import { ClusterError } from './cluster-error.ts';
import type { ClusterOptions } from './options.ts';

/** The key in the bucket, beside the folders of the shards. */
const PLACE = 'databases/terms';

/**
 * Settings that must be the same on all nodes. `key` shows whether two keys are the same, and nothing else. While databases
 * move, `shards` is 0, so that nodes of a version that does not know of moves refuse to start.
 */
const Terms = z.object({
  shards: z.number(),
  key: z.string(),
  /** The number of shards before; until databases have moved, and what they left is removed. */
  from: z.number().optional(),
  /** The number of shards that databases move to. */
  to: z.number().optional(),
});
type Terms = z.infer<typeof Terms>;
type TermsOptions = Pick<ClusterOptions, 's3' | 'shards' | 'key'>;

/** Where databases are. `home` says in how many shards new ones begin. */
export interface Layout {
  home: number;
  /** While the number changes: the other number. */
  other?: number | undefined;
  /** Whether databases still move from `home` to `other`. */
  isMoving: boolean;
}

function toLayout({ shards, from, to }: Terms): Layout {
  if (from !== undefined && to !== undefined) return { home: from, other: to, isMoving: true };
  return { home: shards, other: from, isMoving: false };
}

/**
 * Stores the settings of the first node in the bucket, and throws if this node has different ones: databases are found
 * by the number of shards, and nodes with different keys do not see each other's changes.
 */
export async function assertTerms(
  { s3, shards, key }: TermsOptions,
  onLine: (line: string) => void,
): Promise<Layout> {
  const own: Terms = { shards, key: key.fingerprint };
  const stored = await store(openBucket(s3), own).catch((error: unknown) => {
    // A bucket that is unavailable must not keep a node from starting. The next start checks again.
    onLine(`the settings of the cluster could not be read from the bucket: ${error}`);
    return own;
  });
  if (stored.key !== own.key)
    throw new ClusterError(
      'This bucket belongs to a cluster with another database, or with another QUIRE_SECRET. Set DATABASE_URL, S3_BUCKET and QUIRE_SECRET to the same values on every node.',
    );
  const layout = toLayout(stored);
  if (shards === layout.home || (layout.isMoving && shards === layout.other)) return layout;
  throw new ClusterError(
    layout.isMoving
      ? `QUIRE_CLUSTER_SHARDS is ${shards}, but the databases of this cluster are moving from ${layout.home} to ${layout.other} shards. Set it to ${layout.other}.`
      : `QUIRE_CLUSTER_SHARDS is ${shards}, but this cluster has ${layout.home}. Set it to ${layout.home}. To change the number of the whole cluster, run \`quire cluster reshard ${shards}\` beside a running node.`,
  );
}

/** Where databases are; undefined if no node has ever said so. */
export async function readLayout(s3: TermsOptions['s3']): Promise<Layout | undefined> {
  const terms = await read(openBucket(s3));
  return terms && toLayout(terms);
}

/** Changes where databases are. The other nodes read it when they start, and when a database is used for the first time. */
export async function storeLayout(s3: TermsOptions['s3'], layout: Layout): Promise<void> {
  const bucket = openBucket(s3);
  const terms = await read(bucket);
  if (!terms) throw new Error('the bucket has no settings of a cluster');
  const { home, other, isMoving } = layout;
  await replace(
    bucket,
    isMoving
      ? { key: terms.key, shards: 0, from: home, to: other }
      : { key: terms.key, shards: home, from: other },
  );
}

/** Replaces the key of a cluster while none of its nodes runs. */
export async function replaceTerms({ s3, shards, key }: TermsOptions): Promise<void> {
  const bucket = openBucket(s3);
  await replace(bucket, { shards, ...(await read(bucket)), key: key.fingerprint });
}

async function replace(bucket: Bucket, terms: Terms): Promise<void> {
  const put = await bucket.send('PUT', PLACE, { body: Buffer.from(JSON.stringify(terms)) });
  if (!put.ok) throw new Error(`the bucket answered with ${put.status}`);
}

async function store(bucket: Bucket, own: Terms): Promise<Terms> {
  const body = Buffer.from(JSON.stringify(own));
  const put = await bucket.send('PUT', PLACE, { body, headers: { 'if-none-match': '*' } });
  if (put.ok) return own;
  const found = await read(bucket);
  if (!found) throw new Error(`the bucket answered with ${put.status}`);
  return found;
}

async function read(bucket: Bucket): Promise<Terms | undefined> {
  const found = await bucket.send('GET', PLACE);
  if (found.status === 404) return undefined;
  if (!found.ok) throw new Error(`the bucket answered with ${found.status}`);
  return Terms.parse(JSON.parse(Buffer.concat(await Array.fromAsync(bucket.read(found))).toString()));
}
