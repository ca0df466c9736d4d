import {
  type Dialect,
  PostgresAdapter,
  PostgresDialect,
  type PostgresDialectConfig,
  type PostgresPoolClient,
  sql,
} from 'kysely';
import type { ClientConfig, Pool, PoolClient } from 'pg';
import { announcesCommits } from '../after-commit.ts';
import type { Tx } from '../handles.ts';
import { isReadTimeout, isUnavailable } from '../postgres-messages.ts';
import { type DirectAdapter, findStatementName } from '../statement.ts';
import type { Watch } from '../watch.ts';
import { Heartbeat } from './heartbeat.ts';
import { Patience, type PostgresLink } from './patience.ts';
import { Pipeline } from './pipeline.ts';

const INT8 = 20;
/** The type of a sum of 64-bit integers. */
const NUMERIC = 1700;

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

/** Starting parallel workers takes longer than a quick statement, on a busy machine 200 ms. */
const WITHOUT_WORKERS = '-c max_parallel_workers_per_gather=0';

interface PostgresOptions {
  connections?: number;
  /** Further connections, which statements outside of a transaction share. */
  pipelined?: number;
  isPatient?: boolean;
  isForLongReads?: boolean;
  watch?: Watch;
  /** Says what to do while PostgreSQL is not available. Without it, statements fail then. */
  link?: PostgresLink;
}

/** Opens the link to PostgreSQL. Throws if PostgreSQL cannot be used. */
export async function openLink(url: string, watch: Watch): Promise<PostgresLink> {
  const { Client, types } = await import('pg');
  const heartbeat = new Heartbeat((config) => new Client(config), makeConfig(url, {}, types));
  await heartbeat.start();
  const patience = new Patience(heartbeat);
  watch.addPool(patience);
  return { heartbeat, patience };
}

/** PostgreSQL with a pool. The client is loaded on first use: a server with SQLite never needs it. */
export function postgresDialect(url: string, options: PostgresOptions = {}): Dialect {
  const adapter = new PipelinedAdapter();
  return new PipelinedDialect(adapter, {
    async pool() {
      const { Client, Pool, types } = await import('pg');
      const config = makeConfig(url, options, types);
      const pool = openPool(new Pool({ ...config, max: options.connections ?? 10 }), options);
      if (options.pipelined) {
        const fail = (error: unknown) => noteFailure(error, options);
        const { link, pipelined: connections } = options;
        const own = { config, connections, fail, isOutdated, link };
        adapter.pipeline = new Pipeline((clientConfig) => new Client(clientConfig), own);
        options.watch?.addPool(adapter.pipeline);
      }
      return {
        connect: () => checkOut(pool, options),
        async end() {
          await adapter.pipeline?.end();
          await pool.end();
        },
      };
    },
  });
}

class PipelinedDialect extends PostgresDialect {
  constructor(
    private readonly adapter: PipelinedAdapter,
    config: PostgresDialectConfig,
  ) {
    super(config);
  }

  override createAdapter() {
    return this.adapter;
  }

  override createDriver() {
    return announcesCommits(super.createDriver());
  }
}

class PipelinedAdapter extends PostgresAdapter implements DirectAdapter {
  /** Undefined until the first query has opened the pool. */
  pipeline: Pipeline | undefined;

  runDirectly(text: string, parameters: unknown[], isInTransaction: boolean) {
    return isInTransaction ? undefined : this.pipeline?.run(text, parameters);
  }
}

/** Returns 64-bit integers and their sums as numbers: ours are timestamps and counts, far below 2^53. */
function makeConfig(url: string, options: PostgresOptions, types: typeof import('pg').types): ClientConfig {
  return {
    connectionString: url,
    connectionTimeoutMillis: 5_000,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEPALIVE_SECONDS * 1000,
    options: options.isForLongReads ? SERVER_KEEPALIVES : `${SERVER_KEEPALIVES} ${WITHOUT_WORKERS}`,
    ...(options.isPatient ? {} : PATIENCE),
    types: {
      getTypeParser: ((oid: number, format?: 'text') =>
        oid === INT8 || oid === NUMERIC
          ? Number
          : types.getTypeParser(oid, format)) as typeof types.getTypeParser,
    },
  };
}

function openPool(pool: Pool, options: PostgresOptions): Pool {
  // An idle connection that the server closes emits this error. The next query opens a new one.
  pool.on('error', () => undefined);
  // A connection in use also fails its pending query. Without a listener, the event would end the process.
  pool.on('connect', (client) => {
    client.on('error', () => undefined);
    options.link?.patience.watch(client);
  });
  options.watch?.addPool(pool);
  return pool;
}

/** The first statement on a connection changes nothing if it is one of these, so another connection can repeat it. */
const REPEATABLE = /^(begin|start transaction|select)\b/;

/** Discards a connection that ends, or whose query timed out: its late result would go to the next query. */
async function checkOut(pool: Pool, options: PostgresOptions): Promise<PostgresPoolClient> {
  const { link } = options;
  let client: PoolClient | undefined = await connect(pool, options);
  let lost: unknown;
  let isFirst = true;
  const send = async (text: string, values: unknown[]) => {
    const name = findStatementName(text);
    const isNamed = name !== undefined && !hasAllColumns(text);
    const result = await client?.query(isNamed ? { name, text, values } : { text, values });
    link?.heartbeat.heard();
    return result;
  };
  const sendAgain = async (text: string, values: unknown[], patience: Patience) => {
    client?.release(true);
    client = undefined;
    client = await take(pool, patience);
    return send(text, values);
  };
  const query = async (text: string, values: unknown[]) => {
    if (lost) throw lost;
    const isRepeatable = isFirst && link !== undefined && REPEATABLE.test(text);
    isFirst = false;
    try {
      return await send(text, values).catch((error: unknown) => {
        // PostgreSQL may have closed the connection while it was idle, and others too.
        if (!isRepeatable || !isUnavailable(error) || isReadTimeout(error)) throw error;
        return link.patience.attempt(() => sendAgain(text, values, link.patience));
      });
    } catch (thrown) {
      const error = noteFailure(thrown, options);
      if (isUnavailable(error)) lost = error;
      throw error;
    }
  };
  return { query, release: () => client?.release(lost !== undefined) } as unknown as PostgresPoolClient;
}

async function connect(pool: Pool, options: PostgresOptions): Promise<PoolClient> {
  const { patience } = options.link ?? {};
  try {
    return patience ? await patience.attempt(() => take(pool, patience)) : await pool.connect();
  } catch (error) {
    options.watch?.noteFailure(error);
    throw error;
  }
}

function take(pool: Pool, patience: Patience): Promise<PoolClient> {
  const taking = pool.connect();
  return pool.idleCount > 0 ? taking : patience.unlessSilent(taking, (late) => late.release());
}

function noteFailure(thrown: unknown, { watch, isForLongReads }: PostgresOptions): unknown {
  const error = isForLongReads ? thrown : asBusy(thrown);
  watch?.noteFailure(error);
  return error;
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

/**
 * Whether the columns of the result change with those of a table. In a transaction such a statement has no name: it
 * could not be prepared again, and a migration must not fail requests to nodes of the version before.
 */
function hasAllColumns(text: string): boolean {
  return /[\s.]\*/.test(text);
}

/** A query that reads little and times out was slowed down by others. */
function asBusy(error: unknown): unknown {
  if ((error as { code?: unknown }).code !== STATEMENT_TIMEOUT) return error;
  return Object.assign(new Error((error as Error).message, { cause: error }), { code: LOCK_TIMEOUT });
}

/** Lets a transaction wait for something other than PostgreSQL, which would otherwise end it. */
export async function mayIdle(tx: Tx): Promise<void> {
  await sql`set local idle_in_transaction_session_timeout = 0`.execute(tx);
}
