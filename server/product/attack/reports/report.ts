import type { AttackReport, PageAttack } from '../../../../contract/attack/attack.ts';
import { toTimestamp } from '../../../lib/timestamp.ts';
import type { Db, PageRow } from '../../../platform/storage/index.ts';
import type { AttackContext } from '../context.ts';
import { findMeantPage, markMeant } from './meant.ts';
import { findReport, listMeantKeys, listSeriousKeys, upsertReport } from './store.ts';

/** Saves what an attack on a page has found, in place of what the last one has found. */
export async function saveReport({ db, pages }: AttackContext, id: number, found: PageAttack): Promise<void> {
  const { version, at, ...report } = found;
  const keys = report.findings.filter(({ severity }) => severity === 'high').map(({ key }) => key);
  await db.transaction().execute(async (tx) => {
    // It may have been deleted meanwhile.
    if (!(await pages.lock(tx, id))) return;
    await upsertReport(tx, {
      ...{ page_id: id, version, attacked_at: Date.parse(at) },
      ...{ serious: keys.join(' '), report: JSON.stringify(report) },
    });
  });
}

/** What the last attack on a page has found, with what is meant so by now. */
export async function readReport(db: Db, page: PageRow): Promise<PageAttack | null> {
  const row = await findReport(db, page.id);
  if (!row) return null;
  const report = JSON.parse(row.report) as AttackReport;
  const forgotten = report.findings.map((finding) => ({ ...finding, meant: null }));
  const findings = await markMeant(db, findMeantPage(page), forgotten);
  return { ...report, findings, version: row.version, at: toTimestamp(row.attacked_at) };
}

/** Which of these versions of pages the last attack has found something serious in that is not meant so, and how much. */
export async function listExposed(
  db: Db,
  pages: Array<Pick<PageRow, 'id' | 'version'>>,
  limit: number,
): Promise<Array<{ pageId: number; findings: number }>> {
  const versions = new Map(pages.map(({ id, version }) => [id, version]));
  const found = await listSeriousKeys(db, [...versions.keys()]);
  const rows = found.filter(({ page_id, version }) => versions.get(page_id) === version);
  const meant = await listMeantKeys(
    db,
    rows.map(({ page_id }) => page_id),
  );
  const isMeant = new Set(meant.map(({ page_id, finding_key }) => `${page_id} ${finding_key}`));
  return rows
    .map(({ page_id, serious }) => ({
      pageId: page_id,
      findings: serious.split(' ').filter((key) => !isMeant.has(`${page_id} ${key}`)).length,
    }))
    .filter(({ findings }) => findings > 0)
    .slice(0, limit);
}
