import { Kysely, sql } from 'kysely';
import { DatabaseClock } from '../clock.ts';
import type { Tables } from '../tables/tables.ts';
import { READ_TIME } from './heartbeat.ts';
import { postgresDialect } from './postgres.ts';

/**
 * Reads PostgreSQL's version, and how far the clock of this machine is ahead of PostgreSQL's. Changes nothing. Throws if
 * it does not respond.
 */
export async function checkPostgres(url: string): Promise<{ version: string; clockDifferenceMs: number }> {
  const db = new Kysely<Tables>({ dialect: postgresDialect(url, { connections: 1 }) });
  try {
    const version = await sql<{ version: string }>`select version()`.execute(db);
    const askedAt = performance.now();
    const time = await sql.raw<{ time: number }>(READ_TIME).execute(db);
    const clock = new DatabaseClock();
    clock.set(time.rows[0]?.time ?? Number.NaN, { askedAt, answeredAt: performance.now() });
    return {
      version: version.rows[0]?.version.split(' ').slice(0, 2).join(' ') ?? 'PostgreSQL',
      clockDifferenceMs: clock.differenceMs(),
    };
  } finally {
    await db.destroy();
  }
}
