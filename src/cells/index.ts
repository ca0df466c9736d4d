import { join } from 'node:path';
import { bundleWorker } from './bundle.ts';
import type { CellLimits } from './cell.ts';
import type { ClusterOptions } from './cluster-options.ts';
import { startDatabaseCluster } from './database-cluster.ts';
import { type DatabaseHosts, startDatabaseHosts } from './database-hosts.ts';
import { startEgress } from './egress.ts';
import { startKeeper } from './keeper.ts';
import { type OutsideAnswer, readOutside } from './outside.ts';
import { Pool } from './pool.ts';
import { createRuntime, type Runtime } from './runtime.ts';
import { probeSandbox, type SandboxLevel } from './sandbox.ts';
import shim from './shim.worker.js' with { type: 'text' };

/** What a function's handler answered. */
export type { CellAnswer } from './answer.ts';
/** Makes one module of a worker written in TypeScript. */
export { bundleWorker } from './bundle.ts';
/** A running process with one owner's module in it, and the error when that module cannot run. */
export { type Cell, type CellProgram, LoadError } from './cell.ts';
/** Tries what functions need on this machine. */
export { checkRuntime } from './check.ts';
/** Thrown when what is in a database of a cluster cannot be copied, whoever tries. */
export { UnreadableDatabaseError } from './cluster-copy.ts';
/** How a node is one of a cluster. */
export type { ClusterOptions } from './cluster-options.ts';
/** Thrown when a database of a cluster cannot be had right now. */
export { DatabaseMovingError } from './database-cluster.ts';
/** Copies of many databases while they are in use. */
export type { DatabaseCopies } from './database-copies.ts';
/** Thrown when enough exports of databases are under way. */
export { ExportsBusyError } from './database-exports.ts';
/** Databases that lie in a folder, as statements. */
export { type DatabaseFiles, openDatabaseFiles } from './database-files.ts';
/** Who charges an owner for what a database of a cluster takes up. */
export type { GrantRoom } from './database-grants.ts';
/** The folder in which a host keeps its databases, below that of their owner. */
export { NAMESPACE } from './database-host.ts';
/** What came of reading an address outside, and the error when it could not be read. */
export { type OutsideAnswer, OutsideError } from './outside.ts';
/** Cells by function. */
export { BackoffError, type PoolEntry, PoolFullError } from './pool.ts';
/** How a line begins that tells of a cell's request which the egress refused. */
export { EGRESS_LINE } from './refusals.ts';
/** Thrown when owner code cannot be boxed in well enough. */
export { SandboxError } from './sandbox.ts';
/** Thrown when this node cannot be one of its cluster. */
export { ClusterError } from './shard-host.ts';

/** Everything that runs outside our own process: cells, database hosts and the egress. */
export interface Cells {
  level: SandboxLevel;
  pool: Pool;
  databases: DatabaseHosts;
  /** Reads an address that somebody else named, by the same way out that cells have. */
  readOutside(
    address: string,
    options: { signal: AbortSignal; maxBytes: number; accept: string },
  ): Promise<OutsideAnswer>;
  /** Says who is to hear of cells that ended while they were needed, and why. */
  onDeath(listener: (functionId: number, reason: string) => void): void;
  stop(): Promise<void>;
}

export async function startCells(options: {
  dataFolder: string;
  sandbox: 'auto' | 'require' | 'off';
  egressAllow: string[];
  maxCells: number;
  limits: CellLimits;
  /** Undefined for one machine. */
  cluster?: ClusterOptions | undefined;
  /** Fails when databases may not be kept on this machine. */
  assertKeepsDatabases?: (() => Promise<void>) | undefined;
  /** What our own helpers print. */
  onLine(line: string): void;
  /** What an operator should know of: database hosts that cannot be started. */
  tell?(message: string): void;
}): Promise<Cells> {
  const runtime = createRuntime(options.dataFolder);
  const keeper = startKeeper(runtime);
  const level = await probeSandbox(runtime, options.sandbox);
  const egress = await startEgress(runtime, options.egressAllow, options.onLine);
  const databases = await startDatabases(runtime, options).catch(async (error: unknown) => {
    await Promise.all([egress.stop(), keeper.stop()]);
    runtime.stop();
    throw error;
  });
  let hear: (functionId: number, reason: string) => void = () => undefined;
  const pool = new Pool({
    context: { runtime, level, limits: options.limits, egress, shim },
    maxCells: options.maxCells,
    idleMs: 5 * 60_000,
    onDeath: (functionId, reason) => hear(functionId, reason),
  });
  return {
    level,
    pool,
    databases,
    readOutside: (address, reading) => readOutside(egress.folder, address, reading),
    onDeath(listener) {
      hear = listener;
    },
    async stop() {
      await pool.stop();
      await databases.stop();
      await egress.stop();
      await keeper.stop();
      runtime.stop();
    },
  };
}

async function startDatabases(
  runtime: Runtime,
  {
    cluster,
    assertKeepsDatabases = async () => undefined,
    dataFolder,
    onLine,
    tell = () => undefined,
  }: Parameters<typeof startCells>[0],
): Promise<DatabaseHosts> {
  const local = await bundleWorker(join(import.meta.dir, 'database-host.worker.ts'));
  if (cluster === undefined) {
    const hosts = startDatabaseHosts({
      runtime,
      folder: join(dataFolder, 'databases'),
      worker: local,
      statementMs: 30_000,
      idleMs: 5 * 60_000,
      onLine,
    });
    const open: DatabaseHosts['open'] = async (ownerId, databaseId) => {
      await assertKeepsDatabases();
      return hosts.open(ownerId, databaseId);
    };
    return { ...hosts, open };
  }
  // Copies are read and made by hosts as one machine has them.
  runtime.writeFile(join(runtime.folder, 'database-host.js'), local);
  return startDatabaseCluster({
    runtime,
    folder: join(dataFolder, 'cluster'),
    worker: await bundleWorker(join(import.meta.dir, 'database-cluster.worker.ts')),
    cluster,
    onLine,
    tell,
  });
}
