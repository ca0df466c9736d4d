import { ofPage } from './0001/columns.ts';
import type { MigrationTools } from './tools.ts';

/** Reports of pages that should not be there. */
export async function up({ db, table, id }: MigrationTools): Promise<void> {
  await table('page_reports')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('page_id', id.big, ofPage)
    .addColumn('version', 'integer', (c) => c.notNull())
    .addColumn('reason', 'text', (c) => c.notNull())
    .addColumn('text', 'text', (c) => c.notNull())
    .addColumn('contact', 'text', (c) => c.notNull())
    .addColumn('address_hash', 'text')
    .addColumn('state', 'text', (c) => c.notNull())
    .addColumn('created_at', id.big, (c) => c.notNull())
    .addColumn('closed_at', id.big)
    .addColumn('answer', 'text')
    .addColumn('answered_at', id.big)
    .addColumn('picture', 'text')
    .execute();
  await db.schema
    .createIndex('page_reports_by_page')
    .on('page_reports')
    .columns(['page_id', 'state', 'address_hash'])
    .execute();
  await db.schema
    .createIndex('page_reports_by_address')
    .on('page_reports')
    .columns(['address_hash', 'created_at'])
    .execute();
  await db.schema
    .createIndex('page_reports_by_state')
    .on('page_reports')
    .columns(['state', 'created_at'])
    .execute();
}
