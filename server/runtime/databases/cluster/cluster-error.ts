import { type ClusterProblem, parseClusterProblem, StartError } from '../../workerd/index.ts';

/** Thrown if this node cannot join the cluster. The message says what to do. */
export class ClusterError extends Error {}

const MESSAGES: Record<ClusterProblem, string> = {
  'bucket-ignores-conditions':
    'The bucket ignores conditional writes (If-None-Match, If-Match), so databases in it could be written at two nodes at once. Use a bucket that honours them.',
  'bucket-refuses-keys': 'The bucket refuses the keys in S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY.',
  'no-such-bucket': 'There is no bucket with the name in S3_BUCKET.',
  'address-is-public':
    'QUIRE_CLUSTER_ADDRESS is a public address, and hosts do not encrypt what they send each other. Use an address in a private network.',
  'address-is-wildcard':
    'QUIRE_CLUSTER_ADDRESS must be an address at which the other nodes reach this one, not 0.0.0.0 or [::].',
  'address-is-elsewhere':
    'QUIRE_CLUSTER_ADDRESS is not an address of this machine. Set it to one at which the other nodes reach it.',
  'address-is-unknown':
    'The name in QUIRE_CLUSTER_ADDRESS cannot be resolved. Set it to an address of this machine, like 10.0.0.1:7000.',
};

/** The error for a problem that waiting cannot solve; undefined for other problems. */
export function toClusterError(error: unknown): ClusterError | undefined {
  if (!(error instanceof StartError)) return undefined;
  const problem = parseClusterProblem(error.output);
  return problem && new ClusterError(MESSAGES[problem], { cause: error });
}
