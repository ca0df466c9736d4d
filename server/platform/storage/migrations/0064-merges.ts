import type { MigrationTools } from './tools.ts';

/** Merges of branches: restores that bring the content of another page. */
export async function up({ db, id }: MigrationTools): Promise<void> {
  await db.schema.alterTable('restores').addColumn('merge', 'text').execute();
  await db.schema.alterTable('branches').addColumn('base_page_id', id.big).execute();
  await db.schema
    .alterTable('branches')
    .addColumn('bases', 'text', (column) => column.notNull().defaultTo('{}'))
    .execute();
}
