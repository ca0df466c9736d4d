import type { MigrationTools } from './tools.ts';

/** A function that is made again after it was deleted is as it was: taken down, if it was. */
export async function up({ db, id }: MigrationTools): Promise<void> {
  await db.schema.alterTable('removed_functions').addColumn('taken_down_at', id.big).execute();
  await db.schema.alterTable('removed_functions').addColumn('taken_down_reason', 'text').execute();
}
