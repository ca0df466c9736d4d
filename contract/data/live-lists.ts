import { z } from 'zod';
import { list, shortText } from '../fields.ts';
import { MAX_LIVE_QUERIES } from '../live/limits.ts';
import { MAX_COLLECTION_NAME } from '../rules/collection-names.ts';
import { rule } from '../rules/texts/rule.ts';
import { FoundRecord, ListQuery } from './records.ts';

/** The wire shapes of live lists: lists of records that are sent again when they change. */

/** A condition has at most 20,000 characters; those of a tab are usually short. */
export const LIVE_LISTS_BODY_LIMIT = 128 * 1024;

/** The query of a list, with its conditions as an object. */
export const LiveListQuery = z
  .strictObject({
    where: z.record(z.string(), z.unknown()).optional(),
    q: z.string().optional(),
    orderBy: z.string().optional(),
    order: z.enum(['asc', 'desc']).optional(),
    limit: z.int().min(1).max(100).optional(),
    offset: z.int().min(0).optional(),
    after: z.string().optional(),
    before: z.string().optional(),
    mine: z.boolean().optional(),
  })
  .transform(({ where, ...rest }) => ({ ...rest, ...(where && { where: JSON.stringify(where) }) }))
  .transform((query, context): ListQuery => {
    const texts = Object.entries(query).map(([name, value]) => [name, String(value)]);
    const { data, error } = ListQuery.safeParse(Object.fromEntries(texts));
    if (data) return data;
    for (const { path, message } of error.issues) context.addIssue({ code: 'custom', path, message });
    return z.NEVER;
  });

const LiveList = z.strictObject({
  /** Chosen by the client. Events have it. */
  id: shortText(40),
  collection: shortText(MAX_COLLECTION_NAME),
  /** A `LiveListQuery`. It is checked for each list, so that a bad one does not refuse the others. */
  query: z
    .record(z.string(), z.unknown())
    .meta({ description: 'The parameters of a list, with `where` as an object' }),
  /** The `hash` of the list as the client has it. It is not sent again if it is still the same. */
  known: shortText(40).optional(),
});

export const LiveListsBody = z.strictObject({
  lists: list(LiveList, {
    max: MAX_LIVE_QUERIES,
    tooLong: rule('has more than {max} live lists: end some of them first', { max: MAX_LIVE_QUERIES }),
  }),
});
export type LiveListsBody = z.infer<typeof LiveListsBody>;

/** The whole list. */
const WholeList = z.object({
  id: z.string(),
  hash: z.string(),
  records: z.array(FoundRecord),
  total: z.int(),
  limit: z.int(),
  offset: z.int(),
  hasMore: z.boolean(),
});

/** What has changed: remove some records, then put each of the others into its place, in order. */
const ListChanges = z.object({
  id: z.string(),
  from: z.string(),
  hash: z.string(),
  removed: z.array(z.string()),
  put: z.array(z.object({ at: z.int(), record: FoundRecord })),
  total: z.int(),
  hasMore: z.boolean(),
});

/** Why a list cannot be followed, or no longer. */
export const LiveRefusal = z.object({
  id: z.string(),
  status: z.int(),
  code: z.string(),
  error: z.string(),
});
export type LiveRefusal = z.infer<typeof LiveRefusal>;

/** The data of each event. The first is empty, and means that the stream is open. */
export const LiveListEvent = z.union([WholeList, ListChanges, LiveRefusal, z.strictObject({})]);
export type LiveListEvent = z.infer<typeof LiveListEvent>;
