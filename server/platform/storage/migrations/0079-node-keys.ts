import type { MigrationTools } from './tools.ts';

/** The keys with which nodes of a cluster know each other, and the tokens with which others join. */
export async function up({ db, table, id }: MigrationTools): Promise<void> {
  await db.schema.alterTable('nodes').addColumn('number', 'integer').execute();
  await db.schema.alterTable('nodes').addColumn('fingerprint', 'text').execute();
  await db.schema.alterTable('nodes').addColumn('network', 'text').execute();
  await table('cluster_joins')
    .addColumn('secret_hash', 'text', (column) => column.primaryKey())
    .addColumn('sealed', 'text', (column) => column.notNull())
    .addColumn('expires_at', id.big, (column) => column.notNull())
    .addColumn('used_at', id.big)
    .execute();
}
