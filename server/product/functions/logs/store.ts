import type { Selectable } from 'kysely';
import { type Db, keepRows, type Tables } from '../../../platform/storage/index.ts';

/** SQL for the logs of functions. */

export type LogRow = Selectable<Tables['function_logs']>;

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
    // Write in the order of ids, so that two nodes that write at the same time cannot deadlock.
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
