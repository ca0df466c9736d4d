import type { StorageType } from '../../../../contract/records.ts';
import { AppError } from '../../../lib/errors.ts';
import type { Actor } from '../../../platform/http/index.ts';
import type { Db } from '../../../platform/storage/index.ts';
import { type PageRow, requirePage, roleOf } from '../../pages/index.ts';
import type { DataActor } from '../access.ts';
import { checkCollection } from '../collections/name.ts';
import { demandAccess, findPlace, scopeOf, storageTypeOf } from '../place.ts';

/** Somebody who was let in to follow collections of a page. */
export interface Follower {
  pageId: number;
  storageType: StorageType;
  actor: DataActor | undefined;
  collections: string[];
  /** Asks anew what the follower is to the page; fails when they may no longer see it. */
  recheck(): Promise<{ actor: DataActor | undefined; storageType: StorageType | undefined }>;
}

/** Lets somebody in, or refuses. The scope that a token needs depends on the page, so the gate cannot ask for it. */
export async function admitFollower(
  context: { db: Db; findPageByIdOrSlug(idOrSlug: string): Promise<PageRow | undefined> },
  caller: Actor | undefined,
  idOrSlug: string,
  collections: string[],
): Promise<Follower> {
  const { db, findPageByIdOrSlug } = context;
  const page = await requirePage(db, await findPageByIdOrSlug(idOrSlug), caller, 'see');
  const storageType = storageTypeOf(page);
  if (!storageType) {
    throw new AppError('CONFLICT', 'This page is in the storage mode page, which has no data to follow.', {
      body: { storage_mode: page.storage_mode },
    });
  }
  const isScoped = caller?.via !== 'bearer' || caller.scopes.includes(scopeOf(storageType, 'read'));
  const place = await findPlace(db, page, isScoped ? caller : undefined, storageType);
  demandAccess(place, 'read');
  const { actor } = place;
  return {
    pageId: page.id,
    storageType,
    actor,
    collections: collections.map(checkCollection),
    async recheck() {
      const now = await requirePage(db, await findPageByIdOrSlug(String(page.id)), caller, 'see');
      return {
        actor: actor && { userId: actor.userId, role: await roleOf(db, now, caller) },
        storageType: storageTypeOf(now),
      };
    },
  };
}
