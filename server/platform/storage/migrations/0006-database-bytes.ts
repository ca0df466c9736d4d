import type { MigrationTools } from './tools.ts';

/** In a cluster, what a function's database takes up is charged to its owner, and noted here. */
export async function up({ db, id }: MigrationTools): Promise<void> {
  await db.schema
    .alterTable('function_databases')
    .addColumn('bytes', id.big, (c) => c.notNull().defaultTo(0))
    .execute();
}
