import { pageUrl } from '../../../contract/pages/pages.ts';
import type { Doubt, RepairOutcome, RepairStep } from '../../../contract/repairs/kinds.ts';
import type { Evidence, Repair } from '../../../contract/repairs/repairs.ts';
import { OUTCOME_WORDS, STEP_WORDS } from '../../../contract/repairs/words.ts';
import { AppError } from '../../lib/errors.ts';
import { toTimestamp } from '../../lib/timestamp.ts';
import { ProviderError } from '../../platform/providers/index.ts';
import type { RepairRow } from '../../platform/storage/index.ts';

/** What a repair has found out so far. It is stored as JSON. */
export interface Report {
  step: RepairStep;
  outcome: RepairOutcome | null;
  doubts: Doubt[];
  reason: Repair['reason'];
  said: string | null;
  evidence: Evidence;
  credits: number;
  /** The slug of the branch, as long as there is one. */
  slug: string | null;
}

export const newReport = (): Report => ({
  step: 'branch',
  outcome: null,
  doubts: [],
  reason: null,
  said: null,
  evidence: { before: null, after: null, check: null, attack: null, changes: [] },
  credits: 0,
  slug: null,
});

export const readReport = ({ report }: Pick<RepairRow, 'report'>) => JSON.parse(report) as Report;

/** A row as the wire shape of `contract/repairs`. */
export function toRepair(row: RepairRow, baseUrl: string): Repair {
  const { slug, ...report } = readReport(row);
  const { outcome, step } = report;
  return {
    id: row.id,
    about: { fingerprint: row.fingerprint, message: row.message },
    state: row.state === 'ended' ? 'ended' : 'running',
    ...report,
    message: (outcome === null ? STEP_WORDS[step] : OUTCOME_WORDS[outcome]).text,
    data: row.data,
    branch:
      row.branch_page_id === null || slug === null
        ? null
        : {
            ...{ id: row.branch_page_id, name: row.branch, slug, url: pageUrl(baseUrl, slug) },
            review: `${baseUrl}/pages/${row.branch_page_id}`,
          },
    started_at: toTimestamp(row.started_at),
    ended_at: row.ended_at === null ? null : toTimestamp(row.ended_at),
  };
}

/** Why a repair could not be finished, for its owner. */
export function toReason(error: unknown): Repair['reason'] {
  if (error instanceof AppError) return { message: error.message, ...error.key };
  if (error instanceof ProviderError) return { message: error.message };
  return { message: 'Something went wrong here. Try again.' };
}
