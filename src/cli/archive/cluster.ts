import type { JoinCluster } from '../../backup/index.ts';
import { startCells } from '../../cells/index.ts';
import type { Config } from '../../config.ts';

/** How to join the cluster that the settings tell of, for as long as databases are put into it; undefined for none. */
export function joinClusterOf(config: Config): JoinCluster | undefined {
  if (!config.cluster) return undefined;
  return async (grantRoom) => {
    let lastLine = '';
    const cells = await startCells({
      ...config,
      limits: config.cellLimits,
      onLine(line) {
        lastLine = line;
      },
    });
    cells.databases.grantBy(grantRoom);
    return { databases: cells.databases, lastLine: () => lastLine, stop: cells.stop };
  };
}
