import { type PagePicture, picturePath } from '../../../../contract/pages/page-picture.ts';
import type { PagePictureRow } from '../../../platform/storage/index.ts';

/** Where the picture of a page is; null if it has none yet. */
export function toPicture(row: PagePictureRow | undefined, baseUrl: string): PagePicture | null {
  if (!row?.blob_key) return null;
  const { page_id: pageId, created_at: takenAt, width, height } = row;
  return { url: baseUrl + picturePath(pageId, takenAt), width, height };
}
