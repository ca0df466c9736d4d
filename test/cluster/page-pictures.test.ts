import { afterAll, beforeAll, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { diskBlobs, KeptBlobs } from '../../server/platform/blobs/index.ts';
import { createLimits } from '../../server/platform/coordination/limits/index.ts';
import { loadSharp } from '../../server/platform/pictures/index.ts';
import { type Storage, startStorage } from '../../server/platform/storage/index.ts';
import { Photographer } from '../../server/product/pages/pictures/photographer.ts';
import { findPicture } from '../../server/product/pages/pictures/store.ts';
import { startDatabase } from '../support/engines/process-postgres.ts';
import { waitUntil } from '../support/server.ts';

/** Two nodes with one PostgreSQL want a picture of the same page at the same time. */

const PAGE = {
  ...{ page_api_ai_enabled: 0, page_api_image_gen_enabled: 0, page_api_image_search_enabled: 0 },
  ...{ page_api_image_recognition_enabled: 0, page_api_spawn_enabled: 0, is_unlisted: 0, is_published: 1 },
  ...{ version: 1, views: 0, created_at: 1, updated_at: 1, owner_id: 1, preview_image: null },
  ...{ name: 'Page', slug: 'page', description: '', storage_mode: 'page' as const },
};

let database: Awaited<ReturnType<typeof startDatabase>>;
let folder: string;
let screenshot: Uint8Array;
const ends: Array<() => Promise<unknown>> = [];
const nodes: Storage[] = [];
beforeAll(async () => {
  database = await startDatabase();
  folder = mkdtempSync(join(tmpdir(), 'quire-pictures-'));
  for (let node = 0; node < 2; node++)
    nodes.push(await startStorage({ dataFolder: folder, databaseUrl: database.url }));
  const times = { created_at: 1, is_admin: 0, password_hash: '' };
  const user = { username: 'owner', email: 'owner@example.com', ...times };
  await db().insertInto('users').values(user).execute();
  const sharp = await loadSharp();
  const create = { width: 40, height: 25, channels: 3 as const, background: '#fff' };
  screenshot = await sharp({ create }).png().toBuffer();
}, 120_000);
afterAll(async () => {
  for (const end of ends) await end();
  for (const node of nodes) await node.stop();
  await database.stop();
  rmSync(folder, { recursive: true });
});

const db = () => (nodes[0] as Storage).db;

/** The photographer of a node, with a browser that waits until both want the page, and takes its time. */
function makePhotographer(storage: Storage, ready: Set<Storage>, finished: Promise<void>) {
  const seen = { visits: 0, looks: 0 };
  const kept = new KeptBlobs({
    ...{ storage, blobs: diskBlobs(join(folder, 'blobs')), now: () => 1_000 },
    log: { warn: () => undefined },
  });
  const taking = new Photographer({
    ...{ db: storage.db, kept, limits: createLimits(undefined), isOn: true, now: () => 1_000 },
    log: { warn: () => undefined },
    browser: {
      isAvailable: true,
      // Read before each page, so the second time means that it is done with the first.
      get isIdle() {
        if (ready.add(storage).size < nodes.length) return false;
        seen.looks++;
        return true;
      },
      async visit({ url, intercept }) {
        seen.visits++;
        await intercept?.(new Request(url));
        await finished;
        const nothing = {
          console: [],
          errors: [],
          failedRequests: [],
          accessibility: [],
          notes: [],
          steps: [],
        };
        return { screenshot, title: '', durationMs: 1, ...nothing };
      },
    },
    opening: () => ({ url: 'http://localhost/p/page', intercept: async () => new Response('<p>') }),
    readPublicRecords: async () => new Map(),
    onPicture: () => undefined,
  });
  ends.push(
    () => taking.stop(),
    () => kept.stop(),
  );
  return { taking, seen };
}

test('one of them takes it, for each version', async () => {
  const { id } = await db().insertInto('pages').values(PAGE).returning('id').executeTakeFirstOrThrow();
  for (const version of [1, 2]) {
    await db().updateTable('pages').set({ version }).where('id', '=', id).execute();
    const finishing = Promise.withResolvers<void>();
    // Also if the test fails: the photographers wait for their browser when they stop.
    ends.unshift(async () => finishing.resolve());
    const ready = new Set<Storage>();
    const both = nodes.map((node) => makePhotographer(node, ready, finishing.promise));
    const visits = () => both.reduce((sum, { seen }) => sum + seen.visits, 0);
    for (const { taking } of both) taking.want(id);
    // One is done before the other has a picture: it must have left it to the other.
    await waitUntil(async () => visits() === 2 || both.some(({ seen }) => seen.looks === 2));
    await waitUntil(async () => visits() > 0);
    expect(visits()).toBe(1);
    finishing.resolve();
    await waitUntil(async () => both.every(({ seen }) => seen.looks === 2));
    expect(visits()).toBe(1);
    expect(await findPicture(db(), id)).toMatchObject({
      version,
      blob_key: expect.stringContaining('pictures/'),
    });
  }
});
