import type { PagePictureRow } from '../../../platform/storage/index.ts';

/** The records of a page that strangers can read. */
export interface PublicRecords {
  count: number;
  /** When one of them was last added, changed or deleted. */
  changedAt: number;
}

/** How long a picture stays, whatever happens on the page. */
export const AGAIN_AFTER_MS = 3600_000;
/** How long nothing has changed before the first records are photographed. */
const SETTLED_MS = 10_000;

/**
 * Whether a picture of the current version has to be taken again: once an hour while records change, and sooner if it
 * shows a page without records that has some now, or records that strangers must not see any more.
 */
export function isOutdated(
  {
    claimed_until,
    created_at,
    shows_records,
  }: Pick<PagePictureRow, 'claimed_until' | 'created_at' | 'shows_records'>,
  records: PublicRecords | undefined,
  now: number,
): boolean {
  if (claimed_until !== null) return claimed_until <= now;
  // Its owner has deleted the records, or hidden them from strangers. They must not stay in the picture.
  if (!records) return shows_records === 1;
  if (records.changedAt < created_at) return false;
  if (created_at <= now - AGAIN_AFTER_MS) return true;
  return shows_records === 0 && records.count > 0 && records.changedAt <= now - SETTLED_MS;
}
