import { afterAll, beforeAll, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  CompiledQuery,
  DummyDriver,
  Kysely,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely';
import { type Storage, startStorage, type Tables } from '../../platform/storage/index.ts';
import { listAnyones } from './store.ts';

let folder: string;
let storage: Storage;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'quire-functions-'));
  storage = await startStorage({ dataFolder: folder });
});
afterAll(async () => {
  await storage.stop();
  rmSync(folder, { recursive: true });
});

test.each([undefined, 'word'])(
  'a list of functions for everyone reads no code, with the search %p',
  async (q) => {
    const queries: CompiledQuery[] = [];
    const compiling = new Kysely<Tables>({
      dialect: {
        createAdapter: () => new SqliteAdapter(),
        createDriver: () => new DummyDriver(),
        createIntrospector: (db) => new SqliteIntrospector(db),
        createQueryCompiler: () => new SqliteQueryCompiler(),
      },
      log({ query }) {
        queries.push(query);
      },
    });
    await expect(listAnyones(compiling, { q, limit: 100, offset: 4000 })).rejects.toThrow('no result');
    expect(queries).toHaveLength(2);
    for (const { sql, parameters } of queries) {
      const explain = CompiledQuery.raw(`explain query plan ${sql}`, [...parameters]);
      const { rows } = await storage.db.executeQuery<{ detail: string }>(explain);
      expect(rows[0]?.detail).toBe('SCAN functions USING COVERING INDEX functions_listed');
    }
  },
);
