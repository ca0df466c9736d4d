import { sql } from 'kysely';
import type { Db } from '../../../platform/storage/index.ts';
import { listChangedRecords, toPastRow } from '../history/state-store.ts';
import { type RecordRow, selectRecords } from '../records/store.ts';

/** SQL that compares the records of a branch with those of its page. Copies have the ids of their originals. */

const text = (alias: 'one' | 'other') => {
  const [own, data] = [sql.ref(`${alias}.text`), sql.ref(`${alias}.data`)];
  return sql`coalesce(${own}, cast(${data} as text))`;
};

/** Ids after this one whose records differ between two collections, in order. A collection may not exist. */
export async function listDiffering(
  db: Db,
  { one, other }: { one: number; other: number },
  after: string,
  limit: number,
): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select id from (
      select one.id from records as one
      left join records as other on other.collection_id = ${other} and other.id = one.id
      where one.collection_id = ${one} and one.id > ${after}
        and (other.id is null or ${text('one')} <> ${text('other')})
      union all
      select other.id from records as other
      left join records as one on one.collection_id = ${one} and one.id = other.id
      where other.collection_id = ${other} and other.id > ${after} and one.id is null
    ) as differing order by id limit ${limit}`.execute(db);
  return rows.map(({ id }) => id);
}

/** What records of a collection were at a time: as they are, unless the log says otherwise. */
export async function readRecordsAt(
  db: Db,
  collectionId: number,
  ids: readonly string[],
  at: number,
): Promise<Map<string, RecordRow>> {
  const found = await readRecords(db, collectionId, ids);
  for (const [id, { created_at }] of found) if (created_at >= at) found.delete(id);
  const changes = await listChangedRecords(db, collectionId, ids, at);
  const seen = new Set<string>();
  for (const change of changes) {
    if (seen.has(change.record_id)) continue;
    seen.add(change.record_id);
    const past = toPastRow(change, at);
    if (past) found.set(change.record_id, past);
    else found.delete(change.record_id);
  }
  return found;
}

/** Records as they are. */
export async function readRecords(
  db: Db,
  collectionId: number,
  ids: readonly string[],
): Promise<Map<string, RecordRow>> {
  const rows = await selectRecords(db, { collectionId }).where('records.id', 'in', ids).execute();
  return new Map(rows.map((row) => [row.id, row]));
}
