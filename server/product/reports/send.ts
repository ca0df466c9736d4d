import { createHmac } from 'node:crypto';
import { MAX_OPEN_REPORTS, REPORTS_PER_DAY } from '../../../contract/reports/limits.ts';
import type { NewReport } from '../../../contract/reports/reports.ts';
import { limitKey } from '../../lib/addresses.ts';
import { AppError } from '../../lib/errors.ts';
import { recordAudit } from '../../platform/audit/index.ts';
import { tooMany } from '../../platform/coordination/limits/index.ts';
import { lockName, type PageRow, type Tx } from '../../platform/storage/index.ts';
import type { ReportsContext } from './context.ts';
import { findReported, noPage } from './locate.ts';
import { sendNotices } from './notices.ts';
import { countOpenOfPage, findOpenReport, insertReport, listSendingTimes, updateReport } from './store.ts';

const DAY_MS = 24 * 3600 * 1000;

/** Stores a report. A second one of the same page from the same address replaces the first while that is open. */
export async function sendReport(
  context: ReportsContext,
  report: NewReport,
  address: string,
): Promise<{ id: string }> {
  const { db, key, pages, perHour, pictures } = context;
  await perHour.take(limitKey(address));
  const hash = createHmac('sha256', key.inUse.bytes)
    .update(`reports\n${limitKey(address)}`)
    .digest('base64url');
  const found = await findReported(context, db, report.page);
  const { id, isFirst } = await db.transaction().execute(async (tx) => {
    await lockName(tx, `reports from ${hash}`);
    const page = await pages.lock(tx, found.id);
    if (!page) throw noPage();
    const { reason, text, contact } = report;
    const known = await findOpenReport(tx, page.id, hash);
    if (!known) return add(context, tx, page, { reason, text, contact, hash });
    await updateReport(tx, known.id, { reason, text, contact, version: page.version });
    return { id: known.id, isFirst: false };
  });
  if (isFirst) pictures.want({ pageId: found.id, reportId: id });
  return { id };
}

interface Sent extends Pick<NewReport, 'reason' | 'text' | 'contact'> {
  hash: string;
}

/** Adds a report. The first one that is open has the page photographed, and is in the audit log. */
async function add(
  context: ReportsContext,
  tx: Tx,
  page: PageRow,
  { hash, ...written }: Sent,
): Promise<{ id: string; isFirst: boolean }> {
  const now = context.now();
  await assertNotTooMany(tx, hash, now);
  const open = await countOpenOfPage(tx, page.id);
  if (open >= MAX_OPEN_REPORTS)
    throw new AppError(
      'CONFLICT',
      'Administrators have {count} reports of this page already, and will look at it. You need not send another one.',
      { count: MAX_OPEN_REPORTS },
    );
  const id = Bun.randomUUIDv7('hex', now);
  await insertReport(tx, {
    ...{ id, ...written, page_id: page.id, version: page.version, address_hash: hash, state: 'open' },
    ...{ created_at: now, closed_at: null, answer: null, answered_at: null, picture: null },
  });
  if (open === 0)
    await recordAudit(tx, {
      actor: 'the service',
      action: 'page.report',
      target: { kind: 'page', id: page.id, name: page.slug },
      ownerId: page.owner_id,
      // Nobody learns here who sent it.
      address: '',
      details: { about: written.reason },
      now,
    });
  await sendNotices(context, tx, page, written.reason);
  return { id, isFirst: open === 0 };
}

/** Limits the reports of an address in a day. They are counted in the database, so a restart does not end the limit. */
async function assertNotTooMany(tx: Tx, hash: string, now: number): Promise<void> {
  const moments = await listSendingTimes(tx, hash, now - DAY_MS);
  if (moments.length < REPORTS_PER_DAY) return;
  const rate = { points: REPORTS_PER_DAY, seconds: DAY_MS / 1000 };
  const msBeforeNext = (moments.at(-REPORTS_PER_DAY) ?? now) + DAY_MS - now;
  throw tooMany('You have sent too many reports today. Try again {wait}.', rate, { msBeforeNext });
}
