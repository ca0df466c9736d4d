import { z } from 'zod';
import { Done, queryNumber, shortText, text, timestamp } from '../../../contract/fields.ts';
import { AppError } from '../../lib/errors.ts';
import { toTimestamp } from '../../lib/timestamp.ts';
import { ROLES } from './access.ts';
import type { PageRow, VersionRow } from './store.ts';

/** The wire shapes of pages, and their limits. */

const MAX_HTML_BYTES = 4 * 1024 * 1024;

/** JSON may spell a byte in six (`\u0000`), and the other fields need room too. */
export const PAGE_BODY_LIMIT = 6 * MAX_HTML_BYTES + 64 * 1024;

/** The conversation about a page. */
const MAX_MESSAGE_CHARACTERS = 100_000;
export const MESSAGE_BODY_LIMIT = 12 * MAX_MESSAGE_CHARACTERS + 1024;

/** Before it is made into one that addresses can hold. */
const MAX_GIVEN_SLUG = 200;

export const STORAGE_MODES = ['page', 'solo_app', 'team_app', 'social_app'] as const;
export type StorageMode = (typeof STORAGE_MODES)[number];

/** The switches of visitor features. */
export const FEATURE_FLAGS = [
  'page_api_ai_enabled',
  'page_api_image_gen_enabled',
  'page_api_image_search_enabled',
  'page_api_image_recognition_enabled',
  'page_api_spawn_enabled',
] as const;

const name = text()
  .transform((value) => value.trim())
  .refine((value) => value.length > 0, 'must not be empty')
  .pipe(shortText(200))
  .meta({ minLength: 1, maxLength: 200 });

const htmlContent = text()
  .min(1, 'must not be empty')
  .meta({ description: `A whole HTML document, at most ${MAX_HTML_BYTES} bytes` });

const description = shortText(500);
const storageMode = z.enum(STORAGE_MODES, { error: `must be one of ${STORAGE_MODES.join(', ')}` });
const flag = z.boolean('must be true or false');

export const CreatePage = z.strictObject({
  name,
  html_content: htmlContent,
  description: description.default(''),
  storage_mode: storageMode.default('page'),
  page_api_ai_enabled: flag.default(false),
  page_api_image_gen_enabled: flag.default(false),
  page_api_image_search_enabled: flag.default(false),
  page_api_image_recognition_enabled: flag.default(false),
  is_published: flag.default(true),
});
export type CreatePage = z.infer<typeof CreatePage>;

export const PatchPage = z
  .strictObject({
    html_content: htmlContent,
    name,
    description,
    storage_mode: storageMode,
    page_api_ai_enabled: flag,
    page_api_image_gen_enabled: flag,
    page_api_image_search_enabled: flag,
    page_api_image_recognition_enabled: flag,
    page_api_spawn_enabled: flag,
    slug: shortText(MAX_GIVEN_SLUG),
    is_published: flag,
    is_unlisted: flag,
    base_version: z.int('must be a whole number'),
  })
  .partial();
export type PatchPage = z.infer<typeof PatchPage>;

export const ListQuery = z.object({
  limit: queryNumber({ min: 1, max: 100, fallback: 50 }),
  offset: queryNumber({ min: 0, max: 1_000_000_000, fallback: 0 }),
  q: shortText(200).optional(),
});

export const LookupQuery = z.object({ slug: text().min(1, 'must not be empty') });

/** Pages back through something long, by the id of the first item one has. */
const before = (what: string) =>
  z
    .string()
    .regex(/^[1-9]\d{0,14}$/, `must be ${what}`)
    .transform(Number)
    .optional()
    .meta({ type: 'integer', minimum: 1, description: `${what}: those before it are read.` });
export const BeforeQuery = z.object({ before: before('the id of a message') });
export const VersionsQuery = z.object({ before: before('the number of a version') });

export const MessageBody = z.strictObject({
  role: z.enum(['user', 'assistant'], { error: 'must be user or assistant' }),
  content: shortText(MAX_MESSAGE_CHARACTERS).refine((value) => value.length > 0, 'must not be empty'),
});

const flags = {
  page_api_ai_enabled: z.boolean(),
  page_api_image_gen_enabled: z.boolean(),
  page_api_image_search_enabled: z.boolean(),
  page_api_image_recognition_enabled: z.boolean(),
};

export const CreatedPage = z.object({
  page: z.object({
    id: z.int(),
    name: z.string(),
    slug: z.string(),
    url: z.string(),
    is_published: z.boolean(),
    storage_mode: z.enum(STORAGE_MODES),
    ...flags,
  }),
});

const PageDetail = z.object({
  id: z.int(),
  name: z.string(),
  slug: z.string(),
  html_content: z.string(),
  is_published: z.boolean(),
  is_unlisted: z.boolean(),
  views: z.int(),
  updated_at: timestamp,
  description: z.string(),
  ...flags,
  page_api_spawn_enabled: z.boolean(),
  preview_image: z.string().nullable(),
});

const Message = z.object({
  id: z.int(),
  role: z.enum(['user', 'assistant']),
  content: z.string(),
  createdAt: timestamp,
});

export const PageWithExtras = z.object({
  page: PageDetail,
  conversationId: z.int(),
  messages: z.array(Message),
  versionCount: z.int(),
  storageMode: z.enum(STORAGE_MODES),
});

export const PageList = z.object({
  pages: z.array(
    PageDetail.omit({ html_content: true }).extend({ url: z.string(), storage_mode: z.enum(STORAGE_MODES) }),
  ),
  total: z.int(),
  limit: z.int(),
  offset: z.int(),
});

export const LookupRecord = z.object({
  id: z.int(),
  name: z.string(),
  slug: z.string(),
  isPublished: z.boolean(),
  updatedAt: timestamp,
});

export const PatchedPage = Done.extend({
  slug: z.string().optional(),
  storage_mode: z.enum(STORAGE_MODES).optional(),
});

const Version = z.object({
  version: z.int(),
  createdAt: timestamp,
  size: z.int(),
  author: z.string().nullable(),
  current: z.boolean(),
});
export const VersionList = z.object({ versions: z.array(Version) });
export const VersionDetail = Version.extend({ html_content: z.string() });
export const Restored = Done.extend({ version: z.int() });
export const MessageResponse = z.object({ message: Message });
export const MessageList = z.object({ messages: z.array(Message) });

export const Visitor = z.object({
  user: z.object({ id: z.int(), username: z.string() }).nullable(),
  role: z.enum(ROLES).nullable(),
});
export const RenewedSession = z.object({ pageSession: z.string().optional(), expiresIn: z.int() });

/** The size of a document in bytes; refused when it is over the limit. */
export function measureHtml(html: string, field = 'html_content'): number {
  const size = Buffer.byteLength(html);
  if (size <= MAX_HTML_BYTES) return size;
  throw new AppError(
    'PAYLOAD_TOO_LARGE',
    `${field} has ${size.toLocaleString('en')} bytes; at most ${MAX_HTML_BYTES.toLocaleString('en')} are allowed.`,
  );
}

const featureFlags = (row: PageRow) => ({
  page_api_ai_enabled: row.page_api_ai_enabled === 1,
  page_api_image_gen_enabled: row.page_api_image_gen_enabled === 1,
  page_api_image_search_enabled: row.page_api_image_search_enabled === 1,
  page_api_image_recognition_enabled: row.page_api_image_recognition_enabled === 1,
});

export const pageUrl = (baseUrl: string, slug: string) => `${baseUrl}/p/${slug}`;

export const toCreated = (row: PageRow, baseUrl: string) => ({
  page: {
    id: row.id,
    name: row.name,
    slug: row.slug,
    url: pageUrl(baseUrl, row.slug),
    is_published: row.is_published === 1,
    storage_mode: row.storage_mode,
    ...featureFlags(row),
  },
});

/** Where a page's picture is today: only the path is kept, since the service may move; older rows hold all of it. */
export function previewUrl(baseUrl: string, stored: string | null): string | null {
  const path = stored && /^(?:https?:\/\/[^/]+)?(\/images\/[^/?#]+)$/.exec(stored)?.[1];
  return path ? baseUrl + path : stored;
}

const toSummary = (row: PageRow, baseUrl: string) => ({
  id: row.id,
  name: row.name,
  slug: row.slug,
  is_published: row.is_published === 1,
  is_unlisted: row.is_unlisted === 1,
  views: row.views,
  updated_at: toTimestamp(row.updated_at),
  description: row.description,
  ...featureFlags(row),
  page_api_spawn_enabled: row.page_api_spawn_enabled === 1,
  preview_image: previewUrl(baseUrl, row.preview_image),
});

export const toDetail = (row: PageRow, html: string, baseUrl: string) => ({
  ...toSummary(row, baseUrl),
  html_content: html,
});

export const toListItem = (row: PageRow, baseUrl: string) => ({
  ...toSummary(row, baseUrl),
  url: pageUrl(baseUrl, row.slug),
  storage_mode: row.storage_mode,
});

export const toLookup = (row: PageRow) => ({
  id: row.id,
  name: row.name,
  slug: row.slug,
  isPublished: row.is_published === 1,
  updatedAt: toTimestamp(row.updated_at),
});

export const toVersion = (row: VersionRow, current: number) => ({
  version: row.version,
  createdAt: toTimestamp(row.created_at),
  size: row.size,
  author: row.author,
  current: row.version === current,
});

export const toMessage = (row: {
  id: number;
  role: 'user' | 'assistant';
  content: string;
  created_at: number;
}) => ({
  id: row.id,
  role: row.role,
  content: row.content,
  createdAt: toTimestamp(row.created_at),
});
