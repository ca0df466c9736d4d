import { type ClusterOptions, type Databases, startDatabases } from '../databases/index.ts';
import {
  Egress,
  type ExternalRequest,
  type ExternalResponse,
  fetchExternal,
  shareDescriptors,
} from '../egress/index.ts';
import type { Runtime, Sandbox } from '../workerd/index.ts';
import { MemoryFloor, startRuntime } from '../workerd/index.ts';
import type { CellLimits } from './cell-files.ts';
import { type CellGroups, openCellGroups } from './cell-groups.ts';
import { LiveSocket, type Publish } from './live-socket.ts';
import { type Death, Pool } from './pool/pool.ts';

/** The response of a function's handler. */
export type { CellAnswer } from './answer.ts';
/** Thrown when a call that has not begun must go to another cell. */
export { NoTurnError } from './body-turns.ts';
/** A process that runs one owner's module. */
export type { Cell } from './cell.ts';
/** What a cell runs. */
export type { CellProgram } from './cell-files.ts';
/** Control groups, which limit the memory of processes. */
export type { CellGroups } from './cell-groups.ts';
/** How a function publishes something to visitors. */
export type { Publish } from './live-socket.ts';
/** Thrown when an owner's module cannot run. */
export { LoadError } from './load-error.ts';
/** Thrown while a function that was killed repeatedly must wait. */
export { BackoffError } from './pool/backoff.ts';
/** Thrown when no place is free for a cell, in total or for this owner. */
export { OwnerShareError, PoolFullError } from './pool/places.ts';
/** Cells by function. */
export type { PoolEntry } from './pool/pool.ts';
/** A WebSocket to a function. */
export type { CellSocket } from './sockets/cell-socket.ts';
export type { SocketAnswer } from './sockets/cell-sockets.ts';
/** Why WebSockets of a function end. */
export { REMOVED, type SocketEnd } from './sockets/socket-ends.ts';

/** Everything that runs outside the server process: cells, database hosts and the egress. */
export interface Cells {
  /** The sandbox level of each kind of process. */
  levels: Sandbox['levels'];
  pool: Pool;
  /** The memory a function may use. */
  memoryMegabytes: number;
  databases: Databases;
  /** What other boxes with untrusted content are made of. */
  boxes: { runtime: Runtime; egress: Egress; groups: CellGroups | undefined };
  /** Fetches a URL that a user provided. Uses the egress, as cells do. */
  fetchExternal(address: string, options: ExternalRequest): Promise<ExternalResponse>;
  /** Sets what happens when a function publishes something to visitors. */
  usePublish(publish: Publish): void;
  /** Sets the listener for cells that ended while they were needed. */
  onDeath(listener: (functionId: number, reason: Death) => void): void;
  stop(): Promise<void>;
}

interface CellsOptions {
  dataFolder: string;
  sandbox: 'auto' | 'require' | 'off';
  egressAllow: string[];
  /** The outgoing connections that all functions may have open, and those of one owner (a quarter if undefined). */
  egressConnections: number;
  egressConnectionsPerOwner: number | undefined;
  /** The bytes that SQLite may write to temporary files, for each database host. */
  databaseTempBytes: number;
  maxCells: number;
  maxCellsPerOwner: number;
  limits: CellLimits;
  /** Undefined on one machine. */
  cluster?: ClusterOptions | undefined;
  /** Throws if databases must not be stored on this machine. */
  assertKeepsDatabases?: (() => Promise<void>) | undefined;
  /** Called with each line that our own child processes print. */
  onLine(line: string): void;
  /** Called with messages for the operator, for example that a database host cannot start. */
  warn?(message: string): void;
}

/** A cell that ends and its replacement overlap for a moment. Browsers that check pages need lanes too. */
const SPARE_LANES = 10;
const IDLE_MS = 5 * 60_000;

export async function startCells(options: CellsOptions): Promise<Cells> {
  // This must come first, while this process has no children.
  const groups = openCellGroups();
  const { runtime, network, stop: stopRuntime } = await startRuntime(options);
  const descriptors = shareDescriptors({
    connections: options.egressConnections,
    connectionsPerOwner: options.egressConnectionsPerOwner,
    cellsPerOwner: options.maxCellsPerOwner,
  });
  const egress = new Egress({
    ...{ runtime, network, allow: options.egressAllow, onLine: options.onLine },
    owners: options.maxCells + SPARE_LANES,
    connections: descriptors.connections,
    maxDescriptors: descriptors.egress,
  });
  const live = new LiveSocket({ runtime, group: egress.group, onLine: options.onLine });
  const databases = await startDatabases({
    ...options,
    ...{ runtime, network, warn: options.warn ?? (() => undefined) },
  }).catch(async (error: unknown) => {
    await stopRuntime();
    throw error;
  });
  const pool = new Pool({
    context: {
      ...{ runtime, egress, live, groups, limits: options.limits },
      maxDescriptors: descriptors.cell,
      floor: new MemoryFloor(),
    },
    maxCells: options.maxCells,
    maxCellsPerOwner: options.maxCellsPerOwner,
    idleMs: IDLE_MS,
  });
  return {
    levels: runtime.sandbox.levels,
    pool,
    memoryMegabytes: options.limits.memoryMegabytes,
    databases,
    boxes: { runtime, egress, groups },
    async fetchExternal(address, reading) {
      await egress.ready();
      return fetchExternal(egress.folder, address, reading);
    },
    usePublish: (publish) => live.usePublish(publish),
    onDeath: (listener) => pool.onDeath(listener),
    async stop() {
      await pool.stop();
      await live.stop();
      await databases.stop();
      await egress.stop();
      await stopRuntime();
    },
  };
}
