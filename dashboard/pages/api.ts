import { api } from '../api.ts';

/** What the screens of pages ask of the service. */

export type StorageMode = 'page' | 'solo_app' | 'team_app' | 'social_app';

/** A page with its document. */
export interface PageDetail {
  id: number;
  name: string;
  slug: string;
  is_published: boolean;
  html_content: string;
  storageMode: StorageMode;
  versionCount: number;
}

export async function getPage(id: number, signal?: AbortSignal): Promise<PageDetail> {
  const { page, versionCount, storageMode } = await api.get<{
    page: Omit<PageDetail, 'versionCount' | 'storageMode'>;
    versionCount: number;
    storageMode: StorageMode;
  }>(`/api/pages/${id}`, signal && { signal });
  return { ...page, versionCount, storageMode };
}
