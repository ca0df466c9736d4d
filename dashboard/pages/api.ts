import { api } from '../api.ts';

/** The endpoints that the page screens use. */

export type StorageMode = 'page' | 'solo_app' | 'team_app' | 'social_app';

interface PageFields {
  id: number;
  name: string;
  slug: string;
  description: string;
  is_published: boolean;
  is_unlisted: boolean;
  views: number;
  updated_at: string;
  preview_image: string | null;
  page_api_ai_enabled: boolean;
  page_api_image_gen_enabled: boolean;
  page_api_image_search_enabled: boolean;
  page_api_image_recognition_enabled: boolean;
  page_api_spawn_enabled: boolean;
}

/** A page in the list. */
export interface PageSummary extends PageFields {
  url: string;
  storage_mode: StorageMode;
}

/** A page with its HTML. */
export interface PageDetail extends PageFields {
  html_content: string;
  storageMode: StorageMode;
  /** The number of the current version. */
  versionCount: number;
}

interface PageListing {
  pages: PageSummary[];
  total: number;
}

/** The fields of a page that can change. `base_version` prevents overwriting a version of someone else. */
export type PagePatch = Partial<
  Omit<PageFields, 'id' | 'views' | 'updated_at' | 'preview_image'> & {
    html_content: string;
    storage_mode: StorageMode;
    base_version: number;
  }
>;

export async function getPage(id: number, signal?: AbortSignal): Promise<PageDetail> {
  const { page, versionCount, storageMode } = await api.get<{
    page: Omit<PageDetail, 'versionCount' | 'storageMode'>;
    versionCount: number;
    storageMode: StorageMode;
  }>(`/api/pages/${id}`, signal && { signal });
  return { ...page, versionCount, storageMode };
}

export function listPages(
  query: { q?: string; limit: number; offset: number },
  signal?: AbortSignal,
): Promise<PageListing> {
  const search = new URLSearchParams({ limit: String(query.limit), offset: String(query.offset) });
  if (query.q) search.set('q', query.q);
  return api.get(`/api/pages?${search}`, signal && { signal });
}

export const patchPage = (id: number, patch: PagePatch) =>
  api.patch<{ success: true; message: string; slug?: string; storage_mode?: StorageMode }>(
    `/api/pages/${id}`,
    patch,
  );

/** The public URL of a page. */
export const urlOf = ({ slug }: { slug: string }) => `${location.origin}/p/${slug}`;

/** The path of a page's screen in the dashboard. */
export const screenOf = (id: number, part = '') => (part ? `/pages/${id}/${part}` : `/pages/${id}`);

interface NewPage {
  name: string;
  html_content: string;
  description?: string;
  storage_mode?: StorageMode;
  is_published?: boolean;
}

export async function createPage(fields: NewPage): Promise<PageSummary> {
  return (await api.post<{ page: PageSummary }>('/api/pages', fields)).page;
}

export async function forkPage(id: number): Promise<PageSummary> {
  return (await api.post<{ page: PageSummary }>(`/api/pages/${id}/fork`)).page;
}

/** A page of someone else, and the user's role in its team. */
interface JoinedTeam {
  page: { id: number; name: string; slug: string; url: string };
  role: 'admin' | 'member' | 'viewer';
  joinedAt: string;
}

export const listTeams = async (signal?: AbortSignal) =>
  (await api.get<{ teams: JoinedTeam[] }>('/api/teams', signal && { signal })).teams;

export const deletePage = (id: number) => api.delete<{ message: string }>(`/api/pages/${id}`);

export interface Version {
  version: number;
  createdAt: string;
  size: number;
  author: string | null;
  current: boolean;
}

/** The page size of the API, and the most versions shown. */
const VERSIONS_AT_ONCE = 200;
const MAX_VERSIONS = 1_000;

export async function listVersions(id: number, signal?: AbortSignal): Promise<Version[]> {
  const all: Version[] = [];
  for (let query = ''; all.length < MAX_VERSIONS; query = `?before=${all.at(-1)?.version}`) {
    const path = `/api/pages/${id}/versions${query}`;
    const { versions } = await api.get<{ versions: Version[] }>(path, signal && { signal });
    all.push(...versions);
    if (versions.length < VERSIONS_AT_ONCE) break;
  }
  return all;
}

/** The HTML of one version. */
export async function getVersionText(id: number, version: number, signal?: AbortSignal): Promise<string> {
  const path = `/api/pages/${id}/versions/${version}`;
  return (await api.get<{ html_content: string }>(path, signal && { signal })).html_content;
}

export const restoreVersion = (id: number, version: number) =>
  api.post<{ message: string; version: number }>(`/api/pages/${id}/versions/${version}/restore`);

export const makePreviewImage = (id: number, body: { html: string; customInstructions?: string }) =>
  api.post<{ imageUrl: string; message: string }>(`/api/pages/${id}/generate-preview-image`, body);

/** True if a provider makes images, which costs credits. Otherwise the service draws them. */
export async function hasImageProvider(signal?: AbortSignal): Promise<boolean> {
  const { providers } = await api.get<{ providers?: { images?: string } }>('/healthz', signal && { signal });
  return providers?.images !== undefined && providers.images !== 'demo';
}
