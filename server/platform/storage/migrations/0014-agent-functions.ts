import type { MigrationTools } from './tools.ts';

/** The functions that a page offers to agents, as JSON. Not in `pages`, whose rows are read for every view. */
export async function up({ table, id }: MigrationTools): Promise<void> {
  await table('page_agent_functions')
    .addColumn('page_id', id.big, (c) => c.primaryKey().references('pages.id').onDelete('cascade'))
    .addColumn('functions', 'text', (c) => c.notNull())
    .execute();
}
