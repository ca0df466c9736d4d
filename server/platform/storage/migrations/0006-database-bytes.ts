import type { MigrationTools } from './tools.ts';

/** In a cluster, the size of a function's database counts towards its owner's quota, and is stored here. */
export async function up({ db, id }: MigrationTools): Promise<void> {
  await db.schema
    .alterTable('function_databases')
    .addColumn('bytes', id.big, (c) => c.notNull().defaultTo(0))
    .execute();
}
