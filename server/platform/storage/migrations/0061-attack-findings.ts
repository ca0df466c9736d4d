import type { MigrationTools } from './tools.ts';

/** Findings of attacks of which the owner of a page said that they are meant so. */
export async function up({ table, id }: MigrationTools): Promise<void> {
  await table('attack_findings')
    .addColumn('page_id', id.big, (column) => column.notNull().references('pages.id').onDelete('cascade'))
    .addColumn('finding_key', 'text', (column) => column.notNull())
    .addColumn('meant_by', id.big, (column) => column.notNull().references('users.id').onDelete('cascade'))
    .addColumn('meant_at', id.big, (column) => column.notNull())
    .addPrimaryKeyConstraint('attack_findings_key', ['page_id', 'finding_key'])
    .execute();
}
