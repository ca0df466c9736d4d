import { specEndpoints } from '../../../contract/agents/spec-endpoints.ts';
import { recordEndpoints } from '../../../contract/data/endpoints.ts';
import { databaseEndpoints } from '../../../contract/functions/database-endpoints.ts';
import { functionEndpoints } from '../../../contract/functions/endpoints.ts';
import type { ImportQuery, ImportReport } from '../../../contract/imports/imports.ts';
import { pageEndpoints } from '../../../contract/pages/endpoints.ts';
import { fileEndpoints } from '../../../contract/pages/files/file-endpoints.ts';
import { MIGRATIONS_TABLE, toMigrationScript } from '../../../contract/rules/projects/migrations.ts';
import { findStorageType } from '../../../contract/rules/storage-modes.ts';
import { AppError } from '../../lib/errors.ts';
import { callApi, type OwnApi, type OwnCaller, requireApi } from '../../platform/http/index.ts';
import type { Prepared } from './open/prepare.ts';
import { COMPONENT_SCRIPT } from './recognise/component.ts';
import type { FunctionPlan } from './recognise/plan.ts';

/** Publishing goes through the API, as if the person had sent the requests: scopes, quotas and limits are its. */
interface Publishing extends Pick<ImportQuery, 'slug' | 'state' | 'title'> {
  api: OwnApi;
  exchange: { caller: OwnCaller; signal: AbortSignal };
  /** The compiled script of a component. */
  script: string | undefined;
}

type Published = NonNullable<ImportReport['published']>;
type PageToPublish = NonNullable<Prepared['page']>;

/** How long removing what was made may take, after a failure. */
const UNDO_MS = 30_000;
/** How many other slugs are tried if the slug of a function is taken. */
const OTHER_SLUGS = 9;

/**
 * Publishes an import: functions first, because the page can call them, and the page last, as a draft that nobody sees
 * until it is complete. If anything fails, what was made is removed again. A crash leaves functions and a draft.
 */
export async function publish(publishing: Publishing, prepared: Prepared): Promise<Published> {
  const made: Published = { page: null, functions: [] };
  try {
    for (const planned of prepared.functions) await deploy(publishing, planned, made, prepared);
    if (prepared.page) await publishPage(publishing, prepared.page, made);
    return made;
  } catch (error) {
    await undo(publishing, made);
    throw error;
  }
}

async function undo({ api, exchange }: Publishing, { page, functions }: Published): Promise<void> {
  const undoing = { ...exchange, signal: AbortSignal.timeout(UNDO_MS) };
  if (page) await callApi(api, undoing, pageEndpoints.deletePage, { params: { id: page.id } });
  for (const { slug } of functions)
    await callApi(api, undoing, functionEndpoints.deleteFunction, { params: { slug } });
}

async function deploy(
  publishing: Publishing,
  planned: FunctionPlan,
  made: Published,
  { page, functions }: Prepared,
): Promise<void> {
  const { api, exchange } = publishing;
  const isNamed = publishing.slug !== undefined && !page && functions.length === 1;
  const body = isNamed ? { ...planned.body, slug: publishing.slug ?? '' } : planned.body;
  const deployed = await create(publishing, body, planned.canBeRenamed && !isNamed);
  const { slug } = deployed;
  made.functions.push({ slug, url: deployed.workerUrl });
  for (const [name, value] of Object.entries(planned.secrets))
    await requireApi(api, exchange, functionEndpoints.setSecret, { params: { slug, name }, body: { value } });
  if (planned.migrations.length === 0) return;
  const params = { slug };
  await requireApi(api, exchange, databaseEndpoints.queryDatabase, {
    params,
    body: { sql: MIGRATIONS_TABLE },
  });
  for (const migration of planned.migrations)
    await requireApi(api, exchange, databaseEndpoints.importDatabase, {
      params,
      raw: { type: 'application/sql', content: toMigrationScript(migration) },
    });
}

/** Deploys a function, under another slug if its own is taken. */
async function create({ api, exchange }: Publishing, body: FunctionPlan['body'], canBeRenamed: boolean) {
  for (let number = 1; ; number++) {
    const slug = number === 1 ? body.slug : `${body.slug}-${number}`;
    try {
      return await requireApi(api, exchange, functionEndpoints.createFunction, { body: { ...body, slug } });
    } catch (error) {
      const isTaken = error instanceof AppError && error.code === 'SLUG_TAKEN';
      if (!isTaken || !canBeRenamed || number > OTHER_SLUGS) throw error;
    }
  }
}

async function publishPage(publishing: Publishing, page: PageToPublish, made: Published): Promise<void> {
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
  await describe(publishing, page, id);
  const body = { ...page.settings, ...(slug !== undefined && { slug }), is_published: isPublished };
  const patched = await requireApi(api, exchange, pageEndpoints.updatePage, { params, body });
  made.page = {
    id,
    slug: patched.slug ?? created.page.slug,
    url: patched.url,
    is_published: isPublished,
  };
}

/** Sets the schemas and the agent spec of a page. */
async function describe({ api, exchange }: Publishing, page: PageToPublish, id: number): Promise<void> {
  const type = findStorageType(page.storageMode);
  for (const [collection, schema] of Object.entries(type ? page.schemas : {}))
    if (type)
      await requireApi(api, exchange, recordEndpoints[type].setSchema, {
        params: { id, collection },
        body: { schema },
      });
  const spec = page.spec?.replaceAll('{{PAGE_ID}}', String(id));
  if (spec) await requireApi(api, exchange, specEndpoints.setAgentSpec, { params: { id }, body: { spec } });
}
