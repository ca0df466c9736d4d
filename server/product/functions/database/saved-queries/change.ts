import type { NewSavedQuery, PatchSavedQuery } from '../../../../../contract/functions/saved-queries.ts';
import { MAX_SAVED_QUERIES } from '../../../../../contract/rules/limits.ts';
import { AppError, notFound } from '../../../../lib/errors.ts';
import type { Actor } from '../../../../platform/http/index.ts';
import type { Db, Tx } from '../../../../platform/storage/index.ts';
import type { ChargeUsage } from '../../../ports.ts';
import { createOwn } from '../../model/access.ts';
import { requireDatabase } from '../database.ts';
import { lockDatabase } from '../store.ts';
import {
  countSavedQueries,
  deleteSavedQuery,
  findSavedName,
  findSavedQuery,
  insertSavedQuery,
  updateSavedQuery,
} from './store.ts';

/** The dependencies of changing saved queries. */
export interface SavedQueriesContext {
  db: Db;
  now: () => number;
  chargeUsage: ChargeUsage;
}

export function addSavedQuery(context: SavedQueriesContext, actor: Actor, slug: string, body: NewSavedQuery) {
  return change(context, actor, slug, async (tx, databaseId) => {
    if ((await countSavedQueries(tx, databaseId)) >= MAX_SAVED_QUERIES)
      throw new AppError(
        'BAD_REQUEST',
        'A database can have at most {count} saved queries. Delete one first.',
        { count: MAX_SAVED_QUERIES },
      );
    await requireFreeName(tx, databaseId, body.name);
    await context.chargeUsage(tx, actor.userId, { bytes: countBytes(body) });
    return insertSavedQuery(tx, databaseId, body, context.now());
  });
}

export function patchSavedQuery(
  context: SavedQueriesContext,
  actor: Actor,
  { slug, id }: { slug: string; id: number },
  patch: PatchSavedQuery,
) {
  return change(context, actor, slug, async (tx, databaseId) => {
    const old = await requireQuery(tx, databaseId, id);
    const next = { name: patch.name ?? old.name, sql: patch.sql ?? old.sql };
    if (next.name !== old.name) await requireFreeName(tx, databaseId, next.name);
    await context.chargeUsage(tx, actor.userId, { bytes: countBytes(next) - countBytes(old) });
    return updateSavedQuery(tx, id, next, context.now());
  });
}

export function removeSavedQuery(
  context: SavedQueriesContext,
  actor: Actor,
  { slug, id }: { slug: string; id: number },
): Promise<void> {
  return change(context, actor, slug, async (tx, databaseId) => {
    const old = await requireQuery(tx, databaseId, id);
    await deleteSavedQuery(tx, id);
    await context.chargeUsage(tx, actor.userId, { bytes: -countBytes(old) });
  });
}

/** Runs a change while nobody else changes the queries of this database or removes it. */
async function change<Result>(
  { db }: SavedQueriesContext,
  actor: Actor,
  slug: string,
  work: (tx: Tx, databaseId: number) => Promise<Result>,
): Promise<Result> {
  const { databaseId } = requireDatabase(await createOwn(db)(slug, actor));
  return db.transaction().execute(async (tx) => {
    await lockDatabase(tx, databaseId);
    // The function may have been removed meanwhile, and its database with it.
    requireDatabase(await createOwn(tx)(slug, actor));
    return work(tx, databaseId);
  });
}

async function requireQuery(tx: Tx, databaseId: number, id: number) {
  const found = await findSavedQuery(tx, databaseId, id);
  if (!found) throw notFound('This saved query was not found.');
  return found;
}

async function requireFreeName(tx: Tx, databaseId: number, name: string): Promise<void> {
  if (await findSavedName(tx, databaseId, name))
    throw new AppError('CONFLICT', 'This database already has a saved query with the name "{name}".', {
      name,
    });
}

const countBytes = ({ name, sql }: { name: string; sql: string }) =>
  Buffer.byteLength(name) + Buffer.byteLength(sql);
