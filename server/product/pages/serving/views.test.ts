import { afterAll, beforeAll, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { sql } from 'kysely';
import { type Storage, startStorage } from '../../../platform/storage/index.ts';
import { Views } from './views.ts';

const PAGES = 250;
let folder: string;
let storage: Storage;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'quire-views-'));
  storage = await startStorage({ dataFolder: folder });
  const { db } = storage;
  await sql`insert into users (id, username, email, password_hash, is_admin, created_at, needs_second_factor)
    values (1, 'ada', 'ada@example.com', '', 0, 0, 0)`.execute(db);
  await sql`with recursive each(id) as (select 1 union all select id + 1 from each where id < ${PAGES})
    insert into pages (id, owner_id, name, slug, description, storage_mode, is_published, is_unlisted,
      page_api_ai_enabled, page_api_image_gen_enabled, page_api_image_search_enabled,
      page_api_image_recognition_enabled, page_api_spawn_enabled, version, views, created_at, updated_at,
      access_mode, access_stamp)
    select id, 1, 'Page', 'page-' || id, '', 'page', 1, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 'public', '' from each`.execute(
    db,
  );
});
afterAll(async () => {
  await storage.stop();
  rmSync(folder, { recursive: true });
});

async function written(): Promise<number> {
  const { rows } = await sql<{ views: number }>`select sum(views) as views from pages`.execute(storage.db);
  return rows[0]?.views ?? 0;
}

test('views that cannot be written stay pending, and are written once', async () => {
  const { db } = storage;
  const views = new Views({ db, log: {} as never });
  for (let id = PAGES; id > 0; id--) views.count(id);
  await sql`create trigger broken before update on pages begin select raise(abort, 'broken'); end`.execute(
    db,
  );
  await expect(views.flushIfPossible()).rejects.toThrow('broken');
  expect([views.allPending(), await written()]).toEqual([PAGES, 0]);

  await sql`drop trigger broken`.execute(db);
  const flushed = views.flushIfPossible();
  views.count(PAGES);
  await flushed;
  expect([views.allPending(), await written()]).toEqual([1, PAGES]);

  await views.stop();
  expect([views.allPending(), await written()]).toEqual([0, PAGES + 1]);
});

test('while the views of many pages are written, others get their turn', async () => {
  const views = new Views({ db: storage.db, log: {} as never });
  for (let id = PAGES; id > 0; id--) views.count(id);
  let isDone = false;
  const flushed = views.flushIfPossible().finally(() => {
    isDone = true;
  });
  const pending = new Set<number>();
  while (!isDone) {
    pending.add(views.allPending());
    await setImmediate();
  }
  await flushed;
  expect([...pending].filter((count) => count > 0 && count < PAGES).length).toBeGreaterThan(1);
});
