import { pageKey } from './0001/columns.ts';
import type { MigrationTools } from './tools.ts';

/** The requests that made pages from templates, so that one that is sent again makes no second page. */
export async function up({ table, id }: MigrationTools): Promise<void> {
  await table('template_requests')
    .addColumn('page_id', id.big, pageKey)
    .addColumn('digest', 'text', (c) => c.notNull().unique())
    .execute();
}
