import { storageFailure } from './failures.ts';

type Outcome = NonNullable<ReturnType<typeof storageFailure>> | 'other';

interface ConnectionPool {
  totalCount: number;
  idleCount: number;
  waitingCount: number;
}

/** Connection counts and failures of the database. */
export interface StorageStatus {
  /** Connections to PostgreSQL: open, in use, and queries waiting for one. All are 0 on SQLite. */
  connections: number;
  inUse: number;
  waiting: number;
  /** Failed queries, by cause. */
  failures: Record<Outcome, number>;
}

/** Observes the outcome of queries. */
export interface Watch {
  addPool(pool: ConnectionPool): void;
  noteFailure(error: unknown): void;
  status(): StorageStatus;
}

export function createWatch(): Watch {
  const pools: ConnectionPool[] = [];
  const failures: Record<Outcome, number> = {
    'unique violation': 0,
    'missing parent': 0,
    'disk full': 0,
    'too slow': 0,
    busy: 0,
    unreachable: 0,
    other: 0,
  };
  const sum = (read: (pool: ConnectionPool) => number) =>
    pools.reduce((total, pool) => total + read(pool), 0);
  return {
    addPool: (pool) => void pools.push(pool),
    noteFailure(error) {
      failures[storageFailure(error) ?? 'other']++;
    },
    status: () => ({
      connections: sum(({ totalCount }) => totalCount),
      inUse: sum(({ totalCount, idleCount }) => totalCount - idleCount),
      waiting: sum(({ waitingCount }) => waitingCount),
      failures: { ...failures },
    }),
  };
}
