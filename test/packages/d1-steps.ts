/** Something to do with a database. Without a method, a statement is run. */
interface Step {
  sql?: string;
  params?: unknown[];
  method?: 'run' | 'all' | 'first' | 'raw';
  argument?: unknown;
  batch?: Step[];
  exec?: string;
  /** What is not compared of `meta`. */
  uncompared?: string[];
}

const all = (sql: string, params?: unknown[]): Step => ({ sql, ...(params && { params }), method: 'all' });
const run = (sql: string, params?: unknown[]): Step => ({ sql, ...(params && { params }) });

/** Counts of the table of tables, which has a table of miniflare's own too. */
const OWN_TABLE = ['rows_read', 'rows_written', 'last_row_id'];
const schema = (sql: string): Step => ({ sql, uncompared: OWN_TABLE });
/** Here Quire says that the database has changed. D1 does not see it, because its size stays the same. */
const unseen = (sql: string): Step => ({ sql, uncompared: [...OWN_TABLE, 'changed_db'] });

const SCHEMA: Step[] = [
  schema(
    'CREATE TABLE people (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, age INTEGER CHECK (age > 0))',
  ),
  schema(
    'CREATE TABLE pets (id INTEGER PRIMARY KEY, owner INTEGER NOT NULL REFERENCES people (id), name TEXT)',
  ),
  schema('CREATE TABLE IF NOT EXISTS people (x)'),
  schema('CREATE INDEX by_age ON people (age)'),
  unseen('CREATE VIEW names AS SELECT name FROM people'),
  schema('CREATE TABLE people (x)'),
  unseen(
    'CREATE TRIGGER born AFTER INSERT ON people BEGIN INSERT INTO pets (owner, name) VALUES (new.id, new.name); END',
  ),
];

const WRITES: Step[] = [
  run("INSERT INTO people (name, age) VALUES ('Ada', 36), ('Grace', 85)"),
  run('INSERT INTO people (name, age) VALUES (?, ?) RETURNING id, name', ['Alan', 41]),
  all('INSERT INTO people (name) VALUES (?) RETURNING *', ['Edsger']),
  { sql: 'INSERT INTO people (name) VALUES (?)', params: ['Barbara'], method: 'first' },
  { sql: 'INSERT INTO people (name) VALUES (?)', params: ['Donald'], method: 'raw' },
  run("INSERT INTO people (name, age) VALUES ('Ada', 1) ON CONFLICT (name) DO UPDATE SET age = excluded.age"),
  run("INSERT OR IGNORE INTO people (name) VALUES ('Ada')"),
  run("UPDATE people SET age = age + 1 WHERE name LIKE 'A%'"),
  run('UPDATE people SET age = 2 WHERE id = 999'),
  run('DELETE FROM pets WHERE id > 3'),
  run('DELETE FROM pets WHERE id = 999'),
  run('REPLACE INTO pets (id, owner, name) VALUES (1, 1, ?)', ['Rex']),
];

const READS: Step[] = [
  all('SELECT * FROM people ORDER BY id'),
  run('SELECT * FROM people ORDER BY id'),
  { sql: 'SELECT id, name FROM people', method: 'raw' },
  { sql: 'SELECT id, name FROM people', method: 'raw', argument: { columnNames: true } },
  { sql: 'SELECT 1 WHERE 0', method: 'raw', argument: { columnNames: true } },
  { sql: 'SELECT name FROM people', method: 'first' },
  { sql: 'SELECT name FROM people', method: 'first', argument: 'name' },
  { sql: 'SELECT name FROM people', method: 'first', argument: 'missing' },
  { sql: 'SELECT 1 WHERE 0', method: 'first' },
  all('SELECT * FROM people, pets WHERE people.id = pets.owner'),
  all('SELECT name FROM names WHERE name IN (?, ?)', ['Ada', 'Nobody']),
  all('SELECT ?2 AS second, ?1 AS first', ['one', 'two']),
  all('SELECT ? AS text, ? AS nothing, ? AS bytes, ? AS half, typeof(?) AS kind', [
    'ünï 🙈',
    null,
    [0, 255],
    0.5,
    'x',
  ]),
  all(
    'WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE x < 5) SELECT sum(x) AS total FROM n',
  ),
  all(
    `SELECT json_extract('{"a":[1,2]}', '$.a[1]') AS two, 9007199254740991 AS large, 1e3 AS float, x'00ff' AS bytes`,
  ),
  all('SELECT name, row_number() OVER (ORDER BY name DESC) AS place FROM people LIMIT 2'),
  all('PRAGMA table_info(people)'),
  all('PRAGMA foreign_keys'),
  {
    ...all("SELECT type, name FROM sqlite_master WHERE name NOT LIKE '\\_%' ESCAPE '\\' ORDER BY name"),
    uncompared: OWN_TABLE,
  },
  all('  SELECT 1 AS one;  '),
];

const ERRORS: Step[] = [
  run('SELECT * FROM missing'),
  run('SELECT missing FROM people'),
  run('nonsense'),
  run('SELECT ('),
  run("SELECT 'open"),
  run("INSERT INTO people (name) VALUES ('Ada')"),
  run('INSERT INTO people (name) VALUES (NULL)'),
  run("INSERT INTO people (name, age) VALUES ('Zero', 0)"),
  run('INSERT INTO pets (owner) VALUES (999)'),
  run('SELECT ?'),
  run('SELECT ?', ['a', 'b']),
  run('SELECT nothing_like_it(1)'),
  run("INSERT INTO people (id, name) VALUES ('text', 'x')"),
  run('DROP TABLE missing'),
  run('PRAGMA writable_schema = 1'),
  run("ATTACH DATABASE 'x' AS x"),
  run('VACUUM'),
  run('SELECT 1 AS a', [{ not: 'a value' }]),
];

const BATCHES: Step[] = [
  { batch: [run("INSERT INTO people (name) VALUES ('Tim')"), all('SELECT count(*) AS n FROM people')] },
  { batch: [run("INSERT INTO people (name) VALUES ('Linus')"), run('INSERT INTO missing VALUES (1)')] },
  all("SELECT count(*) AS n FROM people WHERE name = 'Linus'"),
  { batch: [] },
];

const SCRIPTS: Step[] = [
  { exec: "UPDATE people SET age = 1 WHERE name = 'Ada'" },
  { exec: "UPDATE people SET age = 1 WHERE name = 'Ada'\nUPDATE people SET age = 2 WHERE name = 'Grace'" },
  {
    exec: "UPDATE people SET age = 3 WHERE name = 'Ada';\n\nUPDATE people SET age = 4 WHERE name = 'Grace';\n",
  },
  all('SELECT name, age FROM people ORDER BY id LIMIT 2'),
  { exec: 'nonsense' },
  { exec: "INSERT INTO people (name) VALUES ('Half')\nINSERT INTO missing VALUES (1)" },
  all("SELECT count(*) AS n FROM people WHERE name = 'Half'"),
  { exec: '' },
];

const CHANGES: Step[] = [
  unseen('ALTER TABLE pets ADD COLUMN born TEXT'),
  unseen('ALTER TABLE pets RENAME TO animals'),
  schema('DROP INDEX by_age'),
  schema('DROP VIEW names'),
  schema('DROP TRIGGER born'),
  run('DELETE FROM animals'),
  schema('DROP TABLE animals'),
  schema('DROP TABLE IF EXISTS animals'),
  {
    batch: [run('CREATE TABLE a (x)'), run('INSERT INTO a VALUES (1)'), run('DROP TABLE a')],
    uncompared: ['rows_read'],
  },
];

/** What is done to a new database, in this order. */
export const STEPS: Step[] = [...[SCHEMA, WRITES, READS, ERRORS, BATCHES, SCRIPTS, CHANGES].flat()];
