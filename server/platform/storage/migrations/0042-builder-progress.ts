import type { MigrationTools } from './tools.ts';

/** What has happened in the last run of the builder, for each page and person, to watch it from anywhere. */
export async function up({ db, table, id }: MigrationTools): Promise<void> {
  await table('builder_progress')
    .addColumn('page_id', id.big, (c) => c.notNull().references('pages.id').onDelete('cascade'))
    .addColumn('user_id', id.big, (c) => c.notNull().references('users.id').onDelete('cascade'))
    .addColumn('run', 'text', (c) => c.notNull())
    .addColumn('state', 'text', (c) => c.notNull())
    .addColumn('updated_at', id.big, (c) => c.notNull())
    .addPrimaryKeyConstraint('builder_progress_key', ['page_id', 'user_id'])
    .execute();
  await db.schema.createIndex('builder_progress_by_user').on('builder_progress').column('user_id').execute();
}
