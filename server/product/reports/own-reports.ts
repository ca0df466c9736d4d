import { MAX_OWN_REPORTS } from '../../../contract/reports/limits.ts';
import type { OwnReport, OwnReportList } from '../../../contract/reports/reports.ts';
import { AppError, notFound } from '../../lib/errors.ts';
import { recordAudit } from '../../platform/audit/index.ts';
import type { Actor } from '../../platform/http/index.ts';
import type { ReportsContext } from './context.ts';
import { findReport, listOfPage, updateReport } from './store.ts';
import { toOwnReport } from './wire.ts';

/** What the owner of a page does with its reports. Admins of its team do not see them. */

export async function readOwnReports(
  { db, pages }: ReportsContext,
  actor: Actor,
  idOrSlug: string,
): Promise<OwnReportList> {
  const page = await pages.require(db, await pages.find(db, idOrSlug), actor, 'own');
  const rows = await listOfPage(db, page.id, MAX_OWN_REPORTS);
  return { reports: rows.map(toOwnReport) };
}

/** Answers a report. A page that was taken down can be defended too. */
export async function answerReport(
  { db, pages, now }: ReportsContext,
  { actor, address }: { actor: Actor; address: string },
  { id, reportId }: { id: string; reportId: string },
  text: string,
): Promise<OwnReport> {
  const found = await pages.require(db, await pages.find(db, id), actor, 'own');
  return db.transaction().execute(async (tx) => {
    const page = await pages.require(tx, await pages.lock(tx, found.id), actor, 'own');
    const report = await findReport(tx, reportId);
    if (report?.page_id !== page.id) throw notFound('This report was not found.');
    if (report.state === 'dismissed')
      throw new AppError(
        'CONFLICT',
        'This report was dismissed: administrators found nothing wrong. You need not answer it.',
      );
    const answer = { answer: text, answered_at: now() };
    await updateReport(tx, reportId, answer);
    const { userId, username } = actor;
    await recordAudit(tx, {
      actor: { userId, username },
      action: 'page.answer_report',
      target: { kind: 'page', id: page.id, name: page.slug },
      ownerId: page.owner_id,
      address,
      now: now(),
    });
    return toOwnReport({ ...report, ...answer });
  });
}
