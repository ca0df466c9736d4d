import { QuotaError } from './database-room.ts';

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

function messageOf(error: unknown): string {
  if (error instanceof Error && error.message.includes('state.storage.transaction')) {
    return 'BEGIN, COMMIT and SAVEPOINT are not possible here; use batch, which is one transaction: SQLITE_ERROR';
  }
  return error instanceof Error ? error.message : String(error);
}
