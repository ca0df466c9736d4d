import type { MigrationTools } from './tools.ts';

/** Whether a page is a single-page app, and its isolation on its own host as JSON. */
export async function up({ db }: MigrationTools): Promise<void> {
  await db.schema
    .alterTable('pages')
    .addColumn('spa', 'integer', (column) => column.notNull().defaultTo(0))
    .execute();
  await db.schema
    .alterTable('pages')
    .addColumn('isolation', 'text', (column) => column.notNull().defaultTo('{}'))
    .execute();
}
