import { afterAll, beforeAll, expect, test } from 'bun:test';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join as joinPaths } from 'node:path';
import { MAX_NAMED_MOMENTS } from '../../../contract/rules/limits.ts';
import type { TestUser } from '../../support/app.ts';
import { join } from '../../support/data/data.ts';
import { runSql } from '../../support/engines/storage.ts';
import { type FilesApp, filesApp } from '../../support/pages/files.ts';

let app: FilesApp;
let owner: TestUser;
beforeAll(async () => {
  app = await filesApp();
  owner = app.owner;
});
afterAll(() => app.quire.stop());

const worker = (answer: string) => `export default { fetch: () => new Response(${JSON.stringify(answer)}) };`;
const deploy = async (slug: string, answer: string) => {
  const { status } = await owner.call('POST', '/api/functions', { body: { slug, code: worker(answer) } });
  expect(status).toBe(201);
};
const redeploy = async (slug: string, answer: string) =>
  expect(
    (await owner.call('PATCH', `/api/functions/${slug}`, { body: { code: worker(answer) } })).status,
  ).toBe(200);
const callFunction = async (slug: string) =>
  (await app.quire.request(`/api/functions/${slug}`, { method: 'POST' })).text();
const keep = async (id: number, name: string, user = owner) => {
  const { status, body } = await user.call('POST', `/api/pages/${id}/moments`, { body: { name } });
  expect([status, body.name]).toEqual([201, name]);
  return body.at as string;
};
const restore = (id: number, body: object, user = owner) =>
  user.call('POST', `/api/pages/${id}/restore`, { body });
const patch = (id: number, body: object) => owner.call('PATCH', `/api/pages/${id}`, { body });
const readPage = async (id: number) => (await owner.call('GET', `/api/pages/${id}`)).body.page;

test('a page and its functions go back together, and forward again', async () => {
  await deploy('back-one', 'one');
  await deploy('back-gone', 'gone');
  const { id, slug } = await owner.publish({
    name: 'First name',
    html_content: '<p>first</p>',
    functions: ['back-one', 'back-gone'],
  });
  const at = await keep(id, 'Start');
  await patch(id, { name: 'Second name', html_content: '<p>second</p>' });
  await redeploy('back-one', 'two');
  expect((await owner.call('DELETE', '/api/functions/back-gone')).status).toBe(204);
  await deploy('back-late', 'late');
  await patch(id, { functions: ['back-one', 'back-late'] });

  const dry = await restore(id, { at, dry_run: true });
  expect(dry.body).toMatchObject({ success: true, at, undo: null });
  expect(dry.body.changes).toMatchObject({ page_version: 3, made_again: ['back-gone'], not_restored: [] });
  expect((await readPage(id)).name).toBe('Second name');

  const back = await restore(id, { at });
  expect([back.status, back.body.changes]).toEqual([200, dry.body.changes]);
  const page = await readPage(id);
  expect([page.name, page.html_content, page.slug]).toEqual(['First name', '<p>first</p>', slug]);
  expect(page.functions).toEqual(['back-gone', 'back-one']);
  expect([await callFunction('back-one'), await callFunction('back-gone')]).toEqual(['one', 'gone']);
  // A function that came later still exists, and belongs to no page.
  expect((await owner.call('GET', '/api/functions/back-late')).body.page).toBeNull();

  const forward = await restore(id, { at: back.body.undo });
  expect(forward.status).toBe(200);
  const again = await readPage(id);
  expect([again.name, again.html_content]).toEqual(['Second name', '<p>second</p>']);
  expect(again.functions).toEqual(['back-late', 'back-one']);
  expect(await callFunction('back-one')).toBe('two');
  const last = (await owner.call('GET', `/api/pages/${id}/restore`)).body.restore;
  expect(last).toMatchObject({ at: back.body.undo, step: 'done', by: owner.username, error: null });
});

test('a function that left the page, changed and was deleted comes back with its code', async () => {
  await deploy('left-first', 'one');
  const { id } = await owner.publish({ name: 'Left', functions: ['left-first'] });
  const at = await keep(id, 'Start');
  await patch(id, { functions: [] });
  await redeploy('left-first', 'two');
  const other = await owner.publish({ name: 'Other', functions: ['left-first'] });
  expect((await restore(id, { at })).body.changes.not_restored).toMatchObject([{ name: 'left-first' }]);
  expect((await readPage(other.id)).functions).toEqual(['left-first']);
  expect((await owner.call('DELETE', '/api/functions/left-first')).status).toBe(204);
  const { changes } = (await restore(id, { at })).body;
  expect(changes).toMatchObject({ made_again: ['left-first'], not_restored: [] });
  expect(await callFunction('left-first')).toBe('one');
});

test('records go back with their page, private ones stay, and nothing is lost on the way', async () => {
  const { id } = await owner.publish({ name: 'Board', storage_mode: 'team_app' });
  const path = `/api/pages/${id}/team-data/notes`;
  const add = async (text: string) => (await owner.call('POST', path, { body: { data: { text } } })).body.id;
  const read = async () =>
    ((await owner.call('GET', path)).body.records as Array<{ data: { text: string } }>)
      .map(({ data }) => data.text)
      .sort();
  const [one, two] = [await add('one'), await add('two')];
  const at = await keep(id, 'Two notes');
  await owner.call('PATCH', `${path}/${one}`, { body: { data: { text: 'changed' } } });
  await owner.call('DELETE', `${path}/${two}`);
  await add('three');
  expect(await read()).toEqual(['changed', 'three']);
  const { body: dry } = await restore(id, { at, dry_run: true });
  expect(dry.changes).toMatchObject({ created: 1, updated: 1, deleted: 1, records: 3 });
  const nothing = await restore(id, { at, collections: ['other'] });
  expect(nothing.body.changes).toMatchObject({ records: 0 });
  const { body: back } = await restore(id, { at });
  expect(back.changes).toEqual(dry.changes);
  expect(await read()).toEqual(['one', 'two']);
  await restore(id, { at: back.undo });
  expect(await read()).toEqual(['changed', 'three']);
  const { moments } = (await owner.call('GET', `/api/pages/${id}/moments`)).body;
  expect(moments.some(({ changes }: { changes: { records: number } }) => changes.records === 3)).toBe(true);
});

test('a database goes back with its page, also that of a function that was deleted', async () => {
  const body = { slug: 'moment-db', code: worker('db'), enableDatabase: true };
  expect((await owner.call('POST', '/api/functions', { body })).status).toBe(201);
  const { id } = await owner.publish({ name: 'SQL', functions: ['moment-db'] });
  const sql = async (text: string) => {
    const answer = await owner.call('POST', '/api/functions/moment-db/database', { body: { sql: text } });
    expect(answer.status).toBe(200);
    return answer.body.results;
  };
  await sql('create table notes (text)');
  await sql("insert into notes values ('one')");
  const at = await keep(id, 'One row');
  await sql("insert into notes values ('two')");
  const back = await restore(id, { at });
  expect(back.body.changes).toMatchObject({ databases: ['moment-db'], not_restored: [] });
  expect(await sql('select * from notes')).toEqual([{ text: 'one' }]);
  await restore(id, { at: back.body.undo });
  expect(await sql('select * from notes')).toHaveLength(2);
  expect((await owner.call('DELETE', '/api/functions/moment-db')).status).toBe(204);
  const again = await restore(id, { at });
  expect(again.body.changes).toMatchObject({
    made_again: ['moment-db'],
    databases: ['moment-db'],
    not_restored: [],
  });
  expect(await sql('select * from notes')).toEqual([{ text: 'one' }]);
});

/** What moments of a page were kept for, the latest first. */
const listCauses = async (id: number, kind: string): Promise<Array<{ at: string; text: string }>> => {
  const { moments } = (await owner.call('GET', `/api/pages/${id}/moments`)).body;
  return moments.flatMap(({ at, causes }: { at: string; causes: Array<{ kind: string; text: string }> }) =>
    causes.filter((cause) => cause.kind === kind).map(({ text }) => ({ at, text })),
  );
};

async function openNotes() {
  const { id } = await owner.publish({ name: 'Notes', storage_mode: 'team_app' });
  const path = `/api/pages/${id}/team-data/notes`;
  const batch = async (operations: object[]): Promise<string[]> => {
    const { status, body } = await owner.call('POST', `${path}/batch`, { body: { operations } });
    expect(status).toBe(200);
    return body.results.map(({ record }: { record?: { id: string } }) => record?.id);
  };
  return {
    id,
    add: (count: number) => batch(Array.from({ length: count }, (_, n) => ({ op: 'create', data: { n } }))),
    remove: (ids: string[]) => batch(ids.map((record) => ({ op: 'delete', id: record }))),
    count: async () => (await owner.call('GET', `${path}/count`)).body.count,
  };
}

test('a moment is kept before batches empty a collection, one for all of them', async () => {
  const { id, add, remove, count } = await openNotes();
  await keep(id, 'Start');
  const ids = await add(20);
  app.quire.advance(5_000);
  await remove(ids.slice(0, 10));
  await remove(ids.slice(10));
  const [kept, ...others] = await listCauses(id, 'delete');
  expect([kept?.text, others]).toEqual(['Kept before many records of notes were deleted.', []]);
  await restore(id, { at: kept?.at });
  expect(await count()).toBe(20);

  // What came after that moment is in none yet.
  await remove(ids);
  expect(await listCauses(id, 'delete')).toHaveLength(2);
  await remove(await add(6));
  expect(await listCauses(id, 'delete')).toHaveLength(3);
  // An app that goes on like this does not fill the history.
  await remove(await add(6));
  expect(await listCauses(id, 'delete')).toHaveLength(3);
  app.quire.advance(61_000);
  await remove(await add(6));
  expect(await listCauses(id, 'delete')).toHaveLength(4);
});

test('no moment is kept before a few records are deleted, nor for somebody who may not delete them', async () => {
  const { id, add, remove, count } = await openNotes();
  await remove(await add(5));
  const ids = await add(8);
  const member = await app.quire.user('moments-member');
  await join(app.quire, owner, { id }, member, 'member');
  const operations = ids.map((record) => ({ op: 'delete', id: record }));
  const path = `/api/pages/${id}/team-data/notes/batch`;
  expect((await member.call('POST', path, { body: { operations } })).status).toBe(403);
  expect([await listCauses(id, 'delete'), await count()]).toEqual([[], 8]);
});

test('a moment is kept before a new function is deployed to a page', async () => {
  const { id } = await owner.publish({ name: 'New function' });
  const body = { slug: 'moment-new', code: worker('new'), pageId: id };
  expect((await owner.call('POST', '/api/functions', { body })).status).toBe(201);
  const [kept] = await listCauses(id, 'deploy');
  expect(kept?.text).toBe('Kept before the function moment-new was deployed.');
  await restore(id, { at: kept?.at });
  expect((await readPage(id)).functions).toEqual([]);
});

test('a token needs the scope of each part, and admins restore the page and its records', async () => {
  const { id } = await owner.publish({
    name: 'Scopes',
    storage_mode: 'team_app',
    html_content: '<p>one</p>',
  });
  const at = await keep(id, 'Start');
  await patch(id, { html_content: '<p>two</p>' });
  const { body } = await owner.call('POST', '/api/auth/tokens', {
    body: { name: 'Pages', scopes: ['pages:read', 'pages:write'] },
  });
  const as = (parts?: string[]) =>
    app.quire.call('POST', `/api/pages/${id}/restore`, {
      token: body.token,
      body: { at, dry_run: true, ...(parts && { parts }) },
    });
  const lacking = await as(['records']);
  expect([lacking.status, lacking.body.scope]).toEqual([403, 'team-data:write']);
  expect((await as(['functions'])).body.scope).toBe('functions:write');
  expect((await as()).body.changes).toMatchObject({ page_version: 3 });
  const admin = await app.quire.user('moments-admin');
  await join(app.quire, owner, { id }, admin, 'admin');
  const refused = await restore(id, { at, parts: ['functions'] }, admin);
  expect([refused.status, refused.body.code]).toEqual([403, 'FORBIDDEN']);
  expect((await restore(id, { at }, admin)).body.changes).toMatchObject({ page_version: 3 });
});

test('an admin brings back no rules, and no records that rules keep them from changing', async () => {
  const { id } = await owner.publish({ name: 'Ruled', storage_mode: 'team_app' });
  const admin = await app.quire.user('moments-ruled');
  await join(app.quire, owner, { id }, admin, 'admin');
  const path = (collection: string) => `/api/pages/${id}/team-data/${collection}`;
  const add = async (collection: string) =>
    (await owner.call('POST', path(collection), { body: { data: { n: 1 } } })).body.id;
  const setRules = (collection: string, rules: object) =>
    owner.call('PUT', `${path(collection)}/schema`, { body: { schema: { rules } } });
  const readRules = async (collection: string) =>
    (await owner.call('GET', `${path(collection)}/schema`)).body.schema.rules;
  const count = async (collection: string) => (await owner.call('GET', path(collection))).body.records.length;
  await setRules('open', { read: 'anyone' });
  const ids = { open: await add('open'), locked: await add('locked') };
  const at = await keep(id, 'Before the rules');
  await setRules('open', { read: 'member' });
  await setRules('locked', { delete: 'owner' });
  for (const [collection, record] of Object.entries(ids))
    await owner.call('DELETE', `${path(collection)}/${record}`);
  const changes = { created: 1, records: 1, not_restored: [{ part: 'records', name: 'locked' }] };
  expect((await restore(id, { at, dry_run: true }, admin)).body.changes).toMatchObject(changes);
  expect((await restore(id, { at }, admin)).body.changes).toMatchObject(changes);
  expect([await count('open'), await count('locked')]).toEqual([1, 0]);
  expect([await readRules('open'), await readRules('locked')]).toEqual([
    { read: 'member' },
    { delete: 'owner' },
  ]);
  // Data of a kind that the page does not have needs the scope of another kind, and stays as it is.
  await patch(id, { storage_mode: 'page' });
  expect((await restore(id, { at })).body.changes).toMatchObject({ records: 0, not_restored: [] });
  await patch(id, { storage_mode: 'team_app' });
  expect((await restore(id, { at })).body.changes).toMatchObject({ created: 1, not_restored: [] });
  expect([await count('locked'), await readRules('open')]).toEqual([1, { read: 'anyone' }]);
});

test('lists moments with what happened, and shows the page as it was', async () => {
  await deploy('list-one', 'one');
  const { id } = await owner.publish({ name: 'List', html_content: '<p>old</p>', functions: ['list-one'] });
  const first = await keep(id, 'One');
  await patch(id, { html_content: '<p>new</p>' });
  await redeploy('list-one', 'two');
  const second = await keep(id, 'Two');
  const { body } = await owner.call('GET', `/api/pages/${id}/moments`);
  expect(body.oldest).toBe(first);
  expect(body.moments.map(({ at }: { at: string }) => at)).toEqual([second, expect.any(String), first]);
  expect(body.moments[0]).toMatchObject({
    name: 'Two',
    changes: { functions: [{ slug: 'list-one', version: 2 }] },
  });
  // The deploy kept a moment of its own, after the page was published.
  expect(body.moments[1].changes).toEqual({ page_version: 2, functions: [], records: 0, databases: [] });
  expect(body.moments[1].causes.map(({ kind }: { kind: string }) => kind)).toEqual(['deploy', 'page']);
  expect(body.moments[1].causes[1].by).toBe(owner.username);
  const some = await owner.call('GET', `/api/pages/${id}/moments?from=${first}&to=${first}&limit=1`);
  expect(some.body.moments).toHaveLength(1);
  const shown = (await owner.call('GET', `/api/pages/${id}/moments/${first}`)).body;
  expect(shown).toMatchObject({
    page_version: 1,
    page_name: 'List',
    functions: [{ slug: 'list-one', version: 1 }],
  });
  expect(await (await app.quire.request(shown.preview_url)).text()).toContain('<p>old</p>');
});

test('refuses what it cannot restore, and says why', async () => {
  const { id } = await owner.publish({ name: 'Refuse' });
  const missing = await restore(id, { at: new Date().toISOString() });
  expect([missing.status, missing.body.code]).toEqual([404, 'NOT_FOUND']);
  const at = await keep(id, 'Only');
  const early = await restore(id, { at: '2020-01-01T00:00:00Z' });
  expect([early.status, early.body.error]).toEqual([
    404,
    `The oldest moment that is kept of this page is of ${at}. Choose that or a later one.`,
  ]);
  for (const wrong of [{}, { at: 'yesterday' }, { at, parts: [] }, { at, parts: ['slug'] }, { at, more: 1 }])
    expect((await restore(id, wrong)).status).toBe(400);
  const many = Array.from({ length: 101 }, (_, index) => `c${index}`);
  expect((await restore(id, { at, dry_run: true, collections: many.slice(1) })).status).toBe(200);
  expect((await restore(id, { at, dry_run: true, collections: many })).status).toBe(400);
  const stranger = await app.quire.user('moments-stranger');
  for (const [method, path] of [
    ['GET', 'moments'],
    ['POST', 'restore'],
    ['GET', 'restore'],
  ] as const)
    expect(
      (
        await stranger.call(method, `/api/pages/${id}/${path}`, {
          body: method === 'POST' ? { at } : undefined,
        })
      ).status,
    ).toBe(403);
  // A restore that runs already.
  await runSql(
    app.quire,
    `insert into restores (page_id, at, parts, step, started_at, claimed_until) values (${id}, 1, '[]', 'moment', 1, ${Date.now() + 60_000})`,
  );
  const second = await restore(id, { at });
  expect([second.status, second.body.code]).toEqual([409, 'CONFLICT']);
});

test('keeps at most 20 moments with a name', async () => {
  const { id } = await owner.publish({ name: 'Names' });
  const first = await keep(id, 'Name 1');
  for (let index = 2; index <= MAX_NAMED_MOMENTS; index++) await keep(id, `Name ${index}`);
  const full = await owner.call('POST', `/api/pages/${id}/moments`, { body: { name: 'Too many' } });
  expect([full.status, full.body.code]).toEqual([403, 'QUOTA_EXCEEDED']);
  expect((await owner.call('DELETE', `/api/pages/${id}/moments/${first}`)).status).toBe(200);
  expect((await owner.call('DELETE', `/api/pages/${id}/moments/${first}`)).status).toBe(404);
  await keep(id, 'Fits again');
  for (const name of ['', ' ', 'x'.repeat(101)])
    expect((await owner.call('POST', `/api/pages/${id}/moments`, { body: { name } })).status).toBe(400);
});

test('an owner without quota is refused before anything is touched', async () => {
  const poor = await app.quire.user('moments-poor');
  const { id } = await poor.publish({ name: 'Poor', html_content: '<p>first</p>' });
  const at = await keep(id, 'Start', poor);
  await poor.call('PATCH', `/api/pages/${id}`, { body: { html_content: '<p>second</p>' } });
  await runSql(app.quire, `update users set quota_bytes = 1 where id = ${poor.id}`);
  const refused = await restore(id, { at }, poor);
  expect([refused.status, refused.body.code]).toEqual([403, 'QUOTA_EXCEEDED']);
  expect((await poor.call('GET', `/api/pages/${id}`)).body.page.html_content).toBe('<p>second</p>');
  expect((await poor.call('GET', `/api/pages/${id}/restore`)).body.restore).toBeNull();
});

/** Turns one bit in every stored segment of a database. */
function damageSegments(): void {
  const folder = joinPaths(app.quire.dataFolder, 'blobs/database-snapshots');
  for (const name of readdirSync(folder)) {
    const path = joinPaths(folder, name);
    const bytes = readFileSync(path);
    const middle = Math.floor(bytes.length / 2);
    bytes[middle] = (bytes[middle] ?? 0) ^ 8;
    writeFileSync(path, bytes);
  }
}

test('a restore that fails is undone, though its owner can store nothing more', async () => {
  const unlucky = await app.quire.user('moments-unlucky');
  const body = { slug: 'undo-db', code: worker('a'), enableDatabase: true };
  expect((await unlucky.call('POST', '/api/functions', { body })).status).toBe(201);
  const long = (text: string) => `<p>${text.repeat(400_000)}</p>`;
  const { id } = await unlucky.publish({
    name: 'Undo',
    html_content: long('a'),
    storage_mode: 'team_app',
    functions: ['undo-db'],
  });
  const notes = `/api/pages/${id}/team-data/notes`;
  const sql = async (text: string) => {
    const answer = await unlucky.call('POST', '/api/functions/undo-db/database', { body: { sql: text } });
    expect([answer.status, answer.body.error]).toEqual([200, undefined]);
    return answer.body.results;
  };
  await sql("create table state as select 'a' as value");
  const at = await keep(id, 'Before', unlucky);
  await sql("update state set value = 'b'");
  await unlucky.call('PATCH', `/api/pages/${id}`, { body: { html_content: long('b') } });
  // One more version fits, and a second one does not.
  await runSql(
    app.quire,
    `update users set quota_bytes = (select bytes from usage where user_id = ${unlucky.id}) + 600000 where id = ${unlucky.id}`,
  );
  damageSegments();
  const failed = await restore(id, { at }, unlucky);
  expect([failed.status, failed.body.code]).toEqual([503, 'UNAVAILABLE']);
  const last = (await unlucky.call('GET', `/api/pages/${id}/restore`)).body.restore;
  expect(last).toMatchObject({ step: 'undone', finished_at: expect.any(String) });
  const { page } = (await unlucky.call('GET', `/api/pages/${id}`)).body;
  expect(page.html_content).toBe(long('b'));
  expect(await sql('select value from state')).toEqual([{ value: 'b' }]);
  await runSql(app.quire, `update users set quota_bytes = ${10 ** 9} where id = ${unlucky.id}`);
  expect((await unlucky.call('POST', notes, { body: { data: { n: 1 } } })).status).toBe(201);
});
