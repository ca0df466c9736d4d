import { z } from 'zod';
import { idOrSlugParams, list, queryNumber, shortText, timestamp } from '../../../contract/fields.ts';
import { AppError } from '../../lib/errors.ts';
import { MAX_JSON_DEPTH } from '../../lib/json.ts';
import { toTimestamp } from '../../lib/timestamp.ts';
import type { StorageType } from './access.ts';
import { CollectionSchema, GivenSchema, MAX_SCHEMA_LETTERS } from './collections/collection-schema.ts';
import { MAX_RECORD_BYTES, type RecordData } from './record-data.ts';
import type { RecordRow } from './store.ts';

/** The wire shapes of collections and records, and their limits. */

const MAX_BATCH = 100;
const MAX_COLLECTION_NAME = 100;
const MAX_EVENT_COLLECTIONS = 100;

/** JSON may spell a byte in six (`\u0000`), and there is more in a body than the data. */
export const RECORD_BODY_LIMIT = 6 * MAX_RECORD_BYTES + 1024;
/** Reading JSON stops everything else for a moment, so a batch is not as large as its records could be. */
export const BATCH_BODY_LIMIT = 4 * 1024 * 1024;
/** A record has as many levels as any JSON, and is a few down in the body. What is one over is named by its path. */
export const RECORD_BODY_DEPTH = MAX_JSON_DEPTH + 2;
export const BATCH_BODY_DEPTH = MAX_JSON_DEPTH + 4;
export const SCHEMA_BODY_LIMIT = 6 * MAX_SCHEMA_LETTERS + 1024;

export const pageParams = idOrSlugParams;
export const collectionParams = pageParams.extend({
  collection: z.string().meta({ pattern: '^[a-z][a-z0-9_]*$', maxLength: MAX_COLLECTION_NAME }),
});
const RECORD_ID = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/i;

/** Anything but the id of a record names nothing. */
export const recordParams = collectionParams.extend({
  recordId: z
    .string()
    .regex(RECORD_ID)
    .transform((id) => id.toLowerCase()),
});

/** The same in a batch, where what names nothing is refused with its place. */
const operationId = z.string().transform((id) => (RECORD_ID.test(id) ? id.toLowerCase() : ''));

/** Checks a collection's name, from an address or a list. */
export function checkCollection(name: string): string {
  if (/^[a-z][a-z0-9_]*$/.test(name) && name.length <= MAX_COLLECTION_NAME) return name;
  const message = `is not a collection's name: a-z, 0-9 and _, beginning with a letter, at most ${MAX_COLLECTION_NAME} characters`;
  const shown = JSON.stringify(name.length > 120 ? `${name.slice(0, 120)}…` : name);
  throw new AppError('BAD_REQUEST', `${shown} ${message}.`, {
    details: [{ path: 'collection', message: `${shown} ${message}` }],
  });
}

const recordId = (parameter: string) =>
  z
    .uuid(`${parameter} must be the id of a record`)
    .transform((id) => id.toLowerCase())
    .optional();

const mine = z.enum(['true', 'false'], { error: 'must be true or false' }).optional();
const where = shortText(20_000).optional().meta({ description: 'JSON, like {"done":false}' });

export const ListQuery = z
  .object({
    where,
    orderBy: shortText(1_000).optional(),
    order: z.enum(['asc', 'desc'], { error: 'must be asc or desc' }).default('desc'),
    limit: queryNumber({ min: 1, max: 100, fallback: 50 }),
    offset: queryNumber({ min: 0, max: 1_000_000_000, fallback: 0 }),
    after: recordId('after'),
    before: recordId('before'),
    mine,
  })
  .refine(({ after, before }) => after === undefined || before === undefined, {
    path: ['before'],
    message: 'cannot be combined with after',
  });
export type ListQuery = z.infer<typeof ListQuery>;

export const CountQuery = z.object({
  where,
  groupBy: shortText(1_000).optional(),
  mine,
});
export type CountQuery = z.infer<typeof CountQuery>;

export const EventsQuery = z.object({
  collections: z
    .string()
    .transform((text) => [...new Set(text.split(',').map((name) => name.trim()))])
    .refine((names) => names.length <= MAX_EVENT_COLLECTIONS, `has more than ${MAX_EVENT_COLLECTIONS} names`)
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

const Operation = z.discriminatedUnion(
  'op',
  [
    z.strictObject({ op: z.literal('create'), data: anyData }),
    z.strictObject({ op: z.literal('update'), id: operationId, data: anyData }),
    z.strictObject({ op: z.literal('delete'), id: operationId }),
  ],
  { error: 'op must be create, update or delete' },
);
export type Operation = z.infer<typeof Operation>;

export const BatchBody = z.strictObject({
  operations: list(Operation, { max: MAX_BATCH, noun: 'operations' }),
});

export const SchemaBody = z.strictObject({ schema: GivenSchema });
/** The same for the API's description. */
export const DescribedSchemaBody = z.strictObject({ schema: CollectionSchema });

export const RecordResponse = z
  .object({
    id: z.string(),
    collection: z.string(),
    data: z.record(z.string(), z.unknown()),
    createdAt: timestamp,
    updatedAt: timestamp,
    createdBy: z.object({ id: z.int(), username: z.string() }).optional(),
  })
  .meta({ id: 'Record' });
export type RecordResponse = z.infer<typeof RecordResponse>;

/** What each event of a stream says: what happened, that the stream is open, or that events were missed. */
export const RecordEvent = z.union([
  z.object({ type: z.enum(['created', 'updated']), collection: z.string(), record: RecordResponse }),
  z.object({ type: z.literal('deleted'), collection: z.string(), id: z.string() }),
  z.object({ type: z.literal('reset') }),
  z.strictObject({}),
]);

export const RecordList = z.object({
  records: z.array(RecordResponse),
  total: z.int(),
  limit: z.int(),
  offset: z.int(),
  hasMore: z.boolean(),
});

export const CollectionList = z.object({
  collections: z.array(z.object({ name: z.string(), recordCount: z.int(), lastUpdated: timestamp })),
});

export const CountResponse = z.object({
  count: z.int(),
  groups: z.array(z.object({ value: z.unknown(), count: z.int() })).optional(),
});

export const BatchResponse = z.object({
  results: z.array(z.object({ success: z.literal(true), record: RecordResponse.optional() })),
});

export const SchemaResponse = z.object({
  collection: z.string(),
  storageType: z.string(),
  schema: CollectionSchema,
});

export function toRecord(row: Omit<RecordRow, 'text'>, data: RecordData, place: Kind): RecordResponse {
  return { ...toHead(row, place), data, ...toTail(row, place) };
}

/** The same as JSON text, around the data's own text, which need not be read for it. */
export function toRecordText(row: RecordRow, place: Kind): string {
  const head = JSON.stringify(toHead(row, place)).slice(0, -1);
  const tail = JSON.stringify(toTail(row, place)).slice(1);
  return `${head},"data":${row.text},${tail}`;
}

type Kind = { collection: string; storageType: StorageType };

const toHead = ({ id }: Pick<RecordRow, 'id'>, { collection }: Kind) => ({ id, collection });

const toTail = (row: Omit<RecordRow, 'text'>, { storageType }: Kind) => ({
  createdAt: toTimestamp(row.created_at),
  updatedAt: toTimestamp(row.updated_at),
  // In solo mode all records are the reader's own.
  ...(storageType !== 'solo_data' && { createdBy: { id: row.created_by, username: row.username } }),
});
