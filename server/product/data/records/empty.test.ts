import { afterAll, beforeAll, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type RawBuilder, sql } from 'kysely';
import { type PageRow, type Storage, startStorage } from '../../../platform/storage/index.ts';
import { emptyPage } from './empty.ts';

let folder: string;
let storage: Storage;
const run = <Row>(query: RawBuilder<Row>) => query.execute(storage.db);

/** Adds records of 10 bytes, which count as 266. Those of the solo collection belong to two users in turn. */
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'quire-empty-'));
  storage = await startStorage({ dataFolder: folder });
  for (const id of [1, 2])
    await run(sql`insert into users (id, username, email, password_hash, is_admin, created_at, needs_second_factor)
      values (${id}, ${`u${id}`}, ${`e${id}`}, '', 0, 0, 0)`);
  await run(sql`insert into pages (id, owner_id, name, slug, description, storage_mode, is_published, is_unlisted,
      page_api_ai_enabled, page_api_image_gen_enabled, page_api_image_search_enabled,
      page_api_image_recognition_enabled, page_api_spawn_enabled, version, views, created_at, updated_at,
      access_mode, access_stamp)
    values (7, 1, 'Page', 'page', '', 'solo_app', 1, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 'public', '')`);
  for (const [id, type, count] of [
    [1, 'social_data', 1_200],
    [2, 'solo_data', 800],
    [3, 'team_data', 500],
  ] as const) {
    const creator = type === 'solo_data' ? sql`1 + n % 2` : sql`1`;
    const counted = type === 'solo_data' ? sql`created_by` : sql`0`;
    await run(
      sql`insert into collections (id, page_id, storage_type, name) values (${id}, 7, ${type}, 'notes')`,
    );
    await run(sql`with recursive each(n) as (select 1 union all select n + 1 from each where n < ${count})
      insert into records (collection_id, id, data, size, created_by, created_at, updated_at)
      select ${id}, printf('%05d', n), '{}', 10, ${creator}, 0, 0 from each`);
    await run(sql`insert into record_counts (collection_id, user_id, records, bytes, updated_at)
      select collection_id, ${counted}, count(*), count(*) * 266, 0 from records
      where collection_id = ${id} group by 2`);
  }
});
afterAll(async () => {
  await storage.stop();
  rmSync(folder, { recursive: true });
});

test('records of a page are deleted some at a time, and what is left is counted', async () => {
  const charged: number[] = [];
  const context = {
    db: storage.db,
    now: () => 1,
    chargeUsage: async (_: unknown, userId: number, { bytes }: { bytes: number }) => {
      expect(userId).toBe(1);
      charged.push(bytes);
    },
  };
  await emptyPage(context, { id: 7, owner_id: 1 } as PageRow);
  expect(charged).toEqual([-500 * 266, -500 * 266, -500 * 266]);
  const { rows } = await run(
    sql`select collection_id, user_id, records, bytes from record_counts order by 1, 2`,
  );
  expect(rows).toEqual([
    { collection_id: 1, user_id: 0, records: 200, bytes: 200 * 266 },
    { collection_id: 2, user_id: 1, records: 150, bytes: 150 * 266 },
    { collection_id: 2, user_id: 2, records: 150, bytes: 150 * 266 },
    { collection_id: 3, user_id: 0, records: 500, bytes: 500 * 266 },
  ]);
  const left = await run(
    sql`select collection_id, created_by, count(*) as records from records group by 1, 2 order by 1, 2`,
  );
  expect(left.rows).toEqual([
    { collection_id: 1, created_by: 1, records: 200 },
    { collection_id: 2, created_by: 1, records: 150 },
    { collection_id: 2, created_by: 2, records: 150 },
    { collection_id: 3, created_by: 1, records: 500 },
  ]);
});
