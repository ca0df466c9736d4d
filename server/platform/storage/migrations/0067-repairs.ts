import type { ColumnDefinitionBuilder } from 'kysely';
import { ofPage } from './0001/columns.ts';
import type { MigrationTools } from './tools.ts';

/** Repairs of errors by the builder, and what led to an error, on pages whose owner has turned that on. */
export async function up({ db, table, id }: MigrationTools): Promise<void> {
  await db.schema
    .alterTable('pages')
    .addColumn('repair', 'integer', (c) => c.notNull().defaultTo(0))
    .execute();
  await db.schema.alterTable('page_errors').addColumn('context', 'text').execute();
  await table('repairs')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('page_id', id.big, ofPage)
    .addColumn('fingerprint', 'text', (c) => c.notNull())
    .addColumn('message', 'text', (c) => c.notNull())
    .addColumn('data', 'text', (c) => c.notNull())
    .addColumn('state', 'text', (c) => c.notNull())
    .addColumn('report', 'text', (c) => c.notNull())
    .addColumn('branch', 'text', (c) => c.notNull())
    .addColumn('branch_page_id', id.big)
    .addColumn('created_by', id.big, (c: ColumnDefinitionBuilder) =>
      c.references('users.id').onDelete('set null'),
    )
    .addColumn('started_at', id.big, (c) => c.notNull())
    .addColumn('ended_at', id.big)
    .addColumn('claimed_until', id.big, (c) => c.notNull())
    .execute();
  await db.schema.createIndex('repairs_by_page').on('repairs').columns(['page_id', 'started_at']).execute();
  await db.schema.createIndex('repairs_by_state').on('repairs').columns(['state']).execute();
  await db.schema.createIndex('repairs_by_person').on('repairs').column('created_by').execute();
}
