import type { Access } from '../../../../contract/pages/access.ts';
import type { BranchOf } from '../../../../contract/pages/branches/branches.ts';
import { type PagePicture, picturePath } from '../../../../contract/pages/page-picture.ts';
import { type PageDetail, pageUrl } from '../../../../contract/pages/pages.ts';
import { toTimestamp } from '../../../lib/timestamp.ts';
import type { PagePictureRow, PageRow } from '../../../platform/storage/index.ts';
import { isOpen } from './access-policy.ts';
import { isListed } from './gallery-listing.ts';
import { readIsolation, readSwitches } from './switches.ts';
import type { VersionRow } from './version-store.ts';

/** Rows as the wire shapes of `contract/pages/pages.ts`. */

/** The access of a page as a wire shape. Lists of pages leave out the people. */
export const toAccess = (row: PageRow, people?: string[]): Access => ({
  mode: row.access_mode,
  ...(row.access_mode === 'people' && people && { people }),
  ...(row.access_expires_at !== null && { expires_at: toTimestamp(row.access_expires_at) }),
});

export const toCreated = (row: PageRow, functions: string[], baseUrl: string, access?: Access) => {
  const { page_api_spawn_enabled: _, is_unlisted: __, spa: ___, ...switches } = readSwitches(row);
  return {
    page: {
      id: row.id,
      name: row.name,
      slug: row.slug,
      url: pageUrl(baseUrl, row.slug),
      is_published: row.is_published === 1,
      storage_mode: row.storage_mode,
      ...(access && { access }),
      functions,
      ...switches,
    },
  };
};

/**
 * The current URL of a page's image: only the path is stored, because the service may move. Older rows have
 * the URL.
 */
export function previewUrl(baseUrl: string, stored: string | null): string | null {
  const path = stored && /^(?:https?:\/\/[^/]+)?(\/images\/[^/?#]+)$/.exec(stored)?.[1];
  return path ? baseUrl + path : stored;
}

/** The picture of a page with its URL; null if it has none yet. */
export function toPicture(row: PagePictureRow | undefined, baseUrl: string): PagePicture | null {
  if (!row?.blob_key) return null;
  const { page_id: pageId, created_at: takenAt, width, height } = row;
  return { url: baseUrl + picturePath(pageId, takenAt), width, height };
}

const toSummary = (row: PageRow, picture: PagePictureRow | undefined, baseUrl: string) => ({
  id: row.id,
  name: row.name,
  slug: row.slug,
  is_published: row.is_published === 1,
  is_listed: isListed(row),
  topic: row.topic,
  access: toAccess(row),
  views: row.views,
  updated_at: toTimestamp(row.updated_at),
  description: row.description,
  ...readSwitches(row),
  protected: row.protected === 1,
  repair: row.repair === 1,
  attack_first: row.attack_first === 1,
  isolation: readIsolation(row),
  preview_image: previewUrl(baseUrl, row.preview_image),
  picture: isOpen(row) ? toPicture(picture, baseUrl) : null,
  ...(row.unlisted_by_admin_at !== null && {
    removed_from_gallery: {
      at: toTimestamp(row.unlisted_by_admin_at),
      reason: row.unlisted_by_admin_reason ?? '',
    },
  }),
  ...(row.taken_down_at !== null && {
    taken_down: { at: toTimestamp(row.taken_down_at), reason: row.taken_down_reason ?? '' },
  }),
});

/** A page without its document. */
export const toDetail = (
  row: PageRow,
  {
    people,
    picture,
    branch,
    ...more
  }: Pick<PageDetail, 'functions' | 'agent_functions'> & {
    people: string[];
    picture: PagePictureRow | undefined;
    branch: BranchOf | undefined;
  },
  baseUrl: string,
) => ({
  ...toSummary(row, picture, baseUrl),
  ...more,
  ...(branch && { branch }),
  access: toAccess(row, people),
});

export const toListItem = (row: PageRow, picture: PagePictureRow | undefined, baseUrl: string) => ({
  ...toSummary(row, picture, baseUrl),
  url: pageUrl(baseUrl, row.slug),
  storage_mode: row.storage_mode,
});

export const toLookup = (row: PageRow) => ({
  id: row.id,
  name: row.name,
  slug: row.slug,
  isPublished: row.is_published === 1,
  updatedAt: toTimestamp(row.updated_at),
});

export const toVersion = (row: VersionRow, current: number) => ({
  version: row.version,
  createdAt: toTimestamp(row.created_at),
  size: row.size,
  author: row.author,
  current: row.version === current,
  ...(row.note && { note: row.note }),
});

export const toMessage = (row: {
  id: number;
  role: 'user' | 'assistant';
  content: string;
  created_at: number;
}) => ({
  id: row.id,
  role: row.role,
  content: row.content,
  createdAt: toTimestamp(row.created_at),
});
