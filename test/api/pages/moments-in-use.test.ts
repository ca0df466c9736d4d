import { afterAll, beforeAll, expect, test } from 'bun:test';
import { openLists } from '../../support/data/live-lists.ts';
import { runSql } from '../../support/engines/storage.ts';
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

test('no moment is kept of a page that is half restored', async () => {
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
  const kept: string[] = [];
  const refusals = new Set<string>();
  let isOver = false;
  const keeping = (async () => {
    while (!isOver) {
      const { status, body } = await app.owner.call('POST', `/api/pages/${id}/moments`, {
        body: { name: 'Meanwhile' },
      });
      if (status === 201) kept.push(body.at);
      else refusals.add(`${status} ${body.code} ${body.error}`);
      await Bun.sleep(20);
    }
  })();
  const { status, body } = await restore(id, at);
  isOver = true;
  await keeping;
  expect(status).toBe(200);
  const { finished_at } = (await ok('GET', `/api/pages/${id}/restore`)).restore;
  expect(kept.filter((time) => time > body.undo && time < finished_at)).toEqual([]);
  expect([...refusals]).toEqual([
    '503 UNAVAILABLE This page is being restored to an earlier moment. Try again in a few seconds.',
  ]);
});

test('neither a moment before a risky action nor a deleted one gets in the way of a restore', async () => {
  const slug = 'in-use-deploy';
  const code = (text: string) => `export default { fetch: () => new Response('${text}') }`;
  await ok('POST', '/api/functions', { slug, code: code('one') });
  const { id } = await app.owner.publish({ functions: [slug] });
  const at = await keep(id);
  const count = async () => (await ok('GET', `/api/pages/${id}/moments`)).moments.length;
  expect(await count()).toBe(1);
  await runSql(
    app.quire,
    `insert into restores (page_id, at, parts, step, started_at, claimed_until) values (${id}, 1, '[]', 'moment', 1, ${Date.now() + 60_000})`,
  );
  await ok('PATCH', `/api/functions/${slug}`, { code: code('two') });
  expect(await count()).toBe(1);
  const removed = await app.owner.call('DELETE', `/api/pages/${id}/moments/${at}`);
  expect([removed.status, removed.body.code]).toEqual([503, 'UNAVAILABLE']);
  await runSql(app.quire, `delete from restores where page_id = ${id}`);
  await ok('PATCH', `/api/functions/${slug}`, { code: code('three') });
  expect(await count()).toBe(2);
  await ok('DELETE', `/api/pages/${id}/moments/${at}`);
});

test('what a long call writes is in the state before a restore, or is refused', async () => {
  const slug = 'in-use-long';
  const code = `export default {
    async fetch(request, env) {
      if (!request.url.includes('long=')) {
        await env.DB.prepare("insert into t values ('new')").run();
        return new Response('written');
      }
      let written = 0;
      let error;
      for (let count = 0; count < 150; count++) {
        try {
          await env.DB.prepare("insert into t values ('long')").run();
          written++;
        } catch (thrown) {
          error = thrown.message;
        }
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
      return Response.json({ written, error });
    },
  };`;
  await ok('POST', '/api/functions', { slug, code, enableDatabase: true });
  const { id } = await app.owner.publish({ functions: [slug] });
  const sql = async (text: string) =>
    (await ok('POST', `/api/functions/${slug}/database`, { sql: text })).results;
  const count = async () => (await sql('select count(*) as n from t'))[0].n;
  await sql('create table t (a text)');
  const at = await keep(id);
  const call = (query = '') => app.quire.request(`/api/functions/${slug}${query}`, { method: 'POST' });
  const long = call('?long=1');
  await waitUntil(async () => (await count()) > 0);
  const back = await restore(id, at);
  expect(back.status).toBe(200);
  const { written, error } = (await (await long).json()) as { written: number; error?: string };
  expect(error).toContain(
    'The database was restored to an earlier moment after this call began. Nothing was run. Call the function again.',
  );
  expect(await count()).toBe(0);
  expect(await (await call()).text()).toBe('written');
  expect(await count()).toBe(1);
  // Nothing that was acknowledged is lost.
  expect((await restore(id, back.body.undo)).status).toBe(200);
  expect(await count()).toBe(written);
}, 120_000);
