import { z } from 'zod';
import { rowId, shortText, text, timestamp } from '../fields.ts';
import { MAX_SAVED_QUERY_NAME, MAX_SAVED_SQL_BYTES } from '../rules/limits.ts';
import { rule } from '../rules/texts/rule.ts';
import { slugParams } from './functions.ts';

/** The wire shapes of saved queries, and of the list of databases. */

/** JSON can take six bytes for one byte of SQL. */
export const SAVED_QUERY_BODY_LIMIT = 6 * MAX_SAVED_SQL_BYTES + 4096;

export const savedQueryParams = slugParams.extend({ id: rowId });

const name = shortText(MAX_SAVED_QUERY_NAME)
  .transform((typed) => typed.trim())
  .refine((typed) => typed !== '', 'must not be empty')
  .meta({ type: 'string', minLength: 1, maxLength: MAX_SAVED_QUERY_NAME });
const sql = text()
  .refine((typed) => typed.trim() !== '', 'must not be empty')
  .refine(
    (typed) => new TextEncoder().encode(typed).length <= MAX_SAVED_SQL_BYTES,
    rule('must have at most {max} bytes', { max: MAX_SAVED_SQL_BYTES }),
  )
  .meta({ type: 'string', minLength: 1, description: `At most ${MAX_SAVED_SQL_BYTES} bytes` });

export const NewSavedQuery = z.strictObject({ name, sql });
export type NewSavedQuery = z.infer<typeof NewSavedQuery>;
export const PatchSavedQuery = NewSavedQuery.partial();
export type PatchSavedQuery = z.infer<typeof PatchSavedQuery>;

export const SavedQuery = z
  .object({ id: z.int(), name: z.string(), sql: z.string(), createdAt: timestamp, updatedAt: timestamp })
  .meta({ id: 'SavedQuery' });
export type SavedQuery = z.infer<typeof SavedQuery>;
export const SavedQueryList = z.object({ queries: z.array(SavedQuery) });
export type SavedQueryList = z.infer<typeof SavedQueryList>;

export const DatabaseSummary = z.object({
  id: z.int(),
  /** The functions that use the database, at least one. */
  functions: z.array(z.string()).meta({ description: 'The slugs of the functions that use the database.' }),
  bytes: z.int().meta({ description: 'The size, or with several nodes: what it uses of your quota.' }),
  createdAt: timestamp,
});
export type DatabaseSummary = z.infer<typeof DatabaseSummary>;
export const DatabaseList = z.object({ databases: z.array(DatabaseSummary) });
export type DatabaseList = z.infer<typeof DatabaseList>;
