import type { MigrationTools } from './tools.ts';

/** What a page is about, for the gallery, and whether its picture was taken when it had records. */
export async function up({ db }: MigrationTools): Promise<void> {
  await db.schema
    .alterTable('pages')
    .addColumn('topic', 'text', (column) => column.notNull().defaultTo('other'))
    .execute();
  await db.schema
    .alterTable('page_pictures')
    .addColumn('shows_records', 'integer', (column) => column.notNull().defaultTo(0))
    .execute();
}
