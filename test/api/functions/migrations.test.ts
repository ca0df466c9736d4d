import { afterAll, describe, expect, test } from 'bun:test';
import { startStorage } from '../../../server/platform/storage/index.ts';
import {
  insertDatabase,
  listRetiredDatabases,
  retireAbandonedDatabases,
} from '../../../server/product/functions/database/store.ts';
import { readSql, runSql } from '../../support/engines/storage.ts';
import { functionApp, handler } from '../../support/functions/app.ts';

const { quire, owner, stranger, deploy } = await functionApp();
afterAll(() => quire.stop());

const READS = handler('return Response.json((await env.DB.prepare("SELECT * FROM notes").all()).results)');
const says = (text: string) => handler(`return new Response(${JSON.stringify(text)})`);
const ONE = { 'migrations/0001_notes.sql': 'CREATE TABLE notes (id INTEGER PRIMARY KEY, text TEXT);' };
const TWO = { ...ONE, 'migrations/0002_first.sql': "INSERT INTO notes (text) VALUES ('it''s; one');" };

const create = (slug: string, files: object, fields: object = { enableDatabase: true }) =>
  owner.call('POST', '/api/functions', { body: { slug, code: READS, files, ...fields } });
const patch = (slug: string, body: object) => owner.call('PATCH', `/api/functions/${slug}`, { body });
const list = async (slug: string) =>
  (await owner.call('GET', `/api/functions/${slug}/migrations`)).body.migrations;
const sql = async (slug: string, statement: string) =>
  (await owner.call('POST', `/api/functions/${slug}/database`, { body: { sql: statement } })).body;
const notes = async (slug: string) => (await sql(slug, 'SELECT name FROM d1_migrations ORDER BY id')).results;
const text = async (slug: string) =>
  (await quire.request(`/api/functions/${slug}`, { method: 'POST' })).text();

describe('migrations', () => {
  test('are applied with the deploy, in the order of their numbers, once each', async () => {
    const created = await create('ordered', {
      ...TWO,
      'migrations/10_last.sql': 'ALTER TABLE notes ADD COLUMN done INTEGER;',
      'migrations/9_before.sql': '-- Nothing but a comment\n',
      'migrations/later/0001_x.sql': 'not a migration',
    });
    expect([created.status, created.body.migrations]).toEqual([
      201,
      ['0001_notes.sql', '0002_first.sql', '9_before.sql', '10_last.sql'],
    ]);
    expect(await text('ordered')).toBe('[{"id":1,"text":"it\'s; one","done":null}]');
    const again = await patch('ordered', { code: `${READS}\n` });
    expect([again.status, again.body.migrations]).toEqual([200, undefined]);
    expect(await list('ordered')).toEqual(
      ['0001_notes.sql', '0002_first.sql', '9_before.sql', '10_last.sql'].map((name) => ({
        name,
        appliedAt: expect.stringMatching(/^20.*Z$/),
        pending: false,
      })),
    );
    const table = await sql('ordered', "SELECT sql FROM sqlite_master WHERE name = 'd1_migrations'");
    expect(table.results[0].sql.replaceAll(/\s+/g, ' ')).toBe(
      'CREATE TABLE d1_migrations( id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT UNIQUE, applied_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP NOT NULL)',
    );
    expect((await stranger.call('GET', '/api/functions/ordered/migrations')).status).toBe(403);
  });

  test('that fail leave the old code and the old schema, and say where', async () => {
    await create('failing', ONE, { enableDatabase: true, code: says('old') });
    const failed = await patch('failing', {
      code: says('new'),
      files: {
        ...ONE,
        'migrations/0002_fine.sql': 'CREATE TABLE fine (a);',
        'migrations/0003_bad.sql':
          "-- A start\nINSERT INTO notes (text) VALUES ('x');\n\n  INSERT INTO nowhere VALUES (1);",
      },
    });
    expect([failed.status, failed.body]).toEqual([
      422,
      {
        code: 'DEPLOY_FAILED',
        error:
          'Statement 2 of the migration failed: no such table: nowhere (migrations/0003_bad.sql, line 4, column 3)',
        file: 'migrations/0003_bad.sql',
        line: 4,
        column: 3,
      },
    ]);
    expect(await text('failing')).toBe('old');
    expect(await notes('failing')).toEqual([{ name: '0001_notes.sql' }]);
    expect((await sql('failing', 'SELECT * FROM notes')).results).toEqual([]);
    expect((await sql('failing', 'SELECT * FROM fine')).error).toContain('no such table');
  });

  test('that fail with a new function leave neither a function nor a database', async () => {
    const databases = () => readSql<{ n: number }>(quire, 'select count(*) as n from function_databases');
    const before = await databases();
    const failed = await create('never', { 'migrations/1.sql': 'CREATE TABLE a (b); SELEC 1' });
    expect([failed.status, failed.body.line, failed.body.column]).toEqual([422, 1, 21]);
    expect((await owner.call('GET', '/api/functions/never')).status).toBe(404);
    expect(await databases()).toEqual(before);
    expect((await create('never', ONE)).status).toBe(201);
  });

  test('are not applied if the version cannot be stored', async () => {
    const full = await quire.user('full-migrator');
    const send = (slug: string, body: object) =>
      full.call('POST', '/api/functions', { body: { slug, enableDatabase: true, ...body } });
    expect((await send('unstored', { code: says('old'), files: ONE })).status).toBe(201);
    await runSql(quire, `update users set quota_bytes = 1 where id = ${full.id}`);
    const body = { code: says('new'), files: TWO };
    const refused = await full.call('PATCH', '/api/functions/unstored', { body });
    const created = await send('unstored-too', body);
    expect([refused.body.code, created.body.code]).toEqual(['QUOTA_EXCEEDED', 'QUOTA_EXCEEDED']);
    expect(await text('unstored')).toBe('old');
    const { migrations } = (await full.call('GET', '/api/functions/unstored/migrations')).body;
    expect(migrations).toMatchObject([{ name: '0001_notes.sql', pending: false }]);
    expect((await full.call('GET', '/api/functions/unstored-too')).status).toBe(404);
  });

  test('of code that does not load are not applied', async () => {
    await create('unloaded', ONE);
    const failed = await patch('unloaded', { code: 'throw new Error("no")', files: TWO });
    expect(failed.status).toBe(422);
    expect(await notes('unloaded')).toEqual([{ name: '0001_notes.sql' }]);
  });

  test('are those of the function that has the database', async () => {
    await create('has', ONE);
    for (const [fields, says] of [
      [{ useDatabase: 'has' }, 'belongs to the function has'],
      [{}, 'has no database'],
    ] as const) {
      const refused = await create('uses', TWO, fields);
      expect([refused.status, refused.body.code]).toEqual([422, 'DEPLOY_FAILED']);
      expect(refused.body.error).toContain(says);
    }
    expect((await create('uses', {}, { useDatabase: 'has' })).status).toBe(201);
    const refused = await patch('uses', { files: TWO });
    expect([refused.status, refused.body.file]).toEqual([422, 'migrations/0001_notes.sql']);
    expect(await list('uses')).toMatchObject([{ name: '0001_notes.sql', pending: false }]);
    await owner.call('DELETE', '/api/functions/has');
    expect((await patch('uses', { files: TWO })).body.migrations).toEqual(['0002_first.sql']);
    const without = await deploy(says('x'));
    expect((await owner.call('GET', `/api/functions/${without}/migrations`)).status).toBe(400);
  });

  test('that a database brought along from D1 are not applied again', async () => {
    await create('moved', {});
    const imported = await quire.request('/api/functions/moved/database/import', {
      method: 'POST',
      body: `CREATE TABLE notes (id INTEGER PRIMARY KEY, text TEXT);
        CREATE TABLE "d1_migrations" (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT UNIQUE, applied_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP NOT NULL);
        INSERT INTO d1_migrations VALUES (1, '0001_notes.sql', '2024-05-01 10:00:00');`,
      headers: { 'content-type': 'application/sql', authorization: `Bearer ${owner.token}` },
    });
    expect(imported.status).toBe(200);
    expect((await patch('moved', { files: TWO })).body.migrations).toEqual(['0002_first.sql']);
    expect(await list('moved')).toEqual([
      { name: '0001_notes.sql', appliedAt: '2024-05-01T10:00:00.000Z', pending: false },
      { name: '0002_first.sql', appliedAt: expect.any(String), pending: false },
    ]);
    await sql('moved', "DELETE FROM d1_migrations WHERE name LIKE '0002%'");
    expect((await list('moved'))[1]).toEqual({ name: '0002_first.sql', appliedAt: null, pending: true });
  });

  test.each([
    ['drops', 'DROP TABLE d1_migrations;'],
    ['empties', 'DELETE FROM d1_migrations;'],
    ['renames', "UPDATE d1_migrations SET name = 'x' || name;"],
    ['replaces', 'DROP TABLE d1_migrations; CREATE TABLE d1_migrations (name, applied_at);'],
  ])('do not run twice if one of them %s the table of migrations', async (slug, statements) => {
    await create(slug, TWO);
    const files = { ...TWO, 'migrations/0003_notes.sql': statements };
    expect((await patch(slug, { files })).body.migrations).toEqual(['0003_notes.sql']);
    const more = { ...files, 'migrations/0004_more.sql': "INSERT INTO notes (text) VALUES ('two');" };
    expect((await patch(slug, { files: more })).body.migrations).toEqual(['0004_more.sql']);
    expect((await sql(slug, 'SELECT count(*) AS n FROM notes')).results).toEqual([{ n: 2 }]);
  });

  test.each([
    ['no-name', 'DROP TABLE d1_migrations; CREATE TABLE d1_migrations (other);'],
    ['a-view', 'DROP TABLE d1_migrations; CREATE VIEW d1_migrations AS SELECT 1 AS name, 2 AS applied_at;'],
    ['forgets', 'CREATE TRIGGER t AFTER INSERT ON d1_migrations BEGIN DELETE FROM d1_migrations; END;'],
  ])('are refused if the table could not note them (%s)', async (slug, statements) => {
    await create(slug, TWO);
    const refused = await patch(slug, { files: { ...TWO, 'migrations/0003_x.sql': statements } });
    expect([refused.status, refused.body.file]).toEqual([422, 'migrations/0003_x.sql']);
    expect(await notes(slug)).toEqual([{ name: '0001_notes.sql' }, { name: '0002_first.sql' }]);
  });

  test('run once if two deploys come at the same time', async () => {
    await create('twice', ONE);
    const answers = await Promise.all(
      ['a', 'b'].map((name) => patch('twice', { code: says(name), files: TWO })),
    );
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    expect((await sql('twice', 'SELECT count(*) AS n FROM notes')).results).toEqual([{ n: 1 }]);
  });

  test('stay when an earlier version is restored', async () => {
    await create('restored', ONE);
    await patch('restored', { files: TWO });
    const restored = await owner.call('POST', '/api/functions/restored/versions/1/restore');
    expect(restored.status).toBe(200);
    expect((await notes('restored')).length).toBe(2);
    expect(await text('restored')).toContain('one');
  });

  test('may rebuild a table that others refer to, and may not leave rows that refer to nothing', async () => {
    const base = {
      'migrations/1.sql': `CREATE TABLE a (id INTEGER PRIMARY KEY); CREATE TABLE b (a INTEGER REFERENCES a (id));
        INSERT INTO a VALUES (1); INSERT INTO b VALUES (1);`,
    };
    await create('rebuilt', base);
    const rebuild = `PRAGMA foreign_keys=OFF; CREATE TABLE c (id INTEGER PRIMARY KEY, more TEXT);
      INSERT INTO c (id) SELECT id FROM a; DROP TABLE a; ALTER TABLE c RENAME TO a; PRAGMA foreign_keys=ON;`;
    const rebuilt = await patch('rebuilt', { files: { ...base, 'migrations/2.sql': rebuild } });
    expect([rebuilt.status, rebuilt.body.error]).toEqual([200, undefined]);
    const broken = await patch('rebuilt', {
      files: { ...base, 'migrations/2.sql': rebuild, 'migrations/3.sql': 'DELETE FROM a;' },
    });
    expect([broken.status, broken.body.error]).toEqual([422, expect.stringContaining('FOREIGN KEY')]);
    expect((await sql('rebuilt', 'SELECT count(*) AS n FROM a')).results).toEqual([{ n: 1 }]);
  });

  test('may have a megabyte with the code, and not a byte more', async () => {
    const bytes = 1024 * 1024 - READS.length - 'migrations/1.sql'.length;
    const fill = { 'migrations/1.sql': ONE['migrations/0001_notes.sql'].padEnd(bytes) };
    const over = { 'migrations/1.sql': `${fill['migrations/1.sql']} ` };
    expect((await create('large', over)).status).toBe(413);
    expect((await create('large', fill)).status).toBe(201);
  });

  test('a database that was made for a function that was never stored is removed an hour later', async () => {
    const storage = await startStorage({ dataFolder: quire.dataFolder, databaseUrl: quire.databaseUrl });
    try {
      const { db } = storage;
      const insert = (at: number) => db.transaction().execute((tx) => insertDatabase(tx, owner.id, at));
      const [old, fresh] = [await insert(1), await insert(2)];
      await retireAbandonedDatabases(db, 2, 3);
      const retired = (await listRetiredDatabases(db)).map(({ id }) => id);
      expect([retired.includes(old), retired.includes(fresh)]).toEqual([true, false]);
      expect(retired).toHaveLength(1);
    } finally {
      await storage.stop();
    }
  });
});
