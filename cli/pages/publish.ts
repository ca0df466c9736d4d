import { isDeepStrictEqual } from 'node:util';
import type { z } from 'zod';
import { specEndpoints } from '../../contract/agents/spec-endpoints.ts';
import type { SchemaResponse } from '../../contract/data/collection-schema.ts';
import { recordEndpoints } from '../../contract/data/endpoints.ts';
import { pageEndpoints } from '../../contract/pages/endpoints.ts';
import { fileEndpoints } from '../../contract/pages/files/file-endpoints.ts';
import { SAME_SETTINGS } from '../../contract/pages/page-json.ts';
import type { NewPage, PageWithExtras, PatchPage, PublishedPage } from '../../contract/pages/pages.ts';
import type { PageWarning } from '../../contract/pages/warnings.ts';
import { findStorageType, type StorageType } from '../../contract/rules/storage-modes.ts';
import { type Api, ApiError, type StreamedBody } from '../client/api.ts';
import { applyDeploy, type Deploy, type Deploying, planDeploy } from '../functions/deploy.ts';
import type { LocalFile } from '../project/files/scan.ts';
import { isOwnPath, type PageFolder } from '../project/folder.ts';
import type { LocalFunction } from '../project/function-folder.ts';
import type { Output } from '../terminal/output.ts';
import { CommandError } from '../usage.ts';
import { findAccessChange } from './access.ts';
import { readFiles } from './files/remote.ts';
import { type Change, findChange, uploadFiles } from './files/upload.ts';
import { readPage, readSpec, selectSchemas } from './find.ts';

/** An existing page, and the version that the change is based on (by default the current one). */
export interface Target {
  id: number;
  version?: number | undefined;
  /** True if an earlier push created the page but failed before it was published. */
  isUnfinished?: boolean;
  /** The page, if it was read already. */
  read?: PageWithExtras;
}

export interface Published {
  action: 'created' | 'updated' | 'unchanged';
  page: { id: number; slug: string; url: string; version: number };
  /** Only of a folder with functions. */
  functions?: Deploy[];
  /** Only of a page with files. */
  files?: SentFiles;
  /** About the document, if it was sent. */
  warnings: PageWarning[];
}

interface SentFiles {
  total: number;
  sent: number;
  bytes: number;
  removed: number;
}

interface Publishing {
  target: Target | undefined;
  deploying: Deploying;
  /** Called as soon as the page exists, so a second push continues with it. */
  onCreated?(id: number, seal: string): Promise<void>;
  /** Shows how much of the files is sent. */
  out?: Output;
}

/** Makes the page on the server match the folder, and changes nothing that already does. */
export async function publish(
  api: Api,
  page: PageFolder,
  publishing: Publishing,
): Promise<Published & { seal: string }> {
  const { target, deploying, onCreated } = publishing;
  // A conflict must change nothing, not even the function.
  const known = target && (await compare(api, page, target));
  const own = chooseOwn(page, known, publishing.out);
  const plans = await Promise.all(own.map((each) => planDeploy(api, each, deploying)));
  // Functions come before the page, which can call them as soon as it is published.
  const deployed: Deploy[] = [];
  // A branch has functions of its own: none can join it later.
  const pageId = known?.before.branch ? known.id : undefined;
  for (const plan of plans) deployed.push(await applyDeploy(api, plan, { ...deploying, pageId }));
  const created = target ? undefined : await createDraft(api, page);
  const id = target?.id ?? created?.page.id ?? 0;
  try {
    const present = known ?? (await compare(api, page, { id }));
    if (created) await onCreated?.(id, present.seal);
    const { isChanged, ...written } = await write(api, page, present, publishing);
    const hasChanged = isChanged || deployed.some((each) => each.action !== 'unchanged');
    return {
      action: target ? (hasChanged ? 'updated' : 'unchanged') : 'created',
      ...written,
      ...(deployed.length > 0 && { functions: deployed }),
      // What is said about a document before its files are there is outdated.
      warnings: [...(written.files ? [] : (created?.warnings ?? [])), ...written.warnings],
    };
  } catch (error) {
    throw created ? explainUnfinished(error) : error;
  }
}

/** The functions to deploy. Somebody in the team of a page cannot deploy those of its owner. */
function chooseOwn(
  { functions }: PageFolder,
  known: Awaited<ReturnType<typeof compare>> | undefined,
  out: Output | undefined,
): LocalFunction[] {
  const foreign = new Set(known && known.role !== 'owner' ? known.before.functions : []);
  for (const { fields } of functions)
    if (foreign.has(fields.slug))
      out?.note(`Left the function ${fields.slug} as it is: only the owner of the page can deploy it.`);
  return functions.filter(({ fields }) => !foreign.has(fields.slug));
}

/** Reads the page on the server. Throws if someone else has changed what this folder would replace. */
async function compare(api: Api, page: PageFolder, { id, version, read }: Target) {
  const [found, change] = await Promise.all([read ?? readPage(api, id), compareFiles(api, id, page)]);
  const { page: before, versionCount, storageMode, role, folderSeal: seal } = found;
  const isNewHtml = page.html !== before.html_content;
  // A newer version by someone else is a conflict only if the document or its files differ.
  const isNew = isNewHtml || change !== undefined;
  if (isNew && version !== undefined && version !== versionCount) throw conflict(version, versionCount);
  return { id, seal, role, before, storageMode, change, isNewHtml, baseVersion: versionCount };
}

/** Writes settings, document, files and description of a page that exists, and publishes it last. */
async function write(
  api: Api,
  page: PageFolder,
  present: Awaited<ReturnType<typeof compare>>,
  { target, out }: Publishing,
) {
  const { id, seal, before, storageMode, change, isNewHtml, baseVersion } = present;
  const access = findAccessChange(page.settings.access, before);
  const changes = {
    ...findChanges(page, { ...before, storage_mode: storageMode }, isNewHtml && !change),
    ...(access && { access }),
  };
  const patched =
    Object.keys(changes).length > 0
      ? await api.call(pageEndpoints.updatePage, {
          params: { id },
          body: { ...changes, base_version: baseVersion },
        })
      : undefined;
  const send = (stream: StreamedBody) =>
    api.call(fileEndpoints.replacePageFiles, {
      params: { id },
      query: { base_version: baseVersion },
      stream,
    });
  const replaced = change && (await uploadFiles({ html: page.html, change, send }, out));
  const isDescribed = await describe(api, page, id, page.settings.storage_mode ?? storageMode);
  // Publish last, when everything else is uploaded.
  const isPublished =
    page.settings.is_published ?? (target && !target.isUnfinished ? before.is_published : true);
  const isShown = isPublished !== before.is_published;
  if (isShown)
    await api.call(pageEndpoints.updatePage, { params: { id }, body: { is_published: isPublished } });
  const slug = patched?.slug ?? before.slug;
  const version = replaced?.version ?? baseVersion + (isNewHtml ? 1 : 0);
  return {
    page: { id, slug, url: `${api.baseUrl}/p/${slug}`, version },
    seal,
    ...(page.files && (change || page.files.length > 0) && { files: sumUp(page.files, change) }),
    warnings: [...(patched?.warnings ?? []), ...(replaced?.warnings ?? [])],
    isChanged: Boolean(patched || replaced || isDescribed || isShown),
  };
}

/** What differs between the files of the folder and those of the page. */
async function compareFiles(api: Api, id: number, page: PageFolder): Promise<Change | undefined> {
  return page.files && findChange(page.files, await readFiles(api, id), isOwnPath(page));
}

function sumUp(files: LocalFile[], change: Change | undefined): SentFiles {
  const sent = change?.send ?? [];
  const bytes = sent.reduce((sum, { size }) => sum + size, 0);
  return { total: files.length, sent: sent.length, bytes, removed: change?.removed.length ?? 0 };
}

/** The settings that differ, and the document if it is new. The server checks their values. */
function findChanges(
  page: PageFolder,
  present: Record<string, unknown> & { functions: string[] },
  isWithHtml: boolean,
): z.input<typeof PatchPage> {
  const { settings } = page;
  const wanted: Partial<Record<keyof PatchPage, unknown>> = {
    ...Object.fromEntries(SAME_SETTINGS.map((name) => [name, settings[name]])),
    // Publishing comes last, when everything else is there.
    is_published: undefined,
    functions: wantedFunctions(page, present.functions),
    agent_functions: settings.agent_functions,
    ...settings.features,
    ...(isWithHtml && { html_content: page.html }),
  };
  return Object.fromEntries(
    Object.entries(wanted).filter(
      ([field, value]) => value !== undefined && !isDeepStrictEqual(value, present[field]),
    ),
  );
}

/** The functions of the page: those that page.json lists, and those in the folder. */
function wantedFunctions({ settings, functions }: PageFolder, present: string[]): string[] | undefined {
  if (!settings.functions && functions.length === 0) return undefined;
  const own = functions.map(({ fields }) => fields.slug);
  return [...new Set([...(settings.functions ?? present), ...own])].sort();
}

/** The error that the server would respond with. It is known before files are sent for nothing. */
function conflict(baseVersion: number, currentVersion: number): ApiError {
  return new ApiError(
    `The page is at version ${currentVersion}, not ${baseVersion}: someone changed it.`,
    409,
    { code: 'CONFLICT', currentVersion },
  );
}

function explainUnfinished(error: unknown): unknown {
  if (!(error instanceof CommandError)) return error;
  return new CommandError(
    `${error.message}\nThe page exists as a draft that visitors cannot see. Push again to finish it.`,
    error.exitCode,
    error.details,
  );
}

/** Creates a page that is not published yet. */
function createDraft(api: Api, { html, settings, title }: PageFolder): Promise<PublishedPage> {
  const body = {
    name: settings.name ?? title,
    html_content: html,
    // The server checks it.
    storage_mode: settings.storage_mode as NewPage['storage_mode'],
    is_published: false,
  };
  return api.call(pageEndpoints.createPage, { body });
}

/** Updates schemas and the agent spec; false if nothing changed. */
async function describe(
  api: Api,
  { settings, spec }: PageFolder,
  id: number,
  mode: string,
): Promise<boolean> {
  if (settings.schemas === undefined && spec === undefined) return false;
  const present = await readSpec(api, id);
  const type = findStorageType(mode);
  if (!type && Object.keys(settings.schemas ?? {}).length > 0) {
    throw new CommandError('page.json has schemas, but the storage mode page stores no data.');
  }
  const isChanged =
    type && settings.schemas
      ? await replaceSchemas(api, { id, type }, settings.schemas, selectSchemas(present, mode))
      : false;
  const text = spec?.replaceAll('{{PAGE_ID}}', String(id));
  if (text === undefined || text === (present.spec ?? '')) return isChanged;
  if (text === '') await api.call(specEndpoints.deleteAgentSpec, { params: { id } });
  else await api.call(specEndpoints.setAgentSpec, { params: { id }, body: { spec: text } });
  return true;
}

async function replaceSchemas(
  api: Api,
  { id, type }: { id: number; type: StorageType },
  wanted: Record<string, unknown>,
  known: z.infer<typeof SchemaResponse>[],
): Promise<boolean> {
  const { setSchema, deleteSchema } = recordEndpoints[type];
  let isChanged = false;
  for (const [collection, schema] of Object.entries(wanted)) {
    const before = known.find((each) => each.collection === collection);
    if (before && isDeepStrictEqual(before.schema, schema)) continue;
    await api.call(setSchema, { params: { id, collection }, body: { schema } });
    isChanged = true;
  }
  for (const { collection } of known) {
    if (collection in wanted) continue;
    await api.call(deleteSchema, { params: { id, collection } });
    isChanged = true;
  }
  return isChanged;
}
