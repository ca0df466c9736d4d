import type { MigrationTools } from './tools.ts';

/** Who can do what with the records of a collection, as JSON. Beside the schema, because every list reads it. */
export async function up({ db }: MigrationTools): Promise<void> {
  await db.schema.alterTable('collections').addColumn('rules', 'text').execute();
}
