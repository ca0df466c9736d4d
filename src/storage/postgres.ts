import { type Dialect, PostgresDialect } from 'kysely';
import { Pool, types } from 'pg';

const INT8 = 20;

/** PostgreSQL through a pool. 64-bit integers come back as numbers: ours are moments and counts, far below 2^53. */
export function postgresDialect(url: string): Dialect {
  const pool = new Pool({
    connectionString: url,
    max: 10,
    connectionTimeoutMillis: 5_000,
    statement_timeout: 30_000,
    types: {
      getTypeParser: ((oid: number, format?: 'text') =>
        oid === INT8 ? Number : types.getTypeParser(oid, format)) as typeof types.getTypeParser,
    },
  });
  // An idle connection that the server closes reports here; the next query opens a new one.
  pool.on('error', () => undefined);
  return new PostgresDialect({ pool });
}
