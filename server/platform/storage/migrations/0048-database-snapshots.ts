import type { MigrationTools } from './tools.ts';

/**
 * Copies of function databases at one time. A database may be removed before its snapshots, so they belong to the owner.
 * The owner's are released before the owner's row is, because each has a blob.
 */
export async function up({ db, table, id }: MigrationTools): Promise<void> {
  await table('database_snapshots')
    .addColumn('id', id.wide, id.define)
    .addColumn('owner_id', id.big, (c) => c.notNull().references('users.id'))
    .addColumn('database_id', id.big, (c) => c.notNull())
    .addColumn('at', id.big, (c) => c.notNull())
    .addColumn('base_id', id.big)
    .addColumn('blob_key', 'text', (c) => c.notNull())
    .addColumn('bytes', id.big, (c) => c.notNull())
    .addColumn('checksum', 'text', (c) => c.notNull())
    .addColumn('page_count', id.big, (c) => c.notNull())
    .addColumn('page_bytes', 'integer', (c) => c.notNull())
    .addColumn('log_position', 'text')
    .addColumn('dropped_at', id.big)
    .execute();
  await db.schema
    .createIndex('database_snapshots_by_database')
    .on('database_snapshots')
    .columns(['database_id', 'id'])
    .execute();
  await db.schema
    .createIndex('database_snapshots_by_owner')
    .on('database_snapshots')
    .columns(['owner_id', 'id'])
    .execute();
}
