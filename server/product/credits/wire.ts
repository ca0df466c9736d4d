import { toCredits } from '../../../contract/rules/credit-amounts.ts';
import { toTimestamp } from '../../lib/timestamp.ts';
import type { ConsentRow } from './consents.ts';
import type { HistoryRow } from './history.ts';

/** Rows as the wire shapes of `contract/credits/credits.ts`. */

export const toConsent = (row: ConsentRow) => ({
  pageId: row.id,
  page: { id: row.id, name: row.name, slug: row.slug },
  limit: toCredits(row.limit_tokens),
  used: toCredits(row.used_tokens),
  publish: row.canPublish,
  createdAt: toTimestamp(row.created_at),
});

const toPage = ({ page_id: id, page_name: name, page_slug: slug }: HistoryRow) =>
  id !== null && name !== null && slug !== null && { page: { id, name, slug } };

/** A line of the history from the user's point of view: grants are positive, and spending is negative. */
export const toHistoryItem = (row: HistoryRow) => ({
  id: row.id,
  kind: row.kind === 'grant' ? ('grant' as const) : ('spend' as const),
  credits: toCredits(-row.tokens),
  ...(row.feature !== null && { feature: row.feature }),
  ...(row.page_id !== null && { pageId: row.page_id, ...toPage(row) }),
  reason: row.reason,
  createdAt: toTimestamp(row.created_at),
});
