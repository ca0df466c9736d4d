import { Database } from 'bun:sqlite';
import { LEFT_OUT_SQL, type PlainRow, parentsFirst, type Snapshot } from './snapshot.ts';

/**
 * A separate connection with a read transaction: in WAL mode it keeps seeing the state of its first read, and blocks
 * nobody. SQLite cannot truncate the WAL meanwhile, so the WAL grows with every write.
 */
export async function sqliteSnapshot(path: string): Promise<Snapshot> {
  const database = new Database(path, { readonly: true, strict: true });
  try {
    database.run('pragma busy_timeout = 5000');
    database.run('begin');
    const all = <Row>(text: string) => database.prepare(text).all() as Row[];
    // The first read fixes the state that the snapshot sees.
    const [last] = all<{ name: string }>('select name from kysely_migration order by name desc limit 1');
    const names = all<{ name: string }>(
      // What nodes are doing now is not part of the data, on either engine. Virtual tables are indexes.
      `select name from pragma_table_list where schema = 'main' and type = 'table' and name not like 'sqlite%' and name not like 'kysely%' and name not in ${LEFT_OUT_SQL}`,
    );
    const tables = names.map(({ name }) => ({
      name,
      parents: all<{ table: string }>(`pragma foreign_key_list("${name}")`).map(({ table }) => table),
    }));
    return {
      migration: last?.name ?? '',
      tables: parentsFirst(tables),
      async *rows(table) {
        using statement = database.prepare(`select * from "${table}"`);
        yield* statement.iterate() as IterableIterator<PlainRow>;
      },
      async sequences() {
        const rows = all<{ name: string; seq: number }>(
          // SQLite keeps no sequence for the record log. PostgreSQL needs one.
          "select name, seq from sqlite_sequence union all select 'record_changes', max(id) from record_changes having max(id) > 0",
        );
        return Object.fromEntries(rows.map(({ name, seq }) => [name, seq]));
      },
      async end() {
        database.close();
      },
    };
  } catch (error) {
    database.close();
    throw error;
  }
}
