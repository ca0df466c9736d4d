import { type RawBuilder, sql } from 'kysely';
import type { Db } from '../../../platform/storage/index.ts';
import { listPhrases, listSpellings, type SearchQuery } from './query.ts';
import type { Word } from './words.ts';
import { toEngineWord } from './write-store.ts';

/** SQL that finds the records of a search. */

type Sql = RawBuilder<unknown>;

/** What is searched: the words of a collection, or of one person in it. */
export interface SearchScope {
  indexId: number;
  userId: number;
}

/** How an engine finds words. */
export interface SearchSql {
  /** The rows of `record_search_texts` that match, as `found`. `words` is a query of the engine. */
  find(words: string): Sql;
  /** The records that a search finds, to count them. */
  count(words: string): Sql;
  /** True if a stored text has a part. */
  hasPart(part: string): Sql;
  write(spellings: string[], isOpen: boolean): string;
  and: string;
}

export const sqliteSearch: SearchSql = {
  // SQLite reads the left side of a cross join first.
  find: (words) =>
    sql`record_search_words cross join record_search_texts as found on found.id = record_search_words.rowid where record_search_words match ${words}`,
  count: (words) => sql`record_search_words where record_search_words match ${words}`,
  hasPart: (part) => sql`instr(found.text, ${part}) > 0`,
  write: (spellings, isOpen) => spellings.map((word) => `"${word}"${isOpen ? '*' : ''}`).join(' OR '),
  and: ' AND ',
};

export const postgresSearch: SearchSql = {
  find: (words) => sql`record_search_texts as found where found.words @@ ${words}::tsquery`,
  count: (words) => sql`record_search_texts as found where found.words @@ ${words}::tsquery`,
  hasPart: (part) => sql`strpos(found.text, ${part}) > 0`,
  write: (spellings, isOpen) => spellings.map((word) => `'${word}'${isOpen ? ':*' : ''}`).join(' | '),
  and: ' & ',
};

/** The records that a search finds. */
export class FoundRecords {
  readonly #words: string;
  readonly #parts: Sql | undefined;
  readonly #engine: SearchSql;

  constructor(engine: SearchSql, { indexId, userId }: SearchScope, query: SearchQuery) {
    this.#engine = engine;
    const toEngine = (word: string) => toEngineWord(indexId, userId, word);
    const write = (word: Word, isOpen: boolean) =>
      `(${engine.write(listSpellings(word).map(toEngine), isOpen)})`;
    this.#words = query
      .flatMap(({ words, isOpen }) => words.map((word, at) => write(word, isOpen && at === words.length - 1)))
      .join(engine.and);
    const phrases = query.map(listPhrases).filter((any) => any.length > 0);
    this.#parts =
      phrases.length === 0
        ? undefined
        : sql.join(
            phrases.map((any) => sql`(${sql.join(any.map(engine.hasPart), sql` or `)})`),
            sql` and `,
          );
  }

  /** Rows with a `record_id`. */
  candidates(): RawBuilder<{ record_id: string }> {
    return sql`(select found.record_id ${this.#from()})`;
  }

  async count(db: Db): Promise<number> {
    const from = this.#parts ? this.#from() : sql`from ${this.#engine.count(this.#words)}`;
    const { rows } = await sql<{ count: number }>`select count(*) as count ${from}`.execute(db);
    return Number(rows[0]?.count ?? 0);
  }

  /** The ids of the records, by their age. */
  async listIds(
    db: Db,
    page: { isAscending: boolean; cursor: string | undefined; limit: number; offset: number },
  ): Promise<string[]> {
    const { isAscending, cursor, limit, offset } = page;
    const start =
      cursor === undefined ? sql`` : sql`and found.record_id ${isAscending ? sql`>` : sql`<`} ${cursor}`;
    const { rows } = await sql<{ record_id: string }>`select found.record_id ${this.#from()} ${start}
      order by found.record_id ${isAscending ? sql`asc` : sql`desc`} limit ${limit} offset ${offset}`.execute(
      db,
    );
    return rows.map(({ record_id }) => record_id);
  }

  #from(): Sql {
    return sql`from ${this.#engine.find(this.#words)} ${this.#parts ? sql`and ${this.#parts}` : sql``}`;
  }
}
