import { PostgresAdapter, sql } from 'kysely';
import type { Tx } from './handles.ts';

/** The namespace of these locks among the advisory locks of PostgreSQL. */
const NAMES = 24;

/**
 * Makes other transactions that lock the same name wait until this one ends. Lock several names in one order, so that
 * no two transactions wait for each other. SQLite has one writer, which is a lock already.
 */
export async function lockName(tx: Tx, name: string): Promise<void> {
  if (tx.getExecutor().adapter instanceof PostgresAdapter)
    await sql`select pg_advisory_xact_lock(${NAMES}::int, hashtext(${name}))`.execute(tx);
}
