import { type RawBuilder, sql } from 'kysely';
import { AppError } from '../../lib/errors.ts';
import { createFairQueue } from '../../lib/fair-queue.ts';
import type { Db } from './handles.ts';

/** Runs a search that reads every row of a table. Callers take turns. */
export type Search = <T>(caller: string, ask: (db: Db) => Promise<T>) => Promise<T>;

/** One search at a time, so that the other readers stay free. */
export function createSearch(slowDb: Db): Search {
  const inTurn = createFairQueue({ width: 1, maxWaiting: 150, refused: tooManySearches });
  return (caller, ask) => inTurn(caller, () => ask(slowDb));
}

function tooManySearches(): AppError {
  return new AppError(
    'UNAVAILABLE',
    'Too many searches at once. Try again in a moment.',
    {},
    {
      headers: { 'retry-after': '2' },
    },
  );
}

/** A condition that one of the columns contains the text. Ignores case and escapes wildcards. */
export function contains(text: string, columns: string[]): RawBuilder<boolean> {
  const pattern = `%${text.toLowerCase().replace(/[\\%_]/g, '\\$&')}%`;
  const each = columns.map((column) => sql`lower(${sql.ref(column)}) like ${pattern} escape '\\'`);
  return sql<boolean>`(${sql.join(each, sql` or `)})`;
}
