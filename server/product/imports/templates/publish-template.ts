import { databaseEndpoints } from '../../../../contract/functions/database-endpoints.ts';
import { pageEndpoints } from '../../../../contract/pages/endpoints.ts';
import type { PublishedPage } from '../../../../contract/pages/pages.ts';
import type { GalleryTopic } from '../../../../contract/rules/pages/gallery-topics.ts';
import type { Template } from '../../../../contract/templates/templates.ts';
import { requireApi } from '../../../platform/http/index.ts';
import { fillTemplate } from '../../../sites/templates/index.ts';
import type { PageFromTemplate } from '../../ports.ts';
import { assertWanted, type Made, makeAll, type Publishing } from '../publishing/publishing.ts';
import { deployFunction, describePage } from '../publishing/steps.ts';
import { addSamples, type RememberSamples } from './samples.ts';

/**
 * Makes a page from a template: its function first, because the page calls it, and the page as a draft that nobody sees
 * until it is complete.
 */
export function publishTemplate(
  publishing: Publishing,
  wanted: PageFromTemplate,
  remember: RememberSamples,
  /** Called when all is made, before anyone can see it. It is removed if this fails. */
  onMade: (pageId: number) => Promise<void>,
): Promise<PublishedPage> {
  const nothing: Made = { page: null, functions: [] };
  return makeAll(publishing, nothing, async (made) => {
    const template = fillTemplate(wanted.template, wanted.name);
    const slug = await deploy(publishing, template, wanted, made);
    assertWanted(publishing);
    const rename = renameFunction(template, slug);
    // The name comes last: it may be like that of the function.
    const renamedTemplate = { ...wanted.template, html_content: rename(wanted.template.html_content) };
    const { html_content: html } = fillTemplate(renamedTemplate, wanted.name);
    const { name, slugName = name } = wanted;
    const created = await addPage(publishing, { ...template, name: slugName, html_content: html }, made);
    const { id } = created.page;
    await describePage(publishing, id, {
      storageMode: template.storage_mode,
      schemas: template.schemas,
      spec: rename(template.agent_spec ?? ''),
    });
    assertWanted(publishing);
    await addSamples(publishing, { pageId: id, template, slug }, remember);
    assertWanted(publishing);
    await onMade(id);
    const { api, exchange } = publishing;
    const renamed = slugName !== name && { name };
    const topic = TOPICS[template.category];
    const functions = made.functions.map(({ slug }) => slug);
    const body = { ...template.features, ...renamed, topic, functions, is_published: wanted.is_published };
    const patched = await requireApi(api, exchange, pageEndpoints.updatePage, { params: { id }, body });
    const { page_api_spawn_enabled: _, ...features } = template.features;
    const page = {
      ...created.page,
      functions,
      ...features,
      is_published: wanted.is_published,
      url: patched.url,
    };
    return { ...created, page, url: patched.url, version: patched.version };
  });
}

/** What the pages of each category of templates are about, until their owners say something else. */
const TOPICS: Record<Template['category'], GalleryTopic> = {
  start: 'personal',
  people: 'community',
  work: 'work',
  class: 'learning',
  play: 'games',
};

const MAX_SLUG_START = 60;

/** Deploys the function of a template. Returns its slug. */
async function deploy(
  publishing: Publishing,
  template: Template,
  { username, isFunctionPrivate = false }: PageFromTemplate,
  made: Made,
): Promise<string | undefined> {
  const own = template.function;
  if (!own) return undefined;
  const ending = username.toLowerCase().replace(/[^a-z0-9]+/g, '-');
  const start = `${own.slug.replace(/^example-/, '')}-${ending}`.slice(0, MAX_SLUG_START).replace(/-+$/, '');
  const { slug } = await deployFunction(publishing, start, true, (slug) => {
    const rename = renameFunction(template, slug);
    const files = Object.entries(own.files).map(([path, text]) => [path, rename(text)]);
    return {
      slug,
      displayName: own.displayName,
      description: own.description,
      code: rename(own.code),
      enableDatabase: own.enableDatabase,
      isPublic: !isFunctionPrivate,
      ...(files.length > 0 && { files: Object.fromEntries(files) }),
      ...(own.schedules.length > 0 && { schedules: own.schedules }),
      ...(own.on.length > 0 && { on: own.on }),
    };
  });
  made.functions.push({ slug });
  if (template.samples_sql !== null)
    await requireApi(publishing.api, publishing.exchange, databaseEndpoints.importDatabase, {
      params: { slug },
      raw: { type: 'application/sql', content: template.samples_sql },
    });
  return slug;
}

/** Replaces the slug that the function has in the template. */
function renameFunction({ function: own }: Template, slug: string | undefined): (text: string) => string {
  return (text) => (own && slug !== undefined ? text.replaceAll(own.slug, slug) : text);
}

async function addPage(
  { api, exchange }: Publishing,
  { name, description, html_content, storage_mode }: Template & { name: string },
  made: Made,
): Promise<PublishedPage> {
  const body = { name, description, html_content, storage_mode, is_published: false };
  const created = await requireApi(api, exchange, pageEndpoints.createPage, { body });
  made.page = { id: created.page.id };
  return created;
}
