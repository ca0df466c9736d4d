import { join } from 'node:path';
import { type ClusterOptions, type Databases, startDatabases } from '../databases/index.ts';
import { type ExternalResponse, fetchExternal, shareDescriptors, startEgress } from '../egress/index.ts';
import type { Sandbox } from '../workerd/index.ts';
import {
  bundleWorker,
  createNetworkFiles,
  createRuntime,
  MemoryFloor,
  startLeftoverCleaner,
} from '../workerd/index.ts';
import type { CellLimits } from './cell-files.ts';
import { openCellGroups } from './cell-groups.ts';
import { type Death, Pool } from './pool.ts';

/** What a function's handler answered. */
export type { CellAnswer } from './answer.ts';
/** Thrown while a function that keeps being killed must wait. */
export { BackoffError } from './backoff.ts';
/** Thrown when a call that has not begun must go to another cell. */
export { NoTurnError } from './body-turns.ts';
/** A running process with one owner's module in it. */
export type { Cell } from './cell.ts';
/** What a cell runs. */
export type { CellProgram } from './cell-files.ts';
/** Thrown when an owner's module cannot run. */
export { LoadError } from './load-error.ts';
/** Thrown when there is no place for a cell, in all or for this owner. */
export { OwnerShareError, PoolFullError } from './places.ts';
/** Cells by function. */
export type { PoolEntry } from './pool.ts';

const SHIM = join(import.meta.dir, '../../../workers/shim.ts');

/** Everything that runs outside our own process: cells, database hosts and the egress. */
export interface Cells {
  /** How each kind of process is kept in. */
  levels: Sandbox['levels'];
  pool: Pool;
  /** What a function may use. */
  memoryMegabytes: number;
  databases: Databases;
  /** Reads an address that somebody else named, by the same way out that cells have. */
  fetchExternal(
    address: string,
    options: { signal: AbortSignal; maxBytes: number; accept: string },
  ): Promise<ExternalResponse>;
  /** Says who is to hear of cells that ended while they were needed, and why. */
  onDeath(listener: (functionId: number, reason: Death) => void): void;
  stop(): Promise<void>;
}

export async function startCells(options: {
  dataFolder: string;
  sandbox: 'auto' | 'require' | 'off';
  egressAllow: string[];
  /** Connections that functions may have open to the outside, and those of one owner; a quarter when undefined. */
  egressConnections: number;
  egressConnectionsPerOwner: number | undefined;
  /** What SQLite may write to temporary files, at each database host. */
  databaseTempBytes: number;
  maxCells: number;
  maxCellsPerOwner: number;
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
  // First of all: while this process has no others beside it.
  const groups = openCellGroups();
  const runtime = await createRuntime(options.dataFolder, options.sandbox, options.databaseTempBytes);
  const keeper = startLeftoverCleaner(runtime);
  const network = createNetworkFiles(runtime);
  const descriptors = shareDescriptors({
    connections: options.egressConnections,
    connectionsPerOwner: options.egressConnectionsPerOwner,
    cellsPerOwner: options.maxCellsPerOwner,
  });
  const egress = await startEgress({
    ...{ runtime, network, allow: options.egressAllow, onLine: options.onLine },
    // Cells that end and those that follow them are there together for a moment.
    owners: options.maxCells + 8,
    connections: descriptors.connections,
    maxDescriptors: descriptors.egress,
  });
  const databases = await startDatabases({
    ...options,
    ...{ runtime, network, warn: options.tell ?? (() => undefined) },
  }).catch(async (error: unknown) => {
    await Promise.all([egress.stop(), keeper.stop()]);
    network.stop();
    runtime.stop();
    throw error;
  });
  const shim = await bundleWorker(SHIM);
  let hear: (functionId: number, reason: Death) => void = () => undefined;
  const pool = new Pool({
    context: {
      ...{ runtime, egress, shim, groups },
      maxDescriptors: descriptors.cell,
      limits: options.limits,
      floor: new MemoryFloor(),
    },
    maxCells: options.maxCells,
    maxCellsPerOwner: options.maxCellsPerOwner,
    idleMs: 5 * 60_000,
    onDeath: (functionId, reason) => hear(functionId, reason),
  });
  return {
    levels: runtime.sandbox.levels,
    pool,
    memoryMegabytes: options.limits.memoryMegabytes,
    databases,
    fetchExternal: (address, reading) => fetchExternal(egress.folder, address, reading),
    onDeath(listener) {
      hear = listener;
    },
    async stop() {
      await pool.stop();
      await databases.stop();
      await egress.stop();
      await keeper.stop();
      network.stop();
      runtime.stop();
    },
  };
}
