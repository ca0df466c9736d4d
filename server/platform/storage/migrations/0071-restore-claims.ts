import type { MigrationTools } from './tools.ts';

/** Which claim of a restore counts, how often it was tried, and how often databases were restored. */
export async function up({ db }: MigrationTools): Promise<void> {
  for (const column of ['claims', 'tries'])
    await db.schema
      .alterTable('restores')
      .addColumn(column, 'integer', (type) => type.notNull().defaultTo(0))
      .execute();
  await db.schema
    .alterTable('function_databases')
    .addColumn('generation', 'integer', (type) => type.notNull().defaultTo(0))
    .execute();
}
