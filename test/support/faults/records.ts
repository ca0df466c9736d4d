import { expect } from 'bun:test';
import { readEvents } from '../data/data.ts';
import { call, publish, type ServerAddress } from '../http/client.ts';

/** Writes records until the server is gone, and collects the events about them. */
export interface RecordWriter {
  /** Starts to write. The writers end when the server is gone. */
  start(server: ServerAddress): Promise<RecordRound>;
  /** Compares the server with the acknowledged writes and the events of earlier rounds. */
  expectAllThere(server: ServerAddress): Promise<void>;
}

export interface RecordRound {
  /** Acknowledged writes so far. */
  writes(): number;
  /** Resolves when the server is gone. Fails if it refused a write before that. */
  ended(): Promise<void>;
}

/** What is known about a record: the last acknowledged state, and one without a response yet. */
interface Known {
  acknowledged: number | 'deleted';
  trying?: number | 'deleted' | undefined;
}

interface Event {
  type: 'created' | 'updated' | 'deleted';
  id?: string;
  record?: { id: string; data: { n: number } };
}

const WRITERS = 6;

export async function recordWriter(server: ServerAddress, token: string): Promise<RecordWriter> {
  const page = await publish(server, token, { name: 'Data', storage_mode: 'social_app' });
  const path = `/api/pages/${page.id}/social-data/things`;
  const known = new Map<string, Known>();
  let events: Event[] = [];

  async function write(send: (method: string, path: string, body?: object) => Promise<{ id: string }>) {
    for (let n = 0; ; n++) {
      const { id } = await send('POST', path, { data: { n: 0 } });
      const record: Known = { acknowledged: 0 };
      known.set(id, record);
      const next = n % 3 === 2 ? 'deleted' : n + 1;
      record.trying = next;
      if (next === 'deleted') await send('DELETE', `${path}/${id}`);
      else await send('PATCH', `${path}/${id}`, { data: { n: next } });
      record.acknowledged = next;
      record.trying = undefined;
    }
  }

  async function start({ port }: ServerAddress): Promise<RecordRound> {
    const address = `http://127.0.0.1:${port}`;
    const stream = readEvents(await fetch(`${address}/api/pages/${page.id}/events?collections=things`));
    const isOver = stream.ended.catch(() => undefined);
    let writes = 0;
    const send = async (method: string, path: string, body?: object) => {
      const answer = await fetch(`${address}${path}`, {
        method,
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        ...(body && { body: JSON.stringify(body) }),
      });
      const text = await answer.text();
      if (!answer.ok) throw new Error(`refused with ${answer.status}: ${text}`);
      writes++;
      return text ? JSON.parse(text) : undefined;
    };
    const writing = Array.from({ length: WRITERS }, () => write(send).catch((error: Error) => error.message));
    return {
      writes: () => writes,
      async ended() {
        for (const message of await Promise.all(writing)) expect(message).not.toContain('refused with');
        await isOver;
        events = stream.events.filter(({ name }) => name === 'message').map(({ data }) => data as Event);
        expect(events.length).toBeGreaterThan(0);
      },
    };
  }

  return {
    start,
    async expectAllThere(server) {
      const found = await readRecords(server, path, token);
      expectTrue(found, known, events);
      expectKnown(found, known);
    },
  };
}

async function readRecords(server: ServerAddress, path: string, token: string): Promise<Map<string, number>> {
  const found = new Map<string, number>();
  let after = '';
  for (let more = true; more; ) {
    const query = `limit=100&order=asc${after && `&after=${after}`}`;
    const { body } = await call(server, 'GET', `${path}?${query}`, { token });
    for (const { id, data } of body.records) {
      found.set(id, data.n);
      after = id;
    }
    more = body.hasMore;
    if (!more) expect(body.total).toBe(found.size);
  }
  return found;
}

function expectKnown(found: Map<string, number>, known: Map<string, Known>): void {
  const wrong = [...known].filter(([id, { acknowledged, trying }]) => {
    const state = found.get(id) ?? 'deleted';
    return state !== acknowledged && state !== trying;
  });
  expect(wrong).toEqual([]);
  // The outcome of that write is known now.
  for (const [id, record] of known) {
    record.acknowledged = found.get(id) ?? 'deleted';
    record.trying = undefined;
  }
}

/** Every event must belong to a write that exists: in the database, or replaced by one that does. */
function expectTrue(found: Map<string, number>, known: Map<string, Known>, events: Event[]): void {
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
