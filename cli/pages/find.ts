import { z } from 'zod';
import type { Api } from '../client/api.ts';
import { CommandError, EXIT } from '../usage.ts';
import { DATA_TYPES, FEATURES } from './page-json.ts';

const flags = Object.fromEntries(FEATURES.map((name) => [name, z.boolean()])) as Record<
  (typeof FEATURES)[number],
  z.ZodBoolean
>;

/** A page, as its owner sees it. */
export const Page = z.object({
  page: z.object({
    id: z.int(),
    name: z.string(),
    // It can become the name of a folder.
    slug: z.string().regex(/^[a-z0-9-]+$/),
    html_content: z.string(),
    description: z.string(),
    is_published: z.boolean(),
    is_unlisted: z.boolean(),
    ...flags,
  }),
  versionCount: z.int(),
  storageMode: z.string(),
});
export type Page = z.infer<typeof Page>;

const Lookup = z.object({ id: z.int(), slug: z.string() });
const Spec = z.object({
  spec: z.string().nullable(),
  storageMode: z.string().nullable(),
  schemas: z.array(z.object({ collection: z.string(), storageType: z.string(), schema: z.unknown() })),
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
  return schemas.filter(({ storageType }) => storageType.replace('_', '-') === DATA_TYPES[mode]);
}

/** The path of a page's records; undefined if its storage mode has none. */
export async function lookUpData(api: Api, slugOrId: string): Promise<string | undefined> {
  const { storageMode } = await readSpec(api, slugOrId);
  const type = storageMode === null ? undefined : DATA_TYPES[storageMode];
  return type && `/api/pages/${encodeURIComponent(slugOrId)}/${type}`;
}

/** The same, but throws if the storage mode has no records. */
export async function findData(api: Api, slugOrId: string): Promise<string> {
  const data = await lookUpData(api, slugOrId);
  if (data) return data;
  throw new CommandError(`The page ${slugOrId} stores no data: its storage mode is page.`);
}
