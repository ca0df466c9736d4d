import type { S3Settings } from '../../../platform/blobs/index.ts';

/** How this node joins a cluster. */
export interface ClusterOptions {
  /** Where other nodes reach this node's first host. The other hosts use the ports after that. */
  address: string;
  /** How many hosts each node has. All databases of an owner are in the same shard. */
  shards: number;
  /** What only the nodes know: the key that hosts speak with, and what shows whether two nodes have the same. */
  key: { hosts: string; fingerprint: string };
  s3: S3Settings;
}
