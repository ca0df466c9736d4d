import type { JoinCluster } from '../../backup/index.ts';
import { startCells } from '../../cells/index.ts';
import type { Config } from '../../config.ts';

/** How to join the cluster that the settings tell of, for as long as databases are put into it; undefined for none. */
export function joinClusterOf(config: Config): JoinCluster | undefined {
  if (!config.cluster) return undefined;
  return async () => {
    const cells = await startCells({
      ...config,
      limits: config.cellLimits,
      onLine: () => undefined,
    });
    // Who had room before has it now.
    cells.databases.grantBy(async (_databaseId, bytes) => bytes);
    return cells;
  };
}
