import { z } from 'zod';
import { AgentSpec } from '../../contract/agents/agent-spec.ts';
import { SchemaResponse } from '../../contract/data/collection-schema.ts';
import { Access } from '../../contract/pages/access.ts';
import { LookupRecord, PageDetail, PageWithExtras } from '../../contract/pages/pages.ts';
import { dataTypeOf, storageTypeOf } from '../../contract/rules/storage-modes.ts';
import type { Api } from '../client/api.ts';
import { CommandError, EXIT } from '../usage.ts';

/** A page, as its owner sees it. A newer server may have more storage modes. */
export const Page = PageWithExtras.pick({ versionCount: true }).extend({
  page: PageDetail.omit({
    views: true,
    updated_at: true,
    preview_image: true,
    is_listed: true,
    picture: true,
  }).extend({
    // An older server has none.
    access: Access.extend({ mode: z.string() }).optional(),
    // An older server has none. The schemas are kept as the server wrote them.
    agent_functions: z.array(z.unknown()).optional(),
    // It can become the name of a folder.
    slug: z.string().regex(/^[a-z0-9-]+$/),
  }),
  storageMode: z.string(),
});
export type Page = z.infer<typeof Page>;

const Lookup = LookupRecord.pick({ id: true, slug: true });
/** Schemas are kept as they are, because page.json holds them as the server wrote them. */
const Spec = AgentSpec.pick({ spec: true }).extend({
  storageMode: z.string().nullable(),
  schemas: z.array(SchemaResponse.extend({ schema: z.unknown() })),
});
export type Spec = z.infer<typeof Spec>;

/** The id of the page with this slug or id. */
export async function findPageId(api: Api, slugOrId: string): Promise<number> {
  if (/^\d+$/.test(slugOrId)) return Number(slugOrId);
  const found = await lookUp(api, slugOrId);
  if (found) return found.id;
  throw new CommandError(`The page ${slugOrId} does not exist at ${api.baseUrl}.`, EXIT.notFound);
}

/** The page with this slug, if the caller can see one. */
export function lookUp(api: Api, slug: string) {
  return api.find(`/api/pages/lookup?slug=${encodeURIComponent(slug)}`, Lookup);
}

export async function readPage(api: Api, id: number): Promise<Page> {
  return api.call('GET', `/api/pages/${id}`, { reads: Page });
}

export async function readSpec(api: Api, slugOrId: string | number): Promise<Spec> {
  return api.call('GET', `/api/pages/${encodeURIComponent(slugOrId)}/agent-spec`, { reads: Spec });
}

/** The schemas of a storage mode. The server keeps those of other modes until the page uses them again. */
export function schemasOf({ schemas }: Spec, mode: string): Spec['schemas'] {
  return schemas.filter(({ storageType }) => storageType === storageTypeOf(mode));
}

/** The path of a page's records; undefined if its storage mode has none. */
export async function lookUpData(api: Api, slugOrId: string): Promise<string | undefined> {
  const { storageMode } = await readSpec(api, slugOrId);
  const type = storageMode === null ? undefined : dataTypeOf(storageMode);
  return type && `/api/pages/${encodeURIComponent(slugOrId)}/${type}`;
}

/** The same, but throws if the storage mode has no records. */
export async function findData(api: Api, slugOrId: string): Promise<string> {
  const data = await lookUpData(api, slugOrId);
  if (data) return data;
  throw new CommandError(`The page ${slugOrId} stores no data: its storage mode is page.`);
}
