import type { MigrationTools } from './tools.ts';

/** While the number of shards changes: the number for which a database has already moved. */
export async function up({ db }: MigrationTools): Promise<void> {
  await db.schema.alterTable('function_databases').addColumn('moved_to', 'integer').execute();
}
