import { type Selectable, sql } from 'kysely';
import type { Db, Tables, Tx } from '../../../platform/storage/index.ts';

/** SQL for errors in visitors' browsers. */

/** The limit of a query with an offset, because SQLite requires one: more than can be written at once. */
const MAX_REMOVED = 10_000;

export type ErrorRow = Selectable<Tables['page_errors']>;

/** An error that a browser reported, without its page. */
export type Reported = Omit<ErrorRow, 'page_id'>;

export async function addError(tx: Tx, row: ErrorRow): Promise<void> {
  const { count, first_at: _, page_id: __, fingerprint: ___, context, ...last } = row;
  await tx
    .insertInto('page_errors')
    .values(row)
    .onConflict((conflict) =>
      conflict.columns(['page_id', 'fingerprint']).doUpdateSet({
        ...last,
        // The first of each version stays: strangers can repeat an error, with other steps.
        ...(context !== null && {
          context: sql<string>`case when page_errors.version = excluded.version then coalesce(page_errors.context, excluded.context) else excluded.context end`,
        }),
        count: sql`page_errors.count + ${count}`,
      }),
    )
    .execute();
}

/**
 * Keeps `most` errors of a page: half of them are the most frequent, so that a stranger who invents others cannot make
 * them disappear, and the rest are the most recent.
 */
export async function keepErrors(tx: Tx, pageId: number, most: number): Promise<void> {
  const errors = tx
    .selectFrom('page_errors')
    .select('fingerprint')
    .where('page_id', '=', pageId)
    .orderBy('last_at', 'desc')
    .orderBy('fingerprint');
  // Return early, because most pages have few errors.
  if ((await errors.limit(1).offset(most).execute()).length === 0) return;
  const frequent = await tx
    .selectFrom('page_errors')
    .select('fingerprint')
    .where('page_id', '=', pageId)
    .orderBy('count', 'desc')
    .orderBy('last_at', 'desc')
    .orderBy('fingerprint')
    .limit(Math.floor(most / 2))
    .execute();
  const kept = frequent.map(({ fingerprint }) => fingerprint);
  const excess = await errors
    .where('fingerprint', 'not in', kept)
    .limit(MAX_REMOVED)
    .offset(most - kept.length)
    .execute();
  if (excess.length === 0) return;
  const fingerprints = excess.map(({ fingerprint }) => fingerprint);
  await tx
    .deleteFrom('page_errors')
    .where('page_id', '=', pageId)
    .where('fingerprint', 'in', fingerprints)
    .execute();
}

/** Lists the errors of a page, the most recent first. */
export function listErrors(db: Db, pageId: number, limit: number): Promise<ErrorRow[]> {
  return db
    .selectFrom('page_errors')
    .selectAll()
    .where('page_id', '=', pageId)
    .orderBy('last_at', 'desc')
    .orderBy('fingerprint')
    .limit(limit)
    .execute();
}

export function findError(db: Db, pageId: number, fingerprint: string): Promise<ErrorRow | undefined> {
  return db
    .selectFrom('page_errors')
    .selectAll()
    .where('page_id', '=', pageId)
    .where('fingerprint', '=', fingerprint)
    .executeTakeFirst();
}

/** Deletes one error of a page, or all. Returns how many there were. */
export async function deleteErrors(db: Db, pageId: number, fingerprint?: string): Promise<number> {
  let query = db.deleteFrom('page_errors').where('page_id', '=', pageId);
  if (fingerprint !== undefined) query = query.where('fingerprint', '=', fingerprint);
  return Number((await query.executeTakeFirst()).numDeletedRows);
}

export async function deleteErrorsBefore(db: Db, moment: number): Promise<void> {
  await db.deleteFrom('page_errors').where('last_at', '<', moment).execute();
}
