import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { CreatedPage, PatchedPage } from '../../contract/pages.ts';
import { dataTypeOf } from '../../contract/rules/storage-modes.ts';
import type { Api } from '../client/api.ts';
import { type Deploy, deploy, type MayTouch } from '../functions/deploy.ts';
import { CommandError } from '../usage.ts';
import { readPage, readSpec, schemasOf } from './find.ts';
import type { PageFolder } from './folder.ts';
import { PageWarnings } from './warnings.ts';

const Created = z.object({ page: CreatedPage.shape.page.pick({ id: true }), warnings: PageWarnings });
const Patched = PatchedPage.pick({ slug: true }).extend({ warnings: PageWarnings });

/** An existing page, and the version that the change is based on (by default the current one). */
export interface Target {
  id: number;
  version?: number | undefined;
  /** True if an earlier push created the page but failed before it was published. */
  isUnfinished?: boolean;
}

export interface Published {
  action: 'created' | 'updated' | 'unchanged';
  page: { id: number; slug: string; url: string; version: number };
  function?: Deploy;
  /** About the document, if it was sent. */
  warnings: PageWarnings;
}

interface Publishing {
  target: Target | undefined;
  mayTouch: MayTouch;
  onDeployed?(deploy: Deploy): Promise<void>;
  /** Called as soon as the page exists, so a second push continues with it. */
  onCreated?(id: number): Promise<void>;
}

/** Makes the page on the server match the folder, and changes nothing that already does. */
export async function publish(
  api: Api,
  page: PageFolder,
  { target, mayTouch, onDeployed, onCreated }: Publishing,
): Promise<Published> {
  // First, because the page can call it as soon as it is published.
  const deployed =
    page.settings.function && page.code && (await deploy(api, page.settings.function, page.code, mayTouch));
  if (deployed) await onDeployed?.(deployed);
  const created = target ? undefined : await createDraft(api, page);
  const id = target?.id ?? created?.page.id ?? 0;
  if (created) await onCreated?.(id);
  const warnings = created?.warnings ?? [];

  const { page: before, versionCount, storageMode } = await readPage(api, id);
  const { name, slug, description, storage_mode, is_unlisted, features, agent_functions } = page.settings;
  const wanted = {
    ...{ name, slug, description, storage_mode, is_unlisted, agent_functions },
    ...features,
    html_content: page.html,
  };
  const present: Record<string, unknown> = { ...before, storage_mode: storageMode };
  const changes = Object.fromEntries(
    Object.entries(wanted).filter(
      ([field, value]) => value !== undefined && !isDeepStrictEqual(value, present[field]),
    ),
  );
  const isNewHtml = page.html !== before.html_content;
  // A newer version by someone else is a conflict only if the document differs.
  const base_version = isNewHtml ? (target?.version ?? versionCount) : versionCount;
  const patch = async (fields: Record<string, unknown>) => {
    if (Object.keys(fields).length === 0) return false;
    const body = { ...fields, base_version };
    const answer = await api.call('PATCH', `/api/pages/${id}`, { body, reads: Patched });
    before.slug = answer.slug ?? before.slug;
    warnings.push(...answer.warnings);
    return true;
  };
  const isPatched = await patch(changes);
  const mode = storage_mode ?? storageMode;
  const isDescribed = await describe(api, page, id, mode);
  // Publish last, when everything else is uploaded.
  const isPublished =
    page.settings.is_published ?? (target && !target.isUnfinished ? before.is_published : true);
  const version = base_version + (isNewHtml ? 1 : 0);
  const isShown =
    isPublished !== before.is_published &&
    Boolean(
      await api.call('PATCH', `/api/pages/${id}`, { body: { is_published: isPublished }, reads: Patched }),
    );
  const isChanged = isPatched || isDescribed || isShown || (deployed && deployed.action !== 'unchanged');
  return {
    action: target ? (isChanged ? 'updated' : 'unchanged') : 'created',
    page: { id, slug: before.slug, url: `${api.baseUrl}/p/${before.slug}`, version },
    ...(deployed && { function: deployed }),
    warnings,
  };
}

/** Creates a page that is not published yet. */
function createDraft(api: Api, { html, settings, title }: PageFolder): Promise<z.infer<typeof Created>> {
  const body = {
    name: settings.name ?? title,
    html_content: html,
    ...(settings.storage_mode !== undefined && { storage_mode: settings.storage_mode }),
    is_published: false,
  };
  return api.call('POST', '/api/pages', { body, reads: Created });
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
  const type = dataTypeOf(mode);
  if (!type && Object.keys(settings.schemas ?? {}).length > 0) {
    throw new CommandError('page.json has schemas, but the storage mode page stores no data.');
  }
  let isChanged = false;
  const known = schemasOf(present, mode);
  const path = (collection: string) => `/api/pages/${id}/${type}/${encodeURIComponent(collection)}/schema`;
  for (const [collection, schema] of Object.entries(settings.schemas ?? {})) {
    const before = known.find((each) => each.collection === collection);
    if (before && isDeepStrictEqual(before.schema, schema)) continue;
    await api.call('PUT', path(collection), { body: { schema } });
    isChanged = true;
  }
  for (const { collection } of settings.schemas ? known : []) {
    if (collection in (settings.schemas ?? {})) continue;
    await api.call('DELETE', path(collection));
    isChanged = true;
  }
  const text = spec?.replaceAll('{{PAGE_ID}}', String(id));
  if (text === undefined || text === (present.spec ?? '')) return isChanged;
  if (text === '') await api.call('DELETE', `/api/pages/${id}/agent-spec`);
  else await api.call('PUT', `/api/pages/${id}/agent-spec`, { body: { spec: text } });
  return true;
}
