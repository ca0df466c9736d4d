import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { TestUser } from '../../support/app.ts';
import { type BranchApp, branchApp, handler } from '../../support/branches/branches.ts';
import { readSql, runSql } from '../../support/engines/storage.ts';

let app: BranchApp;
beforeAll(async () => {
  app = await branchApp({ QUIRE_DEPLOYS_PER_HOUR: '0', QUIRE_CHROMIUM: 'off' });
});
afterAll(() => app.quire.stop());

const place = () => ({ dataFolder: app.quire.dataFolder, databaseUrl: app.quire.databaseUrl });
const send = (method: string, path: string, body?: object) => app.owner.call(method, path, body && { body });
const ask = async (method: string, path: string, body?: object) => {
  const response = await send(method, path, body);
  expect([path, response.status < 300, response.body.error]).toEqual([path, true, undefined]);
  return response.body;
};
const notes = (id: number) => `/api/pages/${id}/social-data/notes`;
const add = async (id: number, data: object) => (await ask('POST', notes(id), { data })).id as string;
const list = async (id: number) =>
  (
    (await ask('GET', `${notes(id)}?orderBy=created_at&order=asc`)).records as Array<{
      data: Record<string, unknown>;
    }>
  ).map(({ data }) => data.text);
const read = async (id: number) => (await ask('GET', `/api/pages/${id}`)).page;

async function publish(fields: Record<string, unknown> = {}) {
  const page = await app.owner.publish({
    ...{ name: 'Guest book', html_content: '<h1>one</h1>', storage_mode: 'social_app', ...fields },
  });
  return { ...page, path: (name: string) => `/api/pages/${page.id}/branches/${name}` };
}

test('a decision for one side leaves alone what only the other has changed', async () => {
  const page = await publish();
  const clash = await add(page.id, { text: 'one' });
  const branch = await app.branch(page.id, 'take');
  for (const [id, text] of [
    [branch.page.id, 'branch'],
    [page.id, 'page'],
  ] as const)
    await ask('PATCH', `${notes(id)}/${clash}`, { data: { text } });
  await add(page.id, { text: 'from a visitor' });
  const own = await app.deploy(handler('return Response.json({})'));
  await ask('PATCH', `/api/pages/${page.id}`, { functions: [own] });
  await ask('PATCH', `/api/pages/${branch.page.id}`, { description: 'Tried' });

  const take = ['records', 'functions', 'settings'].map((path) => ({ path, from: 'branch' }));
  const tried = await ask('POST', `${page.path('take')}/merge`, { records: true, take, dry_run: true });
  expect(tried.numbers).toMatchObject({
    ...{ functions: 0, settings: 1, records: { created: 0, updated: 1, deleted: 0 } },
  });
  await ask('POST', `${page.path('take')}/merge`, { records: true, take });
  expect(await list(page.id)).toEqual(['branch', 'from a visitor']);
  expect(await read(page.id)).toMatchObject({ functions: [own], description: 'Tried' });

  await ask('PATCH', `/api/pages/${branch.page.id}`, { description: 'Tried again' });
  await add(branch.page.id, { text: 'tried' });
  const from = ['settings', 'records'].map((path) => ({ path, from: 'main' }));
  await ask('POST', `${page.path('take')}/update`, { take: from });
  expect((await read(branch.page.id)).description).toBe('Tried again');
  expect((await list(branch.page.id)).sort()).toEqual(['branch', 'from a visitor', 'tried']);
});

test('an update while a merge is rehearsed does not make the merge revert the page', async () => {
  // The rehearsal attacks functions, and each call of this one takes longer than an update.
  const slug = await app.deploy(
    handler('await new Promise((done) => setTimeout(done, 1_000)); return Response.json({})'),
  );
  const calls = `<script>fetch('/api/functions/${slug}', { method: 'POST', body: JSON.stringify({ id: 'a' }) })</script>`;
  const page = await publish({ functions: [slug], html_content: `<h1>one</h1>${calls}` });
  await add(page.id, { text: 'one' });
  const branch = await app.branch(page.id, 'meanwhile');
  await ask('PATCH', `/api/pages/${branch.page.id}`, { description: 'Tried' });
  await ask('PATCH', `/api/pages/${page.id}`, { html_content: `<h1>two</h1>${calls}`, name: 'Renamed' });
  await add(page.id, { text: 'from a visitor' });

  const merging = send('POST', `${page.path('meanwhile')}/merge`, { records: true });
  const throwaways = `select 1 from branches where of_page_id = ${page.id} and expires_at is not null`;
  while ((await readSql(place(), throwaways)).length === 0) await new Promise(setImmediate);
  await ask('POST', `${page.path('meanwhile')}/update`);
  expect((await readSql(place(), throwaways)).length).toBe(1);
  expect((await merging).status).toBe(200);
  expect(await read(page.id)).toMatchObject({
    ...{ html_content: `<h1>two</h1>${calls}`, name: 'Renamed', description: 'Tried' },
  });
  expect(await list(page.id)).toEqual(['one', 'from a visitor']);
});

test('records are not merged when nobody knows any more what they were', async () => {
  const page = await publish();
  const ids = [await add(page.id, { text: 'one' }), await add(page.id, { text: 'two' })];
  const branch = await app.branch(page.id, 'trimmed');
  await ask('PATCH', `${notes(page.id)}/${ids[0]}`, { data: { text: 'changed by a visitor' } });
  await ask('DELETE', `${notes(page.id)}/${ids[1]}`);
  await ask('PATCH', `/api/pages/${branch.page.id}`, { description: 'Tried' });
  // As when the log of records is too large for its owner.
  const collections = `select id from collections where page_id = ${page.id}`;
  await runSql(
    place(),
    `delete from record_changes where collection_id in (${collections})`,
    `update collections set log_from = ${Date.now() + 1} where page_id = ${page.id}`,
  );
  const refused = await send('POST', `${page.path('trimmed')}/merge`, { records: true });
  expect([refused.status, refused.body.code]).toEqual([409, 'CONFLICT']);
  expect(await list(page.id)).toEqual(['changed by a visitor']);
  const lost = [{ text: expect.stringContaining('no longer kept') }];
  const changes = await ask('GET', `${page.path('trimmed')}/changes`);
  expect(changes).toMatchObject({ branch: 1, main: 0, left_out: lost });
  expect((await ask('POST', `${page.path('trimmed')}/update`)).left_out).toMatchObject(lost);
  expect(await list(branch.page.id)).toEqual(['one', 'two']);
  await ask('POST', `${page.path('trimmed')}/merge`);
  expect((await read(page.id)).description).toBe('Tried');
  expect(await list(page.id)).toEqual(['changed by a visitor']);
});

test('two schemas that do not fit together are not merged', async () => {
  const page = await publish();
  const [n, text] = [{ type: 'number' }, { type: 'string' }];
  await ask('PUT', `${notes(page.id)}/schema`, { schema: { fields: { text, n } } });
  const branch = await app.branch(page.id, 'schemas');
  await ask('PUT', `${notes(branch.page.id)}/schema`, { schema: { fields: { text, n }, indexes: ['n'] } });
  await ask('PUT', `${notes(page.id)}/schema`, { schema: { fields: { text } } });
  const refused = await send('POST', `${page.path('schemas')}/merge`);
  expect([refused.status, refused.body.error]).toEqual([
    409,
    expect.stringContaining('The merged schema of notes would not be valid'),
  ]);
  const take = [{ path: 'collections', from: 'branch' }];
  await ask('POST', `${page.path('schemas')}/merge`, { take });
  expect((await ask('GET', `${notes(page.id)}/schema`)).schema).toMatchObject({ indexes: ['n'] });
});

test('code and schedules of two sides that do not fit together are not merged', async () => {
  const scheduled = (rest: string) =>
    `export default {\n  async fetch() { return new Response() },\n${rest}};`;
  const slug = await app.deploy(scheduled('  async scheduled() {},\n'));
  const page = await publish({ functions: [slug] });
  await app.branch(page.id, 'runs');
  await ask('PATCH', `/api/functions/${slug}--runs`, { schedules: [{ cron: '0 4 * * *', timezone: 'UTC' }] });
  await ask('PATCH', `/api/functions/${slug}`, { code: scheduled('') });
  const refused = await send('POST', `${page.path('runs')}/merge`);
  expect([refused.status, refused.body.code]).toEqual([422, 'DEPLOY_FAILED']);
  await ask('PATCH', `/api/functions/${slug}`, { code: scheduled('  async scheduled() { await 0 },\n') });
  await ask('POST', `${page.path('runs')}/merge`);
  expect((await ask('GET', `/api/functions/${slug}`)).schedules).toHaveLength(1);
});

test('changes need the scopes to read functions and records', async () => {
  const slug = await app.deploy(handler('return Response.json({})'));
  const page = await publish({ functions: [slug] });
  await app.branch(page.id, 'scopes');
  const look = async (scopes: string[]) => {
    const { token } = await ask('POST', '/api/auth/tokens', { name: scopes.join(), scopes });
    const { status, body } = await app.quire.call('GET', `${page.path('scopes')}/changes`, { token });
    return [status, body.scope];
  };
  expect(await look(['pages:read'])).toEqual([403, 'functions:read']);
  expect(await look(['pages:read', 'functions:read'])).toEqual([403, 'social-data:read']);
  expect(await look(['pages:read', 'functions:read', 'social-data:read'])).toEqual([200, undefined]);
});

test('no branch has the name of a copy whose name is the permission to call it', async () => {
  const page = await publish();
  const branches = `/api/pages/${page.id}/branches`;
  const name = 'try-0123456789abcdef';
  expect((await send('POST', branches, { name, data: 'all' })).status).toBe(409);
  await app.branch(page.id, 'named');
  for (const refused of [name, `${name}-2`])
    expect((await send('PATCH', `${branches}/named`, { name: refused })).status).toBe(409);
  expect((await ask('PATCH', `${branches}/named`, { name: 'try-this' })).name).toBe('try-this');
});

const KEY = 'sk_live_4eC39HqLyjWDarjtT1zdp7dc';
const secret = (name: string) => `<script>const ${name} = "${KEY}";</script>`;

test('a rehearsal counts what the page does not have yet, and says that no browser tried it', async () => {
  const page = await publish({ html_content: `<h1>one</h1>${secret('key')}` });
  const branch = await app.branch(page.id, 'findings');
  await ask('PATCH', `/api/pages/${branch.page.id}`, { description: 'Tried' });
  const known = await ask('POST', `${page.path('findings')}/merge`);
  const untried = { ok: null, not_tried: { text: expect.stringContaining('not opened in a browser') } };
  expect(known.rehearsal).toMatchObject({ ...untried, findings: 0 });

  const clean = await publish();
  const other = await app.branch(clean.id, 'findings');
  await ask('PATCH', `/api/pages/${other.page.id}`, { html_content: `<h1>one</h1>${secret('key')}` });
  const more = await ask('POST', `${clean.path('findings')}/merge`);
  expect(more.rehearsal).toMatchObject({ ...untried, findings: 1 });
}, 120_000);

test('a merge of which only the records were taken back can be taken back as a whole later', async () => {
  const page = await publish();
  const branch = await app.branch(page.id, 'halves');
  await ask('PATCH', `/api/pages/${branch.page.id}`, { description: 'Tried' });
  await add(branch.page.id, { text: 'tried' });
  const { undo } = await ask('POST', `${page.path('halves')}/merge`, { records: true });
  const count = async () => (await ask('GET', `${page.path('halves')}/changes`)).branch;
  expect(await count()).toBe(0);
  await ask('POST', `/api/pages/${page.id}/restore`, { at: undo, parts: ['records'] });
  expect(await count()).toBe(1);
  await ask('POST', `/api/pages/${page.id}/restore`, { at: undo, parts: ['page'] });
  expect(await count()).toBe(2);
}, 120_000);

test('a merge that another node has ended changes no more records', async () => {
  const page = await publish();
  const branch = await app.branch(page.id, 'taken-over');
  for (let from = 0; from < 3_000; from += 100) {
    const operations = Array.from({ length: 100 }, (_, n) => ({
      op: 'create',
      data: { text: `${from + n}` },
    }));
    await ask('POST', `${notes(branch.page.id)}/batch`, { operations });
  }
  const merging = send('POST', `${page.path('taken-over')}/merge`, { records: true });
  const readStep = async () => (await ask('GET', `/api/pages/${page.id}/restore`)).restore?.step;
  const count = async () => (await ask('GET', `${notes(page.id)}/count`)).count as number;
  while ((await readStep()) !== 'records') await new Promise(setImmediate);
  // As if this node had not answered for a while.
  await runSql(place(), `update restores set step = 'done', finished_at = 1 where page_id = ${page.id}`);
  const { status, body } = await merging;
  const merged = await count();
  expect([status, body.code]).toEqual([503, 'UNAVAILABLE']);
  expect(body.error).toStartWith('Another node goes on with this restore.');
  expect(merged).toBeLessThan(3_000);
  await Bun.sleep(300);
  expect(await count()).toBe(merged);
});

const addAs = async (user: TestUser, id: number, data: object) => {
  const { status, body } = await user.call('POST', notes(id), { body: { data } });
  expect(status).toBe(201);
  return body.id as string;
};

test('what a visitor deletes as their own data leaves all branches, and no merge brings it back', async () => {
  const visitor = await app.quire.user();
  const page = await publish();
  await add(page.id, { text: 'of the owner' });
  await addAs(visitor, page.id, { text: 'theirs' });
  const deleted = await addAs(visitor, page.id, { text: 'deleted before' });
  const one = await app.branch(page.id, 'one');
  const masked = await app.branch(page.id, 'masked', { data: 'masked' });
  expect((await visitor.call('DELETE', `${notes(page.id)}/${deleted}`)).status).toBe(204);
  const stored = async () => (await visitor.call('GET', '/api/auth/stored')).body.pages;
  expect(await stored()).toEqual([
    expect.objectContaining({ pageId: page.id, name: 'Guest book', slug: page.slug, records: 5 }),
  ]);

  // Whichever of them they name.
  const { body } = await visitor.call('DELETE', `/api/auth/stored/${masked.page.id}`);
  expect(body).toMatchObject({ deleted: 5, isDone: true });
  expect(await stored()).toEqual([]);
  const lists = async () => [await list(page.id), await list(one.page.id)];
  expect(await lists()).toEqual([['of the owner'], ['of the owner']]);
  const known = `select 1 from record_changes where before is not null and created_by = ${visitor.id}`;
  expect(await readSql(place(), known)).toEqual([]);
  await ask('POST', `${page.path('one')}/merge`, { records: true });
  await ask('POST', `${page.path('one')}/update`);
  expect(await lists()).toEqual([['of the owner'], ['of the owner']]);
});

/** Deletes a record for good on a page or a branch, and not on the others. */
async function forget(pageId: number, id: string): Promise<void> {
  const one = `id = '${id}' and collection_id = (select id from collections where page_id = ${pageId})`;
  await runSql(
    place(),
    `insert into record_changes (collection_id, record_id, at, action, size, created_by, created_at, updated_at)
      select collection_id, id, ${Date.now()}, 'delete', 0, created_by, created_at, updated_at
      from records where ${one}`,
    `delete from records where ${one}`,
  );
}

test('what was deleted for good on one side goes from the other, and take does not bring it back', async () => {
  const page = await publish();
  const [onBranch, onPage] = [await add(page.id, { text: 'a' }), await add(page.id, { text: 'b' })];
  const branch = await app.branch(page.id, 'good');
  await forget(page.id, onBranch);
  await forget(branch.page.id, onPage);
  await ask('PATCH', `${notes(branch.page.id)}/${onBranch}`, { data: { text: 'A' } });
  await ask('PATCH', `${notes(page.id)}/${onPage}`, { data: { text: 'B' } });
  const { changes } = await ask('GET', `${page.path('good')}/changes`);
  expect(changes).toMatchObject([
    { path: `records/social/notes/${onBranch}`, side: 'main', action: 'deleted', conflict: false },
    { path: `records/social/notes/${onPage}`, side: 'branch', action: 'deleted', conflict: false },
  ]);
  const take = [{ path: 'records', from: 'branch' }];
  await ask('POST', `${page.path('good')}/merge`, { records: true, take });
  expect([await list(page.id), await list(branch.page.id)]).toEqual([[], ['A']]);
  await ask('POST', `${page.path('good')}/update`);
  expect([await list(page.id), await list(branch.page.id)]).toEqual([[], []]);
});

test('an update brings nothing to a branch that was deleted there for good', async () => {
  const page = await publish();
  const id = await add(page.id, { text: 'b' });
  const branch = await app.branch(page.id, 'other-way');
  await forget(branch.page.id, id);
  await ask('PATCH', `${notes(page.id)}/${id}`, { data: { text: 'B' } });
  const take = [{ path: 'records', from: 'main' }];
  await ask('POST', `${page.path('other-way')}/update`, { take });
  expect([await list(page.id), await list(branch.page.id)]).toEqual([['B'], []]);
});

// The last test: it moves the clock by a week, and logins end.
test('what a visitor deleted before they deleted their account is not brought back', async () => {
  const { quire } = app;
  const visitor = await quire.user();
  const page = await publish();
  const deleted = await addAs(visitor, page.id, { text: 'deleted before' });
  await addAs(visitor, page.id, { text: 'stays' });
  const branch = await app.branch(page.id, 'week');
  expect((await visitor.call('DELETE', `${notes(page.id)}/${deleted}`)).status).toBe(204);
  const left = await quire.call('POST', '/api/auth/account/delete', {
    headers: { cookie: await visitor.login() },
    body: { username: visitor.username },
  });
  expect(left.status).toBe(200);
  quire.advance(7 * 24 * 3600 * 1000 + 1000);
  await quire.app.sweep();
  expect(await readSql(place(), `select 1 from users where id = ${visitor.id}`)).toEqual([]);
  const { username, password } = app.owner;
  const { accessToken: token } = (
    await quire.call('POST', '/api/auth/token', { body: { username, password } })
  ).body;
  const again = async (method: string, path: string, body?: object) => {
    const response = await quire.call(method, path, { token, ...(body && { body }) });
    expect([path, response.status, response.body.error]).toEqual([path, 200, undefined]);
    return response.body;
  };
  const texts = async (id: number) =>
    (await again('GET', notes(id))).records.map(({ data }: { data: { text: string } }) => data.text);
  const take = [{ path: 'records', from: 'branch' }];
  await again('POST', `${page.path('week')}/merge`, { records: true, take });
  expect(await texts(page.id)).toEqual(['stays']);
  await again('POST', `${page.path('week')}/update`, {});
  expect(await texts(branch.page.id)).toEqual(['stays']);
});
