import { afterAll, beforeAll, expect, test } from 'bun:test';
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { EMPTY } from '../../../server/product/history/restores/plan.ts';
import { runSql } from '../../support/engines/storage.ts';
import { type FilesApp, filesApp } from '../../support/pages/files.ts';
import { waitUntil } from '../../support/server.ts';

/** Restores that another node takes over, and those that can be neither finished nor undone. */

let app: FilesApp;
beforeAll(async () => {
  app = await filesApp();
});
afterAll(() => app.quire.stop());

async function ok(method: string, path: string, body?: object) {
  const answer = await app.owner.call(method, path, body && { body });
  if (answer.status >= 300)
    throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
  return answer.body;
}
const readRestore = async (id: number) => (await ok('GET', `/api/pages/${id}/restore`)).restore;
const keep = async (id: number): Promise<string> =>
  (await ok('POST', `/api/pages/${id}/moments`, { name: 'Kept' })).at;

test('a restore that another node has ended changes nothing more', async () => {
  const { id } = await app.owner.publish({ storage_mode: 'team_app' });
  const notes = `/api/pages/${id}/team-data/notes`;
  const ids: string[] = [];
  const inPieces = async (toOperation: (index: number) => object) => {
    for (let from = 0; from < 3_000; from += 100) {
      const operations = Array.from({ length: 100 }, (_, index) => toOperation(from + index));
      const { results } = await ok('POST', `${notes}/batch`, { operations });
      ids.push(...results.map(({ record }: { record: { id: string } }) => record.id));
    }
  };
  await inPieces(() => ({ op: 'create', data: { n: 1 } }));
  const at = await keep(id);
  await inPieces((index) => ({ op: 'update', id: ids[index], data: { n: 2 } }));
  const restoring = app.owner.call('POST', `/api/pages/${id}/restore`, { body: { at } });
  await waitUntil(async () => (await readRestore(id))?.step === 'records');
  // As if this node had not answered for a while.
  await runSql(
    app.quire,
    `update restores set step = 'done', finished_at = 1, changes = '${JSON.stringify({ ...EMPTY, mark: 1 })}' where page_id = ${id}`,
  );
  const { status, body } = await restoring;
  const count = async () => (await ok('GET', `${notes}/count?where={"n":1}`)).count;
  const restored = await count();
  expect([status, body.error]).toEqual([
    503,
    'Another node goes on with this restore. Ask GET /api/pages/:id/restore how far it is.',
  ]);
  expect(restored).toBeLessThan(3_000);
  await Bun.sleep(300);
  expect(await count()).toBe(restored);
  expect(await readRestore(id)).toMatchObject({ step: 'done', finished_at: new Date(1).toISOString() });
}, 60_000);

test('a restore that can be neither finished nor undone ends, and says what is not as it was', async () => {
  const slug = 'failing-db';
  const code = "export default { fetch: () => new Response('a') };";
  await ok('POST', '/api/functions', { slug, code, enableDatabase: true });
  const fields = { name: 'Before', storage_mode: 'team_app', functions: [slug] };
  const { id } = await app.owner.publish(fields);
  const notes = `/api/pages/${id}/team-data/notes`;
  const { id: record } = await ok('POST', notes, { data: { n: 1 } });
  await ok('POST', `/api/functions/${slug}/database`, { sql: "create table t as select 'a' as value" });
  const at = await keep(id);
  // As a restore leaves it that fails with the records, when its databases have been replaced.
  await ok('PATCH', `/api/pages/${id}`, { name: 'Restored' });
  await ok('PATCH', `${notes}/${record}`, { data: { n: 2 } });
  const segments = join(app.quire.dataFolder, 'blobs/database-snapshots');
  for (const name of readdirSync(segments)) rmSync(join(segments, name));
  await runSql(
    app.quire,
    `insert into restores (page_id, user_id, at, undo_at, parts, step, changes, started_at, claimed_until)
      select ${id}, ${app.owner.id}, ${Date.parse(at)}, ${Date.parse(at)}, '["page","functions","databases","records"]', 'undone',
        replace('${JSON.stringify({ ...EMPTY, replaced: ['ID'] })}', '"ID"', database_id), 1, 1 from functions where slug = '${slug}'`,
  );
  await waitUntil(
    async () => (await app.owner.call('POST', notes, { body: { data: { n: 3 } } })).status === 503,
    30_000,
  );
  let tries = 0;
  await waitUntil(async () => {
    app.quire.advance(30_000);
    await Bun.sleep(500);
    tries = Math.max(
      tries,
      app.quire.logs.filter((line) => line.includes('could not be undone; trying again')).length,
    );
    return (await readRestore(id)).finished_at !== null;
  }, 90_000);
  expect(tries).toBe(3);
  const { step, error, not_undone } = await readRestore(id);
  expect([step, error]).toEqual([
    'failed',
    'A step failed, and not everything could go back. The server’s log says why.',
  ]);
  expect(not_undone).toMatchObject([{ part: 'databases', name: slug }]);
  // The page is open again, and everything else is as it was.
  expect((await ok('GET', `/api/pages/${id}`)).page.name).toBe('Before');
  expect((await ok('GET', `${notes}/${record}`)).data).toEqual({ n: 1 });
  await ok('POST', notes, { data: { n: 4 } });
}, 150_000);
