import type { Insertable, Selectable } from 'kysely';
import {
  contains,
  type Db,
  type FunctionsTable,
  keepRows,
  type Tables,
  type Tx,
} from '../../platform/storage/index.ts';

/** SQL for functions. */

export type FunctionRow = Selectable<FunctionsTable> & { owner: string | null };
export type LogRow = Selectable<Tables['function_logs']>;

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

/** What a list shows of a function: not its code, which can be large. */
const LISTED = [
  'slug',
  'display_name',
  'description',
  'database_id',
  'is_public',
  'created_at',
  'updated_at',
  'taken_down_at',
  'taken_down_reason',
] as const;
export type ListedFunction = Pick<FunctionRow, (typeof LISTED)[number] | 'owner'>;

/** All public functions, or all functions of one owner. */
export async function listFunctions(
  db: Db,
  filter: { ownerId: number | undefined; q?: string | undefined; limit: number; offset: number },
): Promise<{ rows: ListedFunction[]; total: number }> {
  const { ownerId, q } = filter;
  let query = db.selectFrom('functions').leftJoin('users', 'users.id', 'functions.owner_id');
  query =
    ownerId === undefined
      ? query
          .where('is_public', '=', 1)
          .where('functions.taken_down_at', 'is', null)
          .where('functions.owner_blocked_at', 'is', null)
      : query.where('functions.owner_id', '=', ownerId);
  if (q) {
    query = query.where(contains(q, ['slug', 'display_name', 'description']));
  }
  const rows = await query
    .select(LISTED.map((column) => `functions.${column}` as const))
    .select('users.username as owner')
    .orderBy('functions.slug')
    .limit(filter.limit)
    .offset(filter.offset)
    .execute();
  const { total } = await query
    .select((eb) => eb.fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow();
  return { rows, total };
}

/** Which of these functions exist, as far as a user may know: those of others only if they are public. */
export async function listVisible(db: Db, userId: number, slugs: string[]) {
  return db
    .selectFrom('functions')
    .select(['slug', 'is_public'])
    .where('slug', 'in', slugs)
    .where((eb) => eb.or([eb('is_public', '=', 1), eb('owner_id', '=', userId)]))
    .execute();
}

/** What is public about these functions, or about those of one owner. */
export function listPublic(db: Db, slugs: readonly string[], ownerId?: number) {
  return db
    .selectFrom('functions')
    .select(['slug', 'display_name', 'description'])
    .where('slug', 'in', slugs)
    .where('is_public', '=', 1)
    .where('taken_down_at', 'is', null)
    .where('owner_blocked_at', 'is', null)
    .$if(ownerId !== undefined, (query) => query.where('owner_id', '=', ownerId ?? 0))
    .orderBy('slug')
    .execute();
}

/** The columns that affect calls, except the code, which has a version. */
export type FunctionHead = Pick<FunctionRow, (typeof HEAD)[number]>;
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
] as const;

export function findFunctionHead(
  db: Db,
  by: { id: number } | { slug: string },
): Promise<FunctionHead | undefined> {
  const query = db.selectFrom('functions').select(HEAD);
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

export async function insertDatabase(tx: Tx, ownerId: number, now: number): Promise<number> {
  const { id } = await tx
    .insertInto('function_databases')
    .values({ owner_id: ownerId, created_at: now, deleted_at: null })
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}

/** Locks a database's row, so that it cannot be removed while another function starts to share it. */
export async function lockDatabase(tx: Tx, id: number): Promise<void> {
  await tx
    .updateTable('function_databases')
    .set((eb) => ({ id: eb.ref('id') }))
    .where('id', '=', id)
    .execute();
}

/** Marks the database for removal if no function uses it any more. Returns whether it did. */
export async function retireUnusedDatabase(tx: Tx, id: number, now: number): Promise<boolean> {
  const user = await tx.selectFrom('functions').select('id').where('database_id', '=', id).executeTakeFirst();
  if (user) return false;
  await tx.updateTable('function_databases').set({ deleted_at: now }).where('id', '=', id).execute();
  return true;
}

/** The slugs of the functions that share a database. */
export async function listDatabaseUsers(db: Db, databaseId: number): Promise<string[]> {
  const rows = await db
    .selectFrom('functions')
    .select('slug')
    .where('database_id', '=', databaseId)
    .orderBy('slug')
    .execute();
  return rows.map(({ slug }) => slug);
}

/** The databases of an owner with the functions that use each, the oldest first. */
export async function listOwnDatabases(db: Db, ownerId: number) {
  const rows = await db
    .selectFrom('functions')
    .innerJoin('function_databases', 'function_databases.id', 'functions.database_id')
    .select([
      'function_databases.id',
      'function_databases.created_at',
      'function_databases.bytes',
      'functions.slug',
    ])
    .where('functions.owner_id', '=', ownerId)
    .orderBy('functions.id')
    .execute();
  const databases = new Map<number, { id: number; createdAt: number; bytes: number; functions: string[] }>();
  for (const { id, created_at, bytes, slug } of rows) {
    const known = databases.get(id) ?? { id, createdAt: created_at, bytes, functions: [] };
    known.functions.push(slug);
    databases.set(id, known);
  }
  return [...databases.values()];
}

/** Databases without a function, which may still have a file. */
export function listRetiredDatabases(db: Db) {
  return db
    .selectFrom('function_databases')
    .select(['id', 'owner_id'])
    .where('deleted_at', 'is not', null)
    .execute();
}

export function deleteDatabase(tx: Tx, id: number) {
  return tx
    .deleteFrom('function_databases')
    .where('id', '=', id)
    .returning(['owner_id', 'bytes'])
    .executeTakeFirst();
}

/** Reads the charge of a database and locks it until this transaction ends. */
export function lockDatabaseBytes(tx: Tx, id: number) {
  return tx
    .updateTable('function_databases')
    .set((eb) => ({ id: eb.ref('id') }))
    .where('id', '=', id)
    .returning(['owner_id', 'bytes', 'deleted_at'])
    .executeTakeFirst();
}

export async function setDatabaseBytes(tx: Tx, id: number, bytes: number): Promise<void> {
  await tx.updateTable('function_databases').set({ bytes }).where('id', '=', id).execute();
}

export function listChargedDatabases(db: Db) {
  return db.selectFrom('function_databases').select('id').where('bytes', '>', 0).execute();
}

export function listLogs(db: Db, functionId: number, filter: { limit: number; since?: number | undefined }) {
  let query = db.selectFrom('function_logs').selectAll().where('function_id', '=', functionId);
  if (filter.since !== undefined) query = query.where('at', '>=', filter.since);
  return query.orderBy('id', 'desc').limit(filter.limit).execute();
}

export function listLogsByIds(db: Db, ids: number[]): Promise<LogRow[]> {
  return db.selectFrom('function_logs').selectAll().where('id', 'in', ids).orderBy('id').execute();
}

/** Adds entries, and deletes all but the newest of each function. Returns the added ones in order. */
export async function insertLogs(
  db: Db,
  entries: Array<Omit<LogRow, 'id'>>,
  keep: number,
): Promise<LogRow[]> {
  return db.transaction().execute(async (tx) => {
    const ids = [...new Set(entries.map((entry) => entry.function_id))].sort((a, b) => a - b);
    const known = await keepRows(tx, 'functions', ids);
    const kept = entries.filter((entry) => known.has(entry.function_id));
    const added: LogRow[] = [];
    for (let at = 0; at < kept.length; at += 500) {
      const rows = await tx
        .insertInto('function_logs')
        .values(kept.slice(at, at + 500))
        .returningAll()
        .execute();
      added.push(...rows.sort((a, b) => a.id - b.id));
    }
    // In the order of ids, so that two nodes that write at the same time cannot deadlock.
    for (const id of ids.filter((each) => known.has(each))) {
      const oldest = await tx
        .selectFrom('function_logs')
        .select('id')
        .where('function_id', '=', id)
        .orderBy('id', 'desc')
        .offset(keep)
        .limit(1)
        .executeTakeFirst();
      if (oldest) {
        await tx
          .deleteFrom('function_logs')
          .where('function_id', '=', id)
          .where('id', '<=', oldest.id)
          .execute();
      }
    }
    return added;
  });
}
