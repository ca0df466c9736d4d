import type { S3Settings } from '../../../platform/blobs/index.ts';

/** How this node joins a cluster. */
export interface ClusterOptions {
  /** Where other nodes reach this node's first host. The other hosts use the ports after that. */
  address: string;
  /** How many hosts each node has. All databases of an owner are in the same shard. */
  shards: number;
  /** A secret that only the nodes know. */
  secret: Buffer;
  /** The secret that will replace it, if there is one. */
  nextSecret?: Buffer | undefined;
  s3: S3Settings;
}
