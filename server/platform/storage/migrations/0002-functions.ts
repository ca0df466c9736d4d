import { type ColumnDefinitionBuilder, sql } from 'kysely';
import type { MigrationTools } from './tools.ts';

/** Functions with their databases, secrets, logs and statistics. */
export async function up({ db, table, id, bytewise }: MigrationTools): Promise<void> {
  await table('function_databases')
    .addColumn('id', id.type, id.define)
    .addColumn('owner_id', 'integer', (c) => c.notNull().references('users.id').onDelete('cascade'))
    .addColumn('created_at', id.big, (c) => c.notNull())
    .addColumn('deleted_at', id.big)
    .execute();

  await table('functions')
    .addColumn('id', id.type, id.define)
    .addColumn('owner_id', 'integer', (c) => c.references('users.id').onDelete('cascade'))
    .addColumn('slug', bytewise, (c) => c.notNull().unique())
    .addColumn('display_name', 'text', (c) => c.notNull())
    .addColumn('description', 'text', (c) => c.notNull())
    .addColumn('code', 'text', (c) => c.notNull())
    .addColumn('version', 'integer', (c) => c.notNull())
    .addColumn('secrets_revision', 'integer', (c) => c.notNull())
    .addColumn('is_public', 'integer', (c) => c.notNull().check(sql`is_public in (0, 1)`))
    .addColumn('database_id', 'integer', (c) => c.references('function_databases.id'))
    .addColumn('created_at', id.big, (c) => c.notNull())
    .addColumn('updated_at', id.big, (c) => c.notNull())
    .execute();
  await db.schema.createIndex('functions_by_owner').on('functions').column('owner_id').execute();
  await db.schema.createIndex('functions_by_database').on('functions').column('database_id').execute();

  const ofFunction = (c: ColumnDefinitionBuilder) =>
    c.notNull().references('functions.id').onDelete('cascade');
  await table('function_secrets')
    .addColumn('function_id', 'integer', ofFunction)
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('sealed_value', 'text', (c) => c.notNull())
    .addPrimaryKeyConstraint('function_secrets_key', ['function_id', 'name'])
    .execute();

  await table('function_logs')
    .addColumn('id', id.type, id.define)
    .addColumn('function_id', 'integer', ofFunction)
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
    .addColumn('function_id', 'integer', ofFunction)
    .addColumn('hour', id.big, (c) => c.notNull())
    .addColumn('calls', 'integer', (c) => c.notNull())
    .addColumn('errors', 'integer', (c) => c.notNull())
    .addColumn('duration_total_ms', id.big, (c) => c.notNull())
    .addColumn('duration_max_ms', 'integer', (c) => c.notNull())
    .addPrimaryKeyConstraint('function_stats_key', ['function_id', 'hour'])
    .execute();
}
