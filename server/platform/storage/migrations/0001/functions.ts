import { sql } from 'kysely';
import type { MigrationTools } from '../tools.ts';
import { ofFunction, ofUser, truth } from './columns.ts';

/** Functions with their databases, versions, secrets, schedules, logs and figures. */
export async function createFunctions(tools: MigrationTools): Promise<void> {
  await createDatabases(tools);
  await createFunctionsTable(tools);
  await createVersions(tools);
  await createSchedules(tools);
  await createLogs(tools);
}

async function createDatabases({ db, table, id, bytewise }: MigrationTools): Promise<void> {
  await table('function_databases')
    .addColumn('id', id.wide, id.define)
    .addColumn('owner_id', id.big, ofUser)
    .addColumn('created_at', id.big, (c) => c.notNull())
    .addColumn('deleted_at', id.big)
    // In a cluster, the size of a database counts towards its owner's quota, and is stored here.
    .addColumn('bytes', id.big, (c) => c.notNull().defaultTo(0))
    .execute();
  await db.schema
    .createIndex('function_databases_by_owner')
    .on('function_databases')
    .column('owner_id')
    .execute();
  await table('saved_queries')
    .addColumn('id', id.type, id.define)
    .addColumn('database_id', id.big, (c) =>
      c.notNull().references('function_databases.id').onDelete('cascade'),
    )
    .addColumn('name', bytewise, (c) => c.notNull())
    .addColumn('sql', 'text', (c) => c.notNull())
    .addColumn('created_at', id.big, (c) => c.notNull())
    .addColumn('updated_at', id.big, (c) => c.notNull())
    .addUniqueConstraint('saved_queries_key', ['database_id', 'name'])
    .execute();
}

/** What the list of functions shows of each. */
export const SHOWN = ['owner_id', 'display_name', 'description', 'database_id', 'created_at', 'updated_at'];
/** What decides whether it is in the list. */
export const CONDITIONS = ['is_public', 'taken_down_at', 'owner_blocked_at'];

async function createFunctionsTable({ db, table, id, bytewise, isSqlite }: MigrationTools): Promise<void> {
  await table('functions')
    .addColumn('id', id.wide, id.define)
    .addColumn('owner_id', id.big, (c) => c.references('users.id').onDelete('cascade'))
    .addColumn('slug', bytewise, (c) => c.notNull().unique())
    .addColumn('display_name', 'text', (c) => c.notNull())
    .addColumn('description', 'text', (c) => c.notNull())
    .addColumn('code', 'text', (c) => c.notNull())
    .addColumn('version', 'integer', (c) => c.notNull())
    .addColumn('secrets_revision', 'integer', (c) => c.notNull())
    .addColumn('is_public', 'integer', truth('is_public'))
    .addColumn('database_id', id.big, (c) => c.references('function_databases.id'))
    .addColumn('created_at', id.big, (c) => c.notNull())
    .addColumn('updated_at', id.big, (c) => c.notNull())
    .addColumn('taken_down_at', id.big)
    .addColumn('taken_down_reason', 'text')
    .addColumn('owner_blocked_at', id.big)
    .execute();
  await db.schema.createIndex('functions_by_owner').on('functions').column('owner_id').execute();
  await db.schema.createIndex('functions_by_database').on('functions').column('database_id').execute();
  // Functions that anyone can call, in the order of the list. On SQLite the index has every column that the list uses,
  // so that listing and searching read no code. PostgreSQL stores code apart from its row, and limits the size of entries.
  await db.schema
    .createIndex('functions_listed')
    .on('functions')
    .columns(isSqlite ? ['slug', ...SHOWN, ...CONDITIONS] : ['slug'])
    .where('is_public', '=', sql.lit(1))
    .where('taken_down_at', 'is', null)
    .where('owner_blocked_at', 'is', null)
    .execute();
}

/** The sizes of versions are what owners are charged for code. The platform's functions have none. */
async function createVersions({ table, id }: MigrationTools): Promise<void> {
  await table('function_versions')
    .addColumn('function_id', id.big, ofFunction)
    .addColumn('version', 'integer', (c) => c.notNull())
    .addColumn('size', id.big, (c) => c.notNull())
    .addColumn('created_at', id.big, (c) => c.notNull())
    // The long texts come late: SQLite reads through them to find what comes after.
    .addColumn('code', 'text', (c) => c.notNull())
    .addColumn('files', 'text')
    .addColumn('bundle', 'text')
    .addColumn('source_map', 'text')
    .addColumn('note', 'text')
    .addPrimaryKeyConstraint('function_versions_key', ['function_id', 'version'])
    .execute();
  await table('function_secrets')
    .addColumn('function_id', id.big, ofFunction)
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('sealed_value', 'text', (c) => c.notNull())
    .addPrimaryKeyConstraint('function_secrets_key', ['function_id', 'name'])
    .execute();
}

async function createSchedules({ db, table, id, bytewise }: MigrationTools): Promise<void> {
  await table('function_schedules')
    .addColumn('id', id.type, id.define)
    .addColumn('function_id', id.big, ofFunction)
    .addColumn('owner_id', id.big, ofUser)
    .addColumn('position', 'integer', (c) => c.notNull())
    .addColumn('cron', bytewise, (c) => c.notNull())
    .addColumn('timezone', bytewise, (c) => c.notNull())
    .addColumn('moment', id.big, (c) => c.notNull())
    .addColumn('due_at', id.big, (c) => c.notNull())
    .addColumn('planned_at', id.big, (c) => c.notNull())
    .addColumn('running_until', id.big)
    .addColumn('failures', 'integer', (c) => c.notNull())
    .addColumn('last_moment', id.big)
    .addColumn('last_started_at', id.big)
    .addColumn('last_result', 'text')
    .addColumn('last_duration_ms', 'integer')
    .addColumn('last_error', 'text')
    .addUniqueConstraint('function_schedules_key', ['function_id', 'cron', 'timezone'])
    .execute();
  const index = (name: string) =>
    db.schema.createIndex(`function_schedules_by_${name}`).on('function_schedules');
  await index('due').columns(['due_at', 'owner_id']).execute();
  await index('owner').column('owner_id').execute();
  // Only runs in progress have an entry: few of many.
  await index('end').column('running_until').where('running_until', 'is not', null).execute();
}

async function createLogs({ db, table, id }: MigrationTools): Promise<void> {
  await table('function_logs')
    .addColumn('id', id.wide, id.define)
    .addColumn('function_id', id.big, ofFunction)
    .addColumn('at', id.big, (c) => c.notNull())
    .addColumn('kind', 'text', (c) =>
      c.notNull().check(sql`kind in ('console', 'exception', 'call', 'system')`),
    )
    .addColumn('level', 'text', (c) => c.notNull())
    .addColumn('message', 'text', (c) => c.notNull())
    .addColumn('status', 'integer')
    .addColumn('duration_ms', 'integer')
    .execute();
  await db.schema
    .createIndex('function_logs_by_function')
    .on('function_logs')
    .columns(['function_id', 'id'])
    .execute();
  await table('function_stats')
    .addColumn('function_id', id.big, ofFunction)
    .addColumn('hour', id.big, (c) => c.notNull())
    .addColumn('calls', 'integer', (c) => c.notNull())
    .addColumn('errors', 'integer', (c) => c.notNull())
    .addColumn('duration_total_ms', id.big, (c) => c.notNull())
    .addColumn('duration_max_ms', 'integer', (c) => c.notNull())
    .addPrimaryKeyConstraint('function_stats_key', ['function_id', 'hour'])
    .execute();
  await table('function_durations')
    .addColumn('function_id', id.big, ofFunction)
    .addColumn('hour', id.big, (c) => c.notNull())
    .addColumn('bucket', 'integer', (c) => c.notNull())
    .addColumn('calls', 'integer', (c) => c.notNull())
    .addPrimaryKeyConstraint('function_durations_key', ['function_id', 'hour', 'bucket'])
    .execute();
  // Hourly purges remove by hour.
  for (const name of ['function_stats', 'function_durations'])
    await db.schema.createIndex(`${name}_by_hour`).on(name).column('hour').execute();
}
