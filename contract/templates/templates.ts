import { z } from 'zod';
import { FEATURE_FLAGS } from '../pages/pages.ts';
import { STORAGE_MODES } from '../rules/storage-modes.ts';

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
});

export const Template = TemplateSummary.extend({
  html_content: z.string().meta({ description: '`__NAME__` stands for the name of the page.' }),
  features: z.partialRecord(z.enum(FEATURE_FLAGS), z.boolean()),
  schemas: z.record(z.string(), z.unknown()),
  agent_spec: z.string().nullable(),
  function: TemplateFunction.nullable(),
});
export type Template = z.infer<typeof Template>;
