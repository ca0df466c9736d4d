import { api } from '../api.ts';

/** What the screens of pages ask of the service. */

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

/** A page with its document. */
export interface PageDetail extends PageFields {
  html_content: string;
  storageMode: StorageMode;
  /** The number of the current version. */
  versionCount: number;
}

export interface PageListing {
  pages: PageSummary[];
  total: number;
}

/** What can be changed about a page; `base_version` guards against overwriting somebody else's version. */
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

/** Where everybody finds the page. */
export const addressOf = ({ slug }: { slug: string }) => `${location.origin}/p/${slug}`;
