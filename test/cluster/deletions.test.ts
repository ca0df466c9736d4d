import { afterAll, beforeAll, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { type Storage, startStorage } from '../../server/platform/storage/index.ts';
import { writeCounts } from '../../server/product/analytics/write.ts';
import { addStats } from '../../server/product/functions/logs/stats-store.ts';
import { deleteFunction, insertFunction } from '../../server/product/functions/model/store.ts';
import { PageDirectory } from '../../server/product/pages/model/directory.ts';
import { deletePage } from '../../server/product/pages/model/page-store.ts';
import { startDatabase } from '../support/engines/process-postgres.ts';
import { waitUntil } from '../support/server.ts';

/** One node deletes what another is counting. */

const PAGE = {
  ...{ page_api_ai_enabled: 0, page_api_image_gen_enabled: 0, page_api_image_search_enabled: 0 },
  ...{ page_api_image_recognition_enabled: 0, page_api_spawn_enabled: 0, is_unlisted: 0, is_published: 1 },
  ...{ version: 1, views: 0, created_at: 1, updated_at: 1, owner_id: 1, preview_image: null },
  ...{ name: 'Page', slug: 'page', description: '', storage_mode: 'page' as const },
};
const FUNCTION = {
  ...{ display_name: '', description: '', code: '', is_public: 1, owner_id: null, slug: 'f' },
  ...{ database_id: null, created_at: 0, updated_at: 0 },
};

let database: Awaited<ReturnType<typeof startDatabase>>;
let folder: string;
let storage: Storage;
beforeAll(async () => {
  database = await startDatabase();
  folder = mkdtempSync(join(tmpdir(), 'quire-deletions-'));
  storage = await startStorage({ dataFolder: folder, databaseUrl: database.url });
  const user = {
    username: 'owner',
    email: 'owner@example.com',
    created_at: 1,
    is_admin: 0,
    password_hash: '',
  };
  await storage.db.insertInto('users').values(user).execute();
}, 120_000);
afterAll(async () => {
  await storage?.stop();
  await database?.stop();
  rmSync(folder, { recursive: true });
});

/** How many transactions wait for another. */
async function waiting(): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`.execute(storage.db);
  return Number(rows[0]?.count);
}

/** Deletes something while it is counted: the count has changed one row, and waits for one in this table. */
async function deleteWhileCounting(
  table: 'function_durations' | 'page_days',
  count: () => Promise<void>,
  remove: () => Promise<void>,
) {
  const held = Promise.withResolvers<void>();
  const letGo = Promise.withResolvers<void>();
  const holding = storage.db.transaction().execute(async (tx) => {
    await sql`select 1 from ${sql.table(table)} for update`.execute(tx);
    held.resolve();
    await letGo.promise;
  });
  await held.promise;
  const counting = count();
  await waitUntil(async () => (await waiting()) === 1);
  const removing = remove();
  await waitUntil(async () => (await waiting()) === 2);
  letGo.resolve();
  const outcomes = await Promise.allSettled([holding, counting, removing]);
  return outcomes.map((outcome) => (outcome.status === 'rejected' ? outcome.reason : 'done'));
}

test('a function is deleted while its calls are counted', async () => {
  const { db } = storage;
  const id = (await db.transaction().execute((tx) => insertFunction(tx, FUNCTION))) ?? 0;
  const row = { function_id: id, hour: 0, calls: 1, errors: 0, duration_total_ms: 5, duration_max_ms: 5 };
  await addStats(db, [{ ...row, durations: [1] }]);
  const outcomes = await deleteWhileCounting(
    'function_durations',
    () => addStats(db, [{ ...row, calls: 2, durations: [1, 1] }]),
    () => db.transaction().execute((tx) => deleteFunction(tx, id)),
  );
  expect(outcomes).toEqual(['done', 'done', 'done']);
  expect(await db.selectFrom('function_stats').selectAll().execute()).toEqual([]);
});

test('a page is deleted while its views are counted', async () => {
  const { db } = storage;
  const { id } = await db.insertInto('pages').values(PAGE).returning('id').executeTakeFirstOrThrow();
  const directory = new PageDirectory({} as never);
  const none = {
    lookedAt: 0,
    sketch: undefined,
    referrers: undefined,
    paths: undefined,
    ...{ phone: 0, tablet: 0, desktop: 1 },
    features: undefined,
    errors: undefined,
  };
  const count = (direct: number) =>
    writeCounts(
      { db, existing: (tx, ids) => directory.existing(tx, ids) },
      0,
      new Map([[id, { ...none, views: 1, direct }]]),
    );
  await count(0);
  const outcomes = await deleteWhileCounting(
    'page_days',
    () => count(1),
    () => db.transaction().execute((tx) => deletePage(tx, id)),
  );
  expect(outcomes).toEqual(['done', 'done', 'done']);
  expect(await db.selectFrom('page_hours').selectAll().execute()).toEqual([]);
});
