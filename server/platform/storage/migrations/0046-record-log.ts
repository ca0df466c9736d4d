import { type ColumnDefinitionBuilder, sql } from 'kysely';
import type { MigrationTools } from './tools.ts';

/**
 * Records and collections before they changed. Users are not referenced: a reference would need an index on each
 * column, and every change of a record would write it.
 */
export async function up(tools: MigrationTools): Promise<void> {
  const { table, id, bytewise } = tools;
  const always = (c: ColumnDefinitionBuilder) => c.notNull();
  const ofCollection = (c: ColumnDefinitionBuilder) =>
    c.notNull().references('collections.id').onDelete('cascade');
  await table('record_changes')
    .addColumn('id', id.wide, id.define)
    .addColumn('collection_id', id.big, ofCollection)
    .addColumn('record_id', bytewise, always)
    .addColumn('at', id.big, always)
    .addColumn('changed_by', id.big)
    .addColumn('action', 'text', (c) => c.notNull().check(sql`action in ('update', 'delete', 'restore')`))
    .addColumn('size', 'integer', always)
    .addColumn('created_by', id.big, always)
    .addColumn('created_at', id.big, always)
    .addColumn('updated_at', id.big, always)
    // Last, so that SQLite reads the others without it.
    .addColumn('before', 'text')
    .execute();
  await table('collection_changes')
    .addColumn('id', id.wide, id.define)
    .addColumn('collection_id', id.big, ofCollection)
    .addColumn('at', id.big, always)
    .addColumn('changed_by', id.big)
    .addColumn('schema', 'text')
    .addColumn('rules', 'text')
    .execute();
  await addIndexes(tools);
  await addColumns(tools);
}

async function addIndexes({ db }: MigrationTools): Promise<void> {
  const index = (name: string, columns: string[]) =>
    db.schema.createIndex(`record_changes_by_${name}`).on('record_changes').columns(columns);
  await index('record', ['collection_id', 'record_id', 'id']).execute();
  await index('time', ['collection_id', 'at', 'id']).execute();
  // Finds what a user has deleted. Their other records are found by themselves.
  await index('author', ['created_by', 'collection_id', 'record_id'])
    .where('action', '=', sql.lit('delete'))
    .execute();
  await db.schema
    .createIndex('collection_changes_by_time')
    .on('collection_changes')
    .columns(['collection_id', 'at', 'id'])
    .execute();
}

/** Counters for the log. That of a collection from before this migration begins now. */
async function addColumns({ db, id }: MigrationTools): Promise<void> {
  const counter = (c: ColumnDefinitionBuilder) => c.notNull().defaultTo(0);
  await db.schema.alterTable('record_counts').addColumn('log_bytes', id.big, counter).execute();
  await db.schema.alterTable('collections').addColumn('log_from', id.big, counter).execute();
  await db.updateTable('collections').set({ log_from: Date.now() }).execute();
}
