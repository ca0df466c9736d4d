import type { MigrationTools } from './tools.ts';

/** How far the audit log was written to a file or a syslog server. */
export async function up({ table, id }: MigrationTools): Promise<void> {
  await table('audit_stream')
    .addColumn('id', 'integer', (c) => c.primaryKey())
    .addColumn('sent_id', id.big, (c) => c.notNull())
    .addColumn('node', 'text', (c) => c.notNull())
    .addColumn('claimed_until', id.big, (c) => c.notNull())
    .execute();
}
