import type { MigrationTools } from './tools.ts';

/** The last attack on each page. */
export async function up({ table, id }: MigrationTools): Promise<void> {
  await table('attack_reports')
    .addColumn('page_id', id.big, (column) => column.primaryKey().references('pages.id').onDelete('cascade'))
    .addColumn('version', 'integer', (column) => column.notNull())
    .addColumn('attacked_at', id.big, (column) => column.notNull())
    .addColumn('serious', 'text', (column) => column.notNull())
    .addColumn('report', 'text', (column) => column.notNull())
    .execute();
}
