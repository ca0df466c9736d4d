import type { MigrationTools } from './tools.ts';

/** At which percentage of their storage quota a user was last warned; 0 if they were not. */
export async function up({ db }: MigrationTools): Promise<void> {
  await db.schema
    .alterTable('usage')
    .addColumn('warned_percent', 'integer', (column) => column.notNull().defaultTo(0))
    .execute();
}
