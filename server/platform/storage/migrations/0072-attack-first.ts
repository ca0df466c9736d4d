import type { MigrationTools } from './tools.ts';

/** Whether drafts of a page are attacked before they are published, and branches before they are merged into it. */
export async function up({ db }: MigrationTools): Promise<void> {
  await db.schema
    .alterTable('pages')
    .addColumn('attack_first', 'integer', (column) => column.notNull().defaultTo(0))
    .execute();
}
