import { afterAll, beforeAll, expect, test } from 'bun:test';
import { type BranchApp, branchApp } from '../../support/branches/branches.ts';
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
