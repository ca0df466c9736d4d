import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { Branch } from '../../../contract/pages/branches/branches.ts';
import { SCOPES } from '../../../contract/scopes.ts';
import { type BranchApp, branchApp, handler } from '../../support/branches/branches.ts';

/** Which functions a branch can have: its copies, and what was made for it. */

let app: BranchApp;
let token: string;

beforeAll(async () => {
  app = await branchApp();
  const body = { name: 'agent', scopes: SCOPES, branches_only: true };
  token = (await app.owner.call('POST', '/api/auth/tokens', { body })).body.token;
}, 30_000);
afterAll(() => app.quire.stop());

const CODE = handler('return Response.json({ live: true })');
const asAgent = (method: string, path: string, body?: unknown) =>
  app.quire.call(method, path, { token, ...(body !== undefined && { body }) });
const asOwner = (method: string, path: string, body?: unknown) =>
  app.owner.call(method, path, body === undefined ? {} : { body });

/** A page with a branch, and a function of the same owner that belongs to no page and serves others. */
async function publish(
  name: string,
): Promise<{ pageId: number; branch: Branch; slug: string; free: string }> {
  const slug = await app.deploy(CODE);
  const free = await app.deploy(CODE, { enableDatabase: true });
  await app.sql(free, { sql: 'create table orders (id integer primary key)' });
  const page = await app.owner.publish({ name, storage_mode: 'social_app', functions: [slug] });
  return { pageId: page.id, branch: await app.branch(page.id, 'try'), slug, free };
}

describe.each([
  ['a token for branches', asAgent],
  ['a person', asOwner],
])('%s', (_, ask) => {
  test('cannot make a function of others belong to a branch', async () => {
    const { branch, free } = await publish('Taken over');
    const path = `/api/pages/${branch.page.id}`;
    const own = branch.functions.map((each) => each.slug);
    const refused = await ask('PATCH', path, { functions: [...own, free] });
    expect([refused.status, refused.body.code]).toEqual([409, 'CONFLICT']);
    expect(refused.body.error).toContain(`"pageId": ${branch.page.id}`);
    expect((await ask('PATCH', path, { functions: own })).status).toBe(200);
    // Nothing has changed for those who use it, also when the branch is gone.
    expect((await app.call(free)).body).toEqual({ live: true });
    expect((await ask('DELETE', `/api/pages/${branch.of}/branches/try`)).status).toBe(200);
    expect((await app.call(free)).body).toEqual({ live: true });
    expect((await app.sql(free, { sql: 'select * from orders' })).body.results).toEqual([]);
  });

  test('takes a function out of a branch and brings it back', async () => {
    const { branch, slug } = await publish('Back again');
    const path = `/api/pages/${branch.page.id}`;
    const own = branch.functions.map((each) => each.slug);
    expect((await ask('PATCH', path, { functions: [] })).status).toBe(200);
    expect((await app.call(own[0] as string, {}, app.owner)).status).toBe(404);
    expect((await ask('PATCH', path, { functions: own })).status).toBe(200);
    expect((await app.callFrom(branch.page.id, slug)).body).toEqual({ live: true });
  });

  test('makes a function for a branch, which is deleted with it', async () => {
    const { branch, free } = await publish('Made');
    const made = { slug: `made-${branch.page.id}`, code: CODE, pageId: branch.page.id };
    const shares = await ask('POST', '/api/functions', { ...made, useDatabase: free });
    expect([403, 400]).toContain(shares.status);
    const hidden = { ...made, slug: 'made--try-0123456789abcdef' };
    expect((await ask('POST', '/api/functions', hidden)).status).toBe(400);
    const created = await ask('POST', '/api/functions', { ...made, enableDatabase: true });
    expect(created.status).toBe(201);
    expect((await asOwner('GET', `/api/pages/${branch.page.id}`)).body.page.functions).toContain(made.slug);
    expect((await app.callFrom(branch.page.id, made.slug)).body).toEqual({ live: true });
    expect((await app.call(made.slug, {}, app.stranger)).status).toBe(404);
    expect((await ask('PATCH', `/api/functions/${made.slug}`, { displayName: 'Made' })).status).toBe(200);
    await ask('DELETE', `/api/pages/${branch.of}/branches/try`);
    expect((await app.owner.call('GET', `/api/functions/${made.slug}`)).status).toBe(404);
  });
});

test('a restore of a branch brings back no function that took a slug meanwhile', async () => {
  const { branch } = await publish('Restored');
  const id = branch.page.id;
  const slug = `taken-${id}`;
  expect((await asAgent('POST', '/api/functions', { slug, code: CODE, pageId: id })).status).toBe(201);
  const { at } = (await asAgent('POST', `/api/pages/${id}/moments`, { name: 'with it' })).body;
  await asAgent('DELETE', `/api/functions/${slug}`);
  await asOwner('POST', '/api/functions', { slug, code: CODE });
  const restored = await asAgent('POST', `/api/pages/${id}/restore`, { at });
  expect(restored.status).toBe(200);
  expect(JSON.stringify(restored.body)).toContain('belongs to no branch');
  expect((await app.call(slug)).body).toEqual({ live: true });
});

test('a token for branches makes functions on branches only', async () => {
  const { pageId, branch } = await publish('Only there');
  const make = async (fields: object) => {
    const { status, body } = await asAgent('POST', '/api/functions', {
      slug: 'anywhere',
      code: CODE,
      ...fields,
    });
    return [status, body.code];
  };
  expect(await make({})).toEqual([403, 'PROTECTED']);
  expect(await make({ pageId })).toEqual([403, 'PROTECTED']);
  expect(await make({ pageId: 999_999 })).toEqual([404, 'NOT_FOUND']);
  expect(await make({ pageId: branch.page.id })).toEqual([201, undefined]);
});

test('a function is made for pages of oneself only, with the scope to change them', async () => {
  const { pageId } = await publish('Whose');
  const body = { slug: 'for-whom', code: CODE, pageId };
  const make = async (asked: { token: string }) => {
    const made = await app.quire.call('POST', '/api/functions', { ...asked, body });
    return [made.status, made.body.code];
  };
  const limited = { name: 'deploys', scopes: ['functions:read', 'functions:write'] };
  const { token: narrow } = (await app.owner.call('POST', '/api/auth/tokens', { body: limited })).body;
  expect(await make({ token: narrow })).toEqual([403, 'INSUFFICIENT_SCOPE']);
  expect(await make({ token: app.stranger.token })).toEqual([403, 'FORBIDDEN']);
  await asOwner('PATCH', `/api/pages/${pageId}`, { protected: true });
  const full = { name: 'program', scopes: SCOPES };
  const { token: program } = (await app.owner.call('POST', '/api/auth/tokens', { body: full })).body;
  expect(await make({ token: program })).toEqual([403, 'PROTECTED']);
  expect(await make({ token: app.owner.token })).toEqual([201, undefined]);
  expect((await asOwner('GET', `/api/pages/${pageId}`)).body.page.functions).toContain('for-whom');
});
