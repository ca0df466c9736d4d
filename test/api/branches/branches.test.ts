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

test('keys and references of masked tables name nobody, and still match', async () => {
  const slug = await app.deploy(answer('keys'), { enableDatabase: true });
  const sql = async (name: string, text: string) => {
    const { status, body } = await app.sql(name, { sql: text });
    expect([status, body.error]).toEqual([200, undefined]);
    return body.results as Array<Record<string, unknown>>;
  };
  for (const text of [
    'create table users (email text primary key, api_key text unique, publicKey text)',
    'create table logins (login text primary key references users (email) on update cascade, user_id text)',
    `create table orders (id text primary key, buyer text references users (email) on update restrict,
      parent text references orders (id), created_at text, status text, paid_by text)`,
    'create table codes (code text primary key) without rowid',
    'create table customer_migrations (email text)',
    'create table d1_migrations (id integer primary key, name text)',
    'create virtual table found using fts5 (body)',
    'create table found_people (name text)',
    `insert into users values ('anna@example.com', 'sk_live_1', 'pk_live_1'), ('bert@example.com', 'sk_live_2', 'pk_live_2')`,
    `insert into logins values ('anna@example.com', 'anna@example.com'), ('bert@example.com', 'bert')`,
    `insert into orders values ('0190a1b2-c3d4-7000-8000-000000000001', 'anna@example.com', null, '2026-01-31 10:00:00', 'open', 'bert@example.com'),
      ('o-2', 'bert@example.com', '0190a1b2-c3d4-7000-8000-000000000001', 'soon, says Anna', 'open', null)`,
    `with recursive n (i) as (select 0 union all select i + 1 from n where i < 499)
      insert into codes select char(65 + i / 20, 65 + i % 20) from n`,
    `insert into customer_migrations values ('anna@example.com')`,
    `insert into d1_migrations values (1, '0001_people')`,
    `insert into found values ('Anna')`,
    `insert into found_people values ('Anna')`,
  ])
    await sql(slug, text);
  const page = await app.owner.publish({ name: 'Keys', functions: [slug] });
  await app.branch(page.id, 'mask', { data: 'masked' });
  const copy = `${slug}--mask`;
  const all: Record<string, Array<Record<string, unknown>>> = {};
  for (const table of ['users', 'logins', 'orders', 'customer_migrations', 'found', 'found_people'])
    all[table] = await sql(copy, `select * from ${table}`);
  const written = JSON.stringify(all);
  for (const secret of ['anna', 'Anna', 'bert', 'example.com', 'live']) expect(written).not.toContain(secret);
  expect(await sql(copy, 'select name from d1_migrations')).toEqual([{ name: '0001_people' }]);
  expect(all.users).toHaveLength(2);
  expect(all.customer_migrations).toEqual([{ email: all.users?.[0]?.email }]);
  // What belonged together still does, also without a declared reference.
  const joined = `select count(*) as n from orders o join users u on u.email = o.buyer join logins l on l.login = o.buyer
    left join orders above on above.id = o.parent left join users payer on payer.email = o.paid_by
    where (above.id is null) = (o.parent is null) and (payer.email is null) = (o.paid_by is null)`;
  expect(await sql(copy, joined)).toEqual([{ n: 2 }]);
  expect(all.logins?.find(({ user_id }) => user_id === all.users?.[0]?.email)).toBeDefined();
  expect(await sql(copy, "select id, parent, created_at, status from orders where id like '0190%'")).toEqual([
    {
      id: '0190a1b2-c3d4-7000-8000-000000000001',
      parent: null,
      created_at: '2026-01-31 10:00:00',
      status: 'open',
    },
  ]);
  // There are fewer random texts of two letters than codes.
  expect(await sql(copy, 'select count(distinct code) as n from codes')).toEqual([{ n: 500 }]);
  expect(await sql(copy, "select count(*) as n from codes where code glob '[A-Z][A-Z]'")).toEqual([{ n: 0 }]);
  expect(await sql(copy, "select count(*) as n from sqlite_master where name like 'quire%'")).toEqual([
    { n: 0 },
  ]);
  await app.branch(page.id, 'bare', { data: 'schema' });
  expect(await sql(`${slug}--bare`, 'select * from customer_migrations')).toEqual([]);
  expect(await sql(`${slug}--bare`, 'select name from d1_migrations')).toEqual([{ name: '0001_people' }]);
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
      owner_id: 'anna@example.com',
      api_key: 'sk-live-1',
      order_id: 'o-17',
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
  for (const secret of ['Anna', 'Meier', 'Bert', 'Bern', 'anna', 'vip', '079', 'live'])
    expect(text).not.toContain(secret);
  expect(records.map(({ id }) => id)).toEqual((await list(page.id)).map(({ id }) => id));
  expect(records[0]?.data).toMatchObject({ age: 30, status: 'open', at: '2026-01-31', order_id: 'o-17' });
  expect(records[0]?.data.owner_id).toBe(records[0]?.data.email);
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
    expect([name, await make(page.id, { name, data: 'all' })]).toMatchObject([
      name,
      {
        status: 400,
        body: {
          error: expect.stringContaining(
            'name: must have 1 to 30 letters, digits and hyphens, and begin and end with a letter or digit',
          ),
        },
      },
    ]);
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
