import { join } from 'node:path';
import { environment } from '../environment.ts';
import type { ClusterNode } from './cluster.ts';

const MAIN = join(import.meta.dir, '../../../bin/launch.ts');

/** Runs `quire cluster reshard` beside a node. */
export function reshard(at: ClusterNode, shards: number) {
  const child = Bun.spawn([process.execPath, MAIN, 'cluster', 'reshard', String(shards)], {
    env: { ...environment, ...at.settings },
    stdout: 'pipe',
    stderr: 'pipe',
  });
  const printed = Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
  return {
    kill: () => child.kill('SIGKILL'),
    ended: async () => ({ code: await child.exited, printed: (await printed).join('') }),
  };
}
