import { type Kysely, sql } from 'kysely';
import type { Db, PlainRow, Storage } from '../../platform/storage/index.ts';

/** SQL to restore rows into tables by name. */

/** Parameters of one statement, below the limits of both engines. */
const MAX_PARAMETERS = 10_000;

/** The target of a restore: a database, or a transaction in one. */
export type RestoreTarget = { db: Db; engine: Storage['engine'] };

/** The tables are from the time of the archive, so the current types do not apply. */
type AnyTables = Record<string, PlainRow>;
const byName = (db: Db) => db as unknown as Kysely<AnyTables>;

/** Lists the names of our tables, and of those of the migrations. */
export async function listTables({ db, engine }: RestoreTarget): Promise<string[]> {
  const { rows } =
    engine === 'postgres'
      ? await sql<{
          name: string;
        }>`select tablename as name from pg_tables where schemaname = current_schema()`.execute(db)
      : await sql<{
          name: string;
        }>`select name from pragma_table_list where schema = 'main' and type = 'table' and name not like 'sqlite%'`.execute(
          db,
        );
  return rows.map(({ name }) => name);
}

export async function insertRows(db: Db, table: string, rows: PlainRow[]): Promise<void> {
  const chunk = Math.max(1, Math.floor(MAX_PARAMETERS / Object.keys(rows[0] ?? {}).length));
  for (let at = 0; at < rows.length; at += chunk) {
    await byName(db)
      .insertInto(table)
      .values(rows.slice(at, at + chunk))
      .execute();
  }
}

export async function countRows(db: Db, table: string): Promise<number> {
  const { total } = await byName(db)
    .selectFrom(table)
    .select((eb) => eb.fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow();
  return total;
}

export async function hasRows(db: Db, table: string): Promise<boolean> {
  const found = await byName(db).selectFrom(table).select(sql`1`.as('one')).limit(1).execute();
  return found.length > 0;
}

/** Makes the ids of a table continue after `last`. */
export async function setSequence({ db, engine }: RestoreTarget, table: string, last: number): Promise<void> {
  if (last < 1) return;
  if (engine === 'postgres') {
    await sql`select setval(pg_get_serial_sequence(${table}, 'id'), ${last})`.execute(db);
    return;
  }
  await sql`delete from sqlite_sequence where name = ${table}`.execute(db);
  await sql`insert into sqlite_sequence (name, seq) values (${table}, ${last})`.execute(db);
}

/** Drops all tables again. */
export async function dropTables(db: Db, tables: string[]): Promise<void> {
  for (const table of tables) await sql`drop table if exists ${sql.table(table)} cascade`.execute(db);
}

/** Moves SQLite's log into the database file. */
export async function emptyLog({ db, engine }: RestoreTarget): Promise<void> {
  if (engine === 'sqlite') await sql`pragma wal_checkpoint(truncate)`.execute(db);
}
