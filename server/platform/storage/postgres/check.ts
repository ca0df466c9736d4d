import { Kysely, sql } from 'kysely';
import type { Tables } from '../tables/tables.ts';
import { postgresDialect } from './postgres.ts';

/** Reads PostgreSQL's version and changes nothing. Throws if it does not respond. */
export async function checkPostgres(url: string): Promise<string> {
  const db = new Kysely<Tables>({ dialect: postgresDialect(url, { connections: 1 }) });
  try {
    const { rows } = await sql<{ version: string }>`select version()`.execute(db);
    return rows[0]?.version.split(' ').slice(0, 2).join(' ') ?? 'PostgreSQL';
  } finally {
    await db.destroy();
  }
}
