import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { BranchChanges } from '../../../contract/pages/branches/changes.ts';
import { SCOPES } from '../../../contract/scopes.ts';
import { type BranchApp, branchApp, handler } from '../../support/branches/branches.ts';
import { form } from '../../support/pages/files.ts';

let app: BranchApp;
beforeAll(async () => {
  app = await branchApp({ QUIRE_DEPLOYS_PER_HOUR: '0' });
});
afterAll(() => app.quire.stop());

const answer = (text: string) =>
  handler(
    `\n// first\nconst a = 1;\nconst b = 2;\n// last\nreturn Response.json({ text: ${JSON.stringify(text)} })`,
  );
const HTML = '<h1>one</h1>\n<p>two</p>\n<p>three</p>\n<p>four</p>\n';

const ask = async (method: string, path: string, body?: object) => {
  const response = await app.owner.call(method, path, body && { body });
  expect([path, response.status, response.body.error]).toEqual([
    path,
    response.status < 300 ? response.status : 200,
    undefined,
  ]);
  return response.body;
};
const read = async (id: number) => (await ask('GET', `/api/pages/${id}`)).page;
const add = async (id: number, data: object) =>
  (await ask('POST', `/api/pages/${id}/social-data/notes`, { data })).id as string;
const change = (id: number, record: string, data: object) =>
  ask('PATCH', `/api/pages/${id}/social-data/notes/${record}`, { data });
const list = async (id: number) =>
  (await ask('GET', `/api/pages/${id}/social-data/notes?orderBy=created_at&order=asc`)).records as Array<{
    id: string;
    data: Record<string, unknown>;
  }>;
const changes = async (id: number, name: string, query = ''): Promise<BranchChanges> =>
  ask('GET', `/api/pages/${id}/branches/${name}/changes${query}`);
const paths = ({ changes }: BranchChanges) => changes.map(({ path, side }) => `${path} ${side}`);
const merge = (id: number, name: string, body: object = {}) =>
  ask('POST', `/api/pages/${id}/branches/${name}/merge`, body);

async function publish(fields: Record<string, unknown> = {}) {
  const slug = await app.deploy(answer('main'));
  const page = await app.owner.publish({
    ...{ name: 'Guest book', html_content: HTML, storage_mode: 'social_app', functions: [slug] },
    ...fields,
  });
  return { page, slug };
}

test('changes of both sides are told apart, and merged without losing one of them', async () => {
  const { page, slug } = await publish();
  const ids = [await add(page.id, { text: 'one', n: 1 }), await add(page.id, { text: 'two', n: 1 })];
  const schema = { fields: { text: { type: 'string', required: true } }, strict: false };
  await ask('PUT', `/api/pages/${page.id}/social-data/notes/schema`, { schema });
  const branch = await app.branch(page.id, 'try');
  const id = branch.page.id;
  expect(await changes(page.id, 'try')).toMatchObject({ branch: 0, main: 0, conflicts: 0, changes: [] });

  await ask('PATCH', `/api/pages/${id}`, { html_content: HTML.replace('one', 'ONE'), description: 'Tried' });
  await ask('PATCH', `/api/functions/${slug}--try`, { code: answer('main').replace('// first', '// FIRST') });
  await ask('PUT', `/api/pages/${id}/social-data/notes/schema`, {
    schema: { ...schema, fields: { ...schema.fields, n: { type: 'number' } } },
  });
  await change(id, ids[0] ?? '', { text: 'ONE' });
  const added = await add(id, { text: 'from the branch' });
  await ask('DELETE', `/api/pages/${id}/social-data/notes/${ids[1]}`);

  await ask('PATCH', `/api/pages/${page.id}`, {
    html_content: HTML.replace('four', 'FOUR'),
    name: 'Renamed',
  });
  await ask('PATCH', `/api/functions/${slug}`, { code: answer('main').replace('// last', '// LAST') });
  await change(page.id, ids[0] ?? '', { n: 2 });
  const later = await add(page.id, { text: 'from the page' });

  const found = await changes(page.id, 'try');
  expect(paths(found)).toEqual([
    'collections/social/notes/schema branch',
    'files/index.html both',
    `functions/${slug}/code both`,
    'settings/description branch',
    'settings/name main',
    `records/social/notes/${ids[0]} both`,
    `records/social/notes/${ids[1]} branch`,
    `records/social/notes/${added} branch`,
    `records/social/notes/${later} main`,
  ]);
  expect(found).toMatchObject({ branch: 7, main: 5, conflicts: 0, next: null });
  const [document] = (await changes(page.id, 'try', '?path=files/index.html')).changes;
  expect(document?.merged?.text).toBe(HTML.replace('one', 'ONE').replace('four', 'FOUR'));

  const tried = await merge(page.id, 'try', { dry_run: true, records: true });
  expect(tried).toMatchObject({
    ...{ dry_run: true, version: null, undo: null, conflict_count: 0 },
    numbers: {
      files: 1,
      settings: 1,
      functions: 1,
      collections: 1,
      records: { created: 1, updated: 1, deleted: 1 },
    },
  });
  expect((await read(page.id)).name).toBe('Renamed');
  expect((await list(page.id)).map(({ data }) => data.text)).toEqual(['one', 'two', 'from the page']);

  const merged = await merge(page.id, 'try', { records: true });
  expect(merged.version).toBe(3);
  expect(await read(page.id)).toMatchObject({
    ...{ name: 'Renamed', description: 'Tried', functions: [slug] },
    html_content: HTML.replace('one', 'ONE').replace('four', 'FOUR'),
  });
  const { code } = await ask('GET', `/api/functions/${slug}/code`);
  expect(code).toContain('// FIRST');
  expect(code).toContain('// LAST');
  expect((await app.callFrom(page.id, slug)).body).toEqual({ text: 'main' });
  expect((await list(page.id)).map(({ data }) => data)).toEqual([
    { text: 'ONE', n: 2 },
    { text: 'from the branch' },
    { text: 'from the page' },
  ]);
  const { schema: now } = await ask('GET', `/api/pages/${page.id}/social-data/notes/schema`);
  expect(Object.keys(now.fields)).toEqual(['text', 'n']);

  // The branch stays, with the merge as what it is compared with.
  const left = await changes(page.id, 'try');
  expect(left).toMatchObject({ branch: 0, conflicts: 0 });
  expect((await ask('GET', `/api/pages/${page.id}/branches/try`)).base).not.toBe(branch.base);

  await ask('POST', `/api/pages/${page.id}/branches/try/update`);
  expect(await changes(page.id, 'try')).toMatchObject({ branch: 0, main: 0, changes: [] });
  expect((await list(id)).map(({ data }) => data)).toEqual((await list(page.id)).map(({ data }) => data));

  await ask('POST', `/api/pages/${page.id}/restore`, { at: merged.undo });
  expect(await read(page.id)).toMatchObject({
    name: 'Renamed',
    description: '',
    html_content: HTML.replace('four', 'FOUR'),
  });
  expect((await list(page.id)).map(({ data }) => data)).toEqual([
    { text: 'one', n: 2 },
    { text: 'two', n: 1 },
    { text: 'from the page' },
  ]);
});

test('nothing is merged until each conflict is decided', async () => {
  const { page, slug } = await publish();
  const record = await add(page.id, { text: 'one', n: 1 });
  const branch = await app.branch(page.id, 'clash');
  const id = branch.page.id;
  for (const [page, name, text] of [
    [id, `${slug}--clash`, 'branch'],
    [branch.of, slug, 'page'],
  ] as const) {
    await ask('PATCH', `/api/pages/${page}`, { html_content: HTML.replace('two', text), name: text });
    await ask('PATCH', `/api/functions/${name}`, { code: answer(text) });
    await change(page, record, { text });
  }
  const found = await changes(page.id, 'clash', '?side=conflicts');
  expect(found.conflicts).toBe(4);
  expect(paths(found)).toEqual([
    'files/index.html both',
    `functions/${slug}/code both`,
    'settings/name both',
    `records/social/notes/${record} both`,
  ]);
  expect(found.changes.at(-1)?.fields).toEqual([
    { name: 'text', action: 'changed', side: 'both', conflict: true },
  ]);
  const first = await changes(page.id, 'clash', '?limit=3');
  expect(first.next).toBe('settings/name');
  expect(paths(await changes(page.id, 'clash', `?after=${first.next}`))).toEqual([
    `records/social/notes/${record} both`,
  ]);

  const path = `/api/pages/${page.id}/branches/clash`;
  for (const action of ['merge', 'update']) {
    const refused = await app.owner.call('POST', `${path}/${action}`, { body: {} });
    expect(refused.status).toBe(409);
    expect(refused.body.conflict_count).toBe(action === 'merge' ? 3 : 4);
    expect(refused.body.conflicts[0]).toMatchObject({ path: 'files/index.html', conflict: true });
  }
  expect((await read(page.id)).name).toBe('page');
  expect((await read(id)).name).toBe('branch');
  const take = [
    { path: 'files', from: 'branch' },
    { path: 'settings/name', from: 'main' },
    { path: `functions/${slug}`, from: 'branch' },
  ];
  expect((await merge(page.id, 'clash', { dry_run: true, take, records: true })).conflict_count).toBe(1);
  // Without records, those of both sides stay.
  await merge(page.id, 'clash', { take });
  expect(await read(page.id)).toMatchObject({ html_content: HTML.replace('two', 'branch'), name: 'page' });
  expect((await app.callFrom(page.id, slug)).body).toEqual({ text: 'branch' });
  expect((await list(page.id))[0]?.data.text).toBe('page');
  expect(await changes(page.id, 'clash')).toMatchObject({ conflicts: 1 });
  const last = await merge(page.id, 'clash', { records: true, take: [{ path: 'records', from: 'branch' }] });
  expect((await list(page.id))[0]?.data.text).toBe('branch');
  // The name of the page is its own change now, and an update brings it.
  expect(paths(await changes(page.id, 'clash'))).toEqual(['settings/name main']);
  await ask('POST', `/api/pages/${page.id}/restore`, { at: last.undo });
  expect(paths(await changes(page.id, 'clash', '?side=conflicts'))).toEqual([
    `records/social/notes/${record} both`,
  ]);
});

test('functions that a branch adds or removes come along, and can be undone', async () => {
  const { page, slug } = await publish();
  const branch = await app.branch(page.id, 'parts');
  const id = branch.page.id;
  const added = await app.deploy(answer('added'), { enableDatabase: true, pageId: id });
  await app.sql(added, { sql: 'create table t (n integer)' });
  await app.sql(added, { sql: 'insert into t values (7)' });
  await ask('PATCH', `/api/pages/${id}`, { functions: [added] });
  expect(paths(await changes(page.id, 'parts'))).toEqual([
    ...[`functions/${added} branch`, `functions/${slug} branch`].sort(),
  ]);
  const { undo } = await merge(page.id, 'parts');
  expect((await read(page.id)).functions).toEqual([added]);
  expect((await app.callFrom(page.id, added)).body).toEqual({ text: 'added' });
  expect((await app.sql(added, { sql: 'select n from t' })).body.results).toEqual([{ n: 7 }]);
  const { functions } = await ask('GET', `/api/pages/${page.id}/branches/parts`);
  expect(functions).toMatchObject([{ name: added }]);
  expect((await app.callFrom(id, added)).body).toEqual({ text: 'added' });
  expect(await changes(page.id, 'parts')).toMatchObject({ branch: 0, main: 0 });
  await ask('POST', `/api/pages/${page.id}/restore`, { at: undo });
  expect((await read(page.id)).functions).toEqual([slug]);
  expect(paths(await changes(page.id, 'parts', '?side=branch'))).toEqual([
    ...[`functions/${added} branch`, `functions/${slug} branch`].sort(),
  ]);
  await merge(page.id, 'parts');
  expect((await read(page.id)).functions).toEqual([added]);
});

test('files that are not text are taken as a whole, and settings, schemas and rules by field', async () => {
  const { page } = await publish();
  const upload = async (id: number, files: Record<string, string | Uint8Array>) => {
    const response = await app.quire.request(`/api/pages/${id}/files`, {
      method: 'PUT',
      headers: { authorization: `Bearer ${app.owner.token}` },
      body: form(files),
    });
    expect([response.status, await response.text()]).toEqual([200, expect.anything()]);
  };
  const schema = (fields: object, rest: object = {}) => ({ schema: { fields, strict: false, ...rest } });
  const text = { type: 'string' };
  const notes = (id: number) => `/api/pages/${id}/social-data/notes/schema`;
  await upload(page.id, { 'style.css': 'a {}\nb {}\nc {}\nd {}\n', 'x.bin': new Uint8Array([0, 1, 2]) });
  await ask('PUT', notes(page.id), schema({ text }));
  const branch = await app.branch(page.id, 'files');
  const id = branch.page.id;
  await upload(id, {
    'style.css': 'A {}\nb {}\nc {}\nd {}\n',
    'x.bin': new Uint8Array([0, 1, 3]),
    'new/a.txt': 'new',
  });
  await upload(page.id, { 'style.css': 'a {}\nb {}\nc {}\nD {}\n', 'x.bin': new Uint8Array([0, 1, 4]) });
  await ask('PUT', notes(id), schema({ text, from: text }, { rules: { create: 'user' } }));
  await ask('PUT', notes(page.id), schema({ text: { type: 'string', required: true }, later: text }));
  const found = await changes(page.id, 'files');
  expect(found.changes.map(({ path, conflict }) => `${path} ${conflict}`)).toEqual([
    'collections/social/notes/rules false',
    'collections/social/notes/schema false',
    'files/new/a.txt false',
    'files/style.css false',
    'files/x.bin true',
  ]);
  expect(found.changes.at(-1)?.branch).toEqual({ text: null, bytes: 3, truncated: false });
  await merge(page.id, 'files', { take: [{ path: 'files/x.bin', from: 'branch' }] });
  const get = async (path: string) =>
    new Uint8Array(
      await (
        await app.quire.request(`/api/pages/${page.id}/files/${path}`, {
          headers: { authorization: `Bearer ${app.owner.token}` },
        })
      ).arrayBuffer(),
    );
  expect(new TextDecoder().decode(await get('style.css'))).toBe('A {}\nb {}\nc {}\nD {}\n');
  expect([...(await get('x.bin'))]).toEqual([0, 1, 3]);
  expect(new TextDecoder().decode(await get('new/a.txt'))).toBe('new');
  const merged = (await ask('GET', notes(page.id))).schema;
  expect(merged.fields).toEqual({ text: { type: 'string', required: true }, later: text, from: text });
  expect(merged.rules).toEqual({ create: 'user' });
});

test('programs do not merge into a protected page, and strangers see and change nothing', async () => {
  const { page } = await publish();
  await ask('PATCH', `/api/pages/${page.id}`, { protected: true });
  const branch = await app.branch(page.id, 'guard');
  await ask('PATCH', `/api/pages/${branch.page.id}`, { description: 'Tried' });
  const token = await ask('POST', '/api/auth/tokens', { name: 'agent', scopes: SCOPES });
  const send = (path: string, body: object) =>
    app.quire.request(`/api/pages/${page.id}/branches/guard/${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token.token}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  const refused = await send('merge', {});
  expect(refused.status).toBe(403);
  expect(await refused.json()).toMatchObject({
    code: 'PROTECTED',
    link: `${app.quire.baseUrl}/pages/${branch.page.id}/merge`,
  });
  expect((await send('merge', { dry_run: true })).status).toBe(200);
  expect((await send('update', {})).status).toBe(200);
  expect((await read(page.id)).description).toBe('');
  for (const [method, path] of [
    ['GET', 'changes'],
    ['POST', 'update'],
    ['POST', 'merge'],
  ] as const)
    expect((await app.stranger.call(method, `/api/pages/${page.id}/branches/guard/${path}`)).status).toBe(
      403,
    );
  const masked = await app.branch(page.id, 'masked', { data: 'masked' });
  expect(masked.data).toBe('masked');
  expect((await changes(page.id, 'masked')).left_out).toHaveLength(1);
});
