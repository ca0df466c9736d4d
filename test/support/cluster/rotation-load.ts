import { expect } from 'bun:test';
import type { TestResponse } from '../http/call.ts';
import { call, login, publish, register, type ServerAddress } from '../http/client.ts';
import { type PatientClient, type Refusals, watchRefusals } from './refusals.ts';

/** Clients that use everything that the key of the service encrypts or signs, while it is replaced. */
export interface RotationLoad extends Refusals {
  /** Throws unless a node has everything that was acknowledged. */
  expectAllThere(node: ServerAddress): Promise<void>;
}

type Ask = (method: string, path: string, body?: object, node?: ServerAddress) => Promise<TestResponse>;

const SECRETS = 40;
/** Whose secrets nobody sets meanwhile: it shows what was encrypted again. */
const QUIET = 'quiet';
const BUSY = ['busy-1', 'busy-2'];
const CODE = `export default { fetch: (request, env) => Response.json(
  Object.fromEntries(Object.entries(env).filter(([, value]) => typeof value === 'string'))) };`;
const KEEPER = `export default { fetch: async (request, { DB }) => {
  const { id } = await request.json();
  await DB.prepare('insert or ignore into rows values (?)').bind(id).run();
  return new Response('kept');
} };`;
const LISTED_AT_ONCE = 100;

export async function startRotationLoad(balancer: ServerAddress): Promise<RotationLoad> {
  const { token } = await register(balancer, 'ada');
  const ask: Ask = (method, path, body, node = balancer) =>
    call(node, method, path, { token, ...(body && { body }) });
  const cookie = await login(balancer, 'ada');
  const page = await publish(balancer, token, { storage_mode: 'social_app' });
  const parts = [await secretClients(ask), await rowClient(ask), recordClient(ask, page.id)];
  const clients = Object.assign({}, ...parts.map((part) => part.clients));
  return {
    ...watchRefusals({ ...clients, sessions: sessionClient(balancer, page, cookie) }),
    async expectAllThere(node) {
      for (const { check } of parts) await check(node);
    },
  };
}

interface Part {
  clients: Record<string, PatientClient>;
  check(node: ServerAddress): Promise<void>;
}

/** Functions that return their secrets, and have a trigger with a secret of its own. */
async function secretClients(ask: Ask): Promise<Part> {
  const values = new Map<string, Record<string, string>>();
  const triggers = new Map<string, unknown>();
  for (const slug of [QUIET, ...BUSY]) {
    const on = [{ collection: 'notes', actions: ['create'], url: 'https://example.com/' }];
    const made = await ask('POST', '/api/functions', { slug, code: CODE, on });
    expect([made.status, made.body]).toEqual([201, made.body]);
    triggers.set(slug, (await ask('GET', `/api/functions/${slug}`)).body.on);
    values.set(slug, {});
    for (let at = 0; at < SECRETS; at++) await setSecret(slug, `NAME_${at}`, `first ${at}`);
  }
  async function setSecret(slug: string, name: string, value: string): Promise<TestResponse> {
    const response = await ask('PUT', `/api/functions/${slug}/secrets/${name}`, { value });
    if (response.status < 300) Object.assign(values.get(slug) ?? {}, { [name]: value });
    return response;
  }
  return {
    clients: {
      calls: {
        send: () => ask('POST', `/api/functions/${QUIET}`, {}),
        note: (_, { body }) => expect(body).toEqual(values.get(QUIET)),
      },
      secrets: {
        send: (at) => setSecret(BUSY[at % BUSY.length] ?? '', `NAME_${at % SECRETS}`, `value ${at}`),
        note: () => undefined,
      },
      // Others than at the beginning: what is added while the key is replaced is encrypted again, too.
      newSecrets: {
        send: (at) => setSecret(BUSY[at % BUSY.length] ?? '', `NEW_${at % SECRETS}`, `value ${at}`),
        note: () => undefined,
      },
    },
    async check(node) {
      for (const [slug, expected] of values) {
        const { status, body } = await ask('POST', `/api/functions/${slug}`, {}, node);
        expect([slug, status, body]).toEqual([slug, 200, expected]);
        expect((await ask('GET', `/api/functions/${slug}`, undefined, node)).body.on).toEqual(
          triggers.get(slug),
        );
      }
    },
  };
}

/** A function with a database, whose hosts at different nodes speak with the key of the cluster. */
async function rowClient(ask: Ask): Promise<Part> {
  const rows = new Set<string>();
  const run = (sql: string, node?: ServerAddress) =>
    ask('POST', '/api/functions/keeper/database', { sql }, node);
  expect(
    (await ask('POST', '/api/functions', { slug: 'keeper', code: KEEPER, enableDatabase: true })).status,
  ).toBe(201);
  expect((await run('create table rows (id text primary key)')).status).toBe(200);
  return {
    clients: {
      rows: {
        send: (at) => ask('POST', '/api/functions/keeper', { id: `row ${at}` }),
        note: (at) => rows.add(`row ${at}`),
        waitsForLease: true,
      },
    },
    async check(node) {
      const { body } = await run('select id from rows', node);
      const found = body.results.map(({ id }: { id: string }) => id);
      expect([...rows].filter((id) => !found.includes(id))).toEqual([]);
    },
  };
}

function recordClient(ask: Ask, pageId: number): Part {
  const path = `/api/pages/${pageId}/social-data/notes`;
  const records = new Set<string>();
  return {
    clients: {
      records: {
        send: (at) => ask('POST', path, { data: { at } }),
        note: (_, { body }) => records.add(body.id),
      },
    },
    async check(node) {
      const found = new Set<string>();
      for (let offset = 0, hasMore = true; hasMore; offset += LISTED_AT_ONCE) {
        const query = `?limit=${LISTED_AT_ONCE}&offset=${offset}`;
        const { body } = await ask('GET', path + query, undefined, node);
        for (const { id } of body.records) found.add(id);
        hasMore = body.hasMore;
      }
      expect([...records].filter((id) => !found.has(id))).toEqual([]);
    },
  };
}

/** Opens a page, and uses what it was signed with, often at another node. */
function sessionClient(
  balancer: ServerAddress,
  page: { id: number; slug: string },
  cookie: string,
): PatientClient {
  const headers = { cookie, 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' };
  return {
    async send() {
      const opened = await call(balancer, 'GET', `/p/${page.slug}`, { headers });
      if (opened.status !== 200) return opened;
      const [, session = ''] = /data-page-session="([^"]+)"/.exec(opened.body) ?? [];
      return call(balancer, 'POST', `/api/pages/${page.id}/page-session`, {
        headers: { 'x-page-session': session },
      });
    },
    note: () => undefined,
  };
}
