import { PostgresAdapter } from 'kysely';
import type { Tx } from './handles.ts';

/**
 * Returns those of these rows that exist. They cannot be deleted until this transaction ends. Call this
 * before changing several rows that belong to them: a deletion locks the row first and then what belongs to
 * it, so a transaction that does it the other way round would wait for the deletion, and the deletion for it.
 * SQLite has one writer.
 */
export async function keepRows(
  tx: Tx,
  table: 'functions' | 'pages',
  ids: readonly number[],
): Promise<Set<number>> {
  if (ids.length === 0) return new Set();
  const isPostgres = tx.getExecutor().adapter instanceof PostgresAdapter;
  const rows = await tx
    .selectFrom(table)
    .select('id')
    .where('id', 'in', ids)
    // One order for all, so that no two transactions wait for each other.
    .orderBy('id')
    .$if(isPostgres, (query) => query.forKeyShare())
    .execute();
  return new Set(rows.map(({ id }) => id));
}
