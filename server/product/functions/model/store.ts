import {
  type ExpressionBuilder,
  type Insertable,
  type Selectable,
  type SelectQueryBuilder,
  sql,
} from 'kysely';
import type { ListQuery } from '../../../../contract/functions/functions.ts';
import {
  contains,
  countRows,
  type Db,
  type FunctionsTable,
  type Tables,
  type Tx,
} from '../../../platform/storage/index.ts';

/** SQL for functions. */

export type FunctionRow = Selectable<FunctionsTable> & { owner: string | null };

function functions(db: Db) {
  return db
    .selectFrom('functions')
    .leftJoin('users', 'users.id', 'functions.owner_id')
    .selectAll('functions')
    .select('users.username as owner');
}

export function findFunction(db: Db, slug: string): Promise<FunctionRow | undefined> {
  return functions(db).where('functions.slug', '=', slug).executeTakeFirst();
}

export function findFunctionById(db: Db, id: number): Promise<FunctionRow | undefined> {
  return functions(db).where('functions.id', '=', id).executeTakeFirst();
}

/** The public columns of a function. The index `functions_public` has all of them. */
const LISTED = [
  'functions.slug',
  'functions.display_name',
  'functions.description',
  'functions.database_id',
  'functions.created_at',
  'functions.updated_at',
  'users.username as owner',
] as const;
const OWN = [
  ...LISTED,
  'functions.is_public',
  'functions.taken_down_at',
  'functions.taken_down_reason',
  'functions.page_id',
] as const;
export type ListedFunction = Awaited<ReturnType<typeof listAnyones>>['rows'][number];
export type OwnFunction = Awaited<ReturnType<typeof listOwn>>['rows'][number];

type Slice = Pick<ListQuery, 'q' | 'limit' | 'offset'>;

/** All functions of one owner. */
export async function listOwn(db: Db, ownerId: number, { order, ...slice }: ListQuery) {
  const found = matching(db, slice)
    .where('functions.owner_id', '=', ownerId)
    .where('functions.branch_slug', 'is', null);
  const ordered = order === 'updated' ? found.orderBy('functions.updated_at', 'desc') : found;
  return { rows: await takeSlice(ordered, slice).select(OWN).execute(), total: await countRows(found) };
}

/** All functions that anyone can call. */
export async function listAnyones(db: Db, slice: Slice) {
  const found = matching(db, slice)
    // The value is a literal, because SQLite does not use a partial index for a parameter.
    .where('functions.is_public', '=', sql.lit(1))
    .where('functions.branch_slug', 'is', null)
    .where('functions.taken_down_at', 'is', null)
    .where('functions.owner_blocked_at', 'is', null);
  return { rows: await takeSlice(found, slice).select(LISTED).execute(), total: await countRows(found) };
}

type FunctionQuery = SelectQueryBuilder<Tables, 'functions', object>;

function matching(db: Db, { q }: Slice): FunctionQuery {
  const all = db.selectFrom('functions');
  return q ? all.where(contains(q, ['slug', 'display_name', 'description'])) : all;
}

function takeSlice(found: FunctionQuery, { limit, offset }: Slice) {
  return found
    .leftJoin('users', 'users.id', 'functions.owner_id')
    .orderBy('functions.slug')
    .limit(limit)
    .offset(offset);
}

/** Functions of an owner that an administrator took down. */
export function listTakenDown(db: Db, ownerId: number): Promise<Array<{ slug: string }>> {
  return db
    .selectFrom('functions')
    .select('slug')
    .where('owner_id', '=', ownerId)
    .where('taken_down_at', 'is not', null)
    .orderBy('slug')
    .execute();
}

/**
 * Which of these functions exist, as far as a user who works on a page may know: those of others only if they are public, and
 * those of branches only if they are on this page.
 */
export async function listVisible(
  db: Db,
  { userId, pageId }: { userId: number; pageId: number },
  slugs: string[],
) {
  return db
    .selectFrom('functions')
    .select(['slug', 'is_public'])
    .where('slug', 'in', slugs)
    .where((eb) =>
      eb.or([eb('owner_id', '=', userId), eb.and([eb('is_public', '=', 1), isShownOn(eb, pageId)])]),
    )
    .execute();
}

/** What is public about these functions, or about those of one owner, for those who see a page. */
export function listPublic(
  db: Db,
  slugs: readonly string[],
  { pageId, ownerId }: { pageId: number; ownerId?: number },
) {
  return db
    .selectFrom('functions')
    .select(['slug', 'display_name', 'description'])
    .where('slug', 'in', slugs)
    .where('is_public', '=', 1)
    .where('taken_down_at', 'is', null)
    .where('owner_blocked_at', 'is', null)
    .where((eb) => isShownOn(eb, pageId))
    .$if(ownerId !== undefined, (query) => query.where('owner_id', '=', ownerId ?? 0))
    .orderBy('slug')
    .execute();
}

/** Only those who see a branch may know of its functions. */
const isShownOn = (eb: ExpressionBuilder<Tables, 'functions'>, pageId: number) =>
  eb.or([eb('branch_slug', 'is', null), eb('page_id', '=', pageId)]);

/** The columns that affect calls, except the code, which has a version. */
export type FunctionHead = Pick<FunctionRow, (typeof HEAD)[number]> & {
  /** How often the function's database was restored. */
  generation: number | null;
};
const HEAD = [
  'id',
  'slug',
  'owner_id',
  'is_public',
  'database_id',
  'version',
  'secrets_revision',
  'taken_down_at',
  'owner_blocked_at',
  'page_id',
  'branch_slug',
] as const;

export function findFunctionHead(
  db: Db,
  by: { id: number } | { slug: string },
): Promise<FunctionHead | undefined> {
  const query = db
    .selectFrom('functions')
    .select(HEAD)
    .select((eb) =>
      eb
        .selectFrom('function_databases')
        .select('generation')
        .whereRef('function_databases.id', '=', 'functions.database_id')
        .as('generation'),
    );
  return 'id' in by
    ? query.where('id', '=', by.id).executeTakeFirst()
    : query.where('slug', '=', by.slug).executeTakeFirst();
}

/** Adds a function; undefined if the slug is taken. */
export async function insertFunction(
  tx: Tx,
  values: Omit<Insertable<FunctionsTable>, 'id' | 'version' | 'secrets_revision'>,
): Promise<number | undefined> {
  const row = await tx
    .insertInto('functions')
    .values({ ...values, version: 1, secrets_revision: 0 })
    .onConflict((conflict) => conflict.column('slug').doNothing())
    .returning('id')
    .executeTakeFirst();
  return row?.id;
}

/** Reads a function and locks it until this transaction ends. */
export function lockFunction(tx: Tx, slug: string) {
  return tx
    .updateTable('functions')
    .set((eb) => ({ id: eb.ref('id') }))
    .where('slug', '=', slug)
    .returningAll()
    .executeTakeFirst();
}

export async function updateFunction(
  tx: Tx,
  id: number,
  changes: Partial<Omit<Selectable<FunctionsTable>, 'id'>>,
): Promise<void> {
  await tx.updateTable('functions').set(changes).where('id', '=', id).execute();
}

export async function deleteFunction(tx: Tx, id: number): Promise<void> {
  await tx.deleteFrom('functions').where('id', '=', id).execute();
}
