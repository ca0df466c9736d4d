import type { MigrationTools } from './tools.ts';

/** The nodes on one PostgreSQL, by their data folders: at which address, when heard of, who keeps databases there. */
export async function up({ table, id }: MigrationTools): Promise<void> {
  await table('nodes')
    .addColumn('name', 'text', (c) => c.primaryKey())
    .addColumn('host', 'text', (c) => c.notNull())
    .addColumn('address', 'text')
    .addColumn('instance', 'text', (c) => c.notNull())
    .addColumn('keeps_databases', 'integer', (c) => c.notNull())
    .addColumn('seen_at', id.big, (c) => c.notNull())
    .execute();
}
