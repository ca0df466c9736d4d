import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test';
import type { PublishedPage } from '../../support/app.ts';
import { type FunctionApp, functionApp, handler } from '../../support/functions/app.ts';
import { type CallTab, openCalls } from '../../support/functions/live-calls.ts';
import { waitUntil } from '../../support/server.ts';

/** Live calls whose function reads and writes its tables through other functions, records and messages. */

let app: FunctionApp;
beforeAll(async () => {
  app = await functionApp();
});
afterAll(() => app.quire.stop());

const tabs: CallTab[] = [];
afterEach(() => {
  for (const tab of tabs.splice(0)) tab.close();
});
async function open(page: PublishedPage, calls: Parameters<typeof openCalls>[2]): Promise<CallTab> {
  const tab = await openCalls(app.quire, page.id, calls);
  tabs.push(tab);
  return tab;
}

const COUNT = `(await env.DB.prepare('SELECT count(*) AS n FROM t').first()).n`;

/** A function with the database that all of a test use. */
async function deployStore(): Promise<string> {
  const slug = await app.deploy(handler(`return Response.json(${COUNT})`), {
    enableDatabase: true,
    isPublic: true,
  });
  for (const sql of ['CREATE TABLE t (n)', 'CREATE TABLE other (n)'])
    expect((await app.sql(slug, { sql })).status).toBe(200);
  return slug;
}
const openPage = (functions: string[]) =>
  app.owner.publish({ name: 'Orders', storage_mode: 'social_app', functions });

async function count(slug: string): Promise<number> {
  const { body } = await app.sql(slug, { sql: 'SELECT count(*) AS n FROM t' });
  return body.results[0].n;
}
const insert = (slug: string, table = 't') => app.sql(slug, { sql: `INSERT INTO ${table} VALUES (1)` });

const untilLogged = (slugs: string[], line: RegExp) =>
  waitUntil(async () => {
    for (const slug of slugs) {
      const { body } = await app.owner.call('GET', `/api/functions/${slug}/logs`);
      if (line.test(JSON.stringify(body))) return true;
    }
    return false;
  });

describe('a live call', () => {
  test('runs again when its tables change that another function has read for it', async () => {
    const store = await deployStore();
    const front = await app.deploy(
      handler(`return Response.json({ count: await env.FUNCTIONS.call('${store}') })`),
      { useDatabase: store, isPublic: true },
    );
    const tab = await open(await openPage([store, front]), [{ function: front }]);
    await tab.untilShows({ count: 0 });
    await insert(store);
    await tab.untilShows({ count: 1 });
  });

  test('does not run again for what another function writes for it', async () => {
    const store = await deployStore();
    const writer = await app.deploy(
      handler(`await env.DB.prepare('INSERT INTO t VALUES (1)').run(); return Response.json('done')`),
      { useDatabase: store },
    );
    const front = await app.deploy(
      handler(`await env.FUNCTIONS.call('${writer}'); return Response.json(${COUNT})`),
      { useDatabase: store, isPublic: true },
    );
    const other = await app.deploy(
      handler(`return Response.json((await env.DB.prepare('SELECT count(*) AS n FROM other').first()).n)`),
      { useDatabase: store, isPublic: true },
    );
    const tab = await open(await openPage([store, front, writer]), [
      { function: front },
      { function: other },
    ]);
    await tab.untilShows(1);
    await insert(store);
    await tab.untilShows(3);
    // Another call runs a few times: a loop would go on meanwhile.
    await tab.untilShows(0, '1');
    for (let n = 1; n <= 4; n++) {
      await insert(store, 'other');
      await tab.untilShows(n, '1');
    }
    expect(await count(store)).toBe(3);
  });

  test.each([
    ['a record and its trigger', `await env.DATA.social('orders').create({ n: 1 });`],
    ['a message', `await env.QUEUE.send({ n: 1 });`],
    ['a message of another function', `await env.FUNCTIONS.call('SENDER');`],
  ])('that causes itself through %s is stopped, with a line in a log', async (_, then) => {
    const store = await deployStore();
    const sender = await app.deploy(
      `export default {
        async fetch(request, env) { await env.QUEUE.send({ n: 1 }); return Response.json('sent'); },
        async queue(batch, env) { await env.DB.prepare('INSERT INTO t VALUES (1)').run(); },
      };`,
      { useDatabase: store, on: [{ collection: 'orders', actions: ['create'] }] },
    );
    const front = await app.deploy(
      `export default {
        async fetch(request, env) { ${then.replace('SENDER', sender)} return Response.json(${COUNT}); },
        async queue(batch, env) { await env.DB.prepare('INSERT INTO t VALUES (1)').run(); },
      };`,
      { useDatabase: store, isPublic: true },
    );
    await open(await openPage([store, front, sender]), [{ function: front }]);
    await untilLogged([front, sender], /caused each other/);
    expect(await count(store)).toBeLessThanOrEqual(9);
    expect(await count(store)).toBeGreaterThan(2);
  });
});
