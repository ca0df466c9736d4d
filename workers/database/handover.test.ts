import { expect, setSystemTime, test } from 'bun:test';
import { Handover, type NoteStorage } from './handover.ts';

/** The storage of a database that is not empty. It moves from host to host. */
function createStorage(mark: unknown): NoteStorage {
  const values = new Map([['quire:host', mark]]);
  return {
    get: async <Value>(key: string) => values.get(key) as Value | undefined,
    put: async (key, value) => void values.set(key, value),
    sync: async () => undefined,
    sql: { exec: () => ({ raw: () => [[1]] }) },
  };
}

let names = 0;
/** A host, on a machine with its own clock. */
const openOn = (storage: NoteStorage) => new Handover(storage, `db${++names}`);

test('a write that was sent before a host was lost does not run again', async () => {
  const database = openOn(createStorage({ host: 'lost' }));
  expect(await database.begin('sent before', { sentMsAgo: 10_000 })).toBe(false);
  expect(await database.begin('new', undefined)).toBe(true);
});

test('a write does not run again if the host between two others had a clock that was five minutes behind', async () => {
  const storage = createStorage({ host: 'lost' });
  const now = Date.now();
  try {
    setSystemTime(now - 300_000);
    const behind = openOn(storage);
    expect(await behind.begin('other', undefined)).toBe(true);
    setSystemTime(now - 300_000 + 20_000);
    await behind.leave();
    setSystemTime(now + 20_000);
    const next = openOn(storage);
    expect(await next.begin('sent before', { sentMsAgo: 25_000 })).toBe(false);
    expect(await next.begin('other', { sentMsAgo: 10_000 })).toBe(false);
    expect(await next.begin('never begun', { sentMsAgo: 10_000 })).toBe(true);
  } finally {
    setSystemTime();
  }
});
