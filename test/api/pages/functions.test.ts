import { afterAll, beforeAll, expect, test } from 'bun:test';
import { MAX_PAGE_FUNCTIONS } from '../../../contract/rules/limits.ts';
import type { TestUser } from '../../support/app.ts';
import { runSql } from '../../support/engines/storage.ts';
import { type FilesApp, filesApp } from '../../support/pages/files.ts';

let app: FilesApp;
let owner: TestUser;
beforeAll(async () => {
  app = await filesApp();
  owner = app.owner;
});
afterAll(() => app.quire.stop());

const code = 'export default { fetch: () => new Response("ok") };';
const calls = (slug: string) => `<script>PageFunctions.call('${slug}', {})</script>`;
const deploy = async (slug: string, user = owner, fields: object = {}) => {
  const { status } = await user.call('POST', '/api/functions', { body: { slug, code, ...fields } });
  expect(status).toBe(201);
  return slug;
};
const patch = (id: number, body: object, user = owner) => user.call('PATCH', `/api/pages/${id}`, { body });
const read = async (id: number, user = owner) =>
  (await user.call('GET', `/api/pages/${id}`)).body.page.functions;
const pageWith = async (slug: string) => (await owner.call('GET', `/api/functions/${slug}`)).body.page;

test('a page has functions: set when it is created, changed, read, and given up', async () => {
  const [one, two] = [await deploy('has-one'), await deploy('has-two', owner, { isPublic: false })];
  const created = await owner.call('POST', '/api/pages', {
    body: { name: 'Shop', html_content: '<p>x</p>', functions: [two, one] },
  });
  const { id, slug } = created.body.page;
  expect([created.status, created.body.page.functions]).toEqual([201, [one, two]]);
  expect(await read(id)).toEqual([one, two]);
  expect(await pageWith(one)).toEqual({ id, name: 'Shop', slug });
  const listed = (await owner.call('GET', '/api/functions?mine=true')).body.functions;
  expect(listed.find((each: { slug: string }) => each.slug === one).page).toEqual({ id, name: 'Shop', slug });
  // Others learn nothing about it.
  const stranger = await app.quire.user('has-stranger');
  expect((await stranger.call('GET', `/api/functions/${one}`)).body).not.toHaveProperty('page');
  expect((await patch(id, { functions: [one] })).body.page.functions).toEqual([one]);
  expect(await pageWith(two)).toBeNull();
  // A deleted function leaves its page, and functions stay when their page is deleted.
  await owner.call('DELETE', `/api/functions/${one}`);
  expect(await read(id)).toEqual([]);
  await patch(id, { functions: [two] });
  await owner.call('DELETE', `/api/pages/${id}`);
  expect(await pageWith(two)).toBeNull();
});

test('belongs to one page, of the same owner', async () => {
  const slug = await deploy('belongs');
  const page = await owner.publish({ name: 'First', functions: [slug] });
  const other = await owner.publish({ name: 'Second' });
  const taken = await patch(other.id, { functions: [slug], name: 'Third' });
  expect([taken.status, taken.body.code]).toEqual([409, 'CONFLICT']);
  expect(taken.body.error).toBe(
    `The function belongs belongs to the page "First". A function belongs to one page: remove it from the functions of page ${page.id} first.`,
  );
  expect((await owner.call('GET', `/api/pages/${other.id}`)).body.page.name).toBe('Second');
  const stranger = await app.quire.user('belongs-stranger');
  const theirs = await deploy('belongs-theirs', stranger);
  for (const wrong of [theirs, 'belongs-nowhere', 'unfurl-url']) {
    const { status, body } = await patch(other.id, { functions: [wrong] });
    expect([status, body.details[0].path]).toEqual([400, 'functions.0']);
    expect(body.details[0].message).toBe(`"${wrong}" is not a function of the page's owner. Deploy it first`);
  }
  for (const wrong of [['belongs', 'belongs'], ['No slug'], 'belongs', [1]])
    expect((await patch(page.id, { functions: wrong })).status).toBe(400);
});

test('has at most 50 functions', async () => {
  const now = Date.now();
  const values = Array.from(
    { length: MAX_PAGE_FUNCTIONS + 1 },
    (_, at) =>
      `(${owner.id}, 'most-${at}', '', '', '${code.replaceAll("'", "''")}', 1, 0, 1, ${now}, ${now})`,
  );
  await runSql(
    app.quire,
    `insert into functions (owner_id, slug, display_name, description, code, version, secrets_revision, is_public, created_at, updated_at) values ${values.join(',')}`,
  );
  const slugs = values.map((_, at) => `most-${at}`);
  const page = await owner.publish({ functions: slugs.slice(0, MAX_PAGE_FUNCTIONS) });
  expect(await read(page.id)).toHaveLength(MAX_PAGE_FUNCTIONS);
  const over = await patch(page.id, { functions: slugs });
  expect([over.status, over.body.details[0].message]).toEqual([400, 'has more than 50 functions']);
  // Publishing adds no more either.
  await patch(page.id, { html_content: calls(`most-${MAX_PAGE_FUNCTIONS}`) });
  expect(await read(page.id)).toHaveLength(MAX_PAGE_FUNCTIONS);
});

test('publishing adds the functions that scripts call and that belong to no page', async () => {
  const slugs = ['calls-a', 'calls-b', 'calls-c', 'calls-d', 'calls-e', 'calls-f'];
  for (const slug of slugs) await deploy(slug);
  const [a = '', b = '', c = '', d = '', e = '', f = ''] = slugs;
  const created = await owner.call('POST', '/api/pages', { body: { name: 'Calls', html_content: calls(a) } });
  const { id } = created.body.page;
  expect(created.body.page.functions).toEqual([a]);
  // One that belongs to a page stays there.
  const other = await owner.publish({ html_content: calls(a) + calls('unfurl-url') });
  expect(await read(other.id)).toEqual([]);
  expect((await patch(id, { html_content: calls(b) })).body.page.functions).toEqual([a, b]);
  await app.call('PUT', `/api/pages/${id}/files/app.js`, { body: `fetch("/api/functions/${c}")` });
  expect(await read(id)).toEqual([a, b, c]);
  // A draft adds nothing until it is published.
  const { draft } = (
    await owner.call('POST', `/api/pages/${id}/drafts`, { body: { html_content: calls(d) } })
  ).body;
  expect(await read(id)).toEqual([a, b, c]);
  await owner.call('POST', `/api/pages/${id}/drafts/${draft.id}/publish`);
  expect(await read(id)).toEqual([a, b, c, d]);
  // A page that nobody sees adds them, with those of its files, when it is published.
  const hidden = await owner.publish({ html_content: calls(e), is_published: false });
  await app.call('PUT', `/api/pages/${hidden.id}/files/lib/app.mjs`, { body: `PageFunctions.fetch('${f}')` });
  expect(await read(hidden.id)).toEqual([]);
  expect((await patch(hidden.id, { is_published: true })).body.page.functions).toEqual([e, f]);
  // What was removed comes back with the next version only.
  await patch(hidden.id, { functions: [] });
  await patch(hidden.id, { name: 'Another' });
  expect(await read(hidden.id)).toEqual([]);
  await owner.call('POST', `/api/pages/${hidden.id}/versions/1/restore`);
  expect(await read(hidden.id)).toEqual([e]);
});

test('admins of the team name public functions of the owner only', async () => {
  const [open, closed] = [await deploy('team-open'), await deploy('team-closed', owner, { isPublic: false })];
  const page = await owner.publish({ storage_mode: 'team_app' });
  const admin = await app.quire.user('functions-admin');
  const invite = await owner.call('POST', `/api/pages/${page.id}/team/invite`, { body: { role: 'admin' } });
  await admin.call('POST', `/api/join/${invite.body.inviteCode}`);
  const own = await deploy('team-own', admin);
  const refused = await patch(page.id, { functions: [open, closed, own] }, admin);
  expect(refused.body.details.map(({ path }: { path: string }) => path)).toEqual([
    'functions.1',
    'functions.2',
  ]);
  await patch(page.id, { html_content: calls(open) + calls(closed) + calls(own) }, admin);
  expect(await read(page.id)).toEqual([open]);
  // They can keep what the owner has set.
  await patch(page.id, { functions: [open, closed] });
  expect((await patch(page.id, { functions: [closed] }, admin)).body.page.functions).toEqual([closed]);
});

test('agents see the public functions of a page', async () => {
  const [open, closed] = [await deploy('spec-open'), await deploy('spec-closed', owner, { isPublic: false })];
  const page = await owner.publish({ functions: [open, closed] });
  const { functions } = (await app.quire.call('GET', `/api/pages/${page.id}/agent-spec`)).body;
  expect(functions.map(({ slug }: { slug: string }) => slug)).toEqual([open]);
});
