import { afterAll, beforeAll, expect, test } from 'bun:test';
import { type Cluster, startCluster } from '../support/cluster/cluster.ts';
import { descendants, isRunning } from '../support/faults/process.ts';
import { call, register } from '../support/http/client.ts';
import { waitUntil } from '../support/server.ts';

/** An application that goes back on one of several nodes, while the others are used. */

const SLUG = 'cluster-moments';
const RECORDS = 400;

let cluster: Cluster;
let token: string;
beforeAll(async () => {
  cluster = await startCluster({ nodes: 3 });
  ({ token } = await register({ port: cluster.port, baseUrl: cluster.url }, 'cluster-moments'));
}, 240_000);
afterAll(async () => {
  await cluster?.stop();
}, 60_000);

/** A node, by its own address. */
const node = (at: number) => {
  const { host, port } = cluster.nodes[at] as Cluster['nodes'][number];
  return { host, port, baseUrl: cluster.url };
};
type Node = ReturnType<typeof node>;
const send = (at: Node, method: string, path: string, body?: object) =>
  call(at, method, path, { token, ...(body && { body }) });
async function ok(at: Node, method: string, path: string, body?: object) {
  const answer = await send(at, method, path, body);
  if (answer.status >= 300)
    throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
  return answer.body;
}

const worker = (text: string) => `export default { fetch: () => new Response("${text}") };`;

/** A page with a function, an SQL table and records, which are all in state a or all in state b. */
async function makeApplication(one: Node, slug: string) {
  await ok(one, 'POST', '/api/functions', { slug, code: worker('a'), enableDatabase: true });
  const fields = {
    name: 'a',
    html_content: '<p>a</p>',
    storage_mode: 'team_app',
    is_published: true,
    functions: [slug],
  };
  const { id, slug: pageSlug } = (await ok(one, 'POST', '/api/pages', fields)).page;
  const notes = `/api/pages/${id}/team-data/notes`;
  const sql = (at: Node, text: string) => ok(at, 'POST', `/api/functions/${slug}/database`, { sql: text });
  await sql(one, "create table state as select 'a' as value");
  const ids: string[] = [];
  const inPieces = async (toOperation: (index: number) => object) => {
    for (let from = 0; from < RECORDS; from += 100) {
      const operations = Array.from({ length: 100 }, (_, index) => toOperation(from + index));
      const { results } = await ok(one, 'POST', `${notes}/batch`, { operations });
      ids.push(...results.map(({ record }: { record: { id: string } }) => record.id));
    }
  };
  await inPieces(() => ({ op: 'create', data: { state: 'a' } }));
  const keep = async (name: string): Promise<string> =>
    (await ok(one, 'POST', `/api/pages/${id}/moments`, { name })).at;
  const moments = { a: await keep('a'), b: '' };
  await ok(one, 'PATCH', `/api/pages/${id}`, { name: 'b', html_content: '<p>b</p>' });
  await ok(one, 'PATCH', `/api/functions/${slug}`, { code: worker('b') });
  await sql(one, "update state set value = 'b'");
  await inPieces((index) => ({ op: 'update', id: ids[index], data: { state: 'b' } }));
  moments.b = await keep('b');
  return {
    id,
    notes,
    moments,
    /** What everybody gets: the page, and the answer of its function. */
    async visit(at: Node): Promise<string[]> {
      const url = `http://${at.host}:${at.port}`;
      const signal = AbortSignal.timeout(60_000);
      const page = await fetch(`${url}/p/${pageSlug}`, { signal });
      const [, shown] = /<p>(\w)<\/p>/.exec(await page.text()) ?? [];
      const called = await fetch(`${url}/api/functions/${slug}`, { method: 'POST', signal });
      const text = await called.text();
      return [
        `${page.status} page ${shown}`,
        `${called.status} function${called.status === 200 ? ` ${text}` : ''}`,
      ];
    },
    restore: (at: Node, moment: string) => send(at, 'POST', `/api/pages/${id}/restore`, { at: moment }),
    readRestore: async (at: Node) => (await ok(at, 'GET', `/api/pages/${id}/restore`)).restore,
    async read(at: Node): Promise<string> {
      const seen = new Set<string>([(await ok(at, 'GET', `/api/pages/${id}`)).page.name]);
      seen.add((await ok(at, 'GET', `/api/functions/${slug}/code`)).code === worker('a') ? 'a' : 'b');
      seen.add((await sql(at, 'select value from state')).results[0].value);
      for (const state of ['a', 'b']) {
        const where = encodeURIComponent(JSON.stringify({ state }));
        const { count } = await ok(at, 'GET', `${notes}/count?where=${where}`);
        if (count > 0) expect([seen.add(state).size, count]).toEqual([1, RECORDS]);
      }
      return [...seen].join(' and ');
    },
  };
}

test('while one node restores, the other refuses what would be lost, and has all of it afterwards', async () => {
  const [one, other] = [node(0), node(1)];
  const application = await makeApplication(one, SLUG);
  const statuses: number[] = [];
  let isOver = false;
  const accepted: string[] = [];
  const writing = (async () => {
    while (!isOver) {
      const { status, body } = await send(other, 'POST', `${application.notes.replace('notes', 'others')}`, {
        data: { n: statuses.length },
      });
      statuses.push(status);
      if (status === 201) accepted.push(body.id);
    }
  })();
  const first = application.restore(one, application.moments.a);
  const second = application.restore(other, application.moments.a);
  const answers = (await Promise.all([first, second])).map(({ status }) => status).sort();
  isOver = true;
  await writing;
  // One of the two began first. The other one is told so, unless the first had ended already.
  expect([
    [200, 200],
    [200, 409],
  ]).toContainEqual(answers);
  expect(new Set(statuses).isSubsetOf(new Set([201, 503]))).toBe(true);
  for (const each of [one, other]) expect(await application.read(each)).toBe('a');
  // What was accepted before it is gone with the restore, and what came after it is still there.
  const { records } = await ok(other, 'GET', `${application.notes.replace('notes', 'others')}?limit=100`);
  const left = records.map(({ id }: { id: string }) => id).sort();
  expect(left).toEqual(accepted.slice(accepted.length - left.length).sort());
}, 240_000);

test('a call that began at another node writes nothing into what was restored', async () => {
  const [one, other] = [node(0), node(1)];
  const slug = `${SLUG}-long`;
  const code = `export default {
    async fetch(request, env) {
      let written = 0;
      let error;
      for (let count = 0; count < (request.url.includes('long=') ? 200 : 1); count++) {
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
  await ok(one, 'POST', '/api/functions', { slug, code, enableDatabase: true });
  const { id } = (
    await ok(one, 'POST', '/api/pages', { name: 'Long', html_content: '<p>long</p>', functions: [slug] })
  ).page;
  const sql = async (text: string) =>
    (await ok(one, 'POST', `/api/functions/${slug}/database`, { sql: text })).results;
  const count = async () => (await sql('select count(*) as n from t'))[0].n;
  await sql('create table t (a text)');
  const { at } = await ok(one, 'POST', `/api/pages/${id}/moments`, { name: 'Empty' });
  const long = ok(other, 'POST', `/api/functions/${slug}?long=1`);
  await waitUntil(async () => (await count()) > 0);
  const { undo } = await ok(one, 'POST', `/api/pages/${id}/restore`, { at });
  const { written, error } = await long;
  expect(error).toContain('The database was restored to an earlier moment after this call began.');
  expect(await count()).toBe(0);
  for (const each of [one, other])
    expect(await ok(each, 'POST', `/api/functions/${slug}`)).toEqual({ written: 1 });
  await ok(one, 'POST', `/api/pages/${id}/restore`, { at: undo });
  expect(await count()).toBe(written);
}, 240_000);

test('a node that was stopped for longer than its claim changes nothing when it goes on', async () => {
  const [one, other] = [node(0), node(1)];
  const application = await makeApplication(one, `${SLUG}-stopped`);
  const late = application.restore(one, application.moments.a).catch(() => undefined);
  await waitUntil(async () => {
    const restore = await application.readRestore(other);
    return restore?.step === 'databases' || restore?.step === 'records';
  });
  // All of the node stands still, as when its machine is paused.
  const pid = cluster.nodes[0]?.pid as number;
  const processes = [pid, ...descendants(pid)];
  const signal = (name: 'SIGSTOP' | 'SIGCONT') => {
    for (const each of processes) if (isRunning(each)) process.kill(each, name);
  };
  signal('SIGSTOP');
  let changed: string;
  try {
    await waitUntil(async () => (await application.readRestore(other))?.finished_at !== null, 180_000);
    expect(await application.read(other)).toBe('a');
    const { records } = await ok(other, 'GET', `${application.notes}?limit=1`);
    changed = `${application.notes}/${records[0].id}`;
    await ok(other, 'PATCH', changed, { data: { state: 'new' } });
    await ok(other, 'POST', `/api/functions/${SLUG}-stopped/database`, {
      sql: "update state set value = 'new'",
    });
  } finally {
    signal('SIGCONT');
  }
  await late;
  await Bun.sleep(3_000);
  const found = await ok(other, 'GET', changed);
  expect(found.data).toEqual({ state: 'new' });
  const { results } = await ok(other, 'POST', `/api/functions/${SLUG}-stopped/database`, {
    sql: 'select value from state',
  });
  expect(results).toEqual([{ value: 'new' }]);
  expect(await application.readRestore(other)).toMatchObject({ step: 'done', error: null });
}, 400_000);

test('a node that is killed in the middle is followed by the other one', async () => {
  const [one, other] = [node(0), node(1)];
  const application = await makeApplication(one, `${SLUG}-killed`);
  const cut = application.restore(one, application.moments.a).catch(() => undefined);
  await waitUntil(async () => {
    const restore = await application.readRestore(other);
    return restore?.step === 'databases' || restore?.step === 'records';
  });
  await cluster.nodes[0]?.kill();
  await cut;
  await waitUntil(async () => (await application.readRestore(other))?.finished_at !== null, 180_000);
  expect(await application.read(other)).toBe('a');
  expect((await send(other, 'POST', application.notes, { data: { state: 'a' } })).status).toBe(201);
  await cluster.nodes[0]?.start();
  expect((await send(node(0), 'POST', application.notes, { data: { state: 'a' } })).status).toBe(201);
}, 400_000);

test('goes back and forward while the others serve it, though each of three nodes is killed once', async () => {
  const application = await makeApplication(node(0), `${SLUG}-three`);
  const answers = new Set<string>();
  let isOver = false;
  let down = -1;
  const visiting = (async () => {
    for (let at = 0; !isOver; at = (at + 1) % 3) {
      if (at === down) continue;
      const seen = await application.visit(node(at)).catch((error: unknown) => {
        // A node that is killed cuts its connections off.
        if (at !== down) throw error;
        return [];
      });
      for (const each of seen) answers.add(each);
    }
  })();
  /** Restores at one node, kills one while the databases or the records are brought back, and starts it again. */
  const go = async (from: number, to: 'a' | 'b', victim: number) => {
    const before = to === 'a' ? 'b' : 'a';
    const watcher = node(victim === 0 ? 1 : 0);
    const restoring = application.restore(node(from), application.moments[to]).catch(() => undefined);
    await waitUntil(async () => {
      const restore = await application.readRestore(watcher);
      return restore?.step === 'databases' || restore?.step === 'records';
    });
    down = victim;
    await cluster.nodes[victim]?.kill();
    await restoring;
    await waitUntil(async () => (await application.readRestore(watcher))?.finished_at !== null, 180_000);
    const { step, error } = await application.readRestore(watcher);
    // A node that takes the databases along with it can prevent a restore, which has then changed nothing, and says why.
    expect([step, error]).toEqual(step === 'done' ? ['done', null] : ['undone', expect.any(String)]);
    for (const at of [0, 1, 2].filter((each) => each !== victim))
      expect(await application.read(node(at))).toBe(step === 'done' ? to : before);
    await cluster.nodes[victim]?.start();
    down = -1;
    if (step === 'undone')
      expect((await application.restore(node(from), application.moments[to])).status).toBe(200);
    for (const at of [0, 1, 2]) expect(await application.read(node(at))).toBe(to);
  };
  await go(0, 'a', 1);
  await go(1, 'b', 1);
  await go(2, 'a', 0);
  await go(0, 'b', 2);
  isOver = true;
  await visiting;
  // Everybody got one state or the other, and was told to wait in between.
  expect(answers).toContain('200 page a');
  expect(answers).toContain('200 function b');
  expect([...answers].filter((each) => !/^200 (page|function) [ab]$|^50[23] /.test(each))).toEqual([]);
}, 900_000);
