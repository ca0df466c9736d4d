import { afterAll, beforeAll, expect, test } from 'bun:test';
import { SCOPES } from '../../../contract/scopes.ts';
import { type BranchApp, branchApp } from '../../support/branches/branches.ts';

/** A page whose owner wants that drafts and merges are attacked before they reach it. */

let app: BranchApp;
beforeAll(async () => {
  app = await branchApp();
});
afterAll(() => app.quire.stop());

const SAFE = '<!doctype html><title>Shop</title><h1>Shop</h1>';
const KEY = `sk-proj-${'a1B2c3D4'.repeat(6)}`;
/** A page with something serious: a key that everyone can read. */
const SERIOUS = `${SAFE}<script>const key = '${KEY}';</script>`;

const ask = (method: string, path: string, body?: object) => app.owner.call(method, path, body && { body });
const read = async (id: number) => (await ask('GET', `/api/pages/${id}`)).body;
async function publish(fields: object = {}) {
  const { id } = await app.owner.publish({ name: 'Shop', html_content: SAFE });
  if (Object.keys(fields).length > 0)
    expect((await ask('PATCH', `/api/pages/${id}`, fields)).status).toBe(200);
  return id;
}
async function saveDraft(id: number, html_content: string): Promise<string> {
  const { body } = await ask('POST', `/api/pages/${id}/drafts`, { html_content });
  return `/api/pages/${id}/drafts/${body.draft.id}`;
}

test('a draft with something serious is not published until it is mended or meant so', async () => {
  const id = await publish({ attack_first: true });
  const draft = await saveDraft(id, SERIOUS);
  const refused = await ask('POST', `${draft}/publish`, {});
  expect([refused.status, refused.body.code]).toEqual([409, 'CONFLICT']);
  expect(refused.body.error).toContain('is not published: There is an OpenAI key in the page');
  expect(refused.body.findings).toMatchObject([
    { kind: 'secret-in-page', severity: 'high', name: '/p/shop', meant: null },
  ]);
  expect(await read(id)).toMatchObject({ versionCount: 1, page: { html_content: SAFE, attack_first: true } });
  // The copy is gone, and the draft is still there.
  expect((await ask('GET', '/api/pages')).body.total).toBe(1);
  expect((await ask('PATCH', draft, { html_content: `${SAFE}<p>Better` })).status).toBe(200);
  expect((await ask('POST', `${draft}/publish`, {})).body.version).toBe(2);

  const [{ key }] = refused.body.findings;
  expect((await ask('PUT', `/api/pages/${id}/attack/meant/${key}`)).status).toBe(200);
  const meant = await saveDraft(id, SERIOUS);
  expect((await ask('POST', `${meant}/publish`, {})).body.version).toBe(3);
}, 60_000);

test('the files of a draft are attacked too, and without the setting nothing is', async () => {
  const id = await publish({ attack_first: true });
  const draft = await saveDraft(id, `${SAFE}<script src="app.js"></script>`);
  const put = await app.quire.request(`${draft}/files/app.js`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${app.owner.token}` },
    body: `const key = '${KEY}';`,
  });
  expect(put.status).toBe(200);
  const refused = await ask('POST', `${draft}/publish`, {});
  expect(refused.body.findings).toMatchObject([{ kind: 'secret-in-page' }]);
  expect((await ask('PATCH', `/api/pages/${id}`, { attack_first: false })).status).toBe(200);
  expect((await ask('POST', `${draft}/publish`, {})).body.version).toBe(2);
}, 60_000);

test('a branch with something serious is not merged, whatever is confirmed', async () => {
  const id = await publish({ attack_first: true });
  const { page } = await app.branch(id, 'try', { data: 'schema' });
  expect((await read(page.id)).page.attack_first).toBe(false);
  await ask('PATCH', `/api/pages/${page.id}`, { html_content: SERIOUS });
  const refused = await ask('POST', `/api/pages/${id}/branches/try/merge`, { confirm: true });
  expect([refused.status, refused.body.code]).toEqual([409, 'CONFLICT']);
  expect(refused.body.error).toContain('nothing was merged: There is an OpenAI key');
  expect(refused.body.rehearsal.serious).toHaveLength(1);
  expect((await read(id)).page.html_content).toBe(SAFE);
  await ask('PATCH', `/api/pages/${page.id}`, { html_content: `${SAFE}<p>Better` });
  const merged = await ask('POST', `/api/pages/${id}/branches/try/merge`, {});
  expect([merged.status, merged.body.rehearsal.serious]).toEqual([200, []]);
}, 90_000);

test('only the owner changes the setting, only a person turns it off, and a branch has none', async () => {
  const id = await publish();
  const body = { name: 'agent', scopes: SCOPES };
  const { token } = (await ask('POST', '/api/auth/tokens', body)).body;
  const change = (on: boolean) =>
    app.quire.call('PATCH', `/api/pages/${id}`, { token, body: { attack_first: on } });
  expect((await change(false)).status).toBe(200);
  expect((await change(true)).status).toBe(200);
  expect(await change(false)).toMatchObject({ status: 403, body: { code: 'PROTECTED' } });
  expect((await ask('PATCH', `/api/pages/${id}`, { attack_first: false })).status).toBe(200);
  const { page } = await app.branch(id, 'try', { data: 'schema' });
  expect((await ask('PATCH', `/api/pages/${page.id}`, { attack_first: true })).status).toBe(409);
});
