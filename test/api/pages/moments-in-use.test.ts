import { afterAll, beforeAll, expect, test } from 'bun:test';
import { openLists } from '../../support/data/live-lists.ts';
import { type FunctionApp, functionApp } from '../../support/functions/app.ts';
import { type ReceivedJobs, receiveJobs, send } from '../../support/functions/received-jobs.ts';
import { waitUntil } from '../../support/server.ts';

/** Applications that go back while they are used. */

let app: FunctionApp;
let jobs: ReceivedJobs;
beforeAll(async () => {
  app = await functionApp();
  jobs = receiveJobs();
});
afterAll(async () => {
  jobs.stop();
  await app.quire.stop();
});

async function ok(method: string, path: string, body?: object) {
  const answer = await app.owner.call(method, path, body && { body });
  if (answer.status >= 300)
    throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
  return answer.body;
}
const keep = async (id: number): Promise<string> =>
  (await ok('POST', `/api/pages/${id}/moments`, { name: 'Kept' })).at;
const restore = (id: number, at: string) =>
  app.owner.call('POST', `/api/pages/${id}/restore`, { body: { at } });

test('live lists show what was restored, and again what was undone', async () => {
  const { id } = await app.owner.publish({ storage_mode: 'team_app' });
  const notes = `/api/pages/${id}/team-data/notes`;
  const schema = { fields: { n: { type: 'number' } }, indexes: ['n'] };
  await ok('PUT', `${notes}/schema`, { schema });
  const add = async (n: number): Promise<string> => (await ok('POST', notes, { data: { n } })).id;
  const [one, two] = [await add(1), await add(2)];
  const at = await keep(id);
  await ok('PATCH', `${notes}/${one}`, { data: { n: 10 } });
  await ok('DELETE', `${notes}/${two}`);
  await add(3);
  const query = { where: { n: { gte: 2 } }, orderBy: 'data.n', order: 'asc' };
  const tab = await openLists(
    app.quire,
    id,
    [
      { collection: 'notes', query },
      { collection: 'notes', query: {} },
    ],
    app.owner,
  );
  await tab.untilShows([3, 10]);
  const back = await restore(id, at);
  expect(back.status).toBe(200);
  await tab.untilShows([2]);
  await tab.untilShows([2, 1], '1');
  await restore(id, back.body.undo);
  await tab.untilShows([3, 10]);
  await tab.untilShows([3, 10], '1');
  tab.close();
});

test('a message in flight ends before the restore, which undoes what it wrote', async () => {
  const code = jobs.code(
    "for (const { body } of messages) await env.DB.prepare('insert into done values (?)').bind(body).run();",
  );
  const slug = await app.deploy(code, { enableDatabase: true });
  const { id } = await app.owner.publish({ functions: [slug] });
  const sql = async (text: string) => (await app.sql(slug, { sql: text })).body.results;
  await sql('create table done (text)');
  const at = await keep(id);
  jobs.hold();
  expect((await send(app, slug, { message: 'in flight' })).status).toBe(200);
  await jobs.until((got) => got.length === 1);
  const restoring = restore(id, at);
  await waitUntil(async () => (await ok('GET', `/api/pages/${id}/restore`)).restore !== null);
  // Nothing new begins meanwhile.
  expect((await send(app, slug, { message: 'too early' })).status).toBe(503);
  expect((await app.sql(slug, { sql: 'select 1' })).status).toBe(503);
  expect((await restore(id, at)).status).toBe(409);
  jobs.release();
  const back = await restoring;
  expect(back.status).toBe(200);
  expect(await sql('select * from done')).toEqual([]);
  // It was not cut off, and is not delivered again.
  expect((await restore(id, back.body.undo)).status).toBe(200);
  expect(await sql('select * from done')).toEqual([{ text: 'in flight' }]);
  expect((await send(app, slug, { message: 'afterwards' })).status).toBe(200);
  await waitUntil(async () => (await sql('select * from done')).length === 2);
  expect(jobs.got).toEqual(['1 in flight', '1 afterwards']);
});
