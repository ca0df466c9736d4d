import type { MigrationTools } from './tools.ts';

/** Whether the document of a page is the response to navigations that match no file. */
export async function up({ db }: MigrationTools): Promise<void> {
  await db.schema
    .alterTable('pages')
    .addColumn('spa', 'integer', (column) => column.notNull().defaultTo(0))
    .execute();
}
