import { QuotaError } from './quota.ts';

/** What a database answers when it did not do as it was asked. */

/** Thrown for what is no fault of the statement; callers hear the code. */
export class HostError extends Error {
  constructor(
    message: string,
    readonly code: 'UNAVAILABLE' | 'NOT_FOUND',
  ) {
    super(message);
  }
}

export function toFailure(error: unknown): Response {
  const code =
    error instanceof QuotaError ? 'QUOTA_EXCEEDED' : error instanceof HostError ? error.code : undefined;
  return Response.json({ success: false, error: messageOf(error), code }, { status: 400 });
}

/** True when SQLite found no space, on the disk or for its temporary files. */
export function isFull(error: unknown): boolean {
  return (
    error instanceof Error && !(error instanceof QuotaError) && /SQLITE_FULL|disk is full/.test(error.message)
  );
}

function messageOf(error: unknown): string {
  if (error instanceof Error && error.message.includes('state.storage.transaction')) {
    return 'BEGIN, COMMIT and SAVEPOINT are not possible here; use batch, which is one transaction: SQLITE_ERROR';
  }
  if (isFull(error)) {
    return 'There is no space left for what this statement sorts or writes. Sort or change fewer rows at a time, or add an index for the order: SQLITE_FULL';
  }
  return error instanceof Error ? error.message : String(error);
}
