import { type RawBuilder, sql } from 'kysely';
import type { Db } from '../../../platform/storage/index.ts';
import { firstId } from './state-store.ts';

/** SQL for how many records changed, by collection, person and part of a span. */

interface Span {
  from: number;
  to: number;
  everyMs: number;
}

export interface Counted {
  collection_id: number;
  by: number | null;
  at: number;
  action: 'create' | 'update' | 'delete' | 'restore';
  count: number;
}

/** When the part of a span begins that a time is in. */
const part = (time: RawBuilder<unknown>, { from, everyMs }: Span) =>
  sql`cast(${from} as bigint) + (${time} - cast(${from} as bigint)) / cast(${everyMs} as bigint) * cast(${everyMs} as bigint)`;

/** What was created and still exists, what changed, and what was created and has been deleted since. */
export async function countActivity(db: Db, collectionIds: number[], span: Span): Promise<Counted[]> {
  if (collectionIds.length === 0) return [];
  const { from, to } = span;
  const among = sql`collection_id in (${sql.join(collectionIds)})`;
  const created = sql`
    select collection_id, created_by as by, ${part(sql`created_at`, span)} as at, 'create' as action, count(*) as count
    from records where ${among} and id > ${firstId(from)} and id < ${firstId(to)} group by 1, 2, 3`;
  const changed = sql`
    select collection_id, changed_by as by, ${part(sql`at`, span)} as at, action, count(*) as count
    from record_changes where ${among} and at >= ${from} and at < ${to} group by 1, 2, 3, 4`;
  const gone = sql`
    select collection_id, created_by as by, ${part(sql`created_at`, span)} as at, 'create' as action, count(*) as count
    from record_changes as entry
    where ${among} and at >= ${from} and action = 'delete' and created_at >= ${from} and created_at < ${to}
      and not exists (select 1 from records
        where records.collection_id = entry.collection_id and records.id = entry.record_id)
      and not exists (select 1 from record_changes as later
        where later.collection_id = entry.collection_id and later.record_id = entry.record_id
          and later.action = 'delete' and later.id > entry.id)
    group by 1, 2, 3`;
  const { rows } = await sql<Counted>`${created} union all ${changed} union all ${gone}`.execute(db);
  return rows.map((row) => ({ ...row, at: Number(row.at), count: Number(row.count) }));
}
