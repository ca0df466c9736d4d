import { z } from 'zod';
import { idOrSlugParams, list, queryNumber, shortText, timestamp } from '../fields.ts';
import { UserRef } from '../references.ts';
import { COLLECTION_NAME, MAX_COLLECTION_NAME } from '../rules/collection-names.ts';
import { MAX_BATCH, MAX_SEARCH } from '../rules/limits.ts';
import { MAX_RECORD_BYTES, MAX_RECORD_DEPTH } from '../rules/record-data.ts';
import { rule } from '../rules/texts/rule.ts';

/** The wire shapes of records, and their limits. */

const MAX_EVENT_COLLECTIONS = 100;

/** JSON can take six bytes for one byte of data (`\u0000`), and a body holds more than the data. */
export const RECORD_BODY_LIMIT = 6 * MAX_RECORD_BYTES + 1024;
/** Parsing JSON blocks the server, so a batch is smaller than the sum of the largest records. */
export const BATCH_BODY_LIMIT = 4 * 1024 * 1024;
/** A record is nested in its body. With one level to spare, the error can name the path that is too deep. */
export const RECORD_BODY_DEPTH = MAX_RECORD_DEPTH + 2;
export const BATCH_BODY_DEPTH = MAX_RECORD_DEPTH + 4;

export const pageParams = idOrSlugParams;
export const collectionParams = pageParams.extend({
  collection: z.string().meta({ pattern: COLLECTION_NAME.source, maxLength: MAX_COLLECTION_NAME }),
});
const RECORD_ID = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/i;

/** The path of a record. Ids of any other form get a 404. */
export const recordParams = collectionParams.extend({
  recordId: z
    .string()
    .regex(RECORD_ID)
    .transform((id) => id.toLowerCase()),
});

/** The id of a record in a batch, where an unknown id is refused with the index of its operation. */
const operationId = z.string().transform((id) => (RECORD_ID.test(id) ? id.toLowerCase() : ''));

const recordId = z
  .uuid('must be the id of a record')
  .transform((id) => id.toLowerCase())
  .optional();

const mine = z.enum(['true', 'false'], { error: 'must be true or false' }).optional();
const where = shortText(20_000).optional().meta({ description: 'JSON, like {"done":false}' });
const q = shortText(MAX_SEARCH).optional().meta({
  description:
    'Words to find in the search fields of the schema, or their beginnings. Words in quotes are together.',
});

export const ListQuery = z
  .object({
    where,
    q,
    orderBy: shortText(1_000).optional(),
    order: z.enum(['asc', 'desc'], { error: 'must be asc or desc' }).default('desc'),
    limit: queryNumber({ min: 1, max: 100, fallback: 50 }),
    offset: queryNumber({ min: 0, max: 1_000_000_000, fallback: 0 }),
    after: recordId,
    before: recordId,
    mine,
  })
  .refine(({ after, before }) => after === undefined || before === undefined, {
    path: ['before'],
    message: 'cannot be combined with after',
  });
export type ListQuery = z.infer<typeof ListQuery>;

export const CountQuery = z.object({
  where,
  q,
  groupBy: shortText(1_000).optional(),
  mine,
});
export type CountQuery = z.infer<typeof CountQuery>;

/** An event of the stream of a page's versions. */
export const PageVersionEvent = z.object({ version: z.int() });
export type PageVersionEvent = z.infer<typeof PageVersionEvent>;

export const EventsQuery = z.object({
  collections: z
    .string()
    .transform((text) => [...new Set(text.split(',').map((name) => name.trim()))])
    .refine(
      (names) => names.length <= MAX_EVENT_COLLECTIONS,
      rule('has more than {max} names', { max: String(MAX_EVENT_COLLECTIONS) }),
    )
    .meta({ type: 'string', description: 'Names of collections, joined by commas' }),
});

/** The last event that a returning client has seen. */
export const FollowHeaders = z.object({
  'Last-Event-ID': z
    .string()
    .optional()
    .meta({ description: 'The id of the last event that you have seen.' }),
});

const anyData = z
  .unknown()
  .refine((value): boolean => value !== undefined, 'is required')
  .meta({ type: 'object' });

export const RecordBody = z.strictObject({ data: anyData });
export type RecordBody = z.infer<typeof RecordBody>;

export const Operation = z.discriminatedUnion(
  'op',
  [
    z.strictObject({ op: z.literal('create'), data: anyData }),
    z.strictObject({ op: z.literal('update'), id: operationId, data: anyData }),
    z.strictObject({ op: z.literal('replace'), id: operationId, data: anyData }),
    z.strictObject({ op: z.literal('delete'), id: operationId }),
  ],
  { error: 'op must be create, update, replace or delete' },
);
export type Operation = z.infer<typeof Operation>;
/** An operation of a batch as clients send it: fields with a default may be left out. */
export type NewOperation = z.input<typeof Operation>;

export const BatchBody = z.strictObject({
  operations: list(Operation, {
    max: MAX_BATCH,
    tooLong: rule('has more than {max} operations', { max: MAX_BATCH }),
  }),
});
export type BatchBody = z.infer<typeof BatchBody>;

export const RecordResponse = z
  .object({
    id: z.string(),
    collection: z.string(),
    data: z.record(z.string(), z.unknown()),
    createdAt: timestamp,
    updatedAt: timestamp,
    /** The author of the record. Left out in solo mode, where all records are the reader's own. */
    createdBy: UserRef.optional(),
  })
  .meta({ id: 'Record' });
export type RecordResponse = z.infer<typeof RecordResponse>;

/** The part of a field around the first word that was found. The texts of all pieces are this part. */
export const Mark = z
  .object({
    field: z.string(),
    pieces: z.array(
      z.object({
        text: z.string(),
        /** True for what was searched for. */
        hit: z.boolean(),
      }),
    ),
  })
  .meta({ id: 'Mark' });
export type Mark = z.infer<typeof Mark>;

export const RecordChange = z.union([
  z.object({ type: z.enum(['created', 'updated']), collection: z.string(), record: RecordResponse }),
  z.object({ type: z.literal('deleted'), collection: z.string(), id: z.string() }),
]);
export type RecordChange = z.infer<typeof RecordChange>;

/** The data of each event in a stream: a change, that the stream is open, or that events were missed. */
export const RecordEvent = z.union([
  ...RecordChange.options,
  z.object({ type: z.literal('reset') }),
  z.strictObject({}),
]);
export type RecordEvent = z.infer<typeof RecordEvent>;

/** A record in a list, with the places of the words if the list has `q`. */
export const FoundRecord = RecordResponse.extend({ marks: z.array(Mark).optional() }).meta({
  id: 'FoundRecord',
});
export type FoundRecord = z.infer<typeof FoundRecord>;

export const RecordList = z.object({
  records: z.array(FoundRecord),
  total: z.int(),
  limit: z.int(),
  offset: z.int(),
  hasMore: z.boolean(),
});
export type RecordList = z.infer<typeof RecordList>;

export const Collection = z.object({ name: z.string(), recordCount: z.int(), lastUpdated: timestamp });
export type Collection = z.infer<typeof Collection>;
export const CollectionList = z.object({ collections: z.array(Collection) });
export type CollectionList = z.infer<typeof CollectionList>;

export const CountResponse = z.object({
  count: z.int(),
  groups: z.array(z.object({ value: z.unknown(), count: z.int() })).optional(),
});
export type CountResponse = z.infer<typeof CountResponse>;

export const BatchResponse = z.object({
  results: z.array(z.object({ success: z.literal(true), record: RecordResponse.optional() })),
});
export type BatchResponse = z.infer<typeof BatchResponse>;
