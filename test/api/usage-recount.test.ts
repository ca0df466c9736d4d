import { afterAll, beforeAll, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startStorage } from '../../server/platform/storage/index.ts';
import { freshDatabase } from '../support/postgres.ts';
import { runSql } from '../support/storage.ts';

const { QUIRE_TEST_ENGINE: engine = 'sqlite', QUIRE_TEST_POSTGRES_URL: server = '' } = process.env;
let place: { dataFolder: string; databaseUrl: string | undefined };
let drop = async () => {};
beforeAll(async () => {
  const dataFolder = mkdtempSync(join(tmpdir(), 'quire-recount-'));
  const database = engine === 'postgres' ? await freshDatabase(server) : undefined;
  place = { dataFolder, databaseUrl: database?.url };
  drop = async () => {
    await database?.drop();
    rmSync(dataFolder, { recursive: true });
  };
});
afterAll(() => drop());

const page = (id: number, owner: number) =>
  `insert into pages (id, owner_id, name, slug, description, storage_mode, is_published, is_unlisted,
     page_api_ai_enabled, page_api_image_gen_enabled, page_api_image_search_enabled,
     page_api_image_recognition_enabled, page_api_spawn_enabled, version, views, created_at, updated_at)
   values (${id}, ${owner}, 'n', 's${id}', '', 'page', 1, 0, 0, 0, 0, 0, 0, 1, 0, 1, 1)`;

test('adds data from before a kind of usage was counted to the usage of its owners, once', async () => {
  const before = await startStorage({ ...place, migrateTo: '0009-nodes' });
  await before.stop();
  // The secret has 28 extra bytes, in base64.
  const sealed = (size: number) => Buffer.alloc(28 + size).toString('base64');
  await runSql(
    place,
    ...[1, 2, 3].flatMap((id) => [
      `insert into users (id, username, email, password_hash, is_admin, created_at)
        values (${id}, 'u${id}', 'e${id}', '', 0, 1)`,
      `insert into usage (user_id, pages, functions, bytes) values (${id}, 0, 0, ${id}000)`,
    ]),
    page(1, 1),
    page(2, 1),
    page(3, 2),
    `insert into page_messages (page_id, role, content, created_at)
      values (1, 'user', 'éé', 1), (2, 'user', 'abc', 1), (3, 'user', 'x', 1)`,
    `insert into collections (page_id, storage_type, name, schema)
      values (1, 'social_data', 'a', '{"fields":{}}'), (1, 'social_data', 'b', null)`,
    `insert into agent_specs (page_id, spec, created_at, updated_at) values (3, 'sp€c', 1, 1)`,
    `insert into functions (id, owner_id, slug, display_name, description, code, is_public, version,
        secrets_revision, created_at, updated_at)
      values (1, 2, 'f', '', '', 'code', 1, 1, 0, 1, 1), (2, null, 'g', '', '', 'code', 1, 1, 0, 1, 1)`,
    `insert into function_secrets (function_id, name, sealed_value)
      values (1, 'A', '${sealed(10)}'), (1, 'BC', '${sealed(11)}'), (2, 'D', '${sealed(12)}')`,
  );
  const now = await startStorage(place);
  await now.migrate();
  const usage = await now.db.selectFrom('usage').select(['user_id', 'bytes']).orderBy('user_id').execute();
  await now.stop();
  expect(usage.map(({ bytes }) => Number(bytes))).toEqual([1000 + 4 + 3 + 13, 2000 + 1 + 6 + 11 + 13, 3000]);
});
