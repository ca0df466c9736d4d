import { pageKey } from './0001/columns.ts';
import type { MigrationTools } from './tools.ts';

/** The samples that a page got from its template, until its owner removes them. */
export async function up({ table, id }: MigrationTools): Promise<void> {
  await table('page_samples')
    .addColumn('page_id', id.big, pageKey)
    .addColumn('records', 'text', (c) => c.notNull())
    .addColumn('function_slug', 'text')
    .addColumn('statements', 'text', (c) => c.notNull())
    .execute();
}
