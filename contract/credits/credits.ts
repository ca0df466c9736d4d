import { z } from 'zod';
import { idParams, queryNumber, timestamp } from '../fields.ts';
import { PageRef } from '../references.ts';
import { MAX_CREDIT_LIMIT } from '../rules/limits.ts';
import { rule } from '../rules/texts/rule.ts';

/** The wire shapes of credits, and their limits. */

const DEFAULT_LIMIT = 10;

const LIMIT_ERROR = rule('must be a whole number of credits from 1 to {max}', { max: MAX_CREDIT_LIMIT });
/** A limit that a person sets for what can spend their credits. */
export const creditLimit = z
  .int({ error: LIMIT_ERROR })
  .min(1, { error: LIMIT_ERROR })
  .max(MAX_CREDIT_LIMIT, { error: LIMIT_ERROR });
const ID_ERROR = 'must be the id of a page';

export const ConsentBody = z.strictObject({
  pageId: z.int({ error: ID_ERROR }).min(1, { error: ID_ERROR }),
  limit: creditLimit.default(DEFAULT_LIMIT),
  publish: z
    .boolean()
    .default(true)
    .meta({ description: 'Whether the page may also publish pages in your name.' }),
});
export type ConsentBody = z.infer<typeof ConsentBody>;
/** A credit limit as a form sends it. */
export const LimitField = z.object({
  limit: z
    .string()
    .trim()
    .regex(/^\d{1,9}$/, LIMIT_ERROR)
    .transform(Number)
    .pipe(creditLimit),
});

export const pageParams = z.object({ pageId: idParams.shape.id });
export const HistoryQuery = z.object({
  limit: queryNumber({ min: 1, max: 100, fallback: 50 }),
  offset: queryNumber({ min: 0, max: 1_000_000_000, fallback: 0 }),
});

export const Consent = z.object({
  pageId: z.int(),
  page: PageRef,
  limit: z.number().meta({ description: 'The limit in credits; 0 if the page cannot spend any.' }),
  used: z.number(),
  publish: z.boolean().meta({ description: 'Whether the page may publish pages in your name.' }),
  createdAt: timestamp,
});
export type Consent = z.infer<typeof Consent>;
export const Overview = z.object({ balance: z.number(), consents: z.array(Consent) });
export type Overview = z.infer<typeof Overview>;
export const Consented = z.object({ success: z.literal(true), consent: Consent });
export type Consented = z.infer<typeof Consented>;
const HistoryItem = z.object({
  id: z.string(),
  kind: z.enum(['grant', 'spend']),
  credits: z.number(),
  feature: z.string().optional(),
  pageId: z.int().optional(),
  /** The page that spent the credits. Left out if the page has been deleted. */
  page: PageRef.optional(),
  reason: z.string(),
  createdAt: timestamp,
});
export const History = z.object({
  history: z.array(HistoryItem),
  total: z.int(),
  limit: z.int(),
  offset: z.int(),
});
export type History = z.infer<typeof History>;
