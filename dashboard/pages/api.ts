import type { CheckWish, PageCheck } from '../../contract/checks/page-check.ts';
import type { PreviewAnswer, PreviewBody } from '../../contract/features/features.ts';
import type { Done, Restored } from '../../contract/fields.ts';
import type { NewAccess } from '../../contract/pages/access.ts';
import type {
  CreatedPage,
  ListQuery,
  NewPage,
  PageDetail as Page,
  PageList,
  PageSummary,
  PageWithExtras,
  PatchedPage,
  PatchPage,
  Version,
  VersionDetail,
  VersionList,
} from '../../contract/pages/pages.ts';
import type { SharedPage, SharedPageList } from '../../contract/pages/shared-pages.ts';
import type { Role } from '../../contract/roles.ts';
import type { StorageMode } from '../../contract/rules/storage-modes.ts';
import type { HealthFields } from '../../contract/service.ts';
import { api } from '../api.ts';

/** The endpoints that the page screens use. */

export type { CreatedPage, PageSummary, Role, SharedPage, StorageMode };
export type VersionContent = Pick<VersionDetail, 'html_content' | 'files'>;

/** The fields to change. `base_version` prevents overwriting a version of someone else. */
export type PagePatch = { [Field in keyof Omit<PatchPage, 'access'>]?: NonNullable<PatchPage[Field]> };

/** A page with its HTML, its mode, the number of its current version, and the user's role on it. */
export type PageDetail = Page & Pick<PageWithExtras, 'storageMode' | 'versionCount'> & { role: Role };

export async function getPage(id: number, signal?: AbortSignal): Promise<PageDetail> {
  const [{ page, versionCount, storageMode }, shared] = await Promise.all([
    api.get<PageWithExtras>(`/api/pages/${id}`, signal && { signal }),
    getSharedPage(id, signal),
  ]);
  return { ...page, versionCount, storageMode, role: shared?.role ?? 'owner' };
}

export function listSharedPages(
  query: Pick<ListQuery, 'limit' | 'offset' | 'q'>,
  signal?: AbortSignal,
): Promise<SharedPageList> {
  const search = new URLSearchParams({ limit: String(query.limit), offset: String(query.offset) });
  if (query.q) search.set('q', query.q);
  return api.get(`/api/pages/shared?${search}`, signal && { signal });
}

/** A page of somebody else that is shared with the user; undefined if it is not. */
export async function getSharedPage(id: number, signal?: AbortSignal): Promise<SharedPage | undefined> {
  const path = `/api/pages/shared?page=${id}&limit=1`;
  return (await api.get<SharedPageList>(path, signal && { signal })).pages[0];
}

export const leaveTeam = (id: number) => api.delete(`/api/pages/${id}/team/me`);

export function listPages(query: ListQuery, signal?: AbortSignal): Promise<PageList> {
  const search = new URLSearchParams({ limit: String(query.limit), offset: String(query.offset) });
  if (query.q) search.set('q', query.q);
  return api.get(`/api/pages?${search}`, signal && { signal });
}

/** Changes a page. Who can see it is sent in another form than it is read. */
export const patchPage = (id: number, patch: PagePatch & { access?: NewAccess }) =>
  api.patch<PatchedPage>(`/api/pages/${id}`, patch);

/** The public URL of a page. */
export const urlOf = ({ slug }: { slug: string }) => `${location.origin}/p/${slug}`;

/** The path of a page's screen in the dashboard. */
export const screenOf = (id: number, part = '') => (part ? `/pages/${id}/${part}` : `/pages/${id}`);

export async function createPage(fields: NewPage): Promise<CreatedPage['page']> {
  return (await api.post<CreatedPage>('/api/pages', fields)).page;
}

export async function forkPage(id: number): Promise<CreatedPage['page']> {
  return (await api.post<CreatedPage>(`/api/pages/${id}/fork`)).page;
}

export const deletePage = (id: number) => api.delete<Done>(`/api/pages/${id}`);

/** The page size of the API, and the most versions shown. */
const VERSIONS_AT_ONCE = 200;
const MAX_VERSIONS = 1_000;

export async function listVersions(id: number, signal?: AbortSignal): Promise<Version[]> {
  const all: Version[] = [];
  for (let query = ''; all.length < MAX_VERSIONS; query = `?before=${all.at(-1)?.version}`) {
    const path = `/api/pages/${id}/versions${query}`;
    const { versions } = await api.get<VersionList>(path, signal && { signal });
    all.push(...versions);
    if (versions.length < VERSIONS_AT_ONCE) break;
  }
  return all;
}

/** One version with its HTML and the list of its files. */
export const getVersion = (id: number, version: number, signal?: AbortSignal) =>
  api.get<VersionDetail>(`/api/pages/${id}/versions/${version}`, signal && { signal });

export const noteVersion = (id: number, version: number, note: string) =>
  api.patch<Version>(`/api/pages/${id}/versions/${version}`, { note });

export const restoreVersion = (id: number, version: number) =>
  api.post<Restored>(`/api/pages/${id}/versions/${version}/restore`);

/** Opens the saved page in a browser on the server. */
export const checkPage = (id: number, wish: CheckWish, signal?: AbortSignal) =>
  api.post<PageCheck>(`/api/pages/${id}/check`, wish, signal && { signal });

export const makePreviewImage = (id: number, body: PreviewBody) =>
  api.post<PreviewAnswer>(`/api/pages/${id}/generate-preview-image`, body);

/** True if a provider makes images, which costs credits. Otherwise the service draws them. */
export async function hasImageProvider(signal?: AbortSignal): Promise<boolean> {
  const { providers } = await api.get<Partial<HealthFields>>('/healthz', signal && { signal });
  return providers?.images !== undefined && providers.images !== 'demo';
}
