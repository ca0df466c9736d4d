import { type ColumnDefinitionBuilder, sql } from 'kysely';
import type { MigrationTools } from './tools.ts';

/**
 * Indexes on fields of records. They reference nothing: what belongs to a deleted collection is removed some rows at a
 * time, and a cascade would remove all of it in one transaction.
 */
export async function up({ db, table, id, bytewise, isSqlite }: MigrationTools): Promise<void> {
  const always = (c: ColumnDefinitionBuilder) => c.notNull();
  await table('record_indexes')
    .addColumn('id', id.wide, id.define)
    .addColumn('collection_id', id.big, always)
    .addColumn('field', bytewise, always)
    .addColumn('state', 'text', (c) => c.notNull().check(sql`state in ('building', 'ready', 'dropped')`))
    .addColumn('built_to', bytewise, always)
    .addColumn('changed_at', id.big, always)
    .execute();
  await db.schema
    .createIndex('record_indexes_by_collection')
    .on('record_indexes')
    .columns(['collection_id', 'id'])
    .execute();
  const entries = table('record_index_entries')
    .addColumn('index_id', id.big, always)
    .addColumn('user_id', id.big, always)
    .addColumn('key', bytewise, always)
    .addColumn('record_id', bytewise, always)
    .addPrimaryKeyConstraint('record_index_entries_key', ['index_id', 'user_id', 'key', 'record_id']);
  // Without a rowid, the primary key is the table, so that an entry is stored once.
  await (isSqlite ? entries.modifyEnd(sql`, without rowid`) : entries).execute();
  await table('record_index_blocks')
    .addColumn('index_id', id.big, always)
    .addColumn('user_id', id.big, always)
    .addColumn('start', bytewise, always)
    .addColumn('entries', id.big, always)
    .addPrimaryKeyConstraint('record_index_blocks_key', ['index_id', 'user_id', 'start'])
    .execute();
  await db.schema
    .alterTable('collections')
    .addColumn('is_indexed', 'integer', (c) => c.notNull().defaultTo(0))
    .execute();
  // Equal to `updated_at` unless a node of the version before, which does not know indexes, has written.
  await db.schema.alterTable('record_counts').addColumn('indexed_at', id.big).execute();
}
