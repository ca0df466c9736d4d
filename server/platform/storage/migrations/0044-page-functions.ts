import type { MigrationTools } from './tools.ts';

/** The page that a function belongs to. It is read with the function, and few functions belong to one page. */
export async function up({ db, id }: MigrationTools): Promise<void> {
  await db.schema
    .alterTable('functions')
    .addColumn('page_id', id.big, (column) => column.references('pages.id').onDelete('set null'))
    .execute();
  await db.schema
    .createIndex('functions_by_page')
    .on('functions')
    .column('page_id')
    .where('page_id', 'is not', null)
    .execute();
}
