import { z } from 'zod';

/** What uses storage and credits, and where to delete it. */

/** The most pages, and the most functions, that a report lists. */
export const MAX_STORAGE_ITEMS = 200;
/** The days whose credits a report adds up. */
export const CREDIT_DAYS = 30;

const bytes = z.int();
const place = z.string().meta({ description: 'The path of the screen where it can be deleted.' });

/** A kind of content of a page or function. `code` includes secrets, `documents` versions, drafts and agent specs. */
export const STORAGE_KINDS = [
  'documents',
  'files',
  'images',
  'team files',
  'records',
  'forms',
  'code',
  'messages',
  'database',
] as const;
export type StorageKind = (typeof STORAGE_KINDS)[number];

const parts = z
  .array(z.object({ kind: z.enum(STORAGE_KINDS), bytes, path: place }))
  .meta({ description: 'What it consists of, the largest first. Kinds without content are left out.' });

export const StorageReport = z.object({
  bytes: bytes.meta({ description: 'Everything that the quota counts.' }),
  quota: z.int().nullable().meta({ description: 'The storage quota in bytes; null without a limit.' }),
  history: z
    .object({ bytes, quota: z.int().nullable() })
    .meta({ description: 'What earlier states take. It does not count towards the storage quota.' }),
  pages: z
    .array(
      z.object({
        id: z.int(),
        name: z.string(),
        slug: z.string(),
        bytes,
        historyBytes: bytes.meta({ description: 'What earlier states of the page and its records take.' }),
        parts,
      }),
    )
    .meta({ description: `The ${MAX_STORAGE_ITEMS} largest, the largest first.` }),
  functions: z
    .array(
      z.object({
        slug: z.string(),
        name: z.string(),
        pageId: z.int().nullable().meta({ description: 'The page that the function belongs to.' }),
        bytes,
        parts,
      }),
    )
    .meta({ description: `The ${MAX_STORAGE_ITEMS} largest, the largest first.` }),
  otherBytes: bytes.meta({
    description:
      'What is not in these lists: smaller pages and functions, and images that belong to no page.',
  }),
  credits: z.object({
    days: z.int(),
    spent: z.number().meta({ description: 'Credits that you have spent in these days.' }),
    pages: z
      .array(
        z.object({
          id: z.int().nullable().meta({ description: 'Null for what was spent without a page.' }),
          name: z.string().nullable().meta({ description: 'Null if you cannot see the page any more.' }),
          spent: z.number(),
        }),
      )
      .meta({ description: 'What pages spent, also those of others, the most first.' }),
  }),
});
export type StorageReport = z.infer<typeof StorageReport>;
