import { specEndpoints } from '../../../contract/agents/spec-endpoints.ts';
import { recordEndpoints } from '../../../contract/data/endpoints.ts';
import { functionEndpoints } from '../../../contract/functions/endpoints.ts';
import { findStorageType } from '../../../contract/rules/storage-modes.ts';
import { templateEndpoints } from '../../../contract/templates/endpoints.ts';
import type { Template } from '../../../contract/templates/templates.ts';
import { ApiError, call } from '../../api.ts';
import { t } from '../../texts/index.ts';
import { type CreatedPage, createPage, patchPage } from '../api.ts';

/** Publishes templates with the public API, step by step. */

export const listTemplates = async (signal: AbortSignal) =>
  (await call(templateEndpoints.listTemplates, { signal })).templates;

export const getTemplate = (key: string) => call(templateEndpoints.getTemplate, { params: { key } });

/** What is done so far. A second attempt continues there. */
export interface Progress {
  functionSlug?: string;
  page?: CreatedPage['page'];
  /** The number of completed steps. */
  done: number;
}

export interface Wish {
  template: Template;
  name: string;
  username: string;
  isPublished: boolean;
}

/** What publishing this template takes, in words. */
export function listSteps({ function: own, schemas }: Template): string[] {
  return [
    ...(own
      ? [own.enableDatabase ? t('Deploy the function and its database') : t('Deploy the function')]
      : []),
    t('Create the page'),
    ...(Object.keys(schemas).length > 0 ? [t('Set up its data')] : []),
    t('Finish'),
  ];
}

/** Does the steps that are not done yet. The page is not visible to others before the last. */
export async function publishTemplate(
  wish: Wish,
  before: Progress,
  onProgress: (progress: Progress) => void,
): Promise<CreatedPage['page']> {
  const { template, username } = wish;
  let progress = before;
  const finish = (more: Partial<Progress>) => {
    progress = { ...progress, ...more, done: progress.done + 1 };
    onProgress(progress);
  };
  let functionSlug = progress.functionSlug;
  if (template.function && functionSlug === undefined) {
    functionSlug = await deploy(template.function, username);
    finish({ functionSlug });
  }
  const withSlug = (text: string) =>
    template.function && functionSlug ? text.replaceAll(template.function.slug, functionSlug) : text;
  let { page } = progress;
  if (!page) {
    page = await addPage(wish, withSlug);
    finish({ page });
  }
  await describe(page.id, wish, { withSlug, onSchemas: () => finish({}) });
  finish({});
  return page;
}

/** Function slugs are unique on the whole server, so the first choices may be taken. */
const MAX_ATTEMPTS = 5;
const MAX_SLUG_START = 60;

async function deploy(own: NonNullable<Template['function']>, username: string): Promise<string> {
  const plain = `${own.slug.replace(/^example-/, '')}-${username.toLowerCase().replace(/[^a-z0-9]+/g, '-')}`
    .slice(0, MAX_SLUG_START)
    .replace(/-+$/, '');
  for (let attempt = 1; ; attempt++) {
    const slug = attempt === 1 ? plain : `${plain}-${Math.random().toString(36).slice(2, 8)}`;
    const rename = (text: string) => text.replaceAll(own.slug, slug);
    try {
      const body = {
        slug,
        displayName: own.displayName,
        description: own.description,
        code: rename(own.code),
        enableDatabase: own.enableDatabase,
        ...(Object.keys(own.files).length > 0 && {
          files: Object.fromEntries(Object.entries(own.files).map(([path, text]) => [path, rename(text)])),
        }),
        ...(own.schedules.length > 0 && { schedules: own.schedules }),
      };
      await call(functionEndpoints.createFunction, { body });
      return slug;
    } catch (error) {
      const isTaken = error instanceof ApiError && error.status === 409;
      if (!isTaken || attempt === MAX_ATTEMPTS) throw error;
    }
  }
}

function addPage({ template, name }: Wish, withSlug: (text: string) => string) {
  return createPage({
    name,
    description: template.description,
    html_content: withSlug(template.html_content).replaceAll('__NAME__', escapeHtml(name)),
    storage_mode: template.storage_mode,
    is_published: false,
  });
}

/** Sets everything that is not part of creating a page, and publishes it last. */
async function describe(
  id: number,
  { template, isPublished }: Wish,
  { withSlug, onSchemas }: { withSlug: (text: string) => string; onSchemas: () => void },
): Promise<void> {
  const type = findStorageType(template.storage_mode);
  for (const [collection, schema] of Object.entries(template.schemas))
    if (type) await call(recordEndpoints[type].setSchema, { params: { id, collection }, body: { schema } });
  if (Object.keys(template.schemas).length > 0) onSchemas();
  if (template.agent_spec) {
    const spec = withSlug(template.agent_spec).replaceAll('{{PAGE_ID}}', String(id));
    await call(specEndpoints.setAgentSpec, { params: { id }, body: { spec } });
  }
  await patchPage(id, { ...template.features, is_published: isPublished });
}

function escapeHtml(text: string): string {
  const names: Record<string, string> = {
    '&': '&amp;',
    '<': '&lt;',
    '>': '&gt;',
    '"': '&quot;',
    "'": '&#39;',
  };
  return text.replace(/[&<>"']/g, (letter) => names[letter] ?? letter);
}
