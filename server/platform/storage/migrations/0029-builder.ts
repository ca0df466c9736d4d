import type { MigrationTools } from './tools.ts';

/** The runs of the builder that are under way. The keys keep a page at one, and a person at few. */
export async function up({ table, id }: MigrationTools): Promise<void> {
  await table('builder_runs')
    .addColumn('page_id', id.big, (c) => c.primaryKey().references('pages.id').onDelete('cascade'))
    .addColumn('user_id', id.big, (c) => c.notNull().references('users.id').onDelete('cascade'))
    .addColumn('slot', 'integer', (c) => c.notNull())
    .addColumn('run', 'text', (c) => c.notNull())
    .addColumn('expires_at', id.big, (c) => c.notNull())
    .addUniqueConstraint('builder_runs_by_user', ['user_id', 'slot'])
    .execute();
}
