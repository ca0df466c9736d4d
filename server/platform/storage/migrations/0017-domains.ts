import { sql } from 'kysely';
import type { MigrationTools } from './tools.ts';

/** Domains of pages. Many pages can ask for one, but only one can have proven it. */
export async function up({ db, table, id, bytewise }: MigrationTools): Promise<void> {
  await table('page_domains')
    .addColumn('id', id.type, id.define)
    .addColumn('page_id', 'integer', (c) => c.notNull().references('pages.id').onDelete('cascade'))
    .addColumn('domain', bytewise, (c) => c.notNull())
    .addColumn('token', 'text', (c) => c.notNull())
    .addColumn('created_at', id.big, (c) => c.notNull())
    .addColumn('verified_at', id.big)
    .addColumn('checked_at', id.big)
    .addColumn('failing_since', id.big)
    .addColumn('problem', 'text')
    .addUniqueConstraint('page_domains_of_page', ['page_id', 'domain'])
    .execute();
  await db.schema
    .createIndex('page_domains_verified')
    .unique()
    .on('page_domains')
    .column('domain')
    .where(sql.ref('verified_at'), 'is not', null)
    .execute();
  await db.schema
    .createIndex('page_domains_by_check')
    .on('page_domains')
    .column('checked_at')
    .where(sql.ref('verified_at'), 'is not', null)
    .execute();
  // In the row of the page, so that every copy of it in memory has its address.
  await db.schema.alterTable('pages').addColumn('domain', 'text').execute();
}
