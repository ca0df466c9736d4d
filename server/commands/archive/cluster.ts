import { findHostsAddress } from '../../platform/cluster/index.ts';
import type { Config } from '../../platform/config/index.ts';
import { deriveClusterKey } from '../../platform/service-settings/index.ts';
import { readServiceKey } from '../../platform/storage/index.ts';
import { chargeWithoutQuota } from '../../product/accounts/index.ts';
import type { JoinCluster } from '../../product/backup/index.ts';
import { createGrantBytes } from '../../product/functions/index.ts';
import { type Databases, startOnlyDatabases } from '../../runtime/databases/index.ts';

/** A busy machine can take long to start the database hosts. */
const HOSTS_MS = 60_000;

/** Joins the cluster of these settings while databases are copied into it; undefined if there is no cluster. */
export function createJoinCluster(config: Config): JoinCluster | undefined {
  if (!config.cluster) return undefined;
  const key = deriveClusterKey(readServiceKey(config).inUse.bytes);
  const { address, hasTls } = config.cluster;
  // No other node runs yet, so with TLS nobody has to reach the hosts from elsewhere.
  const cluster = { ...config.cluster, address: hasTls ? findHostsAddress(1, address) : address, key };
  return async (db) => {
    let lastLine = '';
    const { databases, stop } = await startOnlyDatabases({
      ...config,
      cluster,
      onLine(line) {
        lastLine = line;
      },
    });
    // Ignores quotas, because owners had these databases before.
    databases.useQuota({
      remaining: async () => Number.MAX_SAFE_INTEGER,
      grant: createGrantBytes(db, chargeWithoutQuota, { isExact: true }),
    });
    await untilHostsRun(databases);
    return { databases, lastLine: () => lastLine, stop };
  };
}

/** Waits longer than a single query would. If hosts still do not run, the first query reports the reason. */
async function untilHostsRun(databases: Databases): Promise<void> {
  const deadline = Date.now() + HOSTS_MS;
  while (databases.status().running < databases.status().wanted && Date.now() < deadline)
    await Bun.sleep(100);
}
