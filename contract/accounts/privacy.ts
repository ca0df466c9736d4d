import { z } from 'zod';
import { shortText, timestamp } from '../fields.ts';
import { MAX_COUNTED_RECORDS } from '../rules/limits.ts';
import { withCommas } from '../rules/text.ts';

/** The wire shapes of exporting data and deleting accounts, with their limits. */

/** The most exports of one account in a day. */
export const MAX_EXPORTS_PER_DAY = 10;
/** How often a day somebody can request to delete their account, and then keep it. */
export const MAX_LEAVINGS_PER_DAY = 10;

/** What a user has stored on somebody else's page. */
export const StoredOnPage = z.object({
  pageId: z.int(),
  name: z.string(),
  slug: z.string(),
  records: z.int().meta({
    description: `In each collection, at most ${withCommas(MAX_COUNTED_RECORDS)} are counted.`,
  }),
  files: z.int().meta({ description: 'Files of its team that the user uploaded.' }),
  bytes: z.int().meta({ description: 'Bytes of the records and the files.' }),
  lastStoredAt: timestamp.nullable(),
});
export type StoredOnPage = z.infer<typeof StoredOnPage>;

export const StoredList = z.object({
  pages: z.array(StoredOnPage),
  hasMore: z.boolean().meta({ description: 'True if there are more pages than are listed.' }),
});
export type StoredList = z.infer<typeof StoredList>;

/** The response to deleting stored data on a page. One request deletes only a part. */
export const StoredDeleted = z.object({
  success: z.literal(true),
  deleted: z.int(),
  isDone: z.boolean().meta({ description: 'False if there is more. Send the request again.' }),
});
export type StoredDeleted = z.infer<typeof StoredDeleted>;

/** The password that starts an export, if the login is older than ten minutes. */
export const ExportRequest = z.strictObject({ password: z.string().max(1000).optional() });

export const ExportLink = z.object({
  success: z.literal(true),
  link: z.string().meta({ description: 'A path that works once, in this session, for a minute.' }),
});
export type ExportLink = z.infer<typeof ExportLink>;

/** What people type to delete their account. */
export const AccountDeletion = z.strictObject({
  username: shortText(200).transform((name) => name.toLowerCase()),
  password: z.string().max(1000).optional(),
});
export type AccountDeletion = z.input<typeof AccountDeletion>;

export const AccountDeleted = z.object({
  success: z.literal(true),
  message: z.string(),
  deletedAt: timestamp.meta({ description: 'When the account is deleted. Until then it can be kept.' }),
});
export type AccountDeleted = z.infer<typeof AccountDeleted>;
