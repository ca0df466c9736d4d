import type { ReportState } from '../../../contract/reports/limits.ts';
import { countRows, type Db, type ReportRow, type Tx } from '../../platform/storage/index.ts';

/** SQL for reports of pages. */

export async function insertReport(tx: Tx, row: ReportRow): Promise<void> {
  await tx.insertInto('page_reports').values(row).execute();
}

export async function updateReport(
  tx: Tx,
  id: string,
  changes: Partial<Omit<ReportRow, 'id' | 'page_id'>>,
): Promise<void> {
  await tx.updateTable('page_reports').set(changes).where('id', '=', id).execute();
}

export function findReport(db: Db, id: string): Promise<ReportRow | undefined> {
  return db.selectFrom('page_reports').selectAll().where('id', '=', id).executeTakeFirst();
}

/** The open report that an address has sent of a page. */
export function findOpenReport(db: Db, pageId: number, addressHash: string): Promise<ReportRow | undefined> {
  return db
    .selectFrom('page_reports')
    .selectAll()
    .where('page_id', '=', pageId)
    .where('state', '=', 'open')
    .where('address_hash', '=', addressHash)
    .executeTakeFirst();
}

/** When an address sent its last reports since a moment, the oldest first. */
export async function listSendingTimes(db: Db, addressHash: string, since: number): Promise<number[]> {
  const rows = await db
    .selectFrom('page_reports')
    .select('created_at')
    .where('address_hash', '=', addressHash)
    .where('created_at', '>', since)
    .orderBy('created_at')
    .execute();
  return rows.map(({ created_at }) => created_at);
}

/** Forgets who sent the reports that are decided and older than a moment. */
export async function forgetAddresses(db: Db, moment: number): Promise<void> {
  await db
    .updateTable('page_reports')
    .set({ address_hash: null })
    .where('state', '!=', 'open')
    .where('address_hash', 'is not', null)
    .where('created_at', '<', moment)
    .execute();
}

export function countOpenOfPage(db: Db, pageId: number): Promise<number> {
  return countRows(db.selectFrom('page_reports').where('page_id', '=', pageId).where('state', '=', 'open'));
}

export async function countOpenOfPages(
  db: Db,
  pageIds: number[],
): Promise<Array<{ pageId: number; reports: number }>> {
  if (pageIds.length === 0) return [];
  const rows = await db
    .selectFrom('page_reports')
    .select(['page_id', (eb) => eb.fn.countAll<number>().as('reports')])
    .where('state', '=', 'open')
    .where('page_id', 'in', pageIds)
    .groupBy('page_id')
    .execute();
  return rows
    .map(({ page_id, reports }) => ({ pageId: page_id, reports: Number(reports) }))
    .sort((a, b) => b.reports - a.reports);
}

export function countOpen(db: Db): Promise<number> {
  return countRows(db.selectFrom('page_reports').where('state', '=', 'open'));
}

/** Lists reports, the newest first. */
export async function listReports(
  db: Db,
  { state, limit, offset }: { state?: ReportState | undefined; limit: number; offset: number },
): Promise<{ rows: ReportRow[]; total: number }> {
  let query = db.selectFrom('page_reports');
  if (state !== undefined) query = query.where('state', '=', state);
  const rows = await query
    .selectAll()
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .offset(offset)
    .execute();
  return { rows, total: await countRows(query) };
}

/** The newest reports of a page. */
export function listOfPage(db: Db, pageId: number, limit: number): Promise<ReportRow[]> {
  return db
    .selectFrom('page_reports')
    .selectAll()
    .where('page_id', '=', pageId)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .execute();
}

/** Decides an open report, or all of a page. Returns how many there were. */
export async function closeReports(
  tx: Tx,
  which: { id: string } | { pageId: number },
  { state, now }: { state: Exclude<ReportState, 'open'>; now: number },
): Promise<number> {
  const { numUpdatedRows } = await tx
    .updateTable('page_reports')
    .set({ state, closed_at: now })
    .where('state', '=', 'open')
    .$if('id' in which, (query) => query.where('id', '=', 'id' in which ? which.id : ''))
    .$if('pageId' in which, (query) => query.where('page_id', '=', 'pageId' in which ? which.pageId : 0))
    .executeTakeFirst();
  return Number(numUpdatedRows);
}

/** The newest picture of each of these pages. */
export async function findPictures(db: Db, pageIds: number[]): Promise<Map<number, string>> {
  if (pageIds.length === 0) return new Map();
  const rows = await db
    .selectFrom('page_reports')
    .select(['page_id', 'picture'])
    .where('page_id', 'in', pageIds)
    .where('picture', 'is not', null)
    .orderBy('created_at')
    .execute();
  return new Map(rows.map(({ page_id, picture }) => [page_id, picture ?? '']));
}

export async function hasPicture(db: Db, name: string): Promise<boolean> {
  const row = await db.selectFrom('page_reports').select('id').where('picture', '=', name).executeTakeFirst();
  return row !== undefined;
}

/** Sets the picture of a report. False if the report is gone, or has one. */
export async function setPicture(tx: Tx, id: string, picture: string): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('page_reports')
    .set({ picture })
    .where('id', '=', id)
    .where('picture', 'is', null)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

export async function listPicturesOfPage(db: Db, pageId: number): Promise<string[]> {
  const rows = await db
    .selectFrom('page_reports')
    .select('picture')
    .where('page_id', '=', pageId)
    .where('picture', 'is not', null)
    .execute();
  return rows.map(({ picture }) => picture ?? '');
}

/** Some reports that were decided before a moment. */
export function listClosedBefore(
  db: Db,
  moment: number,
  limit: number,
): Promise<Array<Pick<ReportRow, 'id' | 'picture'>>> {
  return db
    .selectFrom('page_reports')
    .select(['id', 'picture'])
    .where('closed_at', '<', moment)
    .limit(limit)
    .execute();
}

export async function deleteReports(tx: Tx, ids: string[]): Promise<void> {
  await tx.deleteFrom('page_reports').where('id', 'in', ids).execute();
}
