import { Database } from 'bun:sqlite';
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import type { SqlMerge, Take } from '../../server/runtime/databases/index.ts';
import { assertIntact, OWNER, type SnapshotBench, startSnapshots } from '../support/functions/snapshots.ts';

/** What becomes of a database that a branch and its page have both changed. */

const [MAIN, BRANCH] = [1, 2];
setDefaultTimeout(120_000);

let bench: SnapshotBench;
beforeAll(async () => {
  bench = await startSnapshots();
}, 120_000);
afterAll(() => bench?.stop());

async function fork(base: string[], sides: { branch?: string[]; main?: string[] }) {
  const make = (statements: string[]) => {
    const database = new Database(':memory:');
    for (const statement of statements) database.run(statement);
    return database;
  };
  return {
    ownerId: OWNER,
    base: await bench.put(MAIN, make(base)),
    branch: await bench.put(BRANCH, make([...base, ...(sides.branch ?? [])])),
    main: await bench.put(MAIN, make([...base, ...(sides.main ?? [])])),
  };
}

type Files = Awaited<ReturnType<typeof fork>>;

function merge(files: Files, tables: string[], more: { take?: Take[]; confirm?: boolean } = {}) {
  return bench.merger.merge(files, {
    databaseId: MAIN,
    tables,
    take: [],
    confirm: false,
    migrations: [],
    ...more,
  });
}

/** What the database is after a merge. Without a result of its own, it stays `main`. */
async function use(merged: SqlMerge, { main }: Partial<Files> = {}): Promise<Database> {
  if (!merged.isMerged) throw new Error(JSON.stringify(merged));
  const result = merged.snapshot ?? main;
  if (result !== undefined) await bench.snapshots.replace(OWNER, MAIN, result);
  const found = await bench.copy(MAIN);
  assertIntact(found);
  return found;
}

function assertRefused(merged: SqlMerge) {
  if (merged.isMerged) throw new Error('it was merged');
  return merged;
}

const POSTS = [
  'CREATE TABLE posts (id INTEGER PRIMARY KEY AUTOINCREMENT, title TEXT UNIQUE, body TEXT)',
  "INSERT INTO posts (title, body) VALUES ('one', 'x'), ('two', 'x'), ('three', 'x')",
];

describe('rows', () => {
  test('merge by column, and main keeps what only it has changed', async () => {
    const files = await fork(POSTS, {
      branch: ["UPDATE posts SET title = 'ONE' WHERE id = 1", 'DELETE FROM posts WHERE id = 3'],
      main: ["UPDATE posts SET body = 'main' WHERE id = 1", "INSERT INTO posts (title) VALUES ('four')"],
    });
    const found = await use(await merge(files, ['POSTS']));
    expect(found.query('SELECT * FROM posts').values()).toEqual([
      [1, 'ONE', 'main'],
      [2, 'two', 'x'],
      [4, 'four', null],
    ]);
  });

  test('stay as they are in tables that nobody named', async () => {
    const files = await fork(POSTS, { branch: ["UPDATE posts SET title = 'ONE'  WHERE id = 1"] });
    const merged = await merge(files, []);
    expect(merged).toMatchObject({ isMerged: true, isSame: true, tables: [] });
    const found = await use(merged);
    expect(found.query('SELECT title FROM posts WHERE id = 1').get()).toEqual({ title: 'one' });
  });

  test('conflict where both sides gave the same new id to other rows', async () => {
    const files = await fork(POSTS, {
      branch: ["INSERT INTO posts (title) VALUES ('branch')"],
      main: ["INSERT INTO posts (title) VALUES ('main')", 'DELETE FROM posts WHERE id = 4'],
    });
    // Main's row is gone, so the id is free, but it is never given again.
    const found = await use(await merge(files, ['posts']));
    expect(found.query('SELECT title FROM posts WHERE id = 4').get()).toEqual({ title: 'branch' });

    const both = await fork(POSTS, {
      branch: ["INSERT INTO posts (title) VALUES ('branch'), ('more')"],
      main: ["INSERT INTO posts (title) VALUES ('main')"],
    });
    const refused = assertRefused(await merge(both, ['posts']));
    expect(refused).toMatchObject({ conflictCount: 1, violations: [] });
    expect(refused.conflicts).toMatchObject([
      {
        path: 'rows/posts/4',
        kind: 'added',
        columns: [{ name: 'title', base: null, branch: 'branch', main: 'main', conflict: true }],
      },
    ]);
    const decided = await use(
      await merge(both, ['posts'], { take: [{ path: 'rows/posts/4', from: 'main' }] }),
    );
    expect(decided.query('SELECT title FROM posts WHERE id > 3').values()).toEqual([['main'], ['more']]);
    expect(decided.query('SELECT seq FROM sqlite_sequence').get()).toEqual({ seq: 5 });
  });

  test('conflict where one side deleted what the other changed', async () => {
    const files = await fork(POSTS, {
      branch: ['DELETE FROM posts WHERE id = 1', "UPDATE posts SET body = 'b' WHERE id = 2"],
      main: ["UPDATE posts SET body = 'm' WHERE id = 1", 'DELETE FROM posts WHERE id = 2'],
    });
    const refused = assertRefused(await merge(files, ['posts']));
    expect(refused.conflicts.map(({ path }) => path).sort()).toEqual(['rows/posts/1', 'rows/posts/2']);
    for (const [from, ids] of [
      ['branch', [2, 3]],
      ['main', [1, 3]],
    ] as const) {
      const found = await use(await merge(files, ['posts'], { take: [{ path: 'rows', from }] }), files);
      expect(found.query('SELECT id FROM posts ORDER BY id').values().flat()).toEqual([...ids]);
    }
  });

  test('of which one is taken out stay as main has them', async () => {
    const files = await fork(POSTS, { branch: ["UPDATE posts SET body = 'b'"] });
    const found = await use(
      await merge(files, ['posts'], { take: [{ path: 'rows/posts/2', from: 'main' }] }),
    );
    expect(found.query('SELECT body FROM posts').values()).toEqual([['b'], ['x'], ['b']]);
  });

  test('can swap values that must be unique', async () => {
    const files = await fork(POSTS, {
      branch: [
        "UPDATE posts SET title = '' WHERE id = 1",
        "UPDATE posts SET title = 'one' WHERE id = 2",
        "UPDATE posts SET title = 'two' WHERE id = 1",
      ],
    });
    const found = await use(await merge(files, ['posts']));
    expect(found.query('SELECT title FROM posts ORDER BY id').values()).toEqual([
      ['two'],
      ['one'],
      ['three'],
    ]);
  });

  test('without a primary key are compared and taken only as a whole', async () => {
    const base = ['CREATE TABLE log (a, b)', 'INSERT INTO log VALUES (1, 2), (1, 2)'];
    const files = await fork(base, { branch: ['INSERT INTO log VALUES (1, 2)'] });
    expect((await bench.merger.compare(files)).tables).toMatchObject([
      { path: 'rows/log', unmergeable: 'no_key', conflicts: 0, isChanged: { branch: true, main: false } },
    ]);
    const found = await use(await merge(files, ['log']));
    expect(found.query('SELECT count(*) AS n FROM log').get()).toEqual({ n: 3 });

    const both = await fork(base, { branch: ['DELETE FROM log'], main: ["INSERT INTO log VALUES ('m', 0)"] });
    expect(assertRefused(await merge(both, ['log'])).conflicts).toMatchObject([{ path: 'rows/log' }]);
    const kept = await use(await merge(both, ['log'], { take: [{ path: 'rows/log', from: 'main' }] }));
    expect(kept.query('SELECT count(*) AS n FROM log').get()).toEqual({ n: 3 });
  });

  test('cannot be told apart by a key that is NULL', async () => {
    const base = [
      'CREATE TABLE loose (k TEXT PRIMARY KEY, a)',
      "INSERT INTO loose VALUES (NULL, 1), (NULL, 1), ('k', 1)",
    ];
    const files = await fork(base, { branch: ['UPDATE loose SET a = 2'] });
    expect((await bench.merger.compare(files)).tables).toMatchObject([{ unmergeable: 'no_key' }]);
  });
});

describe('what the merged rows would break', () => {
  const PARENTS = [
    'CREATE TABLE parents (id INTEGER PRIMARY KEY)',
    'CREATE TABLE children (id INTEGER PRIMARY KEY, parent INTEGER REFERENCES parents (id))',
    'INSERT INTO parents VALUES (1), (2)',
  ];

  test('is said, and nothing is changed', async () => {
    const cases: Array<[Files, string[], RegExp]> = [
      [
        await fork(PARENTS, {
          branch: ['DELETE FROM parents WHERE id = 2'],
          main: ['INSERT INTO children VALUES (1, 2)'],
        }),
        ['parents', 'children'],
        /refer/,
      ],
      [
        await fork(POSTS, {
          branch: ["INSERT INTO posts VALUES (10, 'new', 'b')"],
          main: ["INSERT INTO posts VALUES (11, 'new', 'm')"],
        }),
        ['posts'],
        /UNIQUE constraint failed: posts.title|break a rule/,
      ],
      [
        await fork(['CREATE TABLE t (a)', 'INSERT INTO t VALUES (NULL)'], {
          branch: ['DROP TABLE t', 'CREATE TABLE t (a NOT NULL)'],
        }),
        [],
        /break a rule/,
      ],
      [
        await fork(POSTS, {
          branch: [
            'CREATE UNIQUE INDEX one_body ON posts (id, body)',
            'DROP INDEX one_body',
            'UPDATE posts SET body = id',
            'CREATE UNIQUE INDEX one_body ON posts (body)',
          ],
        }),
        [],
        /index/,
      ],
    ];
    for (const [files, tables, text] of cases) {
      const refused = assertRefused(await merge(files, tables));
      expect(refused.violations.map((each) => each.text).join()).toMatch(text);
      expect(refused.conflicts).toEqual([]);
    }
  });

  test('does not count what was broken before', async () => {
    const files = await fork([...PARENTS, 'INSERT INTO children VALUES (1, 99)'], {
      branch: ['INSERT INTO parents VALUES (3)'],
    });
    expect(await merge(files, ['parents'])).toMatchObject({ isMerged: true });
  });
});

describe('schemas', () => {
  test('merge by column, index, view and trigger', async () => {
    const files = await fork(
      [...POSTS, 'CREATE VIEW titles AS SELECT title FROM posts', 'CREATE INDEX bodies ON posts (body)'],
      {
        branch: [
          "ALTER TABLE posts ADD COLUMN mood TEXT NOT NULL DEFAULT 'calm'",
          'CREATE INDEX moods ON posts (mood)',
          'DROP INDEX bodies',
          'CREATE TABLE tags (name TEXT PRIMARY KEY) WITHOUT ROWID',
        ],
        main: [
          'ALTER TABLE posts ADD COLUMN at INTEGER',
          'DROP VIEW titles',
          'CREATE TRIGGER stamp AFTER INSERT ON posts BEGIN UPDATE posts SET at = 1 WHERE id = new.id; END',
        ],
      },
    );
    const compared = await bench.merger.compare(files);
    expect(compared.schema.map(({ path, branch, main, conflict }) => [path, branch, main, conflict])).toEqual(
      expect.arrayContaining([
        ['schema/tables/posts/columns/mood', 'added', undefined, false],
        ['schema/tables/posts/columns/at', undefined, 'added', false],
        ['schema/tables/posts/indexes/moods', 'added', undefined, false],
        ['schema/tables/posts/indexes/bodies', 'dropped', undefined, false],
        ['schema/tables/tags', 'added', undefined, false],
        ['schema/views/titles', undefined, 'dropped', false],
        ['schema/tables/posts/triggers/stamp', undefined, 'added', false],
      ]),
    );
    const found = await use(await merge(files, []));
    expect(found.query('SELECT id, at, mood FROM posts').values()[0]).toEqual([1, null, 'calm']);
    const names = found
      .query(
        "SELECT name FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT LIKE '\\_cf%' ESCAPE '\\' ORDER BY 1",
      )
      .values();
    expect(names.flat()).toEqual(['moods', 'posts', 'sqlite_sequence', 'stamp', 'tags']);
    // Merged again, nothing is left to do.
    const now = (await bench.snapshots.take(OWNER, MAIN)).id;
    expect(await merge({ ...files, base: files.branch, main: now }, [])).toMatchObject({ isSame: true });
  });

  test('conflict where both sides changed the same thing in another way', async () => {
    const base = [...POSTS, 'CREATE VIEW v AS SELECT 1', 'CREATE TABLE gone (a)'];
    const files = await fork(base, {
      branch: [
        'ALTER TABLE posts ADD COLUMN c TEXT',
        'DROP VIEW v',
        'CREATE VIEW v AS SELECT 2',
        'DROP TABLE gone',
      ],
      main: [
        'ALTER TABLE posts ADD COLUMN c INTEGER',
        'DROP VIEW v',
        'CREATE VIEW v AS SELECT 3',
        'ALTER TABLE gone ADD COLUMN b',
      ],
    });
    const refused = assertRefused(await merge(files, []));
    expect(refused.conflicts.map(({ path }) => path).sort()).toEqual([
      'schema/tables/gone',
      'schema/tables/posts/columns/c',
      'schema/views/v',
    ]);
    const take: Take[] = [
      { path: 'schema', from: 'main' },
      { path: 'schema/tables/posts', from: 'branch' },
    ];
    const found = await use(await merge(files, [], { take }));
    expect(found.query("SELECT type FROM pragma_table_info('posts') WHERE name = 'c'").get()).toEqual({
      type: 'TEXT',
    });
    expect(found.query('SELECT * FROM v').values()).toEqual([[3]]);
    expect(found.query('SELECT * FROM gone').values()).toEqual([]);
  });

  test('drop columns and tables only if somebody confirms it', async () => {
    const files = await fork([...POSTS, 'CREATE TABLE gone (a)'], {
      branch: ['ALTER TABLE posts DROP COLUMN body', 'DROP TABLE gone'],
    });
    const refused = assertRefused(await merge(files, []));
    expect(refused.drops.sort()).toEqual(['schema/tables/gone', 'schema/tables/posts/columns/body']);
    const found = await use(await merge(files, [], { confirm: true }));
    expect(found.query('SELECT * FROM posts').values()[0]).toEqual([1, 'one']);
    expect(found.query("SELECT 1 FROM sqlite_schema WHERE name = 'gone'").get()).toBeNull();
    const kept = await use(
      await merge(files, [], {
        take: [
          { path: 'schema/tables/gone', from: 'main' },
          { path: 'schema/tables/posts/columns/body', from: 'main' },
        ],
      }),
      files,
    );
    expect(kept.query('SELECT * FROM posts').values()[0]).toEqual([1, 'one', 'x']);
  });

  test('bring along which migrations ran, and leave internal tables alone', async () => {
    const migrations =
      'CREATE TABLE d1_migrations (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT UNIQUE, applied_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP NOT NULL)';
    const base = [
      migrations,
      "INSERT INTO d1_migrations (name) VALUES ('1.sql')",
      'CREATE TABLE _cf_KV (key TEXT PRIMARY KEY, value BLOB) WITHOUT ROWID',
    ];
    const files = await fork(base, {
      branch: [
        "INSERT INTO d1_migrations (name) VALUES ('2-branch.sql'), ('3.sql')",
        "INSERT INTO _cf_KV VALUES ('k', 'branch')",
      ],
      main: ["INSERT INTO d1_migrations (name) VALUES ('2-main.sql'), ('3.sql')"],
    });
    expect(await bench.merger.compare(files)).toMatchObject({ schema: [], tables: [], rows: [] });
    const merged = await merge(files, ['_cf_KV', 'd1_migrations']);
    if (!merged.isMerged) throw new Error('it was refused');
    const found = await bench.open(merged.snapshot ?? 0);
    expect(found.query('SELECT id, name FROM d1_migrations ORDER BY id').values()).toEqual([
      [1, '1.sql'],
      [2, '2-main.sql'],
      [3, '3.sql'],
      [4, '2-branch.sql'],
    ]);
    expect(found.query('SELECT * FROM _cf_KV').values()).toEqual([]);
  });
});

describe('searches', () => {
  const SEARCH = [
    ...POSTS,
    "CREATE VIRTUAL TABLE found USING fts5(title, content='posts', content_rowid='id')",
    "INSERT INTO found (found) VALUES ('rebuild')",
    'CREATE TRIGGER note AFTER INSERT ON posts BEGIN INSERT INTO found (rowid, title) VALUES (new.id, new.title); END',
  ];

  test('of another table are made anew, and their own tables are not shown', async () => {
    const files = await fork(SEARCH, {
      branch: ["INSERT INTO posts (title) VALUES ('branch')"],
      main: ["INSERT INTO posts (id, title) VALUES (20, 'main')"],
    });
    const compared = await bench.merger.compare(files);
    expect(compared.tables.map(({ name }) => name)).toEqual(['posts']);
    const found = await use(await merge(files, ['posts']));
    expect(found.query("SELECT rowid FROM found WHERE found MATCH 'branch OR main'").values()).toEqual([
      [4],
      [20],
    ]);
  });

  test('whose content cannot be read are refused in words', async () => {
    const files = await fork(["CREATE VIRTUAL TABLE bare USING fts5(a, content='')"], {
      branch: ["INSERT INTO bare (rowid, a) VALUES (1, 'x')"],
    });
    expect((await bench.merger.compare(files)).tables).toMatchObject([
      { name: 'bare', unmergeable: 'virtual' },
    ]);
    expect(assertRefused(await merge(files, ['bare'])).violations).toMatchObject([
      { values: { table: 'bare' } },
    ]);
  });
});

test('a database that did not exist then counts as empty', async () => {
  const files = await fork([], { branch: POSTS });
  const found = await use(
    await merge({ ...files, base: undefined, main: undefined } as unknown as Files, ['posts']),
  );
  expect(found.query('SELECT count(*) AS n FROM posts').get()).toEqual({ n: 3 });
});

test('pages of rows begin with conflicts, and their values are short', async () => {
  const files = await fork(['CREATE TABLE t (id INTEGER PRIMARY KEY, a)', 'INSERT INTO t VALUES (900, 1)'], {
    branch: [
      "INSERT INTO t WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 500) SELECT i, replace(hex(zeroblob(500)), '00', 'ab') FROM n",
      'UPDATE t SET a = 2 WHERE id = 900',
    ],
    main: ['UPDATE t SET a = 3 WHERE id = 900'],
  });
  const first = await bench.merger.compare(files, { table: 'T', limit: 200 });
  expect(first.rows).toHaveLength(200);
  expect(first.rows[0]).toMatchObject({ path: 'rows/t/900', conflict: true });
  const last = await bench.merger.compare(files, { table: 't', offset: 400, limit: 200 });
  expect(last.rows).toHaveLength(101);
  expect(last.rows[100]?.columns[0]?.branch).toBe(`${'ab'.repeat(100)}…`);
  expect((await bench.merger.compare(files, { rows: false })).tables).toEqual([]);
});
