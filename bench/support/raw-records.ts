import { Database, type SQLQueryBindings } from 'bun:sqlite';
import { Client } from 'pg';

/** An engine alone, with the statements that the service runs for a record. */
export interface RawEngine {
  fill(collection: string, count: number): Promise<void>;
  /** Each runs for this long and returns its operations per second. */
  create(milliseconds: number): Promise<number>;
  list(milliseconds: number): Promise<number>;
  read(milliseconds: number): Promise<number>;
  stop(): Promise<void>;
}

interface Ids {
  pageId: number;
  userId: number;
}

const DATA = JSON.stringify({ title: 'A record', done: false, tags: ['one', 'two'], n: 42 });
const FIELDS = 'records.id, data, size, created_by, username, records.created_at, records.updated_at';
const FIND =
  'select id, name, schema from collections where page_id = $1 and storage_type = $2 and name = $3';
const COLUMNS = 'collection_id, id, data, size, created_by, created_at, updated_at';
const INSERT = `insert into records (${COLUMNS}) values ($1, $2, $3, $4, $5, $6, $6)`;
const COUNT =
  'update record_counts set records = records + 1, bytes = bytes + $2, updated_at = $3 where collection_id = $1 and user_id = 0';
const CHARGE = 'update usage set bytes = bytes + $2 where user_id = $1 and bytes + $2 <= $3';
const LIST = `select ${FIELDS} from records join users on users.id = created_by where collection_id = $1 order by records.id desc limit 21`;
const READ = `select ${FIELDS} from records join users on users.id = created_by where collection_id = $1 and records.id = $2`;
const TOTAL = 'select records from record_counts where collection_id = $1 and user_id = 0';
const QUOTA = 1e15;

export async function rawSqlite(path: string, { pageId, userId }: Ids): Promise<RawEngine> {
  const database = new Database(path, { strict: true });
  for (const setting of ['synchronous = full', 'foreign_keys = on', 'busy_timeout = 5000']) {
    database.run(`pragma ${setting}`);
  }
  const text = (sql: string) => sql.replaceAll('$', '?');
  const [begin, commit] = [database.query('begin immediate'), database.query('commit')];
  const prepare = <Row>(sql: string) => database.query<Row, SQLQueryBindings[]>(text(sql));
  const find = prepare<{ id: number }>(FIND);
  const [insert, count, charge] = [prepare(INSERT), prepare(COUNT), prepare(CHARGE)];
  const [list, read, total] = [prepare<{ id: string }>(LIST), prepare(READ), prepare(TOTAL)];
  const findCollectionId = (name: string) => find.get(pageId, 'social_data', name)?.id ?? 0;
  const [raw, many] = [findCollectionId('raw'), findCollectionId('many')];

  return {
    async fill(collection, wanted) {
      const id = findCollectionId(collection);
      database.run('pragma synchronous = off');
      database.run(
        `insert into records (${COLUMNS}) with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < ?1)
         select ?2, printf('%08x-%04x-7000-8000-%012x', 25000000 + (n >> 16), n & 65535, n), ?3, ?4, ?5, 1700000000000 + n, 1700000000000 + n from numbers`,
        [wanted, id, DATA, DATA.length, userId],
      );
      database.run('update record_counts set records = records + ? where collection_id = ?', [wanted, id]);
      database.run('pragma synchronous = full');
      database.run('pragma wal_checkpoint(truncate)');
    },
    create: (milliseconds) =>
      repeat(milliseconds, () => {
        const now = Date.now();
        begin.run();
        find.get(pageId, 'social_data', 'raw');
        insert.run(raw, Bun.randomUUIDv7(), DATA, DATA.length, userId, now);
        count.run(raw, DATA.length, now);
        charge.run(userId, DATA.length, QUOTA);
        commit.run();
      }),
    list: (milliseconds) =>
      repeat(milliseconds, () => {
        find.get(pageId, 'social_data', 'many');
        list.all(many);
        total.get(many);
      }),
    read: (milliseconds) => {
      const id = list.all(many)[20]?.id ?? '';
      return repeat(milliseconds, () => {
        find.get(pageId, 'social_data', 'many');
        read.get(many, id);
      });
    },
    async stop() {
      database.close();
    },
  };
}

export async function rawPostgres(url: string, { pageId, userId }: Ids): Promise<RawEngine> {
  const client = new Client(url);
  await client.connect();
  const query = async (sql: string, values: unknown[] = []) =>
    (await client.query({ text: sql, values, name: String(Bun.hash(sql)) })).rows;
  const find = async (name: string) =>
    (await query(FIND, [pageId, 'social_data', name]))[0] as { id: number };
  const [{ id: raw }, { id: many }] = [await find('raw'), await find('many')];

  return {
    async fill(collection, wanted) {
      const { id } = await find(collection);
      await client.query(
        `insert into records (${COLUMNS}, text) select $2, lpad(to_hex(25000000 + (n >> 16)), 8, '0') || '-' || lpad(to_hex(n & 65535), 4, '0') || '-7000-8000-' || lpad(to_hex(n), 12, '0'),
         $3::text::jsonb, $4, $5, 1700000000000 + n, 1700000000000 + n, $3::text from generate_series(1, $1::int) as n`,
        [wanted, id, DATA, DATA.length, userId],
      );
      await query('update record_counts set records = records + $1 where collection_id = $2', [wanted, id]);
      await client.query('vacuum analyze records');
      await client.query('checkpoint');
    },
    create: (milliseconds) =>
      repeat(milliseconds, async () => {
        const now = Date.now();
        await client.query('begin');
        await find('raw');
        await query(INSERT, [raw, Bun.randomUUIDv7(), DATA, DATA.length, userId, now]);
        await query(COUNT, [raw, DATA.length, now]);
        await query(CHARGE, [userId, DATA.length, QUOTA]);
        await client.query('commit');
      }),
    list: (milliseconds) =>
      repeat(milliseconds, async () => {
        await find('many');
        await query(LIST, [many]);
        await query(TOTAL, [many]);
      }),
    async read(milliseconds) {
      const id = (await query(LIST, [many]))[20]?.id;
      return repeat(milliseconds, async () => {
        await find('many');
        await query(READ, [many, id]);
      });
    },
    stop: () => client.end(),
  };
}

async function repeat(milliseconds: number, once: () => unknown): Promise<number> {
  const startedAt = performance.now();
  let count = 0;
  for (; performance.now() - startedAt < milliseconds; count++) await once();
  return count / ((performance.now() - startedAt) / 1000);
}
