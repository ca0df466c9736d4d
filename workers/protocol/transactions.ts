/**
 * The lines of a transaction. A statement is the path and query of the D1 client's request, a space, and its body. The
 * other lines are these words. Each line gets one line as its response: JSON with `success`.
 */
export const TRANSACTION_LINES = { begin: 'begin', commit: 'commit', rollback: 'rollback' } as const;

export const TRANSACTION_LIMITS = {
  totalMs: 5_000,
  /** How long a transaction may wait for its next statement. */
  idleMs: 1_000,
  /** How many transactions can be inside each other. */
  depth: 10,
  /** The length of one statement or batch with its values. */
  lineCharacters: 16 * 1024 * 1024,
  /** How many statements and transactions can wait for a transaction of their database. */
  waiting: 20,
} as const;

/** In place of a result: the transaction is over, and was undone. */
export interface TransactionEnd {
  success: false;
  error: string;
  ended: true;
}

export const TRANSACTION_TIMEOUT = `The transaction was undone, because it took more than ${TRANSACTION_LIMITS.totalMs / 1000} seconds, or waited more than ${TRANSACTION_LIMITS.idleMs / 1000} second for its next statement. Do everything else, such as fetch, before or after it. (TRANSACTION_TIMEOUT)`;
