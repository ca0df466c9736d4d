import { expect } from 'bun:test';
import { randomUUID } from 'node:crypto';
import { type Account, call, login, publish, register, type ServerAddress } from '../http/client.ts';
import type { Cluster } from './cluster.ts';
import type { Client, Worker } from './load.ts';

/** Every kind of write in a cluster, and how to check that none is lost. */

/** Publishes pages and changes them. */
function pageWorker(name: string, { token }: Account): Worker {
  const pages = new Map<number, string[]>();
  async function create(ask: Client): Promise<void> {
    const html = randomHtml();
    const made = await ask('POST', '/api/pages', { token, body: { name: randomUUID(), html_content: html } });
    expectStatus(made, 201);
    pages.set(made.body.page.id, [html]);
  }
  async function change(ask: Client, id: number, versions: string[]): Promise<void> {
    const html = randomHtml();
    const body = { html_content: html, base_version: versions.length };
    const changed = await ask('PATCH', `/api/pages/${id}`, { token, body });
    // A request that was sent twice, because the first response was lost, was carried out once.
    if (changed.status === 409) expect(changed.body.currentVersion).toBe(versions.length + 1);
    else expectStatus(changed, 200);
    versions.push(html);
  }
  return {
    name,
    async work(ask) {
      const last = [...pages].at(-1);
      if (last && last[1].length < 4) return change(ask, ...last);
      return create(ask);
    },
    async check(node) {
      for (const [id, versions] of pages) {
        const { status, body } = await call(node, 'GET', `/api/pages/${id}`, { token });
        expect({ status, versions: body.versionCount, html: body.page?.html_content }).toEqual({
          status: 200,
          versions: versions.length,
          html: versions.at(-1),
        });
        const served = await call(node, 'GET', `/p/${body.page.slug}`);
        expect(served.body).toContain(readText(versions.at(-1) ?? ''));
      }
    },
  };
}

/** Writes records to the public data of a page. */
async function recordWorker(
  name: string,
  address: ServerAddress,
  owner: Account,
): Promise<Worker & { pageId: number; records: Map<string, string> }> {
  const { id: pageId } = await publish(address, owner.token, { storage_mode: 'social_app' });
  const path = `/api/pages/${pageId}/social-data/notes`;
  const records = new Map<string, string>();
  return {
    name,
    pageId,
    records,
    async work(ask) {
      const text = randomUUID();
      const made = await ask('POST', path, { token: owner.token, body: { data: { text } } });
      expectStatus(made, 201);
      records.set(made.body.id, text);
    },
    async check(node) {
      const found = new Map<string, string>();
      for (let offset = 0, hasMore = true; hasMore; offset += 100) {
        const { body } = await call(node, 'GET', `${path}?limit=100&offset=${offset}`);
        for (const { id, data } of body.records) found.set(id, data.text);
        hasMore = body.hasMore;
      }
      for (const [id, text] of records) expect(found.get(id)).toBe(text);
    },
  };
}

const SMALL_PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
/** What one visitor can request from one page in a minute. */
const RECOGNITIONS_PER_PAGE = 30;

/** Spends credits: one for each image that is recognized. */
async function creditWorker(
  name: string,
  address: ServerAddress,
  owner: Account,
  visitor: Account,
): Promise<Worker> {
  const cookie = await login(address, visitor.username);
  const start = await fetchBalance(address, cookie);
  let pageId = 0;
  let acknowledged = 0;

  async function turnPage(ask: Client): Promise<void> {
    const body = {
      name: 'Pictures',
      html_content: '<!doctype html>',
      page_api_image_recognition_enabled: true,
    };
    pageId = (await ask('POST', '/api/pages', { token: owner.token, body })).body.page.id;
    const consent = { pageId, limit: 1000 };
    expectStatus(await ask('POST', '/api/credits/consents', { cookie, body: consent }), 200);
  }
  return {
    name,
    async work(ask) {
      if (acknowledged % (RECOGNITIONS_PER_PAGE / 2) === 0) await turnPage(ask);
      const body = { prompt: 'What is this?', image_base64: SMALL_PNG, mime_type: 'image/png' };
      const path = `/api/pages/${pageId}/page-api-image-recognition`;
      expectStatus(await ask('POST', path, { cookie, body }), 200);
      acknowledged++;
    },
    async check(node) {
      const spent = start - (await fetchBalance(node, cookie));
      expect(spent).toBeGreaterThanOrEqual(acknowledged);
      const entries = await fetchHistory(node, cookie);
      const deducted = entries.filter(({ credits }) => credits < 0).length;
      expect(deducted).toBeGreaterThanOrEqual(acknowledged);
    },
  };
}

async function fetchBalance(node: ServerAddress, cookie: string): Promise<number> {
  return (await call(node, 'GET', '/api/credits', { cookie })).body.balance;
}

async function fetchHistory(node: ServerAddress, cookie: string): Promise<Array<{ credits: number }>> {
  const all: Array<{ credits: number }> = [];
  for (;;) {
    const path = `/api/credits/history?limit=100&offset=${all.length}`;
    const { history } = (await call(node, 'GET', path, { cookie })).body;
    all.push(...history);
    if (history.length < 100) return all;
  }
}

/** A function that writes its input to its database, once, however often it is called. */
export const KEEPER = `export default { async fetch(request, env) {
  const { id } = await request.json();
  await env.DB.prepare('insert or ignore into kept (id) values (?)').bind(id).run();
  return Response.json({ success: true, data: id });
} };`;

/** Calls a function that writes to its database. */
async function databaseWorker(
  name: string,
  address: ServerAddress,
  owner: Account,
): Promise<Worker & { slug: string }> {
  const slug = `keeper-${randomUUID().slice(0, 8)}`;
  const { token } = owner;
  const made = await call(address, 'POST', '/api/functions', {
    token,
    body: { slug, code: KEEPER, enableDatabase: true },
  });
  expectStatus(made, 201);
  const path = `/api/functions/${slug}`;
  const sql = (node: ServerAddress, text: string) =>
    call(node, 'POST', `${path}/database`, { token, body: { sql: text }, timeoutMs: 30_000 });
  expectStatus(await sql(address, 'create table kept (id text primary key)'), 200);
  const ids: string[] = [];
  return {
    name,
    slug,
    async work(ask) {
      const id = randomUUID();
      const { status, body } = await ask('POST', path, { body: { id } });
      // A response does not say what was thrown. The log does.
      const { body: log } = status === 500 ? await ask('GET', `${path}/logs`, { token }) : { body: '' };
      expectStatus({ status, body: [body, log] }, 200);
      ids.push(id);
    },
    async check(node) {
      const answer = await sql(node, 'select id from kept');
      expectStatus(answer, 200);
      const kept = new Set(answer.body.results.map((row: { id: string }) => row.id));
      expect(ids.filter((id) => !kept.has(id))).toEqual([]);
    },
  };
}

/** Reads pages like a visitor, and calls a function without a database. */
async function readWorker(name: string, address: ServerAddress, owner: Account): Promise<Worker> {
  const page = await publish(address, owner.token);
  const slug = `reader-${randomUUID().slice(0, 8)}`;
  const code = `export default { fetch: () => Response.json({ success: true }) };`;
  expectStatus(
    await call(address, 'POST', '/api/functions', { token: owner.token, body: { slug, code } }),
    201,
  );
  return {
    name,
    async work(ask) {
      expectStatus(await ask('GET', `/p/${page.slug}`), 200);
      expectStatus(await ask('POST', `/api/functions/${slug}`), 200);
    },
    async check(node) {
      expectStatus(await call(node, 'GET', `/p/${page.slug}`), 200);
    },
  };
}

/** Work of every kind, through the balancer, with databases that were first used at two of the nodes. */
export async function workersOfEveryKind(cluster: Cluster) {
  const [owner, visitor] = await Promise.all([register(cluster, 'owner'), register(cluster, 'visitor')]);
  const [first = cluster, second = cluster] = cluster.nodes;
  const recording = await recordWorker('records', cluster, owner);
  const workers: Worker[] = await Promise.all([
    recording,
    pageWorker('pages', owner),
    creditWorker('credits', cluster, owner, visitor),
    databaseWorker('a database', first, owner),
    databaseWorker('another database', second, visitor),
    readWorker('reading', cluster, owner),
  ]);
  return { recording, workers };
}

function expectStatus({ status, body }: { status: number; body: unknown }, expected: number): void {
  if (status !== expected)
    throw new Error(`answered ${status} ${JSON.stringify(body)} instead of ${expected}`);
}

const randomHtml = () => `<!doctype html><title>t</title><p>${randomUUID()}`;

const readText = (html: string) => html.slice(html.lastIndexOf('>') + 1);
