import type { Db } from '../../../platform/storage/index.ts';
import type { MomentKeeper } from '../../ports.ts';
import { type FunctionRow, findFunction } from '../model/store.ts';
import { listDatabasesOnPage, listPagesWithDatabases } from './store.ts';

/** What changes with a function: functions can share a database, also with those of other pages. */

type Concerned = Pick<FunctionRow, 'page_id' | 'database_id'>;

/** The pages whose functions use the database of a function, or its own page. Null stands for functions without a page. */
async function listConcerned(db: Db, { page_id, database_id }: Concerned): Promise<Array<number | null>> {
  return database_id === null ? [page_id] : listPagesWithDatabases(db, [database_id]);
}

/** The pages that use the database of a function, or its own page. */
export async function listConcernedPages(db: Db, row: Concerned): Promise<number[]> {
  return (await listConcerned(db, row)).filter((id) => id !== null);
}

/** Notes that everything which uses the database of a function may have changed. */
export async function noteConcerned(
  { db, moments }: { db: Db; moments: Pick<MomentKeeper, 'noteChange'> },
  row: Concerned,
): Promise<void> {
  for (const id of await listConcernedPages(db, row)) moments.noteChange(id);
}

/**
 * The pages that a change of a function concerns: its own, and all whose functions use the same database. Null stands for
 * functions without a page. None if it is not a function of this owner.
 */
export async function listPagesOfFunction(
  db: Db,
  slug: string,
  ownerId: number,
): Promise<Array<number | null>> {
  const row = await findFunction(db, slug);
  return row?.owner_id === ownerId ? listConcerned(db, row) : [];
}

/** The pages whose functions use a database of a page, with this one. Null stands for functions without a page. */
export async function listPagesBeside(db: Db, pageId: number): Promise<Array<number | null>> {
  return listPagesWithDatabases(db, await listDatabasesOnPage(db, pageId));
}
