import type { Span } from '../../../platform/traces/index.ts';
import type { Databases } from '../../../runtime/databases/index.ts';

export type TracedDatabases = Pick<Databases, 'takeTraced'>;

/** Where the database of a function is. */
export interface CallDatabase {
  ownerId: number | null;
  databaseId: number | null;
}

/**
 * Adds what the database of a function has run for a call to its trace, after the response. The server asks the database
 * for the spans: what the function itself says proves nothing.
 */
export function addDatabaseSpans(
  cell: Span,
  databases: TracedDatabases,
  { ownerId, databaseId }: CallDatabase,
): void {
  if (ownerId === null || databaseId === null) return;
  cell.trace.sink.later(async (signal) => {
    for (const request of await databases.takeTraced(ownerId, databaseId, cell.traceparent, signal)) {
      const { startMs, endMs, isTransaction, isFailed, statements } = request;
      const span = cell.child(isTransaction ? 'database transaction' : 'database', 'server', {}, startMs);
      span.isFailed = isFailed;
      span.end(endMs);
      for (const { operation, rowsRead, rowsWritten, ...times } of statements) {
        const attributes = {
          'db.system.name': 'sqlite',
          'db.operation.name': operation,
          'quire.rows_read': rowsRead,
          'quire.rows_written': rowsWritten,
        };
        span.child(`SQL ${operation}`, 'internal', attributes, times.startMs).end(times.endMs);
      }
    }
  });
}
