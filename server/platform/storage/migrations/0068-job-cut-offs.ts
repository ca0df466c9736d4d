import type { MigrationTools } from './tools.ts';

/** How often a job was cut off because others waited. */
export async function up({ db }: MigrationTools): Promise<void> {
  await db.schema
    .alterTable('function_jobs')
    .addColumn('cut_offs', 'integer', (column) => column.notNull().defaultTo(0))
    .execute();
}
