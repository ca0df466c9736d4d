import { z } from 'zod';
import { queryNumber, shortText, timestamp } from '../fields.ts';

/** The audit log: who did what, when, from where. */

/** Entries of the audit log are deleted after this many days. */
export const AUDIT_DAYS = 400;

const moment = z.iso
  .datetime({ offset: true, error: 'must be an ISO 8601 moment' })
  .transform((given) => Date.parse(given))
  .optional();

const page = {
  limit: queryNumber({ min: 1, max: 200, fallback: 50 }),
  before: z
    .string()
    .regex(/^[1-9]\d{0,14}$/, 'must be the id of an entry')
    .transform(Number)
    .optional()
    .meta({ type: 'integer', minimum: 1, description: 'The id of an entry: those before it are read.' }),
};

export const ActivityQuery = z.object(page);
export type ActivityQuery = z.infer<typeof ActivityQuery>;

export const AuditQuery = z.object({
  ...page,
  actor: shortText(200)
    .transform((name) => name.toLowerCase())
    .optional()
    .meta({ description: 'A username, or `the operator` for commands in a shell on the server.' }),
  action: shortText(100)
    .optional()
    .meta({ description: 'An action such as `page.take_down`, or `page.` for all actions on pages.' }),
  target: shortText(200).optional().meta({ description: 'The name of the user, page or function.' }),
  from: moment,
  to: moment,
});
export type AuditQuery = z.infer<typeof AuditQuery>;

/** What somebody did to a user's account or things, as the user sees it. */
export const ActivityEntry = z.object({
  id: z.int(),
  at: timestamp,
  actor: z.string(),
  action: z.string(),
  target: z.object({ kind: z.string(), id: z.int().nullable(), name: z.string() }),
  details: z.record(z.string(), z.unknown()),
});
export type ActivityEntry = z.infer<typeof ActivityEntry>;

const next = z
  .int()
  .nullable()
  .meta({ description: 'The value of `before` for the entries that follow; null at the end.' });

export const ActivityList = z.object({ entries: z.array(ActivityEntry), next });
export type ActivityList = z.infer<typeof ActivityList>;

export const AuditRecord = ActivityEntry.extend({
  actorId: z.int().nullable().meta({ description: 'Null for the operator in a shell on the server.' }),
  address: z.string(),
});
export type AuditRecord = z.infer<typeof AuditRecord>;
export const AuditList = z.object({ entries: z.array(AuditRecord), next });
export type AuditList = z.infer<typeof AuditList>;
