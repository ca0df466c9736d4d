import { type Dialect, PostgresDialect, type PostgresPoolClient, sql } from 'kysely';
import type { Pool } from 'pg';
import type { Tx } from '../handles.ts';
import { nameOf } from '../statement.ts';
import type { Watch } from '../watch.ts';

const INT8 = 20;

/** Time limits for every query. */
const PATIENCE = {
  statement_timeout: 7_000,
  query_timeout: 8_000,
  // A node that hangs inside a transaction releases its locks before those who wait for them time out.
  idle_in_transaction_session_timeout: 4_000,
  lock_timeout: 6_000,
};

/** After this much silence both ends probe the connection, because a machine that fails does not close it. */
const KEEPALIVE_SECONDS = 30;
const SERVER_KEEPALIVES = [
  `-c tcp_keepalives_idle=${KEEPALIVE_SECONDS}`,
  '-c tcp_keepalives_interval=10',
  '-c tcp_keepalives_count=3',
].join(' ');

export interface PostgresOptions {
  connections?: number;
  isPatient?: boolean;
  isForLongReads?: boolean;
  watch?: Watch;
}

/** PostgreSQL with a pool. The client is loaded on first use: a server with SQLite never needs it. */
export function postgresDialect(url: string, options: PostgresOptions = {}): Dialect {
  return new PostgresDialect({
    async pool() {
      const pool = await openPool(url, options);
      return { connect: () => checkOut(pool, options), end: () => pool.end() };
    },
  });
}

/** Returns 64-bit integers as numbers: ours are timestamps and counts, far below 2^53. */
async function openPool(url: string, options: PostgresOptions): Promise<Pool> {
  const { Pool, types } = await import('pg');
  const pool = new Pool({
    connectionString: url,
    max: options.connections ?? 10,
    connectionTimeoutMillis: 5_000,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEPALIVE_SECONDS * 1000,
    options: SERVER_KEEPALIVES,
    ...(options.isPatient ? {} : PATIENCE),
    types: {
      getTypeParser: ((oid: number, format?: 'text') =>
        oid === INT8 ? Number : types.getTypeParser(oid, format)) as typeof types.getTypeParser,
    },
  });
  // An idle connection that the server closes emits this error. The next query opens a new one.
  pool.on('error', () => undefined);
  // A connection in use also fails its pending query. Without a listener, the event would end the process.
  pool.on('connect', (client) => client.on('error', () => undefined));
  options.watch?.addPool(pool);
  return pool;
}

/** Discards a connection whose query timed out, as its late result would go to the next query, or is outdated. */
async function checkOut(pool: Pool, { watch, isForLongReads }: PostgresOptions): Promise<PostgresPoolClient> {
  const client = await pool.connect().catch((error: unknown) => {
    watch?.noteFailure(error);
    throw error;
  });
  let isLost = false;
  let isDiscarded = false;
  const query = async (text: string, values: unknown[]) => {
    if (isLost) throw new Error('Connection terminated');
    try {
      const name = nameOf(text);
      return await client.query(name === undefined ? { text, values } : { name, text, values });
    } catch (thrown) {
      const error = isForLongReads ? thrown : asBusy(thrown);
      watch?.noteFailure(error);
      if (/Query read timeout/.test((error as Error).message)) isLost = true;
      if (isOutdated(thrown)) isDiscarded = true;
      throw error;
    }
  };
  return { query, release: () => client.release(isLost || isDiscarded) } as unknown as PostgresPoolClient;
}

const STATEMENT_TIMEOUT = '57014';
const LOCK_TIMEOUT = '55P03';

/**
 * PostgreSQL keeps named statements for a connection, and refuses one whose columns a migration has changed. A new
 * connection prepares it again.
 */
function isOutdated(error: unknown): boolean {
  const { code, routine } = error as { code?: unknown; routine?: unknown };
  return code === '0A000' && routine === 'RevalidateCachedQuery';
}

/** A query that reads little and times out was slowed down by others. */
function asBusy(error: unknown): unknown {
  const isBusy = (error as { code?: unknown }).code === STATEMENT_TIMEOUT || isOutdated(error);
  if (!isBusy) return error;
  return Object.assign(new Error((error as Error).message, { cause: error }), { code: LOCK_TIMEOUT });
}

/** Lets a transaction wait for something other than PostgreSQL, which would otherwise end it. */
export async function mayIdle(tx: Tx): Promise<void> {
  await sql`set local idle_in_transaction_session_timeout = 0`.execute(tx);
}
