import { type Db, eachRow } from '../../../platform/storage/index.ts';

/** SQL that reads everything of a user's functions, some rows at a time. */

const BY_ID = { by: 'id', size: 200 } as const;

export function eachFunction(db: Db, ownerId: number) {
  return eachRow(db.selectFrom('functions').select('id').where('owner_id', '=', ownerId), BY_ID);
}

export function eachLogEntry(db: Db, functionId: number) {
  return eachRow(db.selectFrom('function_logs').selectAll().where('function_id', '=', functionId), BY_ID);
}

export function eachJob(db: Db, functionId: number) {
  return eachRow(db.selectFrom('function_jobs').selectAll().where('function_id', '=', functionId), BY_ID);
}

/** The databases that functions of a user have. */
export function listDatabases(db: Db, ownerId: number) {
  return db
    .selectFrom('function_databases')
    .select('id')
    .where('owner_id', '=', ownerId)
    .where('deleted_at', 'is', null)
    .orderBy('id')
    .execute();
}

/** The databases of a user's functions, and those that are deleted but not yet removed. */
export function listAllDatabases(db: Db, ownerId: number) {
  return db.selectFrom('function_databases').select('id').where('owner_id', '=', ownerId).execute();
}

/** Marks databases that no function has for removal. */
export async function retireDatabases(db: Db, ownerId: number, now: number): Promise<void> {
  await db
    .updateTable('function_databases')
    .set({ deleted_at: now })
    .where('owner_id', '=', ownerId)
    .where('deleted_at', 'is', null)
    .where('id', 'not in', (eb) =>
      eb
        .selectFrom('functions')
        .select('database_id')
        .where('database_id', 'is not', null)
        .$castTo<{ database_id: number }>(),
    )
    .execute();
}

/** Whether a user has a function or a database. */
export async function ownsFunctions(db: Db, userId: number): Promise<boolean> {
  const { id: some } =
    (await db
      .selectFrom('functions')
      .select('id')
      .where('owner_id', '=', userId)
      .limit(1)
      .executeTakeFirst()) ??
    (await db
      .selectFrom('function_databases')
      .select('id')
      .where('owner_id', '=', userId)
      .limit(1)
      .executeTakeFirst()) ??
    {};
  return some !== undefined;
}
