import { type StorageType, storageTypeOf } from '../../../../contract/rules/storage-modes.ts';
import { AppError } from '../../../lib/errors.ts';
import type { Actor } from '../../../platform/http/index.ts';
import type { Db } from '../../../platform/storage/index.ts';
import type { DataActor } from '../access.ts';
import { checkCollection } from '../collections/name.ts';
import type { Pages } from '../needs.ts';
import { demandAccess, findPlace, scopeOf } from '../place.ts';

/** A user who was allowed to follow collections of a page. */
export interface Follower {
  pageId: number;
  storageType: StorageType;
  actor: DataActor | undefined;
  collections: string[];
  /** Checks the follower's access to the page again. Fails if they can no longer see it. */
  recheck(): Promise<{ actor: DataActor | undefined; storageType: StorageType | undefined }>;
}

/**
 * Admits a follower, or refuses. The scope that a token needs depends on the page, so the gate cannot check
 * it.
 */
export async function admitFollower(
  context: { db: Db; pages: Pages },
  caller: Actor | undefined,
  idOrSlug: string,
  collections: string[],
): Promise<Follower> {
  const { db, pages } = context;
  const page = await pages.require(db, await pages.find(db, idOrSlug), caller, 'see');
  const storageType = storageTypeOf(page.storage_mode);
  if (!storageType) {
    throw new AppError('CONFLICT', 'This page is in the storage mode page, which has no data to follow.', {
      body: { storage_mode: page.storage_mode },
    });
  }
  const isScoped = caller?.via !== 'bearer' || caller.scopes.includes(scopeOf(storageType, 'read'));
  const place = await findPlace(context, page, isScoped ? caller : undefined, storageType);
  demandAccess(place, 'read');
  const { actor } = place;
  return {
    pageId: page.id,
    storageType,
    actor,
    collections: collections.map(checkCollection),
    async recheck() {
      const now = await pages.require(db, await pages.find(db, String(page.id)), caller, 'see');
      return {
        actor: actor && { userId: actor.userId, role: await pages.roleOf(db, now, caller) },
        storageType: storageTypeOf(now.storage_mode),
      };
    },
  };
}
