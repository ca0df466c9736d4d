import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { Branch } from '../../contract/pages/branches/branches.ts';
import { SCOPES } from '../../contract/scopes.ts';
import { type Cluster, startCluster } from '../support/cluster/cluster.ts';
import { call, register } from '../support/http/client.ts';
import { waitUntil } from '../support/server.ts';

/** A branch whose parts are made, changed, merged and undone on different nodes, while visitors use the page. */

const SLUG = 'cluster-branches';
const LINES = ['<h1>Menu</h1>', '<p>soup</p>', '<p>bread</p>', '<p>cake</p>'];
const html = (change: Record<string, string> = {}) =>
  LINES.map((line) => Object.entries(change).reduce((text, [from, to]) => text.replace(from, to), line)).join(
    '\n',
  );
const worker = (text: string) => `export default { async fetch(request, env) {
  const { results } = await env.DB.prepare('select value from state').all();
  return new Response('${text} ' + results.map(({ value }) => value).join());
} };`;

let cluster: Cluster;
let person: string;
let agent: string;
beforeAll(async () => {
  cluster = await startCluster({ nodes: 3 });
  ({ token: person } = await register({ port: cluster.port, baseUrl: cluster.url }, SLUG));
  const body = { name: 'agent', scopes: SCOPES, branches_only: true };
  agent = (await send(0, person, 'POST', '/api/auth/tokens', body)).body.token;
}, 240_000);
afterAll(async () => {
  await cluster?.stop();
}, 60_000);

const node = (at: number) => {
  const { host, port } = cluster.nodes[at] as Cluster['nodes'][number];
  return { host, port, baseUrl: cluster.url };
};
const send = (at: number, token: string, method: string, path: string, body?: object) =>
  call(node(at), method, path, { token, ...(body && { body }) });
async function ok(at: number, token: string, method: string, path: string, body?: object) {
  const answer = await send(at, token, method, path, body);
  if (answer.status >= 300)
    throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
  return answer.body;
}

/** What visitors of each node get of a page and its function. */
async function visit(pageSlug: string): Promise<string[]> {
  const seen: string[] = [];
  for (const { host, port } of cluster.nodes) {
    const page = await fetch(`http://${host}:${port}/p/${pageSlug}`);
    const text = (await page.text()).match(/<p>\w+<\/p>|<h1>\w+<\/h1>/g)?.join('');
    const called = await fetch(`http://${host}:${port}/api/functions/${SLUG}`, { method: 'POST' });
    seen.push(`${page.status} ${text} ${called.status} ${await called.text()}`);
  }
  return [...new Set(seen)];
}
const shown = (change: Record<string, string>, answer: string) => [
  `200 ${html(change).replaceAll('\n', '')} 200 ${answer}`,
];

test('an agent breaks and mends a branch while the page stays as it is; a person merges and undoes it', async () => {
  await ok(0, person, 'POST', '/api/functions', { slug: SLUG, code: worker('main'), enableDatabase: true });
  const sql = (at: number, token: string, slug: string, text: string) =>
    ok(at, token, 'POST', `/api/functions/${slug}/database`, { sql: text });
  await sql(0, person, SLUG, "create table state as select 'a' as value");
  const { page } = await ok(0, person, 'POST', '/api/pages', {
    ...{ name: 'Menu', html_content: html(), storage_mode: 'social_app', functions: [SLUG] },
  });
  const orders = (id: number) => `/api/pages/${id}/social-data/orders`;
  const [first, second] = [
    (await ok(1, person, 'POST', orders(page.id), { data: { dish: 'soup', n: 1 } })).id,
    (await ok(1, person, 'POST', orders(page.id), { data: { dish: 'bread', n: 1 } })).id,
  ];
  const read = async (at: number, id: number) =>
    Object.fromEntries(
      (await ok(at, person, 'GET', orders(id))).records.map(
        ({ id: record, data }: { id: string; data: object }) => [record, data],
      ),
    );

  const refused = await send(1, agent, 'PATCH', `/api/pages/${page.id}`, { html_content: 'broken' });
  expect([refused.status, refused.body.code]).toEqual([403, 'PROTECTED']);
  await ok(1, agent, 'POST', `/api/pages/${page.id}/branches`, { name: 'try', data: 'all' });
  const trial = `/api/pages/${page.id}/branches/try`;
  const branch = (): Promise<Branch> => ok(2, agent, 'GET', trial);
  await waitUntil(async () => (await branch()).state === 'ready');
  const { page: copy, functions } = await branch();
  const slug = functions[0]?.slug ?? '';

  // Broken on one node, seen on the others, and nothing of it reaches the page.
  await ok(2, agent, 'PATCH', `/api/pages/${copy.id}`, { html_content: '<h1>broken</h1>' });
  await ok(0, agent, 'PATCH', `/api/functions/${slug}`, { code: worker('broken') });
  await sql(1, agent, slug, 'delete from state');
  await ok(2, agent, 'DELETE', `${orders(copy.id)}/${first}`);
  expect(await visit(page.slug)).toEqual(shown({}, 'main a'));
  const before = { [first]: { dish: 'soup', n: 1 }, [second]: { dish: 'bread', n: 1 } };
  for (const at of [0, 1, 2]) {
    expect(await read(at, page.id)).toEqual(before);
    expect(await read(at, copy.id)).toEqual({ [second]: { dish: 'bread', n: 1 } });
  }

  // Both change a line and a record differently, and others without a conflict.
  await ok(0, agent, 'PATCH', `/api/pages/${copy.id}`, {
    html_content: html({ soup: 'BRANCH', Menu: 'Card' }),
  });
  await ok(1, agent, 'PATCH', `/api/functions/${slug}`, { code: worker('branch') });
  await ok(0, agent, 'PATCH', `${orders(copy.id)}/${second}`, { data: { n: 2 } });
  await ok(2, person, 'PATCH', `/api/pages/${page.id}`, {
    html_content: html({ soup: 'MAIN', cake: 'Pie' }),
  });
  await ok(1, person, 'PATCH', `${orders(page.id)}/${second}`, { data: { n: 3 } });
  const tried = await ok(1, agent, 'POST', `${trial}/merge`, { dry_run: true, records: true });
  const conflicts = ['files/index.html', `records/social/orders/${second}`];
  expect(tried.conflicts.map(({ path }: { path: string }) => path)).toEqual(conflicts);
  const alone = await send(1, agent, 'POST', `${trial}/merge`, {});
  expect(alone.body).toMatchObject({ code: 'PROTECTED', link: `${cluster.url}/pages/${copy.id}/merge` });

  const undecided = await send(2, person, 'POST', `${trial}/merge`, { records: true });
  expect([undecided.status, undecided.body.conflict_count]).toEqual([409, 2]);
  expect(await visit(page.slug)).toEqual(shown({ soup: 'MAIN', cake: 'Pie' }, 'main a'));
  const take = [
    { path: conflicts[0], from: 'branch' },
    { path: conflicts[1], from: 'main' },
  ];
  const merged = await ok(2, person, 'POST', `${trial}/merge`, { records: true, take, confirm: true });
  expect(merged.undo).toBeString();
  await waitUntil(async () => (await visit(page.slug))[0]?.includes('branch a') === true);
  expect(await visit(page.slug)).toEqual(shown({ soup: 'BRANCH', Menu: 'Card' }, 'branch a'));
  for (const at of [0, 1, 2]) expect(await read(at, page.id)).toEqual({ [second]: { dish: 'bread', n: 3 } });

  await ok(0, person, 'POST', `/api/pages/${page.id}/restore`, { at: merged.undo });
  await waitUntil(async () => (await visit(page.slug)).every((each) => each.includes('main a')));
  expect(await visit(page.slug)).toEqual(shown({ soup: 'MAIN', cake: 'Pie' }, 'main a'));
  for (const at of [0, 1, 2])
    expect(await read(at, page.id)).toEqual({ ...before, [second]: { dish: 'bread', n: 3 } });
  const again = await ok(1, person, 'POST', `${trial}/merge`, { dry_run: true, records: true });
  expect(again.conflicts.map(({ path }: { path: string }) => path)).toEqual(conflicts);
}, 240_000);
