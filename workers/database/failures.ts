import {
  type DatabaseErrorCode,
  type DatabaseFailure,
  type MigrationPlace,
  RELOCATING,
  RELOCATING_OUTCOME_UNKNOWN,
  withCode,
} from '../protocol.ts';
import { isStorageFull, isTransactionStatement } from '../workerd-messages.ts';
import { Moved } from './moves/place.ts';
import { QuotaError } from './quota/quota.ts';

/** Responses of a database that did not do what it was asked. */

/** The message of D1 for several statements where one is expected. */
export const ONE_STATEMENT = 'A prepared SQL statement must contain only one statement.';

/** Thrown for what is not the fault of the statement. */
export class CodedError extends Error {
  constructor(
    message: string,
    readonly code: DatabaseErrorCode,
  ) {
    super(message);
  }
}

/** Thrown for a migration that fails. Nothing of it, or of those before it, is left. */
export class MigrationError extends Error {
  constructor(
    error: unknown,
    readonly place: MigrationPlace,
  ) {
    super(describeFailure(error));
  }
}

export function failure(status: number, error: string, code?: DatabaseErrorCode): Response {
  const body: DatabaseFailure = { success: false, error: withCode(error, code), code };
  return Response.json(body, { status });
}

export function toFailure(error: unknown): Response {
  if (error instanceof Moved) return error.respond();
  if (error instanceof MigrationError) {
    const body: DatabaseFailure = { success: false, error: error.message, place: error.place };
    return Response.json(body, { status: 400 });
  }
  if (error instanceof QuotaError) return failure(400, error.message, 'QUOTA_EXCEEDED');
  if (error instanceof CodedError) return failure(400, error.message, error.code);
  return failure(400, describeFailure(error));
}

/** The database is not at a node right now; nothing was run. */
export const relocating = () => failure(503, RELOCATING, 'UNAVAILABLE');

/** The database was lost while it may have run the request. */
export const outcomeUnknown = () => failure(503, RELOCATING_OUTCOME_UNKNOWN, 'OUTCOME_UNKNOWN');

export const removed = () => failure(410, 'The database was removed.');

/** What went wrong, in words that say what to do. */
export function describeFailure(error: unknown): string {
  // Its text has the code of SQLite for a disk that is full.
  if (error instanceof QuotaError) return error.message;
  if (isTransactionStatement(error)) {
    return 'BEGIN, COMMIT and SAVEPOINT are not possible here; use batch, which is one transaction: SQLITE_ERROR';
  }
  if (isStorageFull(error)) {
    return 'There is no space left for what this statement sorts or writes. Sort or change fewer rows at a time, or add an index for the order: SQLITE_FULL';
  }
  return error instanceof Error ? error.message : String(error);
}
