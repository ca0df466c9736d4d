import { z } from 'zod';
import { queryNumber, timestamp } from '../fields.ts';
import { UserRef } from '../references.ts';
import { RecordResponse } from './records.ts';

/** The wire shapes of what records were before they changed. */

export const HistoryQuery = z.object({
  limit: queryNumber({ min: 1, max: 100, fallback: 20 }),
  before: z
    .string()
    .regex(/^[1-9]\d{0,14}$/, 'must be the next of a list')
    .transform(Number)
    .optional()
    .meta({ type: 'integer', minimum: 1, description: 'The `next` of a list: what comes after it is read.' }),
});
export type HistoryQuery = z.infer<typeof HistoryQuery>;

const next = z
  .int()
  .nullable()
  .meta({ description: 'The value of `before` for what follows; null at the end.' });

/** A change of a record, and its data before. */
export const PastChange = z.object({
  at: timestamp,
  /** Null if the service did it, or somebody whose account was deleted. */
  by: UserRef.nullable(),
  action: z.enum(['update', 'delete', 'restore']),
  /** Null for `restore`, which brings back a record that was deleted. */
  before: z.record(z.string(), z.unknown()).nullable(),
});
export type PastChange = z.infer<typeof PastChange>;

export const PastChangeList = z.object({ changes: z.array(PastChange), next });
export type PastChangeList = z.infer<typeof PastChangeList>;

/** A record that was deleted, as it was last. */
export const DeletedRecord = RecordResponse.extend({
  deletedAt: timestamp,
  deletedBy: UserRef.nullable(),
}).meta({
  id: 'DeletedRecord',
});
export type DeletedRecord = z.infer<typeof DeletedRecord>;

export const DeletedRecordList = z.object({ records: z.array(DeletedRecord), next });
export type DeletedRecordList = z.infer<typeof DeletedRecordList>;

/** The time of a change: the record becomes what it was before it. */
export const RestoreRecordBody = z.strictObject({
  at: z.iso
    .datetime({ offset: true, error: 'must be an ISO 8601 moment' })
    .transform((given) => Date.parse(given)),
});
