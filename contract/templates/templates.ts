import { z } from 'zod';
import { Done } from '../fields.ts';
import { CreatePage, FEATURE_FLAGS } from '../pages/pages.ts';
import { TRIGGER_ACTIONS } from '../rules/limits.ts';
import { STORAGE_MODES } from '../rules/storage-modes.ts';
import { LANGUAGES, type Language } from '../rules/texts/languages.ts';
import { rule } from '../rules/texts/rule.ts';

/** Templates: pages to start from, with everything that belongs to them. */

export const TEMPLATE_CATEGORIES = ['start', 'people', 'work', 'class', 'play'] as const;

/** What a template has in addition to its document. */
export const TEMPLATE_PARTS = [
  'form',
  'function',
  'database',
  'data',
  'team',
  'live',
  'schedule',
  'ai',
] as const;

const language = z.enum(Object.keys(LANGUAGES) as Language[]);

export const TemplateQuery = z.object({ language: language.default('en') });

const MIN_REQUEST_KEY = 16;
const MAX_REQUEST_KEY = 64;

/** Chosen by the client, and hard to guess. */
export const RequestKey = z.string().regex(
  new RegExp(`^[\\w-]{${MIN_REQUEST_KEY},${MAX_REQUEST_KEY}}$`),
  rule('must have {min} to {max} letters, digits, hyphens or underscores', {
    min: MIN_REQUEST_KEY,
    max: MAX_REQUEST_KEY,
  }),
);

/** What to make of a template. */
export const PublishTemplate = z.strictObject({
  name: CreatePage.shape.name,
  language: language.default('en').meta({ description: 'The language of its texts.' }),
  is_published: z.boolean('must be true or false').default(true),
  request_key: RequestKey.optional().meta({
    description:
      'A random text. If the response is lost, send the same request with the same key: it makes no second page.',
  }),
});
export type PublishTemplate = z.infer<typeof PublishTemplate>;

export const PageSamples = z.object({
  has_samples: z.boolean().meta({ description: 'Whether the page still has the samples of its template.' }),
});
export type PageSamples = z.infer<typeof PageSamples>;

export const RemovedSamples = Done.extend(PageSamples.shape);

export const TemplateSummary = z.object({
  key: z.string(),
  title: z.string(),
  description: z.string(),
  category: z.enum(TEMPLATE_CATEGORIES),
  storage_mode: z.enum(STORAGE_MODES),
  parts: z.array(z.enum(TEMPLATE_PARTS)),
  picture: z.string().nullable().meta({ description: 'The URL of a picture of the page.' }),
  needs_packages: z.boolean().meta({ description: 'Whether the function uses npm packages.' }),
});
export type TemplateSummary = z.infer<typeof TemplateSummary>;

export const TemplateList = z.object({ templates: z.array(TemplateSummary) });
export type TemplateList = z.infer<typeof TemplateList>;

/** The function of a template. `slug` also stands in its other texts, and is replaced there by the slug it gets. */
const TemplateFunction = z.object({
  slug: z.string(),
  displayName: z.string(),
  description: z.string(),
  code: z.string(),
  files: z.record(z.string(), z.string()),
  enableDatabase: z.boolean(),
  schedules: z.array(z.object({ cron: z.string(), timezone: z.string() })),
  on: z.array(z.object({ collection: z.string(), actions: z.array(z.enum(TRIGGER_ACTIONS)) })),
});

export const Template = TemplateSummary.extend({
  html_content: z.string().meta({ description: '`__NAME__` stands for the name of the page.' }),
  features: z.partialRecord(z.enum(FEATURE_FLAGS), z.boolean()),
  schemas: z.record(z.string(), z.unknown()),
  agent_spec: z.string().nullable(),
  function: TemplateFunction.nullable(),
  samples: z
    .record(z.string(), z.array(z.record(z.string(), z.unknown())))
    .meta({ description: 'Records that show what the page is for, by collection.' }),
  samples_sql: z
    .string()
    .nullable()
    .meta({ description: 'A SQL script that adds samples to the database of the function.' }),
  remove_samples: z.array(z.string()).meta({ description: 'The SQL statements that remove them.' }),
  next: z.array(z.string()).max(3).meta({ description: 'What to do next, after publishing it.' }),
});
export type Template = z.infer<typeof Template>;
