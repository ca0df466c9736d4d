import { type Selectable, sql } from 'kysely';
import { type Db, firstRow, statement, type Tables, type Tx } from '../../platform/storage/index.ts';

/** SQL for the numbers of pages. */

type HourRow = Selectable<Tables['page_hours']>;
type DayRow = Selectable<Tables['page_days']>;

/** The name for views without a referrer, which is not a host. */
export const DIRECT = '-';
/** The name for views from hosts, and of files, that are over the limit. */
export const OTHER = '';

type Added = Pick<HourRow, 'views' | 'errors'>;

const addHour = statement((db, pageId: number, hour: number, views: number, errors: number) =>
  db
    .insertInto('page_hours')
    .values({ page_id: pageId, hour, views, errors, visitors: 0, sketch: null })
    .onConflict((conflict) =>
      conflict.columns(['page_id', 'hour']).doUpdateSet({
        views: sql`page_hours.views + ${views}`,
        errors: sql`page_hours.errors + ${errors}`,
      }),
    )
    .returning('sketch'),
);

/** Adds to an hour and locks it until the transaction ends. Returns its sketch. */
export async function addToHour(tx: Tx, pageId: number, hour: number, { views, errors }: Added) {
  return (await firstRow(addHour(tx, pageId, hour, views, errors)))?.sketch ?? null;
}

const addDay = statement((db, pageId: number, day: number, views: number, errors: number) =>
  db
    .insertInto('page_days')
    .values({ page_id: pageId, day, views, errors, visitors: 0, sketch: null })
    .onConflict((conflict) =>
      conflict.columns(['page_id', 'day']).doUpdateSet({
        views: sql`page_days.views + ${views}`,
        errors: sql`page_days.errors + ${errors}`,
      }),
    )
    .returning('sketch'),
);

/** Adds to a day and locks it until the transaction ends. Returns its sketch. */
export async function addToDay(tx: Tx, pageId: number, day: number, { views, errors }: Added) {
  return (await firstRow(addDay(tx, pageId, day, views, errors)))?.sketch ?? null;
}

type Counted = Pick<HourRow, 'visitors' | 'sketch'>;

const setHour = statement((db, pageId: number, hour: number, visitors: number, sketch: string | null) =>
  db
    .updateTable('page_hours')
    .set({ visitors, sketch })
    .where('page_id', '=', pageId)
    .where('hour', '=', hour),
);

export async function setHourVisitors(tx: Tx, pageId: number, hour: number, counted: Counted): Promise<void> {
  await setHour(tx, pageId, hour, counted.visitors, counted.sketch);
}

const setDay = statement((db, pageId: number, day: number, visitors: number, sketch: string | null) =>
  db.updateTable('page_days').set({ visitors, sketch }).where('page_id', '=', pageId).where('day', '=', day),
);

export async function setDayVisitors(tx: Tx, pageId: number, day: number, counted: Counted): Promise<void> {
  await setDay(tx, pageId, day, counted.visitors, counted.sketch);
}

const hostsOfDay = statement((db, pageId: number, day: number) =>
  db
    .selectFrom('page_referrers')
    .select('referrer')
    .where('page_id', '=', pageId)
    .where('day', '=', day)
    .where('referrer', 'not in', [DIRECT, OTHER]),
);

/** The hosts that a page has on a day. The row of the day is locked, so nobody else adds one. */
export async function listHosts(tx: Tx, pageId: number, day: number): Promise<string[]> {
  const { rows } = await hostsOfDay(tx, pageId, day);
  return rows.map(({ referrer }) => referrer);
}

const addReferrer = statement((db, pageId: number, day: number, referrer: string, views: number) =>
  db
    .insertInto('page_referrers')
    .values({ page_id: pageId, day, referrer, views })
    .onConflict((conflict) =>
      conflict
        .columns(['page_id', 'day', 'referrer'])
        .doUpdateSet({ views: sql`page_referrers.views + ${views}` }),
    ),
);

export async function addReferrerViews(tx: Tx, row: Selectable<Tables['page_referrers']>): Promise<void> {
  await addReferrer(tx, row.page_id, row.day, row.referrer, row.views);
}

const pathsOfDay = statement((db, pageId: number, day: number) =>
  db
    .selectFrom('page_view_days')
    .select('name')
    .where('page_id', '=', pageId)
    .where('day', '=', day)
    .where('kind', '=', 'path')
    .where('name', '!=', OTHER),
);

/** The files of a site that were shown on a day. The row of the day is locked, so nobody else adds one. */
export async function listPaths(tx: Tx, pageId: number, day: number): Promise<string[]> {
  const { rows } = await pathsOfDay(tx, pageId, day);
  return rows.map(({ name }) => name);
}

type ViewRow = Selectable<Tables['page_view_days']>;

const addView = statement(
  (db, pageId: number, day: number, kind: ViewRow['kind'], name: string, views: number) =>
    db
      .insertInto('page_view_days')
      .values({ page_id: pageId, day, kind, name, views })
      .onConflict((conflict) =>
        conflict
          .columns(['page_id', 'day', 'kind', 'name'])
          .doUpdateSet({ views: sql`page_view_days.views + ${views}` }),
      ),
);

export async function addViews(tx: Tx, { page_id, day, kind, name, views }: ViewRow): Promise<void> {
  await addView(tx, page_id, day, kind, name, views);
}

/** The views of a page by the files or the devices they were of, the most first. */
export async function sumViews(db: Db, pageId: number, kind: ViewRow['kind'], since: number) {
  const rows = await db
    .selectFrom('page_view_days')
    .select((eb) => ['name', eb.fn.sum<number>('views').as('views')])
    .where('page_id', '=', pageId)
    .where('kind', '=', kind)
    .where('day', '>=', since)
    .groupBy('name')
    .orderBy('views', 'desc')
    .orderBy('name')
    .execute();
  return rows.map(({ name, views }) => ({ name, views: Number(views) }));
}

/** All stored views by file and device, day by day, for exports. */
export function listViews(db: Db, pageId: number) {
  return db
    .selectFrom('page_view_days')
    .select(['day', 'kind', 'name', 'views'])
    .where('page_id', '=', pageId)
    .orderBy('day')
    .orderBy('kind')
    .orderBy('name')
    .execute();
}

export async function addFeatureUses(tx: Tx, row: Selectable<Tables['page_feature_days']>): Promise<void> {
  await tx
    .insertInto('page_feature_days')
    .values(row)
    .onConflict((conflict) =>
      conflict.columns(['page_id', 'day', 'feature']).doUpdateSet({
        uses: sql`page_feature_days.uses + ${row.uses}`,
        tokens: sql`page_feature_days.tokens + ${row.tokens}`,
      }),
    )
    .execute();
}

export function listHours(db: Db, pageId: number, since: number): Promise<HourRow[]> {
  return db
    .selectFrom('page_hours')
    .selectAll()
    .where('page_id', '=', pageId)
    .where('hour', '>=', since)
    .orderBy('hour')
    .execute();
}

export function listDays(db: Db, pageId: number, since: number): Promise<DayRow[]> {
  return db
    .selectFrom('page_days')
    .selectAll()
    .where('page_id', '=', pageId)
    .where('day', '>=', since)
    .orderBy('day')
    .execute();
}

/** The hosts that most views came from. */
export async function topReferrers(db: Db, pageId: number, since: number, limit: number) {
  const rows = await db
    .selectFrom('page_referrers')
    .select((eb) => ['referrer', eb.fn.sum<number>('views').as('views')])
    .where('page_id', '=', pageId)
    .where('day', '>=', since)
    .groupBy('referrer')
    .orderBy('views', 'desc')
    .orderBy('referrer')
    .limit(limit)
    .execute();
  return rows.map(({ referrer, views }) => ({ referrer, views: Number(views) }));
}

/** Features and what they cost from `since` until before `until`. */
export async function sumFeatures(db: Db, pageId: number, since: number, until: number) {
  const rows = await db
    .selectFrom('page_feature_days')
    .select((eb) => [
      'feature',
      eb.fn.sum<number>('uses').as('uses'),
      eb.fn.sum<number>('tokens').as('tokens'),
    ])
    .where('page_id', '=', pageId)
    .where('day', '>=', since)
    .where('day', '<', until)
    .groupBy('feature')
    .orderBy('uses', 'desc')
    .orderBy('feature')
    .execute();
  return rows.map(({ feature, uses, tokens }) => ({ feature, uses: Number(uses), tokens: Number(tokens) }));
}

export async function deleteBefore(db: Db, moments: { hour: number; day: number }): Promise<void> {
  await db.deleteFrom('page_hours').where('hour', '<', moments.hour).execute();
  for (const table of ['page_days', 'page_referrers', 'page_view_days', 'page_feature_days'] as const)
    await db.deleteFrom(table).where('day', '<', moments.day).execute();
}

/** Removes the sketches of past days. The number of visitors stays. */
export async function forgetSketches(db: Db, today: number): Promise<void> {
  await db
    .updateTable('page_days')
    .set({ sketch: null })
    .where('day', '<', today)
    .where('sketch', 'is not', null)
    .execute();
}

/** All stored referrers of a page, day by day, for exports. */
export function listReferrers(db: Db, pageId: number) {
  return db
    .selectFrom('page_referrers')
    .select(['day', 'referrer', 'views'])
    .where('page_id', '=', pageId)
    .orderBy('day')
    .orderBy('referrer')
    .execute();
}

export function listFeatureDays(db: Db, pageId: number) {
  return db
    .selectFrom('page_feature_days')
    .select(['day', 'feature', 'uses', 'tokens'])
    .where('page_id', '=', pageId)
    .orderBy('day')
    .orderBy('feature')
    .execute();
}

/** The views and errors of each of these pages since an hour. */
export async function sumHours(db: Db, pageIds: number[], since: number) {
  if (pageIds.length === 0) return [];
  const rows = await db
    .selectFrom('page_hours')
    .select('page_id')
    .select((eb) => [eb.fn.sum<number>('views').as('views'), eb.fn.sum<number>('errors').as('errors')])
    .where('page_id', 'in', pageIds)
    .where('hour', '>=', since)
    .groupBy('page_id')
    .execute();
  return rows.map((row) => ({
    pageId: row.page_id,
    views: Number(row.views),
    errors: Number(row.errors),
  }));
}
