import { type Dialect, PostgresDialect, type PostgresPoolClient } from 'kysely';
import { Pool, types } from 'pg';
import type { Watch } from './watch.ts';

const INT8 = 20;

/** What anybody may wait for an answer. */
const PATIENCE = { statement_timeout: 7_000, query_timeout: 8_000 };

/** PostgreSQL through a pool. 64-bit integers come back as numbers: ours are moments and counts, far below 2^53. */
export function postgresDialect(
  url: string,
  options: { connections?: number; isPatient?: boolean; watch?: Watch } = {},
): Dialect {
  const pool = new Pool({
    connectionString: url,
    max: options.connections ?? 10,
    connectionTimeoutMillis: 5_000,
    ...(options.isPatient ? {} : PATIENCE),
    types: {
      getTypeParser: ((oid: number, format?: 'text') =>
        oid === INT8 ? Number : types.getTypeParser(oid, format)) as typeof types.getTypeParser,
    },
  });
  // An idle connection that the server closes reports here; the next query opens a new one.
  pool.on('error', () => undefined);
  // So does one in use, to the query that is waiting; unheard, the event would end the process.
  pool.on('connect', (client) => client.on('error', () => undefined));
  options.watch?.addPool(pool);
  return new PostgresDialect({
    pool: { connect: () => checkOut(pool, options.watch), end: () => pool.end() },
  });
}

/** A connection on which a query got no answer is thrown away: what comes late would answer somebody else. */
async function checkOut(pool: Pool, watch: Watch | undefined): Promise<PostgresPoolClient> {
  const client = await pool.connect().catch((error: unknown) => {
    watch?.noteFailure(error);
    throw error;
  });
  let isLost = false;
  const query = async (...args: unknown[]) => {
    if (isLost) throw new Error('Connection terminated');
    try {
      return await (client.query as (...args: unknown[]) => Promise<unknown>).apply(client, args);
    } catch (error) {
      watch?.noteFailure(error);
      if (/Query read timeout/.test((error as Error).message)) isLost = true;
      throw error;
    }
  };
  return { query, release: () => client.release(isLost) } as unknown as PostgresPoolClient;
}
