import type { Answer } from './call.ts';
import type { Cluster, ClusterNode } from './cluster.ts';

/** Many requests at once, spread over the nodes. */

/** Asks so often at once, each time another node. */
export function race(
  { nodes }: Cluster,
  count: number,
  ask: (node: ClusterNode, index: number) => Promise<Answer>,
): Promise<Answer[]> {
  const nodeOf = (index: number) => nodes[index % nodes.length] as ClusterNode;
  return Promise.all(Array.from({ length: count }, (_, index) => ask(nodeOf(index), index)));
}

/** Repeats a request for as long as there is no cell to try its code in. */
export async function untilDecided(ask: () => Promise<Answer>): Promise<Answer> {
  for (;;) {
    const answer = await ask();
    if (answer.status !== 503 || !answer.headers.has('retry-after')) return answer;
    await Bun.sleep(100);
  }
}

/** How many answers had which status. */
export function statuses(answers: Answer[]): Record<number, number> {
  const counts: Record<number, number> = {};
  for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}
