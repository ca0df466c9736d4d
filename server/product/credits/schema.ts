import { z } from 'zod';
import { toCredits } from '../../../contract/credit-amounts.ts';
import { idParams, queryNumber, timestamp } from '../../../contract/fields.ts';
import { toTimestamp } from '../../lib/timestamp.ts';
import type { ConsentRow } from './consents.ts';
import type { HistoryRow } from './history.ts';

/** The wire shapes of credits, and their limits. */

export const DEFAULT_LIMIT = 10;
export const MAX_LIMIT = 1_000;

const LIMIT_ERROR = `must be a whole number of credits from 1 to ${MAX_LIMIT.toLocaleString('en')}`;
const limit = z
  .int({ error: LIMIT_ERROR })
  .min(1, { error: LIMIT_ERROR })
  .max(MAX_LIMIT, { error: LIMIT_ERROR });
const ID_ERROR = 'must be the id of a page';

export const ConsentBody = z.strictObject({
  pageId: z.int({ error: ID_ERROR }).min(1, { error: ID_ERROR }),
  limit: limit.default(DEFAULT_LIMIT),
});
/** The same in a form. */
export const LimitField = z.object({
  limit: z
    .string()
    .trim()
    .regex(/^\d{1,9}$/, LIMIT_ERROR)
    .transform(Number)
    .pipe(limit),
});

export const pageParams = z.object({ pageId: idParams.shape.id });
export const HistoryQuery = z.object({
  limit: queryNumber({ min: 1, max: 100, fallback: 50 }),
  offset: queryNumber({ min: 0, max: 1_000_000_000, fallback: 0 }),
});

const page = z.object({ id: z.int(), name: z.string(), slug: z.string() });
const Consent = z.object({
  pageId: z.int(),
  page,
  limit: z.number(),
  used: z.number(),
  createdAt: timestamp,
});
export const Overview = z.object({ balance: z.number(), consents: z.array(Consent) });
export const Consented = z.object({ success: z.literal(true), consent: Consent });
export const History = z.object({
  history: z.array(
    z.object({
      id: z.string(),
      kind: z.enum(['grant', 'spend']),
      credits: z.number(),
      feature: z.string().optional(),
      pageId: z.int().optional(),
      /** While there is one. */
      page: page.optional(),
      reason: z.string(),
      createdAt: timestamp,
    }),
  ),
  total: z.int(),
  limit: z.int(),
  offset: z.int(),
});

export const toConsent = (row: ConsentRow) => ({
  pageId: row.id,
  page: { id: row.id, name: row.name, slug: row.slug },
  limit: toCredits(row.limit_tokens),
  used: toCredits(row.used_tokens),
  createdAt: toTimestamp(row.created_at),
});

const pageOf = ({ page_id: id, page_name: name, page_slug: slug }: HistoryRow) =>
  id !== null && name !== null && slug !== null && { page: { id, name, slug } };

/** Seen from the user: what left the issuer came to them, and what was spent left them. */
export const toHistoryItem = (row: HistoryRow) => ({
  id: row.id,
  kind: row.kind === 'grant' ? ('grant' as const) : ('spend' as const),
  credits: toCredits(-row.tokens),
  ...(row.feature !== null && { feature: row.feature }),
  ...(row.page_id !== null && { pageId: row.page_id, ...pageOf(row) }),
  reason: row.reason,
  createdAt: toTimestamp(row.created_at),
});
