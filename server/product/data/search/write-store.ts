import { type RawBuilder, sql } from 'kysely';
import { type Db, statement, type Tx } from '../../../platform/storage/index.ts';
import { listWords } from './texts.ts';

/** SQL that changes the texts of searches. Call it only while their rows in `record_indexes` are locked. */

/** The words of a record in a search. */
export interface SearchText {
  indexId: number;
  userId: number;
  recordId: string;
  text: string;
}

type Found = Pick<SearchText, 'indexId' | 'recordId'>;

/** How an engine changes searches. */
export interface SearchWrites {
  add(tx: Tx, texts: SearchText[]): Promise<void>;
  remove(tx: Tx, texts: Found[]): Promise<void>;
  /** Removes some texts of a search. Returns whether there may be more. */
  removeSome(tx: Tx, indexId: number, limit: number): Promise<boolean>;
}

/** The record of the row that says that the texts of a search are there. */
const NO_RECORD = '';

/**
 * A word as the engine has it: with the search and the user before it, so that a query reads only the words of one
 * person or collection, however many others have the same. It consists of letters and digits for both engines.
 */
export const toEngineWord = (indexId: number, userId: number, word: string) => `${indexId}x${userId}x${word}`;

const toEngineWords = ({ indexId, userId, text }: Omit<SearchText, 'recordId'>) =>
  listWords(text).map((word) => toEngineWord(indexId, userId, word));

export const createSearchWrites = (engine: 'sqlite' | 'postgres'): SearchWrites =>
  engine === 'sqlite' ? sqliteWrites : postgresWrites;

const insertText = statement((db, indexId: number, userId: number, recordId: string, text: string) =>
  db
    .insertInto('record_search_texts')
    .values({ index_id: indexId, user_id: userId, record_id: recordId, text })
    .returning('id'),
);

const insertWords = statement((db, rowid: number, words: string) =>
  db.insertInto('record_search_words').values({ rowid, words }),
);

/** A table without texts is told which words a row had. */
const deleteWords = statement((db, rowid: number, words: string) =>
  db
    .insertInto('record_search_words')
    .values({ record_search_words: sql.lit('delete' as const), rowid, words }),
);

const deleteText = statement((db, indexId: number, recordId: string) =>
  db
    .deleteFrom('record_search_texts')
    .where('index_id', '=', indexId)
    .where('record_id', '=', recordId)
    .returning(['id', 'user_id', 'text']),
);

/** Row by row, because a statement of SQLite is a function call. */
const sqliteWrites: SearchWrites = {
  async add(tx, texts) {
    for (const each of texts) {
      const { rows } = await insertText(tx, each.indexId, each.userId, each.recordId, each.text);
      const words = toEngineWords(each);
      if (rows[0] && words.length > 0) await insertWords(tx, rows[0].id, words.join(' '));
    }
  },
  async remove(tx, texts) {
    for (const { indexId, recordId } of texts) {
      const { rows } = await deleteText(tx, indexId, recordId);
      for (const { id, user_id, text } of rows) {
        const words = toEngineWords({ indexId, userId: user_id, text });
        if (words.length > 0) await deleteWords(tx, id, words.join(' '));
      }
    }
  },
  async removeSome(tx, indexId, limit) {
    const recordIds = await someTexts(tx, indexId, limit);
    await this.remove(
      tx,
      recordIds.map((recordId) => ({ indexId, recordId })),
    );
    return recordIds.length === limit;
  },
};

const toRows = (json: string): RawBuilder<unknown> =>
  sql`(select (e ->> 0)::bigint as index_id, (e ->> 1)::bigint as user_id, (e ->> 2) collate "C" as record_id, (e ->> 3) as text,
    array_to_tsvector(array(select json_array_elements_text(e -> 4))) as words from json_array_elements(${json}::json) as e)`;

const insertAll = statement((db, json: string) =>
  db
    .insertInto('record_search_texts')
    .columns(['index_id', 'user_id', 'record_id', 'text', 'words' as 'text'])
    .expression(sql`select index_id, user_id, record_id, text, words from ${toRows(json)} as added`),
);

/** In one statement, because each statement of PostgreSQL is a round trip. */
const postgresWrites: SearchWrites = {
  async add(tx, texts) {
    if (texts.length === 0) return;
    const rows = texts.map((each) => [
      each.indexId,
      each.userId,
      each.recordId,
      each.text,
      toEngineWords(each),
    ]);
    await insertAll(tx, JSON.stringify(rows));
  },
  async remove(tx, texts) {
    for (const indexId of new Set(texts.map((each) => each.indexId)))
      await deleteTexts(
        tx,
        indexId,
        texts.flatMap((each) => (each.indexId === indexId ? [each.recordId] : [])),
      );
  },
  async removeSome(tx, indexId, limit) {
    const recordIds = await someTexts(tx, indexId, limit);
    await deleteTexts(tx, indexId, recordIds);
    return recordIds.length === limit;
  },
};

async function deleteTexts(tx: Tx, indexId: number, recordIds: string[]): Promise<void> {
  if (recordIds.length === 0) return;
  await tx
    .deleteFrom('record_search_texts')
    .where('index_id', '=', indexId)
    .where('record_id', 'in', recordIds)
    .execute();
}

async function someTexts(tx: Tx, indexId: number, limit: number): Promise<string[]> {
  const rows = await tx
    .selectFrom('record_search_texts')
    .select('record_id')
    .where('index_id', '=', indexId)
    .orderBy('record_id')
    .limit(limit)
    .execute();
  return rows.map(({ record_id }) => record_id);
}

/** Notes that the texts of a search are there. */
export async function beginTexts(tx: Tx, indexId: number): Promise<void> {
  await insertText(tx, indexId, 0, NO_RECORD, '');
}

/** Lets searches be built again whose texts are not there: archives of backups do not have them. */
export async function rebuildLost(db: Db): Promise<void> {
  await db
    .updateTable('record_indexes')
    .set({ state: 'building', built_to: '', built: 0 })
    .where('kind', '=', 'search')
    .where((eb) => eb.or([eb('state', '=', 'ready'), eb('built_to', '<>', '')]))
    .where('state', '<>', 'dropped')
    .where((eb) =>
      eb.not(
        eb.exists(
          eb
            .selectFrom('record_search_texts')
            .select('id')
            .whereRef('index_id', '=', 'record_indexes.id')
            .where('record_id', '=', NO_RECORD),
        ),
      ),
    )
    .execute();
}
