import type { MigrationTools } from './tools.ts';

/** Screenshots of page checks, which expire. */
export async function up({ db, table, id }: MigrationTools): Promise<void> {
  await table('screenshots')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('owner_id', 'integer', (c) => c.notNull().references('users.id').onDelete('cascade'))
    .addColumn('page_id', 'integer', (c) => c.notNull().references('pages.id').onDelete('cascade'))
    .addColumn('viewport', 'text', (c) => c.notNull())
    .addColumn('size', 'integer', (c) => c.notNull())
    .addColumn('created_at', id.big, (c) => c.notNull())
    .addColumn('expires_at', id.big, (c) => c.notNull())
    .execute();
  for (const columns of [['owner_id', 'created_at'], ['page_id'], ['expires_at']])
    await db.schema.createIndex(`screenshots_by_${columns[0]}`).on('screenshots').columns(columns).execute();
}
