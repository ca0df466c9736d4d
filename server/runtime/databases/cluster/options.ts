import type { S3Settings } from '../../../platform/blobs/index.ts';

/** How this node joins a cluster. */
export interface ClusterOptions {
  /** Where the hosts of other nodes reach this node's first host. The other hosts use the ports after that. */
  address: string;
  /** How many hosts each node has. All databases of an owner are in the same shard. */
  shards: number;
  /** Connects this node's hosts of so many shards with those of other nodes, if they need it. Called before they start. */
  connect?(shards: number): Promise<void>;
  /** What only the nodes know: the key that hosts speak with, and what shows whether two nodes have the same. */
  key: { hosts: string; fingerprint: string };
  s3: S3Settings;
}
