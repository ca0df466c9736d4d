import type { AdminFunctionQuery } from '../../../../contract/admin/content.ts';
import { contains, countRows, type Db, type Tx } from '../../../platform/storage/index.ts';

/** SQL for the administration of functions. */

export type ListedFunction = NonNullable<Awaited<ReturnType<typeof findForAdministrators>>>;

const functions = (db: Db) => db.selectFrom('functions').leftJoin('users', 'users.id', 'functions.owner_id');

/** The columns that administrators see: not the code, which can be large and private. */
const LISTED = [
  'functions.id',
  'functions.slug',
  'functions.display_name',
  'functions.owner_id',
  'functions.is_public',
  'functions.database_id',
  'functions.version',
  'functions.created_at',
  'functions.updated_at',
  'functions.taken_down_at',
  'functions.taken_down_reason',
  'functions.owner_blocked_at',
  'users.username as owner',
] as const;

/** Lists functions, the newest first. Without those of `hidden`. */
export async function listForAdministrators(
  db: Db,
  { q, owner, state, limit, offset }: AdminFunctionQuery,
  hidden: number | undefined,
) {
  let query = functions(db);
  // Functions of the platform have no owner.
  if (hidden !== undefined)
    query = query.where((eb) => eb.or([eb('owner_id', '!=', hidden), eb('owner_id', 'is', null)]));
  if (q) query = query.where(contains(q, ['slug', 'display_name']));
  if (owner !== undefined) query = query.where('users.username', '=', owner);
  if (state === 'taken-down') query = query.where('taken_down_at', 'is not', null);
  if (state === 'blocked') query = query.where('owner_blocked_at', 'is not', null);
  if (state === 'public' || state === 'private')
    query = query.where('is_public', '=', state === 'public' ? 1 : 0);
  const rows = await query
    .select(LISTED)
    .orderBy('functions.id', 'desc')
    .limit(limit)
    .offset(offset)
    .execute();
  return { rows, total: await countRows(query) };
}

export function findForAdministrators(db: Db, slug: string) {
  return functions(db).select(LISTED).where('functions.slug', '=', slug).executeTakeFirst();
}

/** Blocks all functions of an owner, or unblocks them. Returns the ids of those that change. */
export async function setOwnerBlocked(tx: Tx, ownerId: number, at: number | null): Promise<number[]> {
  const rows = await tx
    .updateTable('functions')
    .set({ owner_blocked_at: at })
    .where('owner_id', '=', ownerId)
    .where('owner_blocked_at', at === null ? 'is not' : 'is', null)
    .returning('id')
    .execute();
  return rows.map(({ id }) => id);
}

/**
 * Takes the copies of a function on branches down with it, or restores those that were. Returns the ids of those that
 * change. `before` is when the function was taken down until now.
 */
export async function setCopiesTakenDown(
  tx: Tx,
  { slug, owner_id, before }: { slug: string; owner_id: number | null; before: number | null },
  down: { at: number; reason: string } | null,
): Promise<number[]> {
  const rows = await tx
    .updateTable('functions')
    .set({ taken_down_at: down?.at ?? null, taken_down_reason: down?.reason ?? null })
    .where('branch_slug', '=', slug)
    .where('owner_id', '=', owner_id)
    .where('taken_down_at', before === null ? 'is' : '=', before)
    .returning('id')
    .execute();
  return rows.map(({ id }) => id);
}

/** Takes a function down, or restores it. Undefined if there is no such function, or it is not taken down. */
export function setTakenDown(tx: Tx, slug: string, down: { at: number; reason: string } | null) {
  return tx
    .updateTable('functions')
    .set({ taken_down_at: down?.at ?? null, taken_down_reason: down?.reason ?? null })
    .where('slug', '=', slug)
    .$if(down === null, (query) => query.where('taken_down_at', 'is not', null))
    .returning(['id', 'slug', 'owner_id'])
    .executeTakeFirst();
}
