import { afterEach, beforeEach, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join as joinPath } from 'node:path';
import { ServiceKey } from '../../lib/secrets.ts';
import { diskBlobs, KeptBlobs } from '../../platform/blobs/index.ts';
import type { Actor } from '../../platform/http/index.ts';
import { type Storage, startStorage } from '../../platform/storage/index.ts';
import { PageDirectory, Passes } from '../pages/index.ts';
import type { TeamsContext } from './context.ts';
import { createInvite } from './invite.ts';
import { join } from './join.ts';
import { changeRole, removeMember } from './members.ts';
import { findRole } from './store.ts';

/** Tests which listeners are called when a role changes. */

let folder: string;
let storage: Storage;
let context: TeamsContext;
let told: number[];
beforeEach(async () => {
  folder = mkdtempSync(joinPath(tmpdir(), 'quire-teams-'));
  storage = await startStorage({ dataFolder: folder });
  const { db } = storage;
  told = [];
  for (const username of ['owner', 'guest']) {
    await db
      .insertInto('users')
      .values({ username, email: `${username}@example.com`, password_hash: '', is_admin: 0, created_at: 1 })
      .execute();
  }
  const flags = { page_api_ai_enabled: 0, page_api_image_gen_enabled: 0, page_api_image_search_enabled: 0 };
  const more = {
    page_api_image_recognition_enabled: 0,
    page_api_spawn_enabled: 0,
    is_unlisted: 0,
    is_published: 1,
  };
  const numbers = { version: 1, views: 0, created_at: 1, updated_at: 1, owner_id: 1 };
  const texts = {
    name: 'Page',
    slug: 'page',
    description: '',
    storage_mode: 'team_app' as const,
    preview_image: null,
  };
  await db
    .insertInto('pages')
    .values({ ...flags, ...more, ...numbers, ...texts })
    .execute();
  context = {
    db,
    now: () => 1_000,
    baseUrl: 'http://localhost',
    kept: new KeptBlobs({
      storage,
      blobs: diskBlobs(joinPath(folder, 'blobs')),
      log: { warn: () => undefined },
      now: () => 1_000,
    }),
    pages: new PageDirectory({
      findRole,
      passes: new Passes({ key: new ServiceKey(Buffer.alloc(32)), now: () => 1_000 }),
      findConfirmedEmail: async () => undefined,
      isBlocked: async () => false,
      now: () => 1_000,
    }),
    mail: { isConfigured: false, send: async () => false },
    chargeUsage: async () => undefined,
    demandFileAccess: () => undefined,
    readUsername: async () => 'owner',
    accessChanged: async (pageId) => void told.push(pageId),
  };
});
afterEach(async () => {
  await context.kept.stop();
  await storage.stop();
  rmSync(folder, { recursive: true });
});

const actor = (userId: number): Actor => ({ userId, username: '', isAdmin: false, via: 'login', scopes: [] });
const OWNER = actor(1);
const GUEST = actor(2);

async function invited(role: 'admin' | 'member' | 'viewer'): Promise<void> {
  const wish = { role, expiresInDays: 7 };
  const { inviteCode } = await createInvite(context, { actor: OWNER }, 'page', wish);
  await join(context, GUEST, inviteCode);
}

/** How many changes of the page were announced during `work`. */
async function tellings(work: () => Promise<unknown>): Promise<number> {
  told = [];
  await work().catch(() => undefined);
  expect(told.every((pageId) => pageId === 1)).toBe(true);
  return told.length;
}

test('announces joining, promotion, changes and leaving once each, and nothing if nothing changes', async () => {
  expect(await tellings(() => invited('viewer'))).toBe(1);
  expect(await tellings(() => invited('viewer'))).toBe(0);
  expect(await tellings(() => invited('member'))).toBe(1);
  expect(await tellings(() => changeRole(context, { actor: OWNER }, 'page', 2, 'member'))).toBe(0);
  expect(await tellings(() => changeRole(context, { actor: OWNER }, 'page', 2, 'viewer'))).toBe(1);
  expect(await tellings(() => changeRole(context, { actor: GUEST }, 'page', 2, 'admin'))).toBe(0);
  expect(await tellings(() => removeMember(context, { actor: GUEST }, 'page', 1))).toBe(0);
  expect(await tellings(() => removeMember(context, { actor: GUEST }, 'page', 2))).toBe(1);
  expect(await tellings(() => removeMember(context, { actor: OWNER }, 'page', 2))).toBe(0);
});
