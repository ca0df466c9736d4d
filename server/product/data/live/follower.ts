import { type StorageType, storageTypeOf } from '../../../../contract/rules/storage-modes.ts';
import { AppError } from '../../../lib/errors.ts';
import type { Caller } from '../../../platform/http/index.ts';
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
  /** When access to the page ends, if it does: then it has to be checked again. */
  endsAt: number | null;
  /** Checks the follower's access to the page again. Fails if they can no longer see it. */
  recheck(): Promise<Pick<Follower, 'actor' | 'endsAt'> & { storageType: StorageType | undefined }>;
}

/**
 * Admits a follower, or refuses. The scope that a token needs depends on the page, so the gate cannot check
 * it.
 */
export async function admitFollower(
  context: { db: Db; pages: Pages },
  caller: Caller,
  idOrSlug: string,
  collections: string[],
): Promise<Follower> {
  const { db, pages } = context;
  const page = await pages.see(db, await pages.find(db, idOrSlug), caller);
  const storageType = storageTypeOf(page.storage_mode);
  if (!storageType) {
    throw new AppError('CONFLICT', 'This page is in the storage mode page, which has no data to follow.', {
      body: { storage_mode: page.storage_mode },
    });
  }
  const user = caller.actor;
  const isScoped = user?.via !== 'bearer' || user.scopes.includes(scopeOf(storageType, 'read'));
  const follower = isScoped ? caller : { ...caller, actor: undefined };
  const place = await findPlace(context, page, follower, storageType);
  demandAccess(place, 'read');
  const { actor } = place;
  return {
    pageId: page.id,
    storageType,
    actor,
    endsAt: page.access_expires_at,
    collections: collections.map(checkCollection),
    async recheck() {
      const now = await pages.see(db, await pages.find(db, String(page.id)), follower);
      return {
        actor: actor && { userId: actor.userId, role: await pages.roleOf(db, now, actor) },
        storageType: storageTypeOf(now.storage_mode),
        endsAt: now.access_expires_at,
      };
    },
  };
}
