import type { Domain } from '../../../../contract/pages/domains/domains.ts';
import { DOMAIN_GRACE_DAYS } from '../../../../contract/rules/limits.ts';
import { AppError } from '../../../lib/errors.ts';
import type { Actor } from '../../../platform/http/index.ts';
import { type DomainRow, storageFailure, type Tx } from '../../../platform/storage/index.ts';
import { findPage } from '../model/page-store.ts';
import { requireDomain } from './change.ts';
import type { DomainsContext } from './context.ts';
import { includesText, type TxtAnswer } from './resolver.ts';
import { claimCheck, findDomain, listDue, lockHolder, setCanonical, updateDomain } from './store.ts';
import { proofName, proofValue, toDomain } from './wire.ts';

const HOUR_MS = 3_600_000;
const GRACE_MS = DOMAIN_GRACE_DAYS * 24 * HOUR_MS;
/** How often a verified domain is checked, and how often one whose record is missing. */
const CHECK_EVERY_MS = 24 * HOUR_MS;
const CHECK_FAILING_EVERY_MS = HOUR_MS;
/** Domains per sweep. With more than 12,000 domains and one node, a day is not enough for all. */
const CHECKS_PER_SWEEP = 500;
const CHECKS_AT_ONCE = 10;

/** Verifies a domain now. */
export async function verifyDomain(
  context: DomainsContext,
  actor: Actor,
  pageId: number,
  domain: string,
): Promise<Domain> {
  const { db, directory, hosts } = context;
  await directory.require(db, await findPage(db, pageId), actor, 'own');
  const row = await requireDomain(db, pageId, domain);
  await context.verifications.take(String(actor.userId));
  const checked = await check(context, row, String(actor.userId));
  const page = await findPage(db, pageId);
  return toDomain(checked ?? row, page?.domain ?? null, hosts.baseUrl);
}

/** Checks again whether the records of verified domains are still there. */
export async function recheckDomains(context: DomainsContext, isStopping: () => boolean): Promise<void> {
  const { db, now } = context;
  for (let checked = 0; checked < CHECKS_PER_SWEEP; checked += CHECKS_AT_ONCE) {
    if (isStopping()) return;
    const due = await listDue(db, {
      before: now() - CHECK_EVERY_MS,
      failingBefore: now() - CHECK_FAILING_EVERY_MS,
      limit: CHECKS_AT_ONCE,
    });
    if (due.length === 0) return;
    await Promise.all(
      due.map(async (row) => (await claimCheck(db, row, now())) && check(context, row, 'recheck')),
    );
  }
}

/** Looks up the record, and stores the result. Undefined if the domain was removed meanwhile. */
async function check(context: DomainsContext, row: DomainRow, turn: string): Promise<DomainRow | undefined> {
  const { db, table, lookUpTxt, pageChanged, now } = context;
  const answer = await lookUpTxt(proofName(row.domain), turn);
  const outcome = await db
    .transaction()
    .execute((tx) => settle(tx, row, answer, now()))
    .catch((error: unknown) => {
      // Another page may have been verified at the same moment.
      throw storageFailure(error) === 'unique violation' ? taken(row.domain) : error;
    });
  if (outcome.movedPages.length > 0) table.changed(row.domain);
  for (const pageId of outcome.movedPages) pageChanged(pageId);
  return outcome.row;
}

/** Applies the result of a lookup to the page that asked, and to the page that has the domain now. */
async function settle(
  tx: Tx,
  asked: DomainRow,
  answer: TxtAnswer,
  now: number,
): Promise<{ row: DomainRow | undefined; movedPages: number[] }> {
  const holder = await lockHolder(tx, asked.domain);
  const row = await findDomain(tx, asked.page_id, asked.domain);
  if (row?.id !== asked.id) return { row: undefined, movedPages: [] };
  if (!isProven(row, answer)) return settleUnproven(tx, row, answer, now);
  const isOthers = holder !== undefined && holder.id !== row.id;
  if (isOthers && isProven(holder, answer)) throw taken(row.domain);
  // One lookup decides both, so the domain always has a page that has proven it.
  if (isOthers) await giveUp(tx, holder, { checked_at: now, problem: 'other_record' });
  const proven = await updateDomain(tx, row.id, {
    verified_at: row.verified_at ?? now,
    checked_at: now,
    failing_since: null,
    problem: null,
  });
  if (row.verified_at !== null) return { row: proven, movedPages: [] };
  await setCanonical(tx, row.page_id);
  return { row: proven, movedPages: [row.page_id, ...(isOthers ? [holder.page_id] : [])] };
}

async function settleUnproven(tx: Tx, row: DomainRow, answer: TxtAnswer, now: number) {
  if (answer === 'no answer') {
    const changes = { checked_at: now, problem: 'no_answer' as const };
    return { row: await updateDomain(tx, row.id, changes), movedPages: [] };
  }
  const problem = answer === 'none' ? ('no_record' as const) : ('other_record' as const);
  const failingSince = row.failing_since ?? now;
  if (row.verified_at !== null && now - failingSince >= GRACE_MS)
    return { row: await giveUp(tx, row, { checked_at: now, problem }), movedPages: [row.page_id] };
  const changes = {
    checked_at: now,
    problem,
    failing_since: row.verified_at === null ? null : failingSince,
  };
  return { row: await updateDomain(tx, row.id, changes), movedPages: [] };
}

/** Takes a domain away from the page that has it. */
async function giveUp(tx: Tx, row: DomainRow, why: Pick<DomainRow, 'checked_at' | 'problem'>) {
  const lost = await updateDomain(tx, row.id, { ...why, verified_at: null, failing_since: null });
  await setCanonical(tx, row.page_id);
  return lost;
}

function isProven(row: DomainRow, answer: TxtAnswer): boolean {
  return typeof answer === 'object' && includesText(answer.texts, proofValue(row.token));
}

const taken = (domain: string) =>
  new AppError(
    'CONFLICT',
    '{domain} belongs to another page, whose TXT record is still there. Remove that record, and verify again.',
    { domain },
  );
