import { type ColumnDefinitionBuilder, sql } from 'kysely';
import type { MigrationTools } from './tools.ts';

/**
 * The search of collections. Its words are in an index of the engine: on SQLite in a table of FTS5, on PostgreSQL in a
 * column of the texts. A search is built and dropped like an index, and has a row among them.
 */
export async function up({ db, table, id, bytewise, isSqlite }: MigrationTools): Promise<void> {
  const always = (c: ColumnDefinitionBuilder) => c.notNull();
  await db.schema
    .alterTable('record_indexes')
    .addColumn('kind', 'text', (c) => c.notNull().defaultTo('field'))
    .execute();
  await db.schema
    .alterTable('record_indexes')
    .addColumn('built', id.big, (c) => c.notNull().defaultTo(0))
    .execute();
  await table('record_search_texts')
    .addColumn('id', id.wide, id.define)
    .addColumn('index_id', id.big, always)
    .addColumn('user_id', id.big, always)
    .addColumn('record_id', bytewise, always)
    .addColumn('text', 'text', always)
    .addUniqueConstraint('record_search_texts_key', ['index_id', 'record_id'])
    .execute();
  if (!isSqlite) {
    await sql`alter table record_search_texts add column words tsvector`.execute(db);
    // Without a list of pending entries, which every search would read, and which a search would have to sort in.
    await sql`create index record_search_texts_words on record_search_texts using gin (words) with (fastupdate = off)`.execute(
      db,
    );
    return;
  }
  // Only which records have a word: neither the texts, nor where the words are in them.
  await sql`create virtual table record_search_words using fts5(words, content = '', detail = none, columnsize = 0, tokenize = 'ascii')`.execute(
    db,
  );
  // Otherwise deleted words stay in the index until it is next tidied up.
  await sql`insert into record_search_words (record_search_words, rank) values ('secure-delete', 1)`.execute(
    db,
  );
}
