/**
 * The texts of the PostgreSQL client that we must recognize because there is no code for them. They are all here. Tests:
 * test/faults/database-unavailable.test.ts and test/cluster/unavailable.test.ts.
 */

const READ_TIMEOUT = 'Query read timeout';

const LOST = [
  READ_TIMEOUT,
  'Connection terminated',
  'Connection terminated unexpectedly',
  'Connection terminated due to connection timeout',
  'Client has encountered a connection error and is not queryable',
  'Client was closed and is not queryable',
  'timeout exceeded when trying to connect',
  'timeout expired',
];

/** True if no answer came in time. It may still come. */
export function isReadTimeout(error: unknown): boolean {
  return error instanceof Error && error.message === READ_TIMEOUT;
}

/** True if there is no connection, or no longer. */
export function isConnectionLost(error: Error): boolean {
  return LOST.includes(error.message);
}

/** Codes for a server that cannot be reached, and of PostgreSQL while it starts or stops. */
const UNAVAILABLE =
  /^(ECONNREFUSED|ECONNRESET|ETIMEDOUT|EPIPE|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|57P0[123]|08\w{3})$/;

/** True if there is no connection to PostgreSQL, or no longer. It can still run, and refuse others. */
export function isUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return UNAVAILABLE.test(String((error as { code?: unknown }).code ?? '')) || isConnectionLost(error);
}
