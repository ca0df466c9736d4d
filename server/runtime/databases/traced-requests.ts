import { z } from 'zod';
import { MAX_TRACED_REQUESTS, MAX_TRACED_STATEMENTS, SQL_OPERATIONS } from '../../../workers/protocol.ts';

const times = { startMs: z.number(), endMs: z.number() };
/** What a database has run for a traced call. */
export const TracedRequests = z
  .array(
    z.object({
      ...times,
      isTransaction: z.boolean(),
      isFailed: z.boolean(),
      statements: z
        .array(
          z.object({
            ...times,
            operation: z.enum(SQL_OPERATIONS),
            rowsRead: z.number(),
            rowsWritten: z.number(),
          }),
        )
        .max(MAX_TRACED_STATEMENTS),
    }),
  )
  .max(MAX_TRACED_REQUESTS);
