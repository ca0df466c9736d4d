import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { BranchChanges } from '../../../contract/pages/branches/changes.ts';
import type { Merged } from '../../../contract/pages/branches/merge.ts';
import { type BranchApp, branchApp, handler } from '../../support/branches/branches.ts';

/** The SQL databases of functions, merged with their branch. */

let app: BranchApp;
beforeAll(async () => {
  app = await branchApp({ QUIRE_DEPLOYS_PER_HOUR: '0', QUIRE_STATEMENTS_PER_MINUTE: '0' });
});
afterAll(() => app.quire.stop());

const CODE = handler('return Response.json({})');
const POSTS = [
  'create table posts (id integer primary key, title text, body text)',
  "insert into posts values (1, 'one', 'x'), (2, 'two', 'x'), (3, 'three', 'x')",
];

const send = (method: string, path: string, body?: object) => app.owner.call(method, path, body && { body });
const ask = async (method: string, path: string, body?: object) => {
  const response = await send(method, path, body);
  expect([path, response.status < 300, response.body.error]).toEqual([path, true, undefined]);
  return response.body;
};
const run = async (slug: string, ...statements: string[]) => {
  for (const sql of statements) {
    const { status, body } = await app.sql(slug, { sql });
    expect([sql, status, body.error]).toEqual([sql, 200, undefined]);
  }
};
const rows = async (slug: string, sql = 'select * from posts order by id'): Promise<unknown[]> =>
  (await app.sql(slug, { sql })).body.results;
const titles = async (slug: string) =>
  ((await rows(slug)) as Array<{ id: number; title: string }>).map(({ id, title }) => `${id} ${title}`);
const changes = (id: number, name: string, query = ''): Promise<BranchChanges> =>
  ask('GET', `/api/pages/${id}/branches/${name}/changes${query}`);
const paths = ({ changes }: BranchChanges) =>
  changes.map(({ path, side, conflict }) => `${path} ${side}${conflict ? ' conflict' : ''}`);
const merge = (id: number, name: string, body: object = {}): Promise<Merged> =>
  ask('POST', `/api/pages/${id}/branches/${name}/merge`, body);
const update = (id: number, name: string, body: object = {}): Promise<Merged> =>
  ask('POST', `/api/pages/${id}/branches/${name}/update`, body);

async function publish(statements = POSTS, fields: object = {}) {
  const slug = await app.deploy(CODE, { enableDatabase: true, ...fields });
  await run(slug, ...statements);
  const page = await app.owner.publish({ name: 'Blog', html_content: '<p>blog', functions: [slug] });
  return { id: page.id, slug };
}

test('rows are compared by key, merged where somebody asks, and come back with undo', async () => {
  const { id, slug } = await publish();
  await app.branch(id, 'rows');
  expect(await changes(id, 'rows')).toMatchObject({ branch: 0, main: 0, changes: [], left_out: [] });
  await run(
    `${slug}--rows`,
    "update posts set title = 'ONE' where id = 1",
    'delete from posts where id = 2',
    "insert into posts values (4, 'four', 'branch')",
    'alter table posts add column mood text',
  );
  await run(
    slug,
    "update posts set body = 'main' where id = 1",
    "insert into posts values (5, 'five', 'main')",
  );

  const found = await changes(id, 'rows');
  const path = `databases/${slug}`;
  expect(paths(found)).toEqual([
    `${path}/schema/tables/posts/columns/mood branch`,
    `${path}/rows/posts/1 both`,
    `${path}/rows/posts/4 branch`,
    `${path}/rows/posts/2 branch`,
    `${path}/rows/posts/5 main`,
  ]);
  expect(found).toMatchObject({ branch: 4, main: 2, conflicts: 0, next: null });
  expect(found.groups).toEqual([
    { kind: 'table', name: `${slug}/posts`, branch: 1, main: 0, conflicts: 0 },
    { kind: 'row', name: `${slug}/posts`, branch: 3, main: 2, conflicts: 0 },
  ]);
  const seen: string[] = [];
  for (let after: string | null = ''; after !== null; ) {
    const query = `?limit=1${after === '' ? '' : `&after=${encodeURIComponent(after)}`}`;
    const piece = await changes(id, 'rows', query);
    seen.push(...paths(piece));
    after = piece.next;
  }
  expect(seen).toEqual(paths(found));
  const [one] = (await changes(id, 'rows', `?path=${path}/rows/posts/1`)).changes;
  expect(one).toMatchObject({ kind: 'row', action: 'changed', fields: [{ name: 'title', conflict: false }] });
  expect(JSON.parse(one?.branch?.text ?? '')).toEqual({ id: 1, title: 'ONE' });

  const tried = await merge(id, 'rows', { dry_run: true, tables: ['posts'] });
  expect(tried).toMatchObject({
    ...{ conflict_count: 0, needs_confirm: [], problems: [] },
    numbers: { tables: 1, rows: { created: 1, updated: 1, deleted: 1 } },
  });
  expect(await titles(slug)).toEqual(['1 one', '2 two', '3 three', '5 five']);

  const merged = await merge(id, 'rows', { tables: [`${slug}/posts`] });
  expect(await rows(slug)).toEqual([
    { id: 1, title: 'ONE', body: 'main', mood: null },
    { id: 3, title: 'three', body: 'x', mood: null },
    { id: 4, title: 'four', body: 'branch', mood: null },
    { id: 5, title: 'five', body: 'main', mood: null },
  ]);
  expect(await changes(id, 'rows')).toMatchObject({ branch: 0, main: 2 });
  await update(id, 'rows');
  expect(await rows(`${slug}--rows`)).toEqual(await rows(slug));
  expect(await changes(id, 'rows')).toMatchObject({ branch: 0, main: 0 });

  await ask('POST', `/api/pages/${id}/restore`, { at: merged.undo });
  expect(await titles(slug)).toEqual(['1 one', '2 two', '3 three', '5 five']);
  expect(Object.keys((await rows(slug))[0] as object)).toEqual(['id', 'title', 'body']);
}, 120_000);

test('rows that nobody asks for stay, and are merged later', async () => {
  const { id, slug } = await publish();
  await app.branch(id, 'later');
  await run(`${slug}--later`, 'create table tags (name text primary key)', "insert into tags values ('a')");
  await run(`${slug}--later`, "update posts set title = 'ONE' where id = 1");
  const first = await merge(id, 'later');
  expect(first).toMatchObject({ numbers: { tables: 1, rows: { updated: 0 } } });
  expect(first.left_out.map(({ text }) => text)).toEqual([expect.stringContaining('Rows of tables')]);
  expect([await titles(slug), await rows(slug, 'select * from tags')]).toEqual([
    ['1 one', '2 two', '3 three'],
    [],
  ]);
  expect(paths(await changes(id, 'later'))).toEqual([
    `databases/${slug}/rows/posts/1 branch`,
    `databases/${slug}/rows/tags/'a' branch`,
  ]);
  await merge(id, 'later', { tables: ['posts', 'tags'] });
  expect(await rows(slug, 'select * from tags')).toEqual([{ name: 'a' }]);
  expect(await changes(id, 'later')).toMatchObject({ branch: 0, main: 0 });
}, 120_000);

test('a row that both have changed waits for a decision, for both directions', async () => {
  const { id, slug } = await publish();
  await app.branch(id, 'clash');
  await run(`${slug}--clash`, "update posts set title = 'branch' where id < 3");
  await run(slug, "update posts set title = 'main' where id < 3");
  const path = `databases/${slug}/rows/posts`;
  expect(paths(await changes(id, 'clash', '?side=conflicts'))).toEqual([
    `${path}/1 both conflict`,
    `${path}/2 both conflict`,
  ]);
  for (const action of ['merge', 'update']) {
    const refused = await send('POST', `/api/pages/${id}/branches/clash/${action}`, { tables: ['posts'] });
    const status = action === 'merge' ? 409 : 400;
    expect(refused.status).toBe(status);
  }
  const refused = await send('POST', `/api/pages/${id}/branches/clash/update`, {});
  expect([refused.status, refused.body.conflict_count]).toEqual([409, 2]);
  expect(JSON.parse(refused.body.conflicts[0].branch.text).title).toBe('branch');
  expect(JSON.parse(refused.body.conflicts[0].main.text).title).toBe('main');
  const take = [
    { path: `${path}/1`, from: 'branch' },
    { path: `${path}/2`, from: 'main' },
  ];
  expect(await merge(id, 'clash', { dry_run: true, tables: ['posts'] })).toMatchObject({ conflict_count: 2 });
  await update(id, 'clash', { take });
  expect(await titles(`${slug}--clash`)).toEqual(['1 branch', '2 main', '3 three']);
  await merge(id, 'clash', { tables: ['posts'], take });
  expect(await titles(slug)).toEqual(['1 branch', '2 main', '3 three']);
}, 120_000);

test('what a merge removes needs a confirmation, and unknown tables are refused', async () => {
  const { id, slug } = await publish([...POSTS, 'create table old (a)']);
  await app.branch(id, 'drops');
  await run(`${slug}--drops`, 'drop table old', 'alter table posts drop column body');
  const dropped = [
    `databases/${slug}/schema/tables/old`,
    `databases/${slug}/schema/tables/posts/columns/body`,
  ];
  expect((await changes(id, 'drops')).changes.map((each) => [each.path, each.needs_confirm])).toEqual(
    dropped.map((path) => [path, true]),
  );
  for (const confirm of [false, true]) {
    const tried = await merge(id, 'drops', { dry_run: true, confirm });
    expect(tried.needs_confirm.sort()).toEqual(dropped);
  }
  const refused = await send('POST', `/api/pages/${id}/branches/drops/merge`, {});
  expect([refused.status, refused.body.needs_confirm.sort()]).toEqual([409, dropped]);
  const unknown = await send('POST', `/api/pages/${id}/branches/drops/merge`, { tables: ['nowhere'] });
  expect([unknown.status, unknown.body.error]).toEqual([409, expect.stringContaining('no table nowhere')]);
  await merge(id, 'drops', { take: [{ path: dropped[0], from: 'main' }], confirm: true });
  expect(await rows(slug, 'select count(*) as n from old')).toEqual([{ n: 0 }]);
  expect(Object.keys((await rows(slug))[0] as object)).toEqual(['id', 'title']);
}, 120_000);

test('a table without a key, and a database that functions share', async () => {
  const { id, slug } = await publish([...POSTS, 'create table log (line)', "insert into log values ('a')"]);
  const other = await app.deploy(CODE, { useDatabase: slug });
  const alone = await app.deploy(CODE, { enableDatabase: true });
  await run(alone, ...POSTS);
  await ask('PATCH', `/api/pages/${id}`, { functions: [slug, other, alone] });
  await app.branch(id, 'shared');
  const [first = ''] = [slug, other].sort();
  await run(`${slug}--shared`, "insert into log values ('b')", "update posts set title = 'ONE' where id = 1");
  expect(paths(await changes(id, 'shared'))).toEqual([
    `databases/${first}/rows/log branch`,
    `databases/${first}/rows/posts/1 branch`,
  ]);
  const ambiguous = await send('POST', `/api/pages/${id}/branches/shared/merge`, { tables: ['posts'] });
  expect([ambiguous.status, ambiguous.body.error]).toEqual([
    409,
    expect.stringContaining('Several databases'),
  ]);
  await merge(id, 'shared', { tables: ['log', `${other}/posts`] });
  expect(await rows(slug, 'select line from log')).toEqual([{ line: 'a' }, { line: 'b' }]);
  expect((await titles(slug))[0]).toBe('1 ONE');
  expect((await titles(alone))[0]).toBe('1 one');
}, 120_000);

test('of a masked branch only the schema is compared and merged', async () => {
  const { id, slug } = await publish();
  await app.branch(id, 'masked', { data: 'masked' });
  await run(`${slug}--masked`, 'alter table posts add column mood text', 'delete from posts');
  const found = await changes(id, 'masked');
  expect(paths(found)).toEqual([`databases/${slug}/schema/tables/posts/columns/mood branch`]);
  expect(found.left_out).toHaveLength(1);
  await merge(id, 'masked', { tables: ['posts'] });
  expect(await rows(slug)).toMatchObject([{ id: 1, mood: null }, { id: 2 }, { id: 3 }]);
  await run(slug, 'alter table posts add column later text');
  await update(id, 'masked');
  expect(await rows(`${slug}--masked`, "select name from pragma_table_info('posts')")).toContainEqual({
    name: 'later',
  });
  expect(await changes(id, 'masked')).toMatchObject({ branch: 0, main: 0 });
}, 120_000);

test('migrations come along once, with the rows that they make', async () => {
  const files = { 'migrations/0001.sql': POSTS.join(';\n') };
  const slug = await app.deploy(CODE, { enableDatabase: true, files });
  const { id } = await app.owner.publish({ name: 'Blog', html_content: '<p>blog', functions: [slug] });
  await app.branch(id, 'migrate');
  await ask('PATCH', `/api/functions/${slug}--migrate`, {
    files: {
      ...files,
      'migrations/0002.sql':
        "create table plans (name text primary key); insert into plans values ('free'); alter table posts add column slug text; update posts set slug = 'post-' || id",
    },
  });
  await run(slug, "insert into posts (id, title) values (9, 'nine')");
  await merge(id, 'migrate');
  expect(await rows(slug, 'select name from plans')).toEqual([{ name: 'free' }]);
  expect(await rows(slug, 'select slug from posts where id = 9')).toEqual([{ slug: 'post-9' }]);
  expect(await rows(slug, 'select name from d1_migrations order by id')).toEqual([
    { name: '0001.sql' },
    { name: '0002.sql' },
  ]);
  const { migrations } = await ask('GET', `/api/functions/${slug}/migrations`);
  expect(migrations.every(({ pending }: { pending: boolean }) => !pending)).toBe(true);
  expect(await changes(id, 'migrate')).toMatchObject({ conflicts: 0 });

  await ask('PATCH', `/api/functions/${slug}--migrate`, {
    files: { ...files, 'migrations/0003.sql': 'create table late (a)' },
  });
  await run(slug, 'create table late (b)');
  const refused = await send('POST', `/api/pages/${id}/branches/migrate/merge`, {});
  expect([refused.status, refused.body.error]).toEqual([409, expect.stringContaining('0003.sql')]);
}, 120_000);

test('the copy on which a merge is tried has the merged schema', async () => {
  const code = (column: string) =>
    handler(`return Response.json((await env.DB.prepare('select ${column} from posts').all()).results)`);
  const { id, slug } = await publish();
  const script = `<script>PageFunctions.call('${slug}').then(async (answer) => { if (!answer.ok) throw new Error('failed') })</script>`;
  await ask('PATCH', `/api/functions/${slug}`, { code: code('title') });
  await ask('PATCH', `/api/pages/${id}`, { html_content: script });
  const branch = await app.branch(id, 'tried');
  await run(`${slug}--tried`, 'alter table posts add column mood text');
  await ask('PATCH', `/api/functions/${slug}--tried`, { code: code('mood') });
  const { rehearsal } = await merge(id, 'tried');
  // Without a browser on this machine, nobody tried it.
  expect([true, null]).toContain(rehearsal?.ok ?? null);
  expect((await app.callFrom(branch.of, slug)).body).toContain('"mood":null');
}, 120_000);

test('strangers compare and merge nothing', async () => {
  const { id, slug } = await publish();
  await app.branch(id, 'guard');
  await run(`${slug}--guard`, "update posts set title = 'ONE' where id = 1");
  for (const [method, path] of [
    ['GET', 'changes'],
    ['POST', 'update'],
    ['POST', 'merge'],
  ] as const)
    expect((await app.stranger.call(method, `/api/pages/${id}/branches/guard/${path}`)).status).toBe(403);
  expect((await titles(slug))[0]).toBe('1 one');
});
