import { Database } from 'bun:sqlite';
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readEvents } from '../support/data.ts';
import { call, register } from '../support/fault-client.ts';
import { startDatabase } from '../support/fault-postgres.ts';
import { startServer, type TestServer, waitUntil } from '../support/server.ts';

const WRITERS = 6;
const MIN_WRITES = 30;
const MAX_WRITING_MS = 300;

let dataFolder: string;
beforeEach(() => {
  dataFolder = mkdtempSync(join(tmpdir(), 'quire-data-kill-'));
});
afterEach(() => rmSync(dataFolder, { recursive: true, force: true }));

/** What is known of a record: the last state that was acknowledged, and one that was on its way. */
interface Known {
  acknowledged: number | 'deleted';
  trying?: number | 'deleted' | undefined;
}

interface Event {
  type: 'created' | 'updated' | 'deleted';
  id?: string;
  record?: { id: string; data: { n: number } };
}

describe('a server killed while records are written', () => {
  test('has lost none and told of none that is not there, 20 times in a row, on SQLite', async () => {
    await killInRounds(20, {});
    const database = new Database(join(dataFolder, 'quire.db'), { readonly: true });
    const odd = database
      .query(
        `select * from record_counts c where records <> (select count(*) from records r where r.collection_id = c.collection_id)
         or bytes <> (select sum(size + 256) from records r where r.collection_id = c.collection_id)`,
      )
      .all();
    database.close();
    expect(odd).toEqual([]);
  }, 180_000);

  test('has lost none and told of none that is not there, 5 times in a row, on PostgreSQL', async () => {
    const database = await startDatabase();
    try {
      await killInRounds(5, { DATABASE_URL: database.url });
    } finally {
      await database.stop();
    }
  }, 120_000);
});

/** Starts, checks what the round before was promised and told, writes, kills. */
async function killInRounds(rounds: number, settings: Record<string, string>): Promise<void> {
  const known = new Map<string, Known>();
  let events: Event[] = [];
  let account: { token: string; address: string; pageId: number } | undefined;
  for (let round = 0; round <= rounds; round++) {
    const server = await startServer({ dataFolder, settings });
    try {
      account ??= await prepare(server);
      await expectTrue(server, account, known, events);
      await expectKnown(server, account, known);
      if (round < rounds) events = await writeUntilKilled(server, account, known);
    } finally {
      await server.kill();
    }
  }
}

async function prepare(server: TestServer) {
  const { token } = await register(server, 'writer');
  const body = { name: 'Data', html_content: '<p>x', storage_mode: 'social_app' };
  const { page } = (await call(server, 'POST', '/api/pages', { token, body })).body;
  return { token, pageId: page.id as number, address: `/api/pages/${page.id}/social-data/things` };
}

async function writeUntilKilled(
  server: TestServer,
  account: { token: string; address: string; pageId: number },
  known: Map<string, Known>,
): Promise<Event[]> {
  const response = await fetch(
    `http://127.0.0.1:${server.port}/api/pages/${account.pageId}/events?collections=things`,
  );
  const stream = readEvents(response);
  const ended = stream.ended.catch(() => undefined);
  let writes = 0;
  const send = async (method: string, path: string, body?: object) => {
    const answer = await fetch(`http://127.0.0.1:${server.port}${path}`, {
      method,
      headers: { authorization: `Bearer ${account.token}`, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`answered ${answer.status}: ${text}`);
    writes++;
    return text ? JSON.parse(text) : undefined;
  };
  const writer = async () => {
    for (let n = 0; ; n++) {
      const { id } = await send('POST', account.address, { data: { n: 0 } });
      const record: Known = { acknowledged: 0 };
      known.set(id, record);
      const next = n % 3 === 2 ? 'deleted' : n + 1;
      record.trying = next;
      if (next === 'deleted') await send('DELETE', `${account.address}/${id}`);
      else await send('PATCH', `${account.address}/${id}`, { data: { n: next } });
      record.acknowledged = next;
      record.trying = undefined;
    }
  };
  const writing = Array.from({ length: WRITERS }, () => writer().catch((error: Error) => error.message));
  await waitUntil(async () => writes >= MIN_WRITES);
  await Bun.sleep(Math.random() * MAX_WRITING_MS);
  await server.kill();
  for (const message of await Promise.all(writing)) expect(message).not.toContain('answered');
  await ended;
  const events = stream.events.filter(({ name }) => name === 'message').map(({ data }) => data as Event);
  expect(events.length).toBeGreaterThan(0);
  return events;
}

async function read(
  server: TestServer,
  account: { token: string; address: string },
): Promise<Map<string, number>> {
  const found = new Map<string, number>();
  let after = '';
  for (let more = true; more; ) {
    const query = `limit=100&order=asc${after && `&after=${after}`}`;
    const { body } = await call(server, 'GET', `${account.address}?${query}`, { token: account.token });
    for (const { id, data } of body.records) {
      found.set(id, data.n);
      after = id;
    }
    more = body.hasMore;
    if (!more) expect(body.total).toBe(found.size);
  }
  return found;
}

async function expectKnown(
  server: TestServer,
  account: { token: string; address: string },
  known: Map<string, Known>,
) {
  const found = await read(server, account);
  const wrong = [...known].filter(([id, { acknowledged, trying }]) => {
    const state = found.get(id) ?? 'deleted';
    return state !== acknowledged && state !== trying;
  });
  expect(wrong).toEqual([]);
  // What was on its way has now been settled, one way or the other.
  for (const [id, record] of known) {
    record.acknowledged = found.get(id) ?? 'deleted';
    record.trying = undefined;
  }
}

/** Every event must be of a write that is there: in the database, or followed by another that is. */
async function expectTrue(
  server: TestServer,
  account: { token: string; address: string },
  known: Map<string, Known>,
  events: Event[],
): Promise<void> {
  const found = await read(server, account);
  const deleted = new Set(events.filter(({ type }) => type === 'deleted').map(({ id }) => id));
  for (const event of events) {
    if (event.type === 'deleted') {
      expect(found.has(event.id ?? '')).toBe(false);
      continue;
    }
    const { id = '', data } = event.record ?? {};
    const { acknowledged, trying } = known.get(id) ?? {};
    const mayBeGone = deleted.has(id) || acknowledged === 'deleted' || trying === 'deleted';
    if (mayBeGone && !found.has(id)) continue;
    const state = found.get(id);
    expect(state).toBeDefined();
    expect(state as number).toBeGreaterThanOrEqual(data?.n ?? 0);
  }
}
