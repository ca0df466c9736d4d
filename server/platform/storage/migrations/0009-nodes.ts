import type { MigrationTools } from './tools.ts';

/** Nodes that share a PostgreSQL, by data folder: their address, when last seen, and which one stores databases. */
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
