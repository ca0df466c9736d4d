import { type TestResponse, untilDecided } from '../http/call.ts';
import type { Cluster, ClusterNode } from './cluster.ts';

/** Many parallel requests, spread over the nodes. */

/**
 * Sends this many requests at the same time, each to another node. A node with too much to do may refuse one: it says
 * that nothing was done, and the request is sent again.
 */
export function race(
  { nodes }: Cluster,
  count: number,
  ask: (node: ClusterNode, index: number) => Promise<TestResponse>,
): Promise<TestResponse[]> {
  const chooseNode = (index: number) => nodes[index % nodes.length] as ClusterNode;
  return Promise.all(
    Array.from({ length: count }, (_, index) => untilDecided(() => ask(chooseNode(index), index))),
  );
}

/** How many responses had each status. */
export function statuses(answers: TestResponse[]): Record<number, number> {
  const counts: Record<number, number> = {};
  for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}
