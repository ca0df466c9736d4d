import type { ServiceName } from '../../../workers/protocol.ts';
import { MemoryFloor } from '../workerd/index.ts';
import type { CellContext } from './cell-files.ts';
import { type Death, Pool } from './pool/pool.ts';
import { type Service, ServiceSocket } from './service-socket.ts';

/** The response of a function's handler. */
export type { CellAnswer } from './answer.ts';
/** Thrown when a call that has not begun must go to another cell. */
export { NoTurnError } from './body-turns.ts';
/** A process that runs one owner's module. */
export type { Cell } from './cell.ts';
/** What a cell runs. */
export type { CellProgram } from './cell-files.ts';
/** Thrown when an owner's module cannot run. */
export { LoadError } from './load-error.ts';
/** Thrown while a function that was killed repeatedly must wait. */
export { BackoffError } from './pool/backoff.ts';
/** Thrown when no place is free for a cell, in total or for this owner. */
export { OwnerShareError, PoolFullError } from './pool/places.ts';
/** Cells by function. */
export type { PoolEntry } from './pool/pool.ts';
/** What the server does for functions, behind `env`. */
export type { Service, ServiceCaller } from './service-socket.ts';
/** A WebSocket to a function. */
export type { CellSocket } from './sockets/cell-socket.ts';
export type { SocketAnswer } from './sockets/cell-sockets.ts';
/** Why WebSockets of a function end. */
export { REMOVED, type SocketEnd } from './sockets/socket-ends.ts';

/** The processes that run functions. */
export interface Cells {
  pool: Pool;
  /** The memory a function may use. */
  memoryMegabytes: number;
  /** Sets what happens when a function asks for a service in `env`. */
  useService(name: ServiceName, service: Service): void;
  /** Sets the listener for cells that ended while they were needed. */
  onDeath(listener: (functionId: number, reason: Death) => void): void;
  stop(): Promise<void>;
}

interface CellsOptions extends Omit<CellContext, 'services' | 'floor'> {
  maxCells: number;
  maxCellsPerOwner: number;
  /** Called with each line that our own child processes print. */
  onLine(line: string): void;
}

const IDLE_MS = 5 * 60_000;

export function startCells(options: CellsOptions): Cells {
  const { egress, limits } = options;
  const services = new ServiceSocket({ ...options, group: egress.group });
  const pool = new Pool({
    ...options,
    context: { ...options, services, floor: new MemoryFloor() },
    idleMs: IDLE_MS,
  });
  return {
    pool,
    memoryMegabytes: limits.memoryMegabytes,
    useService: (name, service) => services.use(name, service),
    onDeath: (listener) => pool.onDeath(listener),
    async stop() {
      await pool.stop();
      await services.stop();
    },
  };
}
