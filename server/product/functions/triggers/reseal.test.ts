import { expect, test } from 'bun:test';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { ServiceKey } from '../../../lib/secrets.ts';
import { startStorage } from '../../../platform/storage/index.ts';
import { insertFunction } from '../model/store.ts';
import { createFunctionSealer } from '../secrets/secrets.ts';
import { replaceTriggers } from './change.ts';
import { resealFunctions } from './reseal.ts';
import { listTriggers } from './store.ts';
import { toTrigger } from './wire.ts';

test('the secrets of triggers stay the same when the key of the service is replaced', async () => {
  const dataFolder = mkdtempSync(join(tmpdir(), 'quire-reseal-'));
  const storage = await startStorage({ dataFolder });
  try {
    const { db } = storage;
    const row = { slug: 'fn', display_name: '', description: '', code: '', is_public: 1, database_id: null };
    const never = { created_at: 0, updated_at: 0 };
    await sql`pragma foreign_keys = off`.execute(db);
    const id =
      (await db.transaction().execute((tx) => insertFunction(tx, { ...row, owner_id: 1, ...never }))) ?? 0;
    const [old, next] = [randomBytes(32), randomBytes(32)];
    const pages = { find: async () => undefined, noteTriggers: async () => undefined };
    const on = [
      { collection: 'a', actions: ['create' as const], url: 'https://example.com/' },
      { collection: 'b', actions: ['create' as const] },
    ];
    const sealer = createFunctionSealer(new ServiceKey(old));
    await db
      .transaction()
      .execute((tx) => replaceTriggers({ sealer, pages }, tx, { functionId: id, pageId: null }, on));
    const read = async (key: ServiceKey) =>
      (await listTriggers(db, id)).map((each) => toTrigger(each, createFunctionSealer(key)));
    const before = await read(new ServiceKey(old));
    expect(before.map(({ secret }) => secret?.slice(0, 6))).toEqual(['whsec_', undefined]);
    const both = new ServiceKey(next, old);
    expect(await resealFunctions(db, both)).toEqual({ moved: 1, lost: [] });
    expect(await resealFunctions(db, both)).toEqual({ moved: 0, lost: [] });
    expect(await read(new ServiceKey(next))).toEqual(before);
    // Who has lost the key still sees the triggers, so that they can be removed and added again.
    expect(await read(new ServiceKey(randomBytes(32)))).toEqual(on);
  } finally {
    await storage.stop();
    rmSync(dataFolder, { recursive: true, force: true });
  }
});
