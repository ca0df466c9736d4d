import { type Selectable, sql } from 'kysely';
import { type Db, keepRows, type Tables, type Tx } from '../../../platform/storage/index.ts';
import type { Histogram } from './durations.ts';

/** SQL for the statistics of functions. */

export type StatsRow = Selectable<Tables['function_stats']>;

/** Calls of one function in one hour, before they are written. */
export type CountedCalls = StatsRow & { durations: Histogram };

export async function addStats(db: Db, rows: CountedCalls[]): Promise<void> {
  await db.transaction().execute(async (tx) => {
    const known = await keepRows(tx, 'functions', [...new Set(rows.map((row) => row.function_id))]);
    for (const { durations, ...row } of rows.toSorted(
      (a, b) => a.function_id - b.function_id || a.hour - b.hour,
    )) {
      if (!known.has(row.function_id)) continue;
      await tx
        .insertInto('function_stats')
        .values(row)
        .onConflict((conflict) =>
          conflict.columns(['function_id', 'hour']).doUpdateSet({
            calls: sql`function_stats.calls + ${row.calls}`,
            errors: sql`function_stats.errors + ${row.errors}`,
            duration_total_ms: sql`function_stats.duration_total_ms + ${row.duration_total_ms}`,
            duration_max_ms: sql`case when function_stats.duration_max_ms > ${row.duration_max_ms} then function_stats.duration_max_ms else ${row.duration_max_ms} end`,
          }),
        )
        .execute();
      await addDurations(tx, row, durations);
    }
  });
}

async function addDurations(
  tx: Tx,
  { function_id, hour }: Pick<StatsRow, 'function_id' | 'hour'>,
  durations: Histogram,
): Promise<void> {
  for (const [bucket, calls] of durations.entries()) {
    if (calls === 0) continue;
    await tx
      .insertInto('function_durations')
      .values({ function_id, hour, bucket, calls })
      .onConflict((conflict) =>
        conflict
          .columns(['function_id', 'hour', 'bucket'])
          .doUpdateSet({ calls: sql`function_durations.calls + ${calls}` }),
      )
      .execute();
  }
}

export function listDurations(db: Db, functionId: number, since: number) {
  return db
    .selectFrom('function_durations')
    .select(['hour', 'bucket', 'calls'])
    .where('function_id', '=', functionId)
    .where('hour', '>=', since)
    .execute();
}

export async function deleteStatsBefore(db: Db, moment: number): Promise<void> {
  await db.deleteFrom('function_stats').where('hour', '<', moment).execute();
  await db.deleteFrom('function_durations').where('hour', '<', moment).execute();
}

export function listStats(db: Db, functionId: number, since: number) {
  return db
    .selectFrom('function_stats')
    .selectAll()
    .where('function_id', '=', functionId)
    .where('hour', '>=', since)
    .orderBy('hour')
    .execute();
}

/** Calls of each function of an owner since an hour. */
export async function sumOwnerStats(db: Db, ownerId: number, since: number) {
  const rows = await db
    .selectFrom('function_stats')
    .innerJoin('functions', 'functions.id', 'function_stats.function_id')
    .select('functions.slug')
    .select((eb) => [eb.fn.sum<number>('calls').as('calls'), eb.fn.sum<number>('errors').as('errors')])
    .where('functions.owner_id', '=', ownerId)
    .where('hour', '>=', since)
    .groupBy('functions.slug')
    .execute();
  return rows.map(({ slug, calls, errors }) => ({ slug, calls: Number(calls), errors: Number(errors) }));
}

export const DAY_MS = 24 * 3600 * 1000;

/** Calls of each function of an owner on each day since a day. Days are numbered from the epoch. */
export async function sumOwnerDays(db: Db, ownerId: number, since: number) {
  const day = sql<number>`hour / ${sql.lit(DAY_MS)}`;
  const rows = await db
    .selectFrom('function_stats')
    .innerJoin('functions', 'functions.id', 'function_stats.function_id')
    .select(['functions.slug', day.as('day')])
    .select((eb) => eb.fn.sum<number>('calls').as('calls'))
    .where('functions.owner_id', '=', ownerId)
    .where('hour', '>=', since)
    .groupBy(['functions.slug', day])
    .execute();
  return rows.map((row) => ({ slug: row.slug, day: Number(row.day), calls: Number(row.calls) }));
}
