import { afterAll, beforeAll, expect, test } from 'bun:test';
import { MAX_BRANCHES } from '../../../contract/rules/limits.ts';
import { type BranchApp, branchApp, handler } from '../../support/branches/branches.ts';
import { readSql } from '../../support/engines/storage.ts';

let app: BranchApp;
beforeAll(async () => {
  app = await branchApp();
});
afterAll(() => app.quire.stop());

const answer = (text: string) => handler(`return Response.json({ text: ${JSON.stringify(text)} })`);
const list = async (id: number, type = 'social-data', collection = 'notes') =>
  (await app.owner.call('GET', `/api/pages/${id}/${type}/${collection}?orderBy=created_at&order=asc`)).body
    .records as Array<{ id: string; data: Record<string, unknown> }>;
const add = async (id: number, data: object, as = app.owner, type = 'social-data', collection = 'notes') => {
  const { status, body } = await as.call('POST', `/api/pages/${id}/${type}/${collection}`, {
    body: { data },
  });
  expect(status).toBe(201);
  return body.id as string;
};

test('a branch is a page with copies of the document, settings, functions and records', async () => {
  const { owner, stranger } = app;
  const slug = await app.deploy(answer('main'));
  const page = await owner.publish({
    name: 'Guest book',
    html_content: '<p>main</p>',
    storage_mode: 'social_app',
    functions: [slug],
    page_api_ai_enabled: true,
  });
  const schema = { fields: { text: { type: 'string', required: true } }, strict: false };
  await owner.call('PUT', `/api/pages/${page.id}/social-data/notes/schema`, { body: { schema } });
  const first = await add(page.id, { text: 'one' });
  await add(page.id, { text: 'two' }, stranger);
  const branch = await app.branch(page.id, 'try');
  expect(branch).toMatchObject({
    of: page.id,
    data: 'all',
    access: { mode: 'team' },
    by: 'owner',
    functions: [{ name: slug, slug: `${slug}--try` }],
  });
  expect(branch.page.slug).toBe(`${page.slug}--try`);
  const { body } = await owner.call('GET', `/api/pages/${branch.page.id}`);
  expect(body.page).toMatchObject({
    html_content: '<p>main</p>',
    name: 'Guest book',
    page_api_ai_enabled: true,
    is_unlisted: true,
    is_published: true,
    functions: [`${slug}--try`],
    branch: { of: page.id, name: 'try', base: branch.base },
  });
  const records = await list(branch.page.id);
  expect(records.map(({ data }) => data)).toEqual([{ text: 'one' }, { text: 'two' }]);
  expect(records[0]?.id).toBe(first);
  const copied = await owner.call('GET', `/api/pages/${branch.page.id}/social-data/notes/schema`);
  expect(copied.body.schema.fields).toEqual(schema.fields);
  // What is done on one side is not seen on the other.
  await owner.call('PATCH', `/api/pages/${branch.page.id}/social-data/notes/${first}`, {
    body: { data: { text: 'changed' } },
  });
  await add(branch.page.id, { text: 'three' });
  expect((await list(page.id)).map(({ data }) => data.text)).toEqual(['one', 'two']);
  // Only the team sees it, and no list has it.
  expect((await stranger.call('GET', `/api/pages/${branch.page.id}/social-data/notes`)).status).toBe(403);
  expect((await app.quire.request(`/p/${branch.page.slug}`)).status).not.toBe(200);
  const { pages } = (await owner.call('GET', '/api/pages')).body;
  expect(pages.map(({ id }: { id: number }) => id)).not.toContain(branch.page.id);
  expect((await owner.call('GET', `/api/pages/${page.id}/branches`)).body).toMatchObject({
    branches: [{ name: 'try' }],
    limit: MAX_BRANCHES,
  });
});

test('a function name means the copy of the branch, and a name that it does not have means nothing', async () => {
  const { owner } = app;
  const helper = await app.deploy(answer('main helper'));
  const outside = await app.deploy(answer('outside'));
  const slug = await app.deploy(
    handler(`return Response.json({ helper: await env.FUNCTIONS.call(${JSON.stringify(helper)}).catch((e) => e.message),
      outside: await env.FUNCTIONS.call(${JSON.stringify(outside)}).catch((e) => String(e.message)) })`),
  );
  const page = await owner.publish({ name: 'Caller', functions: [slug, helper] });
  const branch = await app.branch(page.id, 'names');
  const redeployed = await owner.call('PATCH', `/api/functions/${helper}--names`, {
    body: { code: answer('branch helper') },
  });
  expect(redeployed.status).toBe(200);
  const from = (id: number) => app.callFrom(id, slug);
  expect((await from(page.id)).body).toEqual({
    helper: { text: 'main helper' },
    outside: { text: 'outside' },
  });
  const inBranch = (await from(branch.page.id)).body as Record<string, unknown>;
  expect(inBranch.helper).toEqual({ text: 'branch helper' });
  expect(inBranch.outside).toContain('no function');
  expect((await app.callFrom(branch.page.id, helper)).body).toEqual({ text: 'branch helper' });
  expect((await app.callFrom(branch.page.id, outside)).status).toBe(404);
  expect((await app.callFrom(page.id, outside)).body).toEqual({ text: 'outside' });
  // Without a host of its own, the page of a branch says where a call comes from.
  const named = await app.quire.request(`/api/functions/${helper}?quire_branch=${branch.page.id}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${owner.token}` },
  });
  expect(await named.json()).toEqual({ text: 'branch helper' });
  const referred = await app.quire.request(`/api/functions/${outside}`, {
    method: 'POST',
    headers: { referer: `${app.quire.baseUrl}/p/${branch.page.slug}` },
  });
  expect(referred.status).toBe(404);
  const ticket = await owner.call('POST', `/api/pages/${branch.page.id}/call-ticket`, {
    body: { function: outside },
  });
  expect(ticket.status).toBe(404);
});

test('databases are copied, or only their tables, or with other texts', async () => {
  const { owner } = app;
  const slug = await app.deploy(answer('db'), { enableDatabase: true });
  const sql = async (name: string, text: string) => {
    const { status, body } = await app.sql(name, { sql: text });
    expect([status, body.error]).toEqual([200, undefined]);
    return body.results;
  };
  await sql(slug, 'create table people (id integer primary key, name text, email text, age integer)');
  await sql(slug, 'create table log (what text)');
  await sql(
    slug,
    'create trigger on_people after update on people begin insert into log values (old.name); end',
  );
  await sql(slug, "insert into people values (7, 'Anna Meier', 'anna@example.com', 30)");
  const page = await owner.publish({ name: 'Databases', functions: [slug] });
  await app.branch(page.id, 'whole');
  await app.branch(page.id, 'bare', { data: 'schema' });
  await app.branch(page.id, 'mask', { data: 'masked' });
  await sql(slug, "update people set name = 'Somebody else'");
  expect(await sql(`${slug}--whole`, 'select name, email from people')).toEqual([
    { name: 'Anna Meier', email: 'anna@example.com' },
  ]);
  expect(await sql(`${slug}--bare`, 'select * from people')).toEqual([]);
  const [masked] = await sql(`${slug}--mask`, 'select * from people');
  expect(masked).toMatchObject({ id: 7, age: 30 });
  expect(masked.name).toHaveLength('Anna Meier'.length);
  expect(JSON.stringify(masked)).not.toContain('nna');
  expect(await sql(`${slug}--mask`, 'select * from log')).toEqual([]);
  const triggers = "select name from sqlite_master where type = 'trigger'";
  expect(await sql(`${slug}--mask`, triggers)).toEqual([{ name: 'on_people' }]);
  expect(await sql(`${slug}--bare`, triggers)).toEqual([{ name: 'on_people' }]);
});

test('masked records keep ids, numbers and equal texts, and lose everything that names somebody', async () => {
  const { owner } = app;
  const page = await owner.publish({ name: 'Masked', storage_mode: 'social_app' });
  const people = [
    {
      name: 'Anna Meier',
      email: 'anna@example.com',
      city: 'Bern',
      age: 30,
      status: 'open',
      at: '2026-01-31',
    },
    {
      name: 'Bert',
      email: 'bert@example.com',
      city: 'Bern',
      tags: ['vip'],
      nested: { note: 'Call 079 123' },
    },
  ];
  for (const data of people) await add(page.id, data);
  const branch = await app.branch(page.id, 'mask', { data: 'masked' });
  const records = await list(branch.page.id);
  const text = JSON.stringify(records.map(({ data }) => data));
  for (const secret of ['Anna', 'Meier', 'Bert', 'Bern', 'anna@', 'vip', '079'])
    expect(text).not.toContain(secret);
  expect(records.map(({ id }) => id)).toEqual((await list(page.id)).map(({ id }) => id));
  expect(records[0]?.data).toMatchObject({ age: 30, status: 'open', at: '2026-01-31' });
  expect(records[0]?.data.city).toBe(records[1]?.data.city);
  const bare = await app.branch(page.id, 'bare', { data: 'schema' });
  expect(await list(bare.page.id)).toEqual([]);
});

test('a branch starts from an earlier moment, also after records were changed and deleted', async () => {
  const { owner } = app;
  const page = await owner.publish({
    name: 'Earlier',
    storage_mode: 'social_app',
    html_content: '<p>old</p>',
  });
  const path = `/api/pages/${page.id}/social-data/notes`;
  const ids: string[] = [];
  for (const text of ['stays', 'changes', 'goes']) ids.push(await add(page.id, { text }));
  const { body: moment } = await owner.call('POST', `/api/pages/${page.id}/moments`, {
    body: { name: 'Then' },
  });
  await owner.call('PATCH', `${path}/${ids[1]}`, { body: { data: { text: 'changed' } } });
  await owner.call('DELETE', `${path}/${ids[2]}`);
  await add(page.id, { text: 'new' });
  await owner.call('PATCH', `/api/pages/${page.id}`, { body: { html_content: '<p>new</p>' } });
  const branch = await app.branch(page.id, 'then', { at: moment.at });
  expect(branch.base).toBe(moment.at);
  expect((await list(branch.page.id)).map(({ data }) => data.text)).toEqual(['stays', 'changes', 'goes']);
  const { body } = await owner.call('GET', `/api/pages/${branch.page.id}`);
  expect(body.page.html_content).toBe('<p>old</p>');
  // The moment that the branch needs stays, without its name.
  await owner.call('DELETE', `/api/pages/${page.id}/moments/${moment.at}`);
  const { moments } = (await owner.call('GET', `/api/pages/${page.id}/moments`)).body;
  expect(moments.map(({ at }: { at: string }) => at)).toContain(moment.at);
  const none = await owner.call('POST', `/api/pages/${page.id}/branches`, {
    body: { name: 'never', data: 'all', at: '2001-01-01T00:00:00Z' },
  });
  expect(none.status).toBe(404);
});

test('of private records, only those of the owner are copied', async () => {
  const { owner, stranger } = app;
  const page = await owner.publish({ name: 'Solo', storage_mode: 'solo_app' });
  await add(page.id, { text: 'mine' }, owner, 'solo-data');
  await add(page.id, { text: 'theirs' }, stranger, 'solo-data');
  const branch = await app.branch(page.id, 'solo');
  expect((await list(branch.page.id, 'solo-data')).map(({ data }) => data.text)).toEqual(['mine']);
  await owner.call('PATCH', `/api/pages/${branch.page.id}`, { body: { access: { mode: 'public' } } });
  const theirs = await stranger.call('GET', `/api/pages/${branch.page.id}/solo-data/notes`);
  expect(theirs.body.records).toEqual([]);
});

test('refuses what a branch cannot be', async () => {
  const { owner, stranger } = app;
  const page = await owner.publish({ name: 'Refusals' });
  const make = (id: number, body: object, as = owner) =>
    as.call('POST', `/api/pages/${id}/branches`, { body });
  for (const name of ['', '-', 'a b', 'ä', '-a', 'a-', 'a/b', 'x'.repeat(31)])
    expect((await make(page.id, { name, data: 'all' })).status).toBe(400);
  expect((await make(page.id, { name: 'x', data: 'some' })).status).toBe(400);
  expect((await make(page.id, { name: 'x' })).status).toBe(400);
  expect((await make(page.id, { name: 'x', data: 'all' }, stranger)).status).toBe(403);
  expect((await make(999_999, { name: 'x', data: 'all' })).status).toBe(404);
  const branch = await app.branch(page.id, 'x'.repeat(30));
  expect((await make(page.id, { name: 'X'.repeat(30), data: 'all' })).status).toBe(409);
  expect((await make(branch.page.id, { name: 'inner', data: 'all' })).status).toBe(409);
  for (let count = 2; count <= MAX_BRANCHES; count++) await app.branch(page.id, `b${count}`);
  expect((await make(page.id, { name: 'toomany', data: 'all' })).body.code).toBe('QUOTA_EXCEEDED');
  for (const body of [
    { is_listed: true },
    { is_unlisted: false },
    { slug: 'other' },
    { storage_mode: 'solo_app' },
  ])
    expect((await owner.call('PATCH', `/api/pages/${branch.page.id}`, { body })).status).toBe(409);
  expect(
    (await owner.call('POST', `/api/pages/${branch.page.id}/domains`, { body: { domain: 'a.example.com' } }))
      .status,
  ).toBe(409);
});

test('a branch is renamed, shown to others, and deleted with everything that it has', async () => {
  const { owner, stranger, quire } = app;
  const slug = await app.deploy(answer('main'), { enableDatabase: true });
  const page = await owner.publish({ name: 'Renamed', functions: [slug] });
  const usage = () => readSql(quire, `select pages, functions, bytes from usage where user_id = ${owner.id}`);
  const before = await usage();
  const branch = await app.branch(page.id, 'first');
  const path = `/api/pages/${page.id}/branches`;
  const renamed = await owner.call('PATCH', `${path}/first`, {
    body: { name: 'second', access: { mode: 'public' } },
  });
  expect(renamed.body).toMatchObject({ name: 'second', access: { mode: 'public' } });
  expect(renamed.body.page.slug).toBe(`${page.slug}--second`);
  const shown = await quire.request(`/p/${page.slug}--second`);
  expect([shown.status, shown.headers.get('x-robots-tag')]).toEqual([200, 'noindex']);
  expect((await stranger.call('GET', `${path}/second`)).status).toBe(403);
  expect((await stranger.call('DELETE', `${path}/second`)).status).toBe(403);
  expect((await owner.call('DELETE', `${path}/second`)).status).toBe(200);
  expect((await owner.call('GET', `/api/functions/${slug}--first`)).status).toBe(404);
  expect((await owner.call('GET', `/api/pages/${branch.page.id}`)).status).toBe(404);
  expect(await usage()).toEqual(before);
  // Its branches go with a page.
  const last = await app.branch(page.id, 'last');
  expect((await owner.call('DELETE', `/api/pages/${page.id}`)).status).toBe(200);
  expect((await owner.call('GET', `/api/pages/${last.page.id}`)).status).toBe(404);
  expect((await owner.call('GET', `/api/functions/${slug}--last`)).status).toBe(404);
  expect((await owner.call('GET', `/api/functions/${slug}`)).status).toBe(200);
});
