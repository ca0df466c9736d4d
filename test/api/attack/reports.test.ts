import { afterAll, beforeAll, expect, test } from 'bun:test';
import { type BranchApp, branchApp } from '../../support/branches/branches.ts';
import { join } from '../../support/data/data.ts';
import { runSql } from '../../support/engines/storage.ts';

/** What the last attack on a page has found. */

let app: BranchApp;
beforeAll(async () => {
  app = await branchApp();
});
afterAll(() => app.quire.stop());

const SAFE = '<!doctype html><title>Shop</title><h1>Shop</h1>';
const SERIOUS = `${SAFE}<script>const key = 'sk-proj-${'a1B2c3D4'.repeat(6)}';</script>`;

const ask = (method: string, path: string, body?: object) => app.owner.call(method, path, body && { body });
const readLast = async (id: number) => (await ask('GET', `/api/pages/${id}/attack`)).body.attack;
const exposed = async () => (await ask('GET', '/api/home')).body.exposedPages;
const publish = async (html_content: string) =>
  (await app.owner.publish({ name: 'Shop', html_content })).id as number;
async function saveDraft(id: number, html_content: string) {
  const { status, body } = await ask('POST', `/api/pages/${id}/drafts`, { html_content });
  expect(status).toBe(201);
  return { path: `/api/pages/${id}/drafts/${body.draft.id}`, warnings: body.warnings };
}

test('an admin of the team learns how much is serious, and the owner alone what it is', async () => {
  const { id } = await app.owner.publish({ name: 'Team', html_content: SERIOUS, storage_mode: 'team_app' });
  const admin = await app.quire.user('admin');
  await join(app.quire, app.owner, { id }, admin, 'admin');
  await ask('POST', `/api/pages/${id}/attack`);
  expect((await saveDraft(id, SAFE)).warnings[0].message).toContain('OpenAI');
  const drafts = `/api/pages/${id}/drafts`;
  const saved = (await admin.call('POST', drafts, { body: { html_content: SERIOUS } })).body;
  expect(saved.warnings).toMatchObject([{ code: 'ATTACKED', values: { version: '1', count: 1 } }]);
  expect(JSON.stringify(saved.warnings)).not.toContain('OpenAI');
  expect(saved.warnings[0].message).toContain('has found 1 serious problem. Only the owner');

  await ask('PATCH', `/api/pages/${id}`, { attack_first: true });
  const publish = `${drafts}/${saved.draft.id}/publish`;
  const refused = await admin.call('POST', publish, { body: {} });
  expect(refused).toMatchObject({ status: 409, body: { code: 'CONFLICT' } });
  expect(refused.body.error).toContain('found 1 serious problem, so it is not published');
  expect(JSON.stringify(refused.body)).not.toMatch(/OpenAI|findings/);
  expect((await ask('POST', publish, {})).body.findings).toHaveLength(1);
  await ask('DELETE', `/api/pages/${id}`);
}, 60_000);

test('a branch is attacked by its name, and nothing else is taken', async () => {
  const id = await publish(SAFE);
  const { page } = await app.branch(id, 'tried', { data: 'schema' });
  await ask('PATCH', `/api/pages/${page.id}`, { html_content: SERIOUS });
  const attack = `/api/pages/${id}/attack`;
  expect((await ask('POST', attack, { branch: 'tried' })).body.findings).toHaveLength(1);
  expect([await readLast(id), (await readLast(page.id)).findings.length]).toEqual([null, 1]);
  expect((await ask('POST', attack, {})).body.findings).toEqual([]);
  expect((await ask('POST', attack, { branch: 'other' })).status).toBe(404);
  expect((await ask('POST', attack, { nonsense: 1 })).status).toBe(400);
  await ask('DELETE', `/api/pages/${id}`);
}, 60_000);

test('the last attack is kept with what is meant so by now, for the owner alone', async () => {
  const id = await publish(SERIOUS);
  expect(await readLast(id)).toBeNull();
  expect(await exposed()).toEqual([]);
  const { body } = await ask('POST', `/api/pages/${id}/attack`);
  expect(body).toMatchObject({ version: 1, at: expect.any(String) });
  expect(await readLast(id)).toEqual(body);
  expect(await exposed()).toEqual([{ id, name: 'Shop', findings: 1 }]);

  // Who goes on with a draft learns of it, until the page has another version.
  const { warnings } = await saveDraft(id, SAFE);
  expect(warnings).toMatchObject([{ code: 'ATTACKED', values: { version: '1' } }]);
  expect(warnings[0].message).toContain('An attack on version 1, which is published, has found: There is an');

  const [{ key }] = body.findings;
  expect((await ask('PUT', `/api/pages/${id}/attack/meant/${key}`)).status).toBe(200);
  expect((await readLast(id)).findings).toMatchObject([{ key, meant: { by: app.owner.username } }]);
  expect(await exposed()).toEqual([]);
  expect((await saveDraft(id, SAFE)).warnings).toEqual([]);
  expect((await ask('DELETE', `/api/pages/${id}/attack/meant/${key}`)).status).toBe(200);
  expect(await exposed()).toHaveLength(1);

  expect((await ask('PATCH', `/api/pages/${id}`, { html_content: SAFE })).status).toBe(200);
  expect((await saveDraft(id, SERIOUS)).warnings).toEqual([]);
  expect(await exposed()).toEqual([]);
  await ask('POST', `/api/pages/${id}/attack`);
  expect(await readLast(id)).toMatchObject({ version: 2, findings: [] });
  expect(await exposed()).toEqual([]);

  // One that began earlier and ends later says less than what is known.
  await runSql(app.quire, `UPDATE attack_reports SET version = 3 WHERE page_id = ${id}`);
  await ask('POST', `/api/pages/${id}/attack`);
  expect((await readLast(id)).version).toBe(3);

  const stranger = await app.quire.user('stranger-kept');
  const refused = await stranger.call('GET', `/api/pages/${id}/attack`);
  expect([403, 404]).toContain(refused.status);
  expect((await ask('DELETE', `/api/pages/${id}`)).status).toBe(200);
  expect((await ask('GET', `/api/pages/${id}/attack`)).status).toBe(404);
}, 60_000);
