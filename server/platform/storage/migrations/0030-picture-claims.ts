import type { MigrationTools } from './tools.ts';

/** Until when a node has to take the picture of a page: one that is killed must not keep the others from it. */
export async function up({ db, id }: MigrationTools): Promise<void> {
  await db.schema.alterTable('page_pictures').addColumn('claimed_until', id.big).execute();
}
