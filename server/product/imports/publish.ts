import { databaseEndpoints } from '../../../contract/functions/database-endpoints.ts';
import { functionEndpoints } from '../../../contract/functions/endpoints.ts';
import type { ImportQuery, ImportReport } from '../../../contract/imports/imports.ts';
import { pageEndpoints } from '../../../contract/pages/endpoints.ts';
import { fileEndpoints } from '../../../contract/pages/files/file-endpoints.ts';
import {
  MIGRATIONS_FOLDER,
  MIGRATIONS_TABLE,
  toMigrationScript,
} from '../../../contract/rules/projects/migrations.ts';
import { requireApi } from '../../platform/http/index.ts';
import type { Prepared } from './open/prepare.ts';
import { assertWanted, makeAll, type Publishing } from './publishing/publishing.ts';
import { deployFunction, describePage } from './publishing/steps.ts';
import { COMPONENT_SCRIPT } from './recognise/component.ts';
import type { FunctionPlan } from './recognise/plan.ts';

interface ImportPublishing extends Publishing, Pick<ImportQuery, 'slug' | 'state' | 'title'> {
  /** The compiled script of a component. */
  script: string | undefined;
}

type Published = NonNullable<ImportReport['published']>;
type PageToPublish = NonNullable<Prepared['page']>;

/**
 * Publishes an import: functions first, because the page can call them, and the page last, as a draft that nobody sees
 * until it is complete.
 */
export function publish(publishing: ImportPublishing, prepared: Prepared): Promise<Published> {
  const nothing: Published = { page: null, functions: [] };
  return makeAll(publishing, nothing, async (made) => {
    for (const planned of prepared.functions) await deploy(publishing, planned, made, prepared);
    assertWanted(publishing);
    if (prepared.page) await publishPage(publishing, prepared.page, made);
    return made;
  });
}

async function deploy(
  publishing: ImportPublishing,
  planned: FunctionPlan,
  made: Published,
  { page, functions }: Prepared,
): Promise<void> {
  const { api, exchange } = publishing;
  const isNamed = publishing.slug !== undefined && !page && functions.length === 1;
  const wanted = isNamed ? (publishing.slug ?? '') : planned.body.slug;
  const canBeRenamed = planned.canBeRenamed && !isNamed;
  const deployed = await deployFunction(publishing, wanted, canBeRenamed, (slug) => ({
    ...planned.body,
    slug,
  }));
  const { slug } = deployed;
  made.functions.push({ slug, url: deployed.workerUrl });
  for (const [name, value] of Object.entries(planned.secrets))
    await requireApi(api, exchange, functionEndpoints.setSecret, { params: { slug, name }, body: { value } });
  // The others were applied with the deploy.
  const { files = {} } = planned.body;
  const apart = planned.migrations.filter(({ name }) => !Object.hasOwn(files, MIGRATIONS_FOLDER + name));
  if (apart.length === 0) return;
  const params = { slug };
  await requireApi(api, exchange, databaseEndpoints.queryDatabase, {
    params,
    body: { sql: MIGRATIONS_TABLE },
  });
  for (const migration of apart)
    await requireApi(api, exchange, databaseEndpoints.importDatabase, {
      params,
      raw: { type: 'application/sql', content: toMigrationScript(migration) },
    });
}

async function publishPage(
  publishing: ImportPublishing,
  page: PageToPublish,
  made: Published,
): Promise<void> {
  const { api, exchange, script, slug, title, state } = publishing;
  const isPublished = page.isPublished && state !== 'draft';
  const created = await requireApi(api, exchange, pageEndpoints.createPage, {
    body: {
      name: title ?? page.name,
      html_content: page.html,
      // The API checks it.
      storage_mode: page.storageMode as 'page',
      is_published: false,
    },
  });
  const { id } = created.page;
  const params = { id };
  made.page = { id, slug: created.page.slug, url: created.page.url, is_published: false };
  if (page.archive !== undefined)
    await requireApi(api, exchange, fileEndpoints.replacePageFiles, {
      params,
      raw: { type: 'application/zip', content: Bun.file(page.archive) },
    });
  if (script !== undefined)
    await requireApi(api, exchange, fileEndpoints.writePageFile, {
      params: { id, path: COMPONENT_SCRIPT },
      raw: { type: 'text/javascript', content: script },
    });
  await describePage(publishing, id, page);
  assertWanted(publishing);
  const functions = made.functions.map(({ slug }) => slug);
  const body = {
    ...page.settings,
    functions,
    ...(slug !== undefined && { slug }),
    is_published: isPublished,
  };
  const patched = await requireApi(api, exchange, pageEndpoints.updatePage, { params, body });
  made.page = {
    id,
    slug: patched.slug ?? created.page.slug,
    url: patched.url,
    is_published: isPublished,
  };
}
