import { z } from 'zod';
import { about, atLeastOne, httpUrl, replicaUrl, wholeNumber, word } from './setting-kinds.ts';

/** Settings of the replica of one machine. */
export const REPLICA_SETTINGS = {
  QUIRE_REPLICA: about(
    replicaUrl.optional(),
    'Where every change of this server is copied within a second: `file:///folder` or `s3://bucket/prefix`, with the `S3_` settings except `S3_BUCKET`. For SQLite only. See [Replica](running.md#replica)',
    'none',
  ),
} as const;

/** Settings of services that many machines share. */
export const MACHINE_SETTINGS = {
  REDIS_URL: about(
    z
      .string()
      .regex(/^rediss?:\/\//, 'must be a URL such as redis://user:password@host:6379')
      .optional(),
    'Redis server, `redis://user:password@host:6379`: shares rate limits, cache invalidations and live events between nodes',
    'none: in memory, for one node',
  ),
  S3_BUCKET: about(
    word.optional(),
    'Bucket for files and images, and in a cluster for the databases of functions',
    'none: the data folder',
  ),
  S3_ENDPOINT: about(httpUrl.optional(), 'URL of the S3 server, for example `https://s3.example.com`', 'AWS'),
  S3_REGION: about(word.default('us-east-1'), 'Region of the bucket'),
  S3_ACCESS_KEY_ID: about(word.optional(), 'Access key. Required with `S3_BUCKET`', 'none'),
  S3_SECRET_ACCESS_KEY: about(word.optional(), 'Secret access key. Required with `S3_BUCKET`', 'none'),
  QUIRE_CLUSTER_ADDRESS: about(
    z
      .string()
      .regex(
        /^([a-z0-9.-]+|\[[0-9a-f:]+\]):\d{1,5}$/i,
        'must be an address with a port, such as 10.0.0.1:7000',
      )
      .optional(),
    'Where other nodes reach the database hosts of this node. Each shard uses one port, starting with this one. See [Several machines](scaling.md)',
    'none: databases are on this machine only',
  ),
  QUIRE_CLUSTER_TLS: about(
    z.enum(['on', 'off']).default('off'),
    'Whether nodes [encrypt](scaling.md#without-a-private-network) what they send each other: `on` or `off`. Then each node uses one port, that of `QUIRE_CLUSTER_ADDRESS`. Must be the same on all nodes',
  ),
  QUIRE_CLUSTER_SHARDS: about(
    atLeastOne.max(256, 'must be at most 256').default(4),
    'Number of database hosts on every node. Must be the same on all nodes. [To change it](scaling.md#more-or-fewer-shards), run `quire cluster reshard` first',
  ),
  QUIRE_DRAIN_SECONDS: about(
    wholeNumber.max(600, 'must be at most 600').optional(),
    'How long a node that is stopping keeps responding, while `/readyz` tells the load balancer that it is stopping',
    '`5` in a cluster, otherwise `0`',
  ),
} as const;
