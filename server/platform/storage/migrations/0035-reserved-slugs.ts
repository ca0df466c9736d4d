import type { MigrationTools } from './tools.ts';

/** When a page left a slug, which stays reserved for a year. A node of the version before writes null. */
export async function up({ db, id }: MigrationTools): Promise<void> {
  await db.schema.alterTable('page_old_slugs').addColumn('left_at', id.big).execute();
  await db.schema.createIndex('page_old_slugs_by_age').on('page_old_slugs').column('left_at').execute();
}
