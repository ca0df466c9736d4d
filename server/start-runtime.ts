import type { Config } from './platform/config/index.ts';
import type { Log } from './platform/http/index.ts';
import { Browser } from './runtime/browser/index.ts';
import { Bundler } from './runtime/bundler/index.ts';
import { startCells } from './runtime/cells/index.ts';
import { type ClusterOptions, startDatabases } from './runtime/databases/index.ts';
import { createFetchExternal, Egress, shareDescriptors } from './runtime/egress/index.ts';
import { startBoxes } from './runtime/workerd/index.ts';

/** A cell that ends and its replacement overlap for a moment. Browsers that check pages need lanes too. */
const SPARE_LANES = 10;

/** Starts what runs outside the server process and is not trusted, each part after those it needs. */
export async function startRuntime(options: {
  config: Omit<Config, 'cluster'> & { cluster: ClusterOptions | undefined };
  log: Log;
  /** Throws if databases must not be stored on this machine. */
  assertKeepsDatabases(): Promise<void>;
}) {
  const { config, log } = options;
  const onLine = (line: string) => log.debug({ line }, 'workerd');
  const boxes = await startBoxes(config);
  const descriptors = shareDescriptors({
    connections: config.egressConnections,
    connectionsPerOwner: config.egressConnectionsPerOwner,
    cellsPerOwner: config.maxCellsPerOwner,
  });
  const egress = new Egress({
    ...boxes,
    allow: config.egressAllow,
    owners: config.maxCells + SPARE_LANES,
    connections: descriptors.connections,
    maxDescriptors: descriptors.egress,
    onLine,
  });
  const databases = await startDatabases({
    ...options,
    ...config,
    ...boxes,
    onLine,
    warn: (sentence) => log.warn(sentence),
  }).catch(async (error: unknown) => {
    await boxes.stop();
    throw error;
  });
  const cells = startCells({
    ...config,
    ...boxes,
    egress,
    limits: config.cellLimits,
    maxDescriptors: descriptors.cell,
    onLine,
  });
  const fetchExternal = createFetchExternal(egress);
  return {
    /** The sandbox level of each kind of process. */
    levels: boxes.runtime.sandbox.levels,
    databases,
    cells,
    /** Fetches a URL that a user provided. */
    fetchExternal,
    bundler: new Bundler({ ...config, ...boxes, fetchExternal }),
    browser: new Browser({ config, log, ...boxes, egress }),
    /** Stops cells, databases and the egress. Compilers and browsers stop before. */
    async stopRuntime() {
      await cells.stop();
      await databases.stop();
      await egress.stop();
      await boxes.stop();
    },
  };
}
