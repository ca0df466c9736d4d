import { Client, types } from 'pg';
import { LEFT_OUT_SQL, type PlainRow, parentsFirst, type Snapshot } from './snapshot.ts';

const INT8 = 20;
const JSONB = 3802;
/** PostgreSQL formats and sorts JSON in its own way. We write it as the service does. */
const PARSERS: Record<number, (text: string) => string | number> = {
  [INT8]: Number,
  [JSONB]: (text) => JSON.stringify(JSON.parse(text)),
};

/** Rows per fetch. All of them are in memory at the same time, and a version can have megabytes. */
const ROWS_AT_ONCE: Record<string, number> = {
  page_versions: 1,
  page_drafts: 1,
  page_manifests: 8,
  functions: 8,
  function_versions: 1,
};
const SMALL_ROWS_AT_ONCE = 100;
const STATEMENT_MS = 60_000;

const TABLES = `select child.relname as name,
    coalesce(array_agg(distinct parent.relname::text) filter (where parent.relname is not null), '{}') as parents
  from pg_class child
  left join pg_constraint on pg_constraint.conrelid = child.oid and contype = 'f'
  left join pg_class parent on parent.oid = confrelid
  where child.relkind = 'r' and child.relnamespace = current_schema()::regnamespace
    and child.relname not like 'kysely%' and child.relname not in ${LEFT_OUT_SQL}
  group by child.relname`;

/** Moves the JSON as it was sent to `data`, where SQLite has it. */
function moveTextToData(row: PlainRow): PlainRow {
  return 'text' in row ? { ...row, data: row.text ?? row.data ?? null, text: null } : row;
}

/** A separate connection with a transaction that sees only the state at its start. */
export async function postgresSnapshot(url: string): Promise<Snapshot> {
  const client = new Client({
    connectionString: url,
    connectionTimeoutMillis: 5_000,
    statement_timeout: STATEMENT_MS,
    query_timeout: STATEMENT_MS + 1_000,
    types: {
      getTypeParser: ((oid: number, format?: 'text') =>
        PARSERS[oid] ?? types.getTypeParser(oid, format)) as typeof types.getTypeParser,
    },
  });
  // The pending query fails with the same error. Without a listener, the event would end the process.
  client.on('error', () => undefined);
  const all = async <Row>(text: string) => (await client.query(text)).rows as Row[];
  try {
    await client.connect();
    await client.query('begin isolation level repeatable read read only');
    const [last] = await all<{ name: string }>(
      'select name from kysely_migration order by name desc limit 1',
    );
    const tables = parentsFirst(await all<{ name: string; parents: string[] }>(TABLES));
    return {
      migration: last?.name ?? '',
      tables,
      async *rows(table) {
        await client.query(`declare quire_rows no scroll cursor for select * from "${table}"`);
        const count = ROWS_AT_ONCE[table] ?? SMALL_ROWS_AT_ONCE;
        while (true) {
          const rows = await all<PlainRow>(`fetch ${count} from quire_rows`);
          yield* table === 'records' ? rows.map(moveTextToData) : rows;
          if (rows.length < count) break;
        }
        await client.query('close quire_rows');
      },
      async sequences() {
        const rows = await all<{ name: string; last: number | null }>(
          `select child.relname as name, pg_sequence_last_value(d.objid::regclass) as last
            from pg_depend d join pg_class child on child.oid = d.refobjid join pg_class s on s.oid = d.objid
            where s.relkind = 'S' and d.deptype in ('a', 'i') and child.relnamespace = current_schema()::regnamespace`,
        );
        return Object.fromEntries(rows.map(({ name, last }) => [name, last ?? 0]));
      },
      end: () => client.end(),
    };
  } catch (error) {
    await client.end().catch(() => undefined);
    throw error;
  }
}
