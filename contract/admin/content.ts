import { z } from 'zod';
import { queryNumber, shortText, TakenDown, timestamp } from '../fields.ts';
import { ACCESS_MODES } from '../pages/access-modes.ts';
import { FUNCTION_SLUG, MAX_FUNCTION_SLUG } from '../rules/function-names.ts';
import { STORAGE_MODES } from '../rules/storage-modes.ts';
import { choiceRule } from '../rules/texts/rule.ts';

/** What administrators see of the pages and functions of others: no content. */

const filter = {
  limit: queryNumber({ min: 1, max: 100, fallback: 50 }),
  offset: queryNumber({ min: 0, max: 1_000_000_000, fallback: 0 }),
  q: shortText(200).optional().meta({ description: 'A part of the name or slug.' }),
  owner: shortText(200)
    .transform((name) => name.toLowerCase())
    .optional()
    .meta({ description: 'The username of the owner.' }),
};

export const PAGE_STATES = ['published', 'draft', 'listed', 'unclaimed', 'taken-down', 'blocked'] as const;
export const FUNCTION_STATES = ['public', 'private', 'taken-down', 'blocked'] as const;
const stateFilter = <const States extends readonly string[]>(states: States) =>
  z.enum(states, { error: choiceRule(states) }).optional();

export const AdminPageQuery = z.object({
  ...filter,
  slug: shortText(200).optional().meta({ description: 'Only the page with this slug.' }),
  state: stateFilter(PAGE_STATES),
});
export type AdminPageQuery = z.infer<typeof AdminPageQuery>;
export const AdminFunctionQuery = z.object({ ...filter, state: stateFilter(FUNCTION_STATES) });
export type AdminFunctionQuery = z.infer<typeof AdminFunctionQuery>;

const owner = z.object({ id: z.int(), username: z.string() });
const blocks = {
  takenDown: TakenDown.nullable(),
  isOwnerBlocked: z
    .boolean()
    .meta({ description: 'True while the account of the owner is suspended, or about to be deleted.' }),
};

export const AdminPage = z.object({
  id: z.int(),
  name: z.string(),
  slug: z.string(),
  url: z.string(),
  owner,
  isPublished: z.boolean(),
  isUnlisted: z.boolean(),
  isListed: z.boolean().meta({ description: 'Whether the page is in the gallery.' }),
  removedFromGallery: TakenDown.nullable(),
  unclaimedUntil: timestamp.nullable().meta({
    description:
      'When the page is deleted, if it was published without an account and nobody has claimed it.',
  }),
  accessMode: z.enum(ACCESS_MODES),
  storageMode: z.enum(STORAGE_MODES),
  views: z.int(),
  createdAt: timestamp,
  updatedAt: timestamp,
  ...blocks,
});
export type AdminPage = z.infer<typeof AdminPage>;
export const AdminPageList = z.object({
  pages: z.array(AdminPage),
  total: z.int(),
  limit: z.int(),
  offset: z.int(),
});
export type AdminPageList = z.infer<typeof AdminPageList>;
export const AdminPageDetail = z.object({
  page: AdminPage.extend({
    versions: z.int(),
    bytes: z.int().meta({ description: 'Bytes of the documents, their versions and the files of the page.' }),
    domains: z.array(z.string()),
  }),
});
export type AdminPageDetail = z.infer<typeof AdminPageDetail>;

export const adminSlugParams = z.object({
  slug: z.string().meta({ maxLength: MAX_FUNCTION_SLUG, pattern: FUNCTION_SLUG.source }),
});

export const AdminFunction = z.object({
  id: z.int(),
  slug: z.string(),
  displayName: z.string(),
  owner: owner.nullable().meta({ description: 'The owner; null for a function of the service itself.' }),
  isPublic: z.boolean(),
  hasDatabase: z.boolean(),
  version: z.int(),
  createdAt: timestamp,
  updatedAt: timestamp,
  ...blocks,
});
export type AdminFunction = z.infer<typeof AdminFunction>;
export const AdminFunctionList = z.object({
  functions: z.array(AdminFunction),
  total: z.int(),
  limit: z.int(),
  offset: z.int(),
});
export type AdminFunctionList = z.infer<typeof AdminFunctionList>;
export const AdminFunctionDetail = z.object({
  function: AdminFunction.extend({
    schedules: z.int(),
    calls: z.int().meta({ description: 'Calls in the last seven days.' }),
    errors: z.int(),
  }),
});
export type AdminFunctionDetail = z.infer<typeof AdminFunctionDetail>;
