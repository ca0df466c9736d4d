import type { AttackReport, KeptAttack } from '../../../../contract/attack/attack.ts';
import { toTimestamp } from '../../../lib/timestamp.ts';
import type { Actor } from '../../../platform/http/index.ts';
import type { Db, PageRow } from '../../../platform/storage/index.ts';
import { attackPage } from '../attack.ts';
import type { AttackContext } from '../context.ts';
import { findMeantPage, markMeant } from './meant.ts';
import { findReport, listMeantKeys, listSeriousKeys, saveReport } from './store.ts';

/** Attacks a page and keeps what was found, in place of what the last attack has found. */
export async function attackAndKeep(
  context: AttackContext,
  actor: Actor,
  page: PageRow,
  signal?: AbortSignal,
): Promise<KeptAttack> {
  const { db, now, pages } = context;
  const { id, version } = page;
  const report = await attackPage(context, actor, page, signal);
  const at = now();
  const attacked = { ...report, version, at: toTimestamp(at) };
  // What was cut off says little.
  if (signal?.aborted) return attacked;
  const serious = report.findings.filter(({ severity }) => severity === 'high').map(({ key }) => key);
  await db.transaction().execute(async (tx) => {
    // It may have been deleted meanwhile.
    if (!(await pages.lock(tx, id))) return;
    const said = JSON.stringify(report);
    await saveReport(tx, { page_id: id, version, attacked_at: at, serious: serious.join(' '), report: said });
  });
  return attacked;
}

/** What the last attack on a page has found, with what is meant so by now. */
export async function readKept(db: Db, page: PageRow): Promise<KeptAttack | null> {
  const row = await findReport(db, page.id);
  if (!row) return null;
  const report = JSON.parse(row.report) as AttackReport;
  const forgotten = report.findings.map((finding) => ({ ...finding, meant: null }));
  const findings = await markMeant(db, findMeantPage(page), forgotten);
  return { ...report, findings, version: row.version, at: toTimestamp(row.attacked_at) };
}

/** Which of these pages the last attack has found something serious in that is not meant so, and how much. */
export async function listExposed(
  db: Db,
  pageIds: number[],
  limit: number,
): Promise<Array<{ pageId: number; findings: number }>> {
  const rows = await listSeriousKeys(db, pageIds);
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
