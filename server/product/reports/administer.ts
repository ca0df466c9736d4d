import type { AdminReportList, AdminReportQuery } from '../../../contract/reports/reports.ts';
import { AppError, notFound } from '../../lib/errors.ts';
import { recordAudit } from '../../platform/audit/index.ts';
import type { Actor } from '../../platform/http/index.ts';
import type { Tx } from '../../platform/storage/index.ts';
import type { ReportsContext } from './context.ts';
import { closeReports, findPictures, findReport, listReports } from './store.ts';
import { toAdminReport } from './wire.ts';

/** What administrators do with reports. */

export async function readReports(
  { db, describePages }: ReportsContext,
  { state, limit, offset }: AdminReportQuery,
): Promise<AdminReportList> {
  const { rows, total } = await listReports(db, { state, limit, offset });
  const ids = [...new Set(rows.map(({ page_id }) => page_id))];
  const [pages, pictures] = await Promise.all([describePages(ids), findPictures(db, ids)]);
  const reports = rows.flatMap((row) => {
    const described = pages.get(row.page_id);
    // A page that was deleted in this moment has no reports any more.
    return described ? [toAdminReport(row, described, pictures.get(row.page_id))] : [];
  });
  return { reports, total, limit, offset };
}

/** Dismisses a report, or all open reports of its page. Returns how many there were. */
export async function dismissReport(
  { db, now, pages }: ReportsContext,
  { actor, address }: { actor: Actor; address: string },
  id: string,
  isForAll: boolean,
): Promise<number> {
  const found = await findReport(db, id);
  if (!found) throw notFound('This report was not found.');
  return db.transaction().execute(async (tx) => {
    const page = await pages.lock(tx, found.page_id);
    if (!page) throw notFound('This report was not found.');
    const which = isForAll ? { pageId: page.id } : { id };
    const reports = await closeReports(tx, which, { state: 'dismissed', now: now() });
    if (reports === 0)
      throw new AppError('CONFLICT', 'This report is decided already. Load the list of reports again.');
    const { userId, username } = actor;
    await recordAudit(tx, {
      actor: { userId, username },
      action: 'page.dismiss_reports',
      target: { kind: 'page', id: page.id, name: page.slug },
      ownerId: page.owner_id,
      address,
      details: { reports },
      now: now(),
    });
    return reports;
  });
}

/** Upholds the open reports of a page, in the transaction that takes it down. */
export function upholdReports({ now }: Pick<ReportsContext, 'now'>) {
  return async (tx: Tx, pageId: number): Promise<void> => {
    await closeReports(tx, { pageId }, { state: 'upheld', now: now() });
  };
}
