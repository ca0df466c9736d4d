import { ofPage } from './0001/columns.ts';
import type { MigrationTools } from './tools.ts';

/** Views of the documents of sites, and by device. */
export async function up({ db, table, id, bytewise }: MigrationTools): Promise<void> {
  await table('page_view_days')
    .addColumn('page_id', id.big, ofPage)
    .addColumn('day', id.big, (c) => c.notNull())
    .addColumn('kind', bytewise, (c) => c.notNull())
    .addColumn('name', bytewise, (c) => c.notNull())
    .addColumn('views', 'integer', (c) => c.notNull())
    .addPrimaryKeyConstraint('page_view_days_key', ['page_id', 'day', 'kind', 'name'])
    .execute();
  await db.schema.createIndex('page_view_days_by_day').on('page_view_days').column('day').execute();
}
