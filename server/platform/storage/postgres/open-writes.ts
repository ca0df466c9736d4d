import { sql } from 'kysely';
import type { Db } from '../handles.ts';

const LOOK_AGAIN_MS = 100;

/**
 * Waits until every transaction has ended that is writing now. False if that takes too long. With SQLite a transaction of
 * one's own waits for that of others anyway.
 */
export async function untilWritesEnd(
  { db, engine }: { db: Db; engine: 'sqlite' | 'postgres' },
  timeoutMs: number,
): Promise<boolean> {
  if (engine === 'sqlite') return true;
  const deadline = performance.now() + timeoutMs;
  // As text, because JavaScript's dates have no microseconds.
  const { rows } = await sql<{ now: string }>`select clock_timestamp()::text as now`.execute(db);
  const since = rows[0]?.now;
  for (;;) {
    const open = await sql<{ count: number }>`
      select count(*)::int as count from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid()
      and backend_xid is not null and xact_start <= ${since}::timestamptz`.execute(db);
    if (open.rows[0]?.count === 0) return true;
    if (performance.now() > deadline) return false;
    await Bun.sleep(LOOK_AGAIN_MS);
  }
}
