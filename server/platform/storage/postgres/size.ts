import { sql } from 'kysely';
import type { Db } from '../handles.ts';

/** What the whole database takes up, wherever it is. */
export async function postgresBytes(db: Db): Promise<number> {
  const { rows } = await sql<{ bytes: number }>`select pg_database_size(current_database()) as bytes`.execute(
    db,
  );
  return Number(rows[0]?.bytes ?? 0);
}
