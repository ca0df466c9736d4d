import { z } from 'zod';
import { Done, note, queryNumber, shortText, TakenDown, text, timestamp } from '../fields.ts';
import { ROLES } from '../roles.ts';
import { MAX_HTML_BYTES, MAX_PAGE_DESCRIPTION, MAX_PAGE_NAME, MAX_SEARCH } from '../rules/limits.ts';
import { GALLERY_TOPICS } from '../rules/pages/gallery-topics.ts';
import { PAGE_ORDERS, PAGE_STATES } from '../rules/pages/page-lists.ts';
import { STORAGE_MODES } from '../rules/storage-modes.ts';
import { choiceRule } from '../rules/texts/rule.ts';
import { Access, SetAccess } from './access.ts';
import { BranchOf } from './branches/branches.ts';
import { PageIsolation } from './isolation.ts';
import { Message } from './messages.ts';
import { AgentFunction, AgentFunctions, PageFunctions } from './page-functions.ts';
import { PagePicture } from './page-picture.ts';
import { PageWarning } from './warnings.ts';

/** The wire shapes of pages, and their limits. */

/** JSON can take six bytes for one byte of HTML (`\u0000`), and the other fields take some too. */
export const PAGE_BODY_LIMIT = 6 * MAX_HTML_BYTES + 64 * 1024;

/** Characters of a slug as clients send it, before it is made to fit in a URL. */
const MAX_GIVEN_SLUG = 200;

/** The address of a published page. */
export const pageUrl = (baseUrl: string, slug: string) => `${baseUrl}/p/${slug}`;

/** The origin of a domain: it has the scheme and port of the service. */
export const domainOrigin = (baseUrl: string, domain: string) => {
  const { protocol, port } = new URL(baseUrl);
  return `${protocol}//${domain}${port && `:${port}`}`;
};

/** The main address of a page, without a slash at its end: its domain, or its path at the service. */
export const pageAddress = (baseUrl: string, { slug, domain }: { slug: string; domain: string | null }) =>
  domain === null ? pageUrl(baseUrl, slug) : domainOrigin(baseUrl, domain);

/** The switches of visitor features. */
export const FEATURE_FLAGS = [
  'page_api_ai_enabled',
  'page_api_image_gen_enabled',
  'page_api_image_search_enabled',
  'page_api_image_recognition_enabled',
  'page_api_spawn_enabled',
] as const;

/** The settings that are on or off and that a fork has from its source. A new page has them off unless it says so. */
export const PAGE_SWITCHES = [...FEATURE_FLAGS, 'is_unlisted', 'spa'] as const;

const name = text()
  .transform((value) => value.trim())
  .refine((value) => value.length > 0, 'must not be empty')
  .pipe(shortText(MAX_PAGE_NAME))
  .meta({ minLength: 1, maxLength: MAX_PAGE_NAME });

export const htmlContent = text()
  .min(1, 'must not be empty')
  .meta({ description: `A whole HTML document, at most ${MAX_HTML_BYTES} bytes` });

const description = shortText(MAX_PAGE_DESCRIPTION);
const storageMode = z.enum(STORAGE_MODES, {
  error: choiceRule(STORAGE_MODES),
});
const flag = z.boolean('must be true or false');
const spa = flag.meta({
  description:
    'A single-page app: its own document, with status 200, is the response to navigations that match no file. A file 200.html does the same.',
});

const isProtected = flag.meta({
  description:
    'Programs cannot change a protected page, its functions, schemas or files: they work on branches. Only a person can turn this off.',
});

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
  spa: spa.default(false),
  protected: isProtected.default(false),
  isolation: PageIsolation.default({}),
  access: SetAccess.optional(),
  functions: PageFunctions.default([]),
  agent_functions: AgentFunctions.optional(),
});
export type CreatePage = z.infer<typeof CreatePage>;
/** A new page as clients send it: fields with a default may be left out. */
export type NewPage = z.input<typeof CreatePage>;

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
    spa,
    protected: isProtected,
    repair: flag.meta({
      description:
        'Keeps what led to errors, so that the builder can repair them on a branch. Only the owner can change this.',
    }),
    attack_first: flag.meta({
      description:
        'Attacks a copy before a draft is published or a branch is merged, and refuses it if something serious is found. Only the owner can change this, and only a person can turn it off.',
    }),
    isolation: PageIsolation,
    is_listed: flag.meta({
      description:
        'Shows the page in the gallery. It must be published and public without an end, and not unlisted; when it stops being that, it leaves the gallery.',
    }),
    topic: z
      .enum(GALLERY_TOPICS, choiceRule(GALLERY_TOPICS))
      .meta({ description: 'What the page is about, for the gallery.' }),
    access: SetAccess,
    functions: PageFunctions,
    agent_functions: AgentFunctions.meta({
      description:
        'Public functions of the page’s owner, as tools of the page’s MCP server. Replaces the list.',
    }),
    base_version: z.int('must be a whole number'),
    note: note.meta({ description: 'The note on the version that is current after this change.' }),
  })
  .partial();
export type PatchPage = z.infer<typeof PatchPage>;

export const ListQuery = z.object({
  limit: queryNumber({ min: 1, max: 100, fallback: 50 }),
  offset: queryNumber({ min: 0, max: 1_000_000_000, fallback: 0 }),
  q: shortText(MAX_SEARCH).optional(),
  order: z
    .enum(PAGE_ORDERS, choiceRule(PAGE_ORDERS))
    .default('updated')
    .meta({ description: '"activity" lists what was seen most in the last 14 days first.' }),
  state: z
    .enum(PAGE_STATES, choiceRule(PAGE_STATES))
    .optional()
    .meta({ description: '"published" is for everyone, "private" is published for some people only.' }),
});
export type ListQuery = z.infer<typeof ListQuery>;

export const LookupQuery = z.object({ slug: text().min(1, 'must not be empty') });

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
    access: Access.optional().meta({ description: 'Who can see the page, if the request set it.' }),
    functions: z.array(z.string()),
    ...flags,
  }),
});
export type CreatedPage = z.infer<typeof CreatedPage>;

/** What a client learns about the page that it has published. */
const published = {
  url: z.string(),
  version: z.int(),
  warnings: z
    .array(PageWarning)
    .meta({ description: 'Warnings about the html_content of this request, at most 50; empty without one.' }),
};

export const PublishedPage = CreatedPage.extend(published);
export type PublishedPage = z.infer<typeof PublishedPage>;

/** A page with its document. */
export const PageDetail = z.object({
  id: z.int(),
  name: z.string(),
  slug: z.string(),
  html_content: z.string(),
  is_published: z.boolean(),
  is_unlisted: z.boolean(),
  spa: z.boolean(),
  protected: z.boolean().meta({ description: 'Whether programs can only change branches of the page.' }),
  repair: z.boolean().meta({ description: 'Whether errors of the page can be repaired.' }),
  attack_first: z
    .boolean()
    .meta({ description: 'Whether drafts and merges are attacked on a copy before they reach the page.' }),
  is_listed: z.boolean().meta({ description: 'Whether the page is in the gallery.' }),
  topic: z.enum(GALLERY_TOPICS).meta({ description: 'What the page is about, for the gallery.' }),
  isolation: PageIsolation,
  access: Access,
  views: z.int(),
  updated_at: timestamp,
  description: z.string(),
  ...flags,
  page_api_spawn_enabled: z.boolean(),
  preview_image: z.string().nullable(),
  picture: PagePicture.nullable().meta({ description: 'What the page looks like, if everyone can see it.' }),
  removed_from_gallery: TakenDown.optional().meta({
    description: 'If an administrator has removed the page from the gallery: it cannot be added again.',
  }),
  taken_down: TakenDown.optional().meta({
    description: 'If an administrator has taken the page down: nobody can see it.',
  }),
  functions: z.array(z.string()).meta({ description: 'The functions that belong to the page, by slug.' }),
  agent_functions: z.array(AgentFunction),
  branch: BranchOf.optional().meta({ description: 'Set if the page is a branch of another one.' }),
});
export type PageDetail = z.infer<typeof PageDetail>;

export const PageWithExtras = z.object({
  page: PageDetail,
  conversationId: z.int(),
  messages: z.array(Message),
  versionCount: z.int(),
  storageMode: z.enum(STORAGE_MODES),
  role: z.enum(ROLES).meta({ description: 'The role of the caller on the page.' }),
  folderSeal: z.string().meta({
    description:
      'What quire writes into .quire.json, so that a folder can prove that it belongs to this page.',
  }),
});
export type PageWithExtras = z.infer<typeof PageWithExtras>;

/** A page in a list. */
export const PageSummary = PageDetail.omit({
  html_content: true,
  functions: true,
  agent_functions: true,
  branch: true,
}).extend({
  url: z.string(),
  storage_mode: z.enum(STORAGE_MODES),
});
export type PageSummary = z.infer<typeof PageSummary>;
export const PageList = z.object({
  pages: z.array(PageSummary),
  total: z.int(),
  limit: z.int(),
  offset: z.int(),
});
export type PageList = z.infer<typeof PageList>;

export const LookupRecord = z.object({
  id: z.int(),
  name: z.string(),
  slug: z.string(),
  isPublished: z.boolean(),
  updatedAt: timestamp,
});
export type LookupRecord = z.infer<typeof LookupRecord>;

export const PatchedPage = Done.extend({
  slug: z.string().optional(),
  storage_mode: z.enum(STORAGE_MODES).optional(),
  access: Access.optional().meta({ description: 'Who can see the page, if the request set it.' }),
  ...published,
  page: PageDetail.omit({ html_content: true }).meta({
    description:
      'The page after the change, without html_content: a document can be large, and the caller has it.',
  }),
  versionCount: z.int(),
  storageMode: z.enum(STORAGE_MODES),
  role: z.enum(ROLES).nullable().meta({
    description:
      'The role of the caller after the change. Null if they were an admin of the team, and the page no longer has one.',
  }),
});
export type PatchedPage = z.infer<typeof PatchedPage>;
