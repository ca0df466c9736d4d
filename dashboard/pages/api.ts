import { checkEndpoints } from '../../contract/checks/endpoints.ts';
import type { CheckWish } from '../../contract/checks/page-check.ts';
import { featureEndpoints } from '../../contract/features/endpoints.ts';
import type { PreviewBody } from '../../contract/features/features.ts';
import { operationEndpoints } from '../../contract/operations/endpoints.ts';
import type { NewAccess } from '../../contract/pages/access.ts';
import { pageEndpoints } from '../../contract/pages/endpoints.ts';
import type {
  CreatedPage,
  ListQuery,
  NewPage,
  PageDetail as Page,
  PageSummary,
  PageWithExtras,
  PatchPage,
} from '../../contract/pages/pages.ts';
import type { SharedPage } from '../../contract/pages/shared-pages.ts';
import { pageVersionEndpoints } from '../../contract/pages/versions/version-endpoints.ts';
import type { Version, VersionDetail } from '../../contract/pages/versions/versions.ts';
import type { Role } from '../../contract/roles.ts';
import type { StorageMode } from '../../contract/rules/storage-modes.ts';
import { teamEndpoints } from '../../contract/teams/endpoints.ts';
import { call } from '../api.ts';

/** The endpoints that the page screens use. */

export type { CreatedPage, PageSummary, Role, SharedPage, StorageMode };
export type VersionContent = Pick<VersionDetail, 'html_content' | 'files'>;

/** The fields to change. `base_version` prevents overwriting a version of someone else. */
export type PagePatch = { [Field in keyof Omit<PatchPage, 'access'>]?: NonNullable<PatchPage[Field]> };

/** A page with its HTML, its mode, the number of its current version, and the user's role on it. */
export type PageDetail = Page & Pick<PageWithExtras, 'storageMode' | 'versionCount' | 'role'>;

export async function getPage(id: number, signal?: AbortSignal): Promise<PageDetail> {
  const { page, versionCount, storageMode, role } = await call(pageEndpoints.getPage, {
    params: { id },
    signal,
  });
  return { ...page, versionCount, storageMode, role };
}

/** An empty search is left out. */
const searchIn = <Query extends Partial<ListQuery>>({ q, ...query }: Query) => ({
  ...query,
  ...(q && { q }),
});

export const listSharedPages = (query: Pick<ListQuery, 'q' | 'limit' | 'offset'>, signal?: AbortSignal) =>
  call(pageEndpoints.listSharedPages, { query: searchIn(query), signal });

/** A page of somebody else that is shared with the user; undefined if it is not. */
export async function getSharedPage(id: number, signal?: AbortSignal): Promise<SharedPage | undefined> {
  const query = { page: id, limit: 1 };
  return (await call(pageEndpoints.listSharedPages, { query, signal })).pages[0];
}

export const leaveTeam = (id: number) => call(teamEndpoints.removeMember, { params: { id, userId: 'me' } });

export const listPages = (query: ListQuery, signal?: AbortSignal) =>
  call(pageEndpoints.listPages, { query: searchIn(query), signal });

/** Who can see a page is sent in another form than it is read. */
export type PageChange = PagePatch & { access?: NewAccess };

/**
 * Changes a page. `saved` is what the page is then, without its HTML, and without its version, which tells which HTML
 * the user has.
 */
export async function patchPage(id: number, body: PageChange) {
  const { page, storageMode, role, ...rest } = await call(pageEndpoints.updatePage, { params: { id }, body });
  // Without a role, the user could do this just now, and the next request is refused.
  return { ...rest, saved: { ...page, storageMode, ...(role && { role }) } };
}

/** The public URL of a page. */
export const toPageUrl = ({ slug }: { slug: string }) => `${location.origin}/p/${slug}`;

/** The path of a page's screen in the dashboard. */
export const toPageScreen = (id: number, part = '') => (part ? `/pages/${id}/${part}` : `/pages/${id}`);

/** The screen of a published page that shows it with its address. Every first publish leads there. */
export const SHARE = 'share';

export const createPage = async (body: NewPage) => (await call(pageEndpoints.createPage, { body })).page;

export const forkPage = async (id: number) => (await call(pageEndpoints.forkPage, { params: { id } })).page;

export const deletePage = (id: number) => call(pageEndpoints.deletePage, { params: { id } });

/** The page size of the API, and the most versions shown. */
const VERSIONS_AT_ONCE = 200;
const MAX_VERSIONS = 1_000;

export async function listVersions(id: number, signal?: AbortSignal): Promise<Version[]> {
  const all: Version[] = [];
  while (all.length < MAX_VERSIONS) {
    const query = { before: all.at(-1)?.version };
    const { versions } = await call(pageVersionEndpoints.listPageVersions, { params: { id }, query, signal });
    all.push(...versions);
    if (versions.length < VERSIONS_AT_ONCE) break;
  }
  return all;
}

/** One version with its HTML and the list of its files. */
export const getVersion = (id: number, version: number, signal?: AbortSignal) =>
  call(pageVersionEndpoints.getPageVersion, { params: { id, version }, signal });

export const noteVersion = (id: number, version: number, note: string) =>
  call(pageVersionEndpoints.updatePageVersion, { params: { id, version }, body: { note } });

export const restoreVersion = (id: number, version: number) =>
  call(pageVersionEndpoints.restorePageVersion, { params: { id, version } });

/** Opens the saved page in a browser on the server. */
export const checkPage = (id: number, body: CheckWish, signal?: AbortSignal) =>
  call(checkEndpoints.checkPage, { params: { id }, body, signal });

export const makePreviewImage = (id: number, body: PreviewBody) =>
  call(featureEndpoints.generatePreviewImage, { params: { id }, body });

/** True if a provider makes images, which costs credits. Otherwise the service draws them. */
export async function hasImageProvider(signal?: AbortSignal): Promise<boolean> {
  const { providers } = await call(operationEndpoints.getHealth, { signal });
  return providers?.images !== undefined && providers.images !== 'demo';
}
