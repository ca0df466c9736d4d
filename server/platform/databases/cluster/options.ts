import type { S3Settings } from '../../blobs/index.ts';

/** How this node is one of a cluster. */
export interface ClusterOptions {
  /** Where the other nodes reach the first of its hosts; the others are at the ports after that. */
  address: string;
  /** How many hosts each node has; an owner's databases are all at hosts of one number. */
  shards: number;
  /** What all nodes know, and nobody else. */
  secret: Buffer;
  s3: S3Settings;
}
