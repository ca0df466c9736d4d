import { join } from 'node:path';
import { type Boxes, startBoxes } from '../workerd/index.ts';
import type { ClusterOptions } from './cluster/options.ts';
import { ClusterPlacement } from './cluster/placement.ts';
import { Databases } from './databases.ts';
import { LocalPlacement } from './local/placement.ts';
import type { Placement } from './placement.ts';
import { QuotaSource } from './quota.ts';

/** Where a cell finds its database. */
export type { DatabaseAddress } from './address.ts';
/** Thrown if this node cannot join the cluster. */
export { ClusterError } from './cluster/cluster-error.ts';
/** How this node joins a cluster. */
export type { ClusterOptions } from './cluster/options.ts';
/** Reads and replaces the settings that nodes of a cluster share. */
export { type Layout, readLayout, replaceTerms, storeLayout } from './cluster/terms.ts';
/** Copies of many databases, for a backup. */
export type { DatabaseCopies } from './copies.ts';
/** The databases of functions. */
export type { Databases } from './databases.ts';
/** Thrown if too many exports are running. */
export { ExportsBusyError } from './exports.ts';
/** Reads databases from files of an archive. */
export { openDatabaseFiles } from './files.ts';
/** The folder with an owner's databases, and the name of a file in it without its ending. */
export { NAMESPACE, toFileName } from './folder.ts';
/** Compares and merges databases. */
export { SnapshotMerger } from './merge/merger.ts';
export {
  type CompareOptions,
  DatabaseMergeError,
  type DatabaseMerger,
  type MergeOrder,
  type OpenConflict,
  type RefusedMerge,
  type RowEntry,
  type SchemaEntry,
  type SqlComparison,
  type SqlMerge,
  type SqlTrial,
  type Stripped,
  type TableComparison,
  type Take,
  type ThreeDatabases,
} from './merge/port.ts';
/** Thrown when a database does not respond. */
export { DatabaseUnavailableError, type Shards } from './placement.ts';
/** Says how many bytes databases may use. */
export type { DatabaseQuota, GrantBytes } from './quota.ts';
/** Keeps snapshots of databases. */
export type { SnapshotKeeper } from './snapshots/port.ts';
export { DatabaseSnapshots } from './snapshots/snapshots.ts';
/** Thrown if a database or a copy of one cannot be read. */
export { UnreadableDatabaseError } from './unreadable.ts';
/** Gets the tables of a database that were written. */
export type { WatchListener } from './watch.ts';

interface DatabasesOptions extends Pick<Boxes, 'runtime' | 'network'> {
  dataFolder: string;
  /** Undefined for one machine. */
  cluster?: ClusterOptions | undefined;
  /** Throws if databases must not be kept on this machine. */
  assertKeepsDatabases?: (() => Promise<void>) | undefined;
  onLine(line: string): void;
  /** Messages for the operator, for example that a host cannot start. */
  warn(message: string): void;
}

/** Starts databases without functions, for commands that copy them. */
export async function startOnlyDatabases(
  options: Omit<DatabasesOptions, keyof Boxes | 'warn'> & Parameters<typeof startBoxes>[0],
): Promise<{ databases: Databases; stop(): Promise<void> }> {
  const boxes = await startBoxes(options);
  try {
    const databases = await startDatabases({ ...options, ...boxes, warn: () => undefined });
    return {
      databases,
      async stop() {
        await databases.stop();
        await boxes.stop();
      },
    };
  } catch (error) {
    await boxes.stop();
    throw error;
  }
}

/** Starts the databases of one machine, or of this node of a cluster. */
export async function startDatabases(options: DatabasesOptions): Promise<Databases> {
  const { cluster, dataFolder } = options;
  const quota = new QuotaSource();
  const folder = join(dataFolder, cluster ? 'cluster' : 'databases');
  const placement: Placement = cluster
    ? await ClusterPlacement.start({ ...options, cluster, folder, quota })
    : new LocalPlacement({ ...options, folder, quota });
  const assertKeepsDatabases = cluster ? undefined : options.assertKeepsDatabases;
  return new Databases(placement, quota, { ...options, folder, assertKeepsDatabases });
}
