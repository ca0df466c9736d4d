import { afterEach, beforeEach, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { waitUntil } from '../../../../test/support/server.ts';
import { diskBlobs, KeptBlobs } from '../../../platform/blobs/index.ts';
import { createLimits } from '../../../platform/coordination/limits/index.ts';
import { loadSharp } from '../../../platform/pictures/index.ts';
import { type Storage, startStorage } from '../../../platform/storage/index.ts';
import { PictureFollower, type ReadPublicRecords } from './follower.ts';
import { Photographer } from './photographer.ts';
import { claimPicture, findPicture, needsPicture } from './store.ts';

/** Tests which pictures are kept. Real browsers are in test/api/pages/pictures.test.ts. */

let folder: string;
let storage: Storage;
let kept: KeptBlobs;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'quire-pictures-'));
  storage = await startStorage({ dataFolder: folder });
  const user = {
    username: 'owner',
    email: 'owner@example.com',
    password_hash: '',
    is_admin: 0,
    created_at: 1,
  };
  await storage.db.insertInto('users').values(user).execute();
  await storage.db.insertInto('pages').values(PAGE).execute();
  const blobs = diskBlobs(join(folder, 'blobs'));
  kept = new KeptBlobs({ storage, blobs, log: { warn: () => undefined }, now: () => 1_000 });
});
afterEach(async () => {
  await kept.stop();
  await storage.stop();
  rmSync(folder, { recursive: true });
});

const PAGE = {
  ...{ page_api_ai_enabled: 0, page_api_image_gen_enabled: 0, page_api_image_search_enabled: 0 },
  ...{ page_api_image_recognition_enabled: 0, page_api_spawn_enabled: 0, is_unlisted: 0, is_published: 1 },
  ...{ version: 1, views: 0, created_at: 1, updated_at: 1, owner_id: 1, preview_image: null },
  ...{ name: 'Page', slug: 'page', description: '', storage_mode: 'page' as const },
};

interface PhotographerWish {
  now?: () => number;
  draws?: boolean;
  records?: ReadPublicRecords;
}

/** Takes pictures with a browser that asks for the page and draws something, whatever it gets. */
async function photographer(
  respond: () => Promise<Response>,
  { now = () => 1_000, draws = true, records = async () => new Map() }: PhotographerWish = {},
) {
  const sharp = await loadSharp();
  const create = { width: 40, height: 25, channels: 3 as const, background: '#fff' };
  const screenshot = await sharp({ create }).png().toBuffer();
  let visits = 0;
  const taking = new Photographer({
    ...{ db: storage.db, kept, limits: createLimits(undefined), isOn: true, now },
    log: { warn: () => undefined },
    browser: {
      ...{ isIdle: true, isAvailable: true },
      async visit({ url, intercept }) {
        await intercept?.(new Request(url))?.catch(() => undefined);
        visits++;
        const nothing = {
          console: [],
          errors: [],
          failedRequests: [],
          accessibility: [],
          notes: [],
          steps: [],
        };
        return { screenshot: draws ? screenshot : undefined, title: '', durationMs: 1, ...nothing };
      },
    },
    opening: () => ({ url: 'http://localhost/p/page', intercept: respond }),
    readPublicRecords: records,
    onPicture: () => undefined,
  });
  return { taking, visits: () => visits };
}

test('the picture of a page that was sent is kept', async () => {
  const { taking } = await photographer(async () => new Response('<p>'));
  taking.want(1);
  await waitUntil(async () => Boolean((await findPicture(storage.db, 1))?.blob_key));
  await taking.stop();
});

test.each([
  ['that was closed meanwhile', async () => new Response('', { status: 404 })],
  ['that could not be read', () => Promise.reject(new Error('unavailable'))],
])('no picture is kept of a page %s, and it is taken again', async (_, respond) => {
  const { taking, visits } = await photographer(respond);
  for (const visit of [1, 2]) {
    taking.want(1);
    await waitUntil(async () => visits() === visit && (await findPicture(storage.db, 1))?.version === 0);
    expect(await findPicture(storage.db, 1)).toMatchObject({ version: 0, blob_key: null });
  }
  await taking.stop();
});

test('a claim ends after five minutes, so that a node that was killed keeps nobody from the picture', async () => {
  const needs = async (now: number) => needsPicture(await findPicture(storage.db, 1), 1, now);
  const claim = (now: number) => claimPicture(storage.db, { pageId: 1, version: 1, now });
  expect([await needs(0), await claim(0)]).toEqual([true, true]);
  expect([await needs(299_999), await claim(299_999)]).toEqual([false, false]);
  expect([await needs(300_000), await claim(300_000)]).toEqual([true, true]);
  expect([await needs(300_001), await claim(300_001)]).toEqual([false, false]);

  const { taking } = await photographer(async () => new Response('<p>'), { now: () => 600_000 });
  taking.want(1);
  await waitUntil(async () => Boolean((await findPicture(storage.db, 1))?.blob_key));
  await taking.stop();
  const later = 1_000_000_000;
  expect([await needs(later), await claim(later)]).toEqual([false, false]);
});

test('a page that shows nothing is not photographed again', async () => {
  const { taking, visits } = await photographer(async () => new Response('<p>'), { draws: false });
  taking.want(1);
  await waitUntil(async () => (await findPicture(storage.db, 1))?.claimed_until === null);
  await taking.stop();
  expect(visits()).toBe(1);
  const picture = await findPicture(storage.db, 1);
  expect(picture).toMatchObject({ version: 1, blob_key: null });
  expect(needsPicture(picture, 1, 1_000_000_000)).toBe(false);
});

test('a picture is taken again after records changed, once an hour, and at once after the first ones', async () => {
  let now = 1_000_000;
  let found: { count: number; changedAt: number } | undefined = { count: 0, changedAt: 0 };
  const records: ReadPublicRecords = async (_, pages) =>
    new Map(pages.flatMap(({ id }) => (found ? [[id, found]] : [])));
  const { taking, visits } = await photographer(async () => new Response('<p>'), { now: () => now, records });
  await storage.db.updateTable('pages').set({ storage_mode: 'social_app' }).execute();
  const follower = new PictureFollower({
    ...{ slowDb: storage.slowDb, now: () => now, log: { warn: () => undefined } },
    readPublicRecords: records,
    takeAgain: (page) => taking.takeAgain(page),
  });
  const isTaken = (at: number) => async () => {
    const picture = await findPicture(storage.db, 1);
    return picture?.created_at === at && picture.claimed_until === null && picture.blob_key !== null;
  };
  taking.want(1);
  await waitUntil(isTaken(1_000_000));

  now += 30_000;
  found = { count: 1, changedAt: now };
  await follower.look();
  expect(visits()).toBe(1);
  now += 10_000;
  await follower.look();
  await waitUntil(isTaken(1_040_000));
  expect((await findPicture(storage.db, 1))?.shows_records).toBe(1);

  // More of them wait for the end of the hour.
  found = { count: 2, changedAt: now + 1_000 };
  now += 3_599_999;
  await follower.look();
  expect(visits()).toBe(2);
  now += 1;
  await follower.look();
  await waitUntil(isTaken(now));
  expect(visits()).toBe(3);
  await follower.look();
  expect(visits()).toBe(3);

  // What strangers must not see any more does not wait.
  await storage.db.updateTable('pages').set({ storage_mode: 'page' }).execute();
  found = undefined;
  now += 1_000;
  await follower.look();
  await waitUntil(isTaken(now));
  expect((await findPicture(storage.db, 1))?.shows_records).toBe(0);
  await follower.look();
  expect(visits()).toBe(4);
  await follower.stop();
  await taking.stop();
});

test('a picture that cannot be taken again stays, and is tried again after an hour', async () => {
  let now = 1_000_000;
  let isUp = true;
  const found = { count: 1, changedAt: 1_000_001 };
  const records: ReadPublicRecords = async () => new Map([[1, found]]);
  const respond = async () => new Response('<p>', { status: isUp ? 200 : 503 });
  const { taking, visits } = await photographer(respond, { now: () => now, records });
  taking.want(1);
  await waitUntil(async () => Boolean((await findPicture(storage.db, 1))?.blob_key));
  const before = await findPicture(storage.db, 1);
  isUp = false;
  now += 3_600_000;
  taking.takeAgain({ id: 1, ownerId: 1 });
  await waitUntil(async () => visits() === 2);
  taking.takeAgain({ id: 1, ownerId: 1 });
  await taking.stop();
  expect(visits()).toBe(2);
  expect(await findPicture(storage.db, 1)).toEqual({
    ...(before as NonNullable<typeof before>),
    claimed_until: now + 3_600_000,
  });
});
