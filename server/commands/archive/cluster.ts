import { type Cells, startCells } from '../../platform/cells/index.ts';
import type { Config } from '../../platform/config/index.ts';
import type { JoinCluster } from '../../product/backup/index.ts';

/** A busy machine takes its time to start them. */
const HOSTS_MS = 60_000;

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
    await untilHostsRun(cells.databases);
    return { databases: cells.databases, lastLine: () => lastLine, stop: cells.stop };
  };
}

/** Those who move everything have more time than those who ask for one database; what is wrong is said when it is asked. */
async function untilHostsRun(databases: Cells['databases']): Promise<void> {
  const deadline = Date.now() + HOSTS_MS;
  while (databases.status().running < databases.status().wanted && Date.now() < deadline)
    await Bun.sleep(100);
}
