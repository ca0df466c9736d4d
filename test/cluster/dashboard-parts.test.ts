import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { startToolVendor, type ToolVendor } from '../support/agents/tool-vendor.ts';
import { type Cluster, type ClusterNode, startCluster } from '../support/cluster/cluster.ts';
import { runSql } from '../support/engines/storage.ts';
import { PASSWORD } from '../support/http/call.ts';
import { type Account, type ClientOptions, call, publish, register } from '../support/http/client.ts';
import { waitUntil } from '../support/server.ts';

/** Drafts, analytics, the look of the server and the builder, when requests reach one node and the next. */

/** A node checks a cached page after 30 seconds. Before that, another node must have announced the change. */
const SOON_MS = 20_000;
const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0';
const CHROME = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/142.0.0.0 Safari/537.36';

let cluster: Cluster;
let vendor: ToolVendor;
let a: ClusterNode;
let b: ClusterNode;
let owner: Account;
beforeAll(async () => {
  vendor = await startToolVendor();
  const settings = {
    QUIRE_AI_PROVIDER: 'openai-compatible',
    QUIRE_AI_URL: vendor.url,
    QUIRE_AI_MODEL: 'model-a',
    QUIRE_CREDITS_NEW_USER: '1000',
  };
  cluster = await startCluster({ nodes: 2, settings });
  [a, b] = cluster.nodes as [ClusterNode, ClusterNode];
  owner = await register(a, 'owner');
}, 120_000);
afterAll(async () => {
  await cluster?.stop();
  await vendor?.stop();
}, 60_000);

const asOwner = (node: ClusterNode, method: string, path: string, body?: unknown) =>
  call(node, method, path, { token: owner.token, ...(body !== undefined && { body }) });
/** A page or a preview, at its address, from one node. */
const open = (node: ClusterNode, address: string, options: ClientOptions = {}) => {
  const { host, pathname } = new URL(address);
  return call(node, 'GET', pathname, { ...options, headers: { ...options.headers, host } });
};

test('a draft that one node saves is previewed and published by the other, and visitors see it at once', async () => {
  const page = await publish(a, owner.token, { html_content: '<p>live</p>' });
  const own = `http://p${page.id}.pages.localhost:${cluster.port}/`;
  const seen = async (node: ClusterNode) => (await open(node, own)).body;
  for (const node of cluster.nodes) expect(await seen(node)).toContain('<p>live</p>');

  const drafts = `/api/pages/${page.id}/drafts`;
  const html_content = '<link rel="stylesheet" href="a.css"><p>next</p>';
  const { draft } = (await asOwner(a, 'POST', drafts, { html_content })).body;
  const put = await fetch(`${a.url}${drafts}/${draft.id}/files/a.css`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${owner.token}` },
    body: 'p { color: teal }',
  });
  expect(put.status).toBe(200);
  expect((await open(b, draft.preview_url)).body).toContain('<p>next</p>');
  expect((await open(b, `${draft.preview_url}a.css`)).body).toBe('p { color: teal }');

  // Saved again here, published there.
  const better = { html_content: html_content.replace('next', 'better'), revision: 2 };
  expect((await asOwner(a, 'PATCH', `${drafts}/${draft.id}`, better)).status).toBe(200);
  expect((await open(b, draft.preview_url)).body).toContain('<p>better</p>');
  const stale = await asOwner(b, 'POST', `${drafts}/${draft.id}/publish`, { revision: 2 });
  expect([stale.status, stale.body.currentRevision]).toEqual([409, 3]);
  const published = await asOwner(b, 'POST', `${drafts}/${draft.id}/publish`, { revision: 3 });
  expect(published.body).toMatchObject({ success: true, version: 2 });
  expect(await seen(b)).toContain('<p>better</p>');
  await waitUntil(async () => (await seen(a)).includes('<p>better</p>'), SOON_MS);
  expect((await open(a, `${own}a.css`)).body).toBe('p { color: teal }');
  expect((await open(a, draft.preview_url)).status).toBe(404);
});

describe('the look of the server', () => {
  let token: string;
  beforeAll(async () => {
    const { username } = await register(a, 'boss');
    const place = { dataFolder: '', databaseUrl: cluster.postgres.url };
    await runSql(place, `update users set is_admin = 1 where username = '${username}'`);
    const body = { username, password: PASSWORD, scopes: ['admin'] };
    token = (await call(a, 'POST', '/api/auth/token', { body })).body.accessToken;
  });

  const patch = (node: ClusterNode, body: Record<string, unknown>) =>
    call(node, 'PATCH', '/api/admin/instance', { token, body });
  const screen = async (node: ClusterNode, path: string) =>
    (await call(node, 'GET', path, { headers: { accept: 'text/html', 'sec-fetch-mode': 'navigate' } })).body;

  test('changes on every node when one is told', async () => {
    for (const path of ['/', '/login']) expect(await screen(b, path)).toContain('Quire</');
    expect((await patch(a, { name: 'Acme', color: '#FFEB3B' })).status).toBe(200);
    for (const path of ['/', '/login', '/p/nothing-here']) {
      await waitUntil(async () => (await screen(b, path)).includes('Acme</'), SOON_MS);
      expect(await screen(b, path)).toContain(',#ffeb3b)');
    }
  });

  test('connects a model on every node when one is told, with the key and without a restart', async () => {
    const read = async (node: ClusterNode) => {
      const { providers } = (await call(node, 'GET', '/api/admin/providers', { token })).body;
      return providers.find((each: { name: string }) => each.name === 'images').connection;
    };
    const body = {
      provider: 'openai-compatible',
      url: vendor.url,
      key: 'sk-0123456789-wxyz',
      model: 'painter',
    };
    const path = '/api/admin/providers/images/connection';
    expect((await call(a, 'PUT', path, { token, body })).status).toBe(200);
    await waitUntil(async () => (await read(b)).source === 'dashboard', SOON_MS);
    expect(await read(b)).toMatchObject({ model: 'painter', keyEnd: 'wxyz' });
    expect((await call(b, 'DELETE', path, { token })).status).toBe(200);
    await waitUntil(async () => (await read(a)).source === 'default', SOON_MS);
  });

  test('keeps both changes when two nodes are told at the same time', async () => {
    for (let round = 1; round <= 20; round++) {
      const wanted = { name: `Round ${round}`, tagline: `Tagline ${round}` };
      const answers = await Promise.all([
        patch(a, { name: wanted.name }),
        patch(b, { tagline: wanted.tagline }),
      ]);
      expect(answers.map(({ status }) => status)).toEqual([200, 200]);
      for (const node of cluster.nodes)
        await waitUntil(async () => {
          const { name, tagline } = (await call(node, 'GET', '/api/instance')).body;
          return name === wanted.name && tagline === wanted.tagline;
        }, SOON_MS);
    }
  });
});

/** Does something again if midnight (UTC) came meanwhile: who comes back on another day is another visitor. */
async function withinOneDay<Result>(act: () => Promise<Result>): Promise<Result> {
  const day = dayInUtc();
  const result = await act();
  return dayInUtc() === day ? result : withinOneDay(act);
}
const dayInUtc = () => new Date().toISOString().slice(0, 10);

describe('analytics', () => {
  const visit = (node: ClusterNode, page: { slug: string }, address: string, browser = FIREFOX) =>
    call(node, 'GET', `/p/${page.slug}`, { headers: { 'user-agent': browser, 'x-forwarded-for': address } });
  const totals = async (node: ClusterNode, page: { id: number }) =>
    (await asOwner(node, 'GET', `/api/pages/${page.id}/analytics?range=7d`)).body.totals;

  /** Visits both nodes, and returns the totals that each node then has, and those after some have come back. */
  async function visitBoth() {
    const page = await publish(a, owner.token);
    // The same person at both nodes, another at each, and another browser at the same address.
    for (const node of cluster.nodes) await visit(node, page, '203.0.113.1');
    await visit(a, page, '203.0.113.2');
    await visit(b, page, '203.0.113.3');
    await visit(b, page, '203.0.113.1', CHROME);
    // The other node writes by itself: nobody asks it.
    await waitUntil(async () => (await totals(a, page)).views === 5);
    const first = [await totals(a, page), await totals(b, page)];
    // Who comes back later is the same visitor.
    for (const node of cluster.nodes) await visit(node, page, '203.0.113.3');
    for (const node of cluster.nodes) await totals(node, page);
    return { first, last: await totals(a, page) };
  }

  test('of both nodes are one report, in which a visitor of both counts once', async () => {
    const { first, last } = await withinOneDay(visitBoth);
    for (const each of first) expect(each).toMatchObject({ views: 5, visitors: 4 });
    expect(last).toMatchObject({ views: 7, visitors: 4 });
  });

  test('list an error that another node was told, once for both', async () => {
    const page = await publish(a, owner.token);
    const report = (node: ClusterNode) =>
      call(node, 'POST', `/api/pages/${page.id}/errors`, {
        body: { message: 'x is not defined', source: page.url, line: 3, column: 1 },
        headers: { 'user-agent': FIREFOX },
      });
    const errorsAt = async (node: ClusterNode) =>
      (await asOwner(node, 'GET', `/api/pages/${page.id}/errors`)).body.errors;
    expect((await report(b)).status).toBe(204);
    await waitUntil(async () => (await errorsAt(a)).length === 1);
    expect((await report(a)).status).toBe(204);
    const [error] = await errorsAt(a);
    expect(error).toMatchObject({ message: 'x is not defined', line: 3, count: 2 });
    expect(await errorsAt(b)).toEqual([error]);
    const path = `/api/pages/${page.id}/errors/${error.fingerprint}`;
    expect((await asOwner(b, 'DELETE', path)).status).toBe(204);
    expect(await errorsAt(a)).toEqual([]);
  });
});

test('a run of the builder on one node keeps the page busy on the other, which stops it at once', async () => {
  const page = await publish(a, owner.token);
  vendor.play(() => ({ text: 'I think about it for long', ends: 'silence' }));
  const asked = vendor.nextRequest();
  const run = await fetch(`${a.url}/api/builder/${page.id}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${owner.token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ prompt: 'Think' }),
  });
  expect(run.status).toBe(200);
  const reading = run.text();
  await asked;
  const path = `/api/builder/${page.id}`;
  expect((await asOwner(b, 'POST', path, { prompt: 'Think' })).body.code).toBe('CONFLICT');

  const hangUp = vendor.nextHangUp();
  expect((await asOwner(b, 'DELETE', path)).status).toBe(200);
  expect(await reading).toContain('"outcome":"stopped"');
  await hangUp;
  expect((await asOwner(a, 'DELETE', path)).status).toBe(404);
}, 60_000);
