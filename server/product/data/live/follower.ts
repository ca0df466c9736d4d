import type { RecordResponse } from '../../../../contract/data/records.ts';
import type { RecordData } from '../../../../contract/rules/record-data.ts';
import { findStorageType, type StorageType } from '../../../../contract/rules/storage-modes.ts';
import { AppError } from '../../../lib/errors.ts';
import type { Actor, Caller } from '../../../platform/http/index.ts';
import type { Db } from '../../../platform/storage/index.ts';
import type { PageDirectory } from '../../ports.ts';
import { type DataActor, may } from '../access/access.ts';
import { checkCollection } from '../access/collection-name.ts';
import { demandAccess, findDataTarget, toScope } from '../access/data-target.ts';
import { type RulesByName, rulesByName } from '../collections/collection.ts';
import { findRecords } from '../records/store.ts';
import { toRecord } from '../records/wire.ts';
import type { WriteEvent } from './events.ts';
import { findMissed } from './missed.ts';
import { recordId, type Step } from './replay.ts';

/** A user who was allowed to follow collections of a page. */
export interface Follower {
  pageId: number;
  storageType: StorageType;
  actor: DataActor | undefined;
  collections: string[];
  /** The rules of the page's collections that have some. */
  rules: RulesByName;
  /** When access to the page or a preview ends, if it does. Access is then checked again. */
  endsAt: number | null;
  /** The clock that `endsAt` is about. */
  now: () => number;
  /** Checks the follower's access to the page again. Fails if they can no longer see it. */
  recheck(): Promise<Checked>;
  /** Reads the records of writes as they are now, by id. Records that no longer exist are missing. */
  read(writes: Array<WriteEvent['body']>): Promise<Map<string, RecordResponse>>;
  /** Finds what was missed since a time; undefined if that is not known. */
  findMissed(at: number): Promise<Step[] | undefined>;
}

/** The current access of a follower. */
export type Checked = Pick<Follower, 'actor' | 'rules' | 'endsAt'> & { storageType: StorageType | undefined };

interface FollowContext {
  db: Db;
  now: () => number;
  /** The time for a change of a page's data. */
  readTime(pageId: number): number;
  pages: PageDirectory;
  writes: { isLogged: boolean };
}

/**
 * Admits a follower, or refuses. The scope that a token needs depends on the page, so the gate cannot check
 * it.
 */
export async function admitFollower(
  context: FollowContext,
  caller: Caller,
  idOrSlug: string,
  collections: string[],
): Promise<Follower> {
  const { db, pages } = context;
  const page = await pages.see(db, await pages.find(db, idOrSlug), caller);
  const storageType = findStorageType(page.storage_mode);
  if (!storageType) {
    throw new AppError(
      'CONFLICT',
      'This page is in the storage mode page, which has no data to follow. Its owner can change storage_mode with PATCH /api/pages/:id.',
      {},
      {
        body: { storage_mode: page.storage_mode },
      },
    );
  }
  const user = caller.actor;
  const isScoped = user?.via !== 'bearer' || user.scopes.includes(toScope(storageType, 'read'));
  const follower = isScoped ? caller : { ...caller, actor: undefined };
  const target = await findDataTarget(context, page, follower, storageType);
  const names = collections.map(checkCollection);
  const rules = await rulesByName(db, page.id, storageType);
  const { actor } = target;
  // A tab has one stream for all its collections, so one that it cannot read must not end the others.
  if (!canFollow(actor, storageType, names, rules)) {
    demandAccess(target, 'read', { rules: rules.get(names[0] ?? '') });
  }
  return {
    pageId: page.id,
    storageType,
    actor,
    endsAt: earlier(page.access_expires_at, user?.endsAt),
    now: context.now,
    collections: names,
    rules,
    async recheck() {
      assertGoesOn(user, context.now());
      const now = await pages.see(db, await pages.find(db, String(page.id)), follower);
      return {
        actor: actor && { userId: actor.userId, role: await pages.resolveRole(db, now, follower.actor) },
        storageType: findStorageType(now.storage_mode),
        rules: await rulesByName(db, page.id, storageType),
        endsAt: earlier(now.access_expires_at, user?.endsAt),
      };
    },
    read: (writes) => readPresent(db, page.id, storageType, writes),
    findMissed: async (at) =>
      context.writes.isLogged
        ? findMissed(db, { pageId: page.id, storageType, names }, at, context.readTime(page.id))
        : undefined,
  };
}

async function readPresent(
  db: Db,
  pageId: number,
  storageType: StorageType,
  writes: Array<WriteEvent['body']>,
): Promise<Map<string, RecordResponse>> {
  if (writes.length === 0) return new Map();
  const names = [...new Set(writes.map(({ collection }) => collection))];
  const rows = await findRecords(db, { pageId, storageType, names }, writes.map(recordId));
  return new Map(
    rows.map((row) => [
      row.id,
      toRecord(row, JSON.parse(row.text) as RecordData, { storageType, collection: row.collection }),
    ]),
  );
}

/** Fails if the follower was in a preview that has ended: a stream must not outlive its preview. */
export function assertGoesOn(actor: Pick<Actor, 'endsAt'> | undefined, now: number): void {
  if (actor?.endsAt !== undefined && actor.endsAt <= now)
    throw new AppError('UNAUTHORIZED', 'The preview has ended. Open it again.');
}

function earlier(access: number | null, session: number | undefined): number | null {
  return session === undefined ? access : Math.min(access ?? session, session);
}

/** True if someone can read any of the collections. */
export function canFollow(
  actor: DataActor | undefined,
  storageType: StorageType,
  collections: Iterable<string>,
  rules: RulesByName,
): boolean {
  for (const name of collections) {
    const governed = { storageType, rules: rules.get(name) };
    if (may(actor, 'read', undefined, governed) === 'allowed') return true;
  }
  return false;
}
