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
import { type Db, type Storage, startStorage, type Tables } from '../../../server/platform/storage/index.ts';
import { deleteBefore, forgetSketches } from '../../../server/product/analytics/store.ts';
import { listChanges, listDeleted } from '../../../server/product/data/history/entry-store.ts';
import {
  countDifference,
  findFirstChange,
  listCreated,
  listEntries,
  listPast,
} from '../../../server/product/data/history/state-store.ts';
import { deleteStatsBefore } from '../../../server/product/functions/logs/stats-store.ts';
import { listAnyones } from '../../../server/product/functions/model/store.ts';

/** SQLite works in the serving thread. What runs there must not read more rows as the server grows. */

let folder: string;
let storage: Storage;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'quire-plans-'));
  storage = await startStorage({ dataFolder: folder });
});
afterAll(async () => {
  await storage.stop();
  rmSync(folder, { recursive: true });
});

/** How SQLite would first look for the rows of each query. */
const explainQueries = async (ask: (db: Db) => Promise<unknown>): Promise<string[]> =>
  (await explainSteps(ask)).map(([first = '']) => first);

/** All steps of the plan of each query. */
async function explainSteps(ask: (db: Db) => Promise<unknown>): Promise<string[][]> {
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
  await ask(compiling);
  const plans: string[][] = [];
  for (const { sql, parameters } of queries) {
    const explain = CompiledQuery.raw(`explain query plan ${sql}`, [...parameters]);
    const { rows } = await storage.db.executeQuery<{ detail: string }>(explain);
    plans.push(rows.map(({ detail }) => detail));
  }
  return plans;
}

test.each([undefined, 'word'])('a list of functions reads no code, with the search %p', async (q) => {
  const slice = { q, limit: 100, offset: 4000 };
  // The count finds no row here.
  const ask = async (db: Db) => expect(listAnyones(db, slice)).rejects.toThrow('no result');
  expect(await explainQueries(ask)).toEqual(
    Array(2).fill('SCAN functions USING COVERING INDEX functions_public'),
  );
});

test('purges of statistics read only what they remove', async () => {
  const purge = async (db: Db) => {
    await forgetSketches(db, 1);
    await deleteBefore(db, { hour: 1, day: 1 });
    await deleteStatsBefore(db, 1);
  };
  const plans = (await explainQueries(purge)).map((plan) => plan.replace(' COVERING', ''));
  expect(plans).toEqual([
    'SEARCH page_days USING INDEX page_days_with_sketch (day<?)',
    'SEARCH page_hours USING INDEX page_hours_by_hour (hour<?)',
    'SEARCH page_days USING INDEX page_days_by_day (day<?)',
    'SEARCH page_referrers USING INDEX page_referrers_by_day (day<?)',
    'SEARCH page_view_days USING INDEX page_view_days_by_day (day<?)',
    'SEARCH page_feature_days USING INDEX page_feature_days_by_day (day<?)',
    'SEARCH function_stats USING INDEX function_stats_by_hour (hour<?)',
    'SEARCH function_durations USING INDEX function_durations_by_hour (hour<?)',
  ]);
});

test('a restore looks up each record by its id, and not among all changes since', async () => {
  const restore = async (db: Db) => {
    await findFirstChange(db, 1, 'a', 2);
    await listEntries(db, 1, { since: 2, after: { at: 2, id: -1 }, until: 3 }, 200);
    await listCreated(db, 1, 'a', 200);
    await countDifference(db, 1, 2);
    await listPast(db, 1, 2, { limit: 100 });
    await listChanges(db, 1, 'a', { limit: 100 });
    await listDeleted(db, 1, { limit: 100 });
  };
  const steps = (await explainSteps(restore)).map((plan) =>
    plan.filter((step) => step.includes('record_changes')).map((step) => step.replace(' COVERING', '')),
  );
  const byRecord = (name: string, more = '') =>
    `SEARCH ${name} USING INDEX record_changes_by_record (collection_id=? AND record_id=?${more})`;
  const piece =
    'SEARCH record_changes USING INDEX record_changes_by_record (collection_id=? AND record_id<?)';
  const byTime = (more: string) =>
    `SEARCH record_changes USING INDEX record_changes_by_time (collection_id=? AND ${more})`;
  expect(steps).toEqual([
    [byRecord('record_changes')],
    [byTime('at>? AND at<?'), byRecord('other', ' AND rowid<?')],
    [],
    [byTime('at>?')],
    [piece],
    [byRecord('record_changes'), 'SEARCH record_changes USING INTEGER PRIMARY KEY (rowid=?)', piece],
    [byRecord('record_changes')],
    ['SEARCH entry USING INDEX record_changes_by_time (collection_id=?)', byRecord('later', ' AND rowid>?')],
  ]);
});
