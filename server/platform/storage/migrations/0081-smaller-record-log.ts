import { type ColumnDefinitionBuilder, sql } from 'kysely';
import type { MigrationTools } from './tools.ts';

/**
 * A record log that costs less per entry on SQLite, where three things took as long as the entry itself:
 * - `autoincrement` writes a second table. Without it, an id can be used again once the newest entry was removed;
 *   entries only have to be in order.
 * - A check with `in` and three values fills a temporary table each time: https://sqlite.org/opcode.html#OpenEphemeral
 * - The rowid ends every index anyway, so indexes with `id` have it twice.
 *
 * A program of the version before finds the same columns, and indexes for the same queries.
 */
export async function up({ db, table, isSqlite }: MigrationTools): Promise<void> {
  if (!isSqlite) return;
  const always = (c: ColumnDefinitionBuilder) => c.notNull();
  await table('next_record_changes')
    .addColumn('id', 'integer', (c) => c.primaryKey())
    .addColumn('collection_id', 'integer', (c) => always(c).references('collections.id').onDelete('cascade'))
    .addColumn('record_id', 'text', always)
    .addColumn('at', 'integer', always)
    .addColumn('changed_by', 'integer')
    .addColumn('action', 'text', (c) =>
      always(c).check(sql`action = 'update' or action = 'delete' or action = 'restore'`),
    )
    .addColumn('size', 'integer', always)
    .addColumn('created_by', 'integer', always)
    .addColumn('created_at', 'integer', always)
    .addColumn('updated_at', 'integer', always)
    .addColumn('before', 'text')
    .execute();
  await sql`insert into next_record_changes select id, collection_id, record_id, at, changed_by, action, size, created_by, created_at, updated_at, before from record_changes order by id`.execute(
    db,
  );
  await db.schema.dropTable('record_changes').execute();
  await db.schema.alterTable('next_record_changes').renameTo('record_changes').execute();
  const index = (name: string, columns: string[]) =>
    db.schema.createIndex(`record_changes_by_${name}`).on('record_changes').columns(columns);
  await index('record', ['collection_id', 'record_id']).execute();
  await index('time', ['collection_id', 'at']).execute();
  await index('author', ['created_by', 'collection_id', 'record_id'])
    .where('action', '=', sql.lit('delete'))
    .execute();
}
