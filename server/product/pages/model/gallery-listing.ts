import { phrase, type Text } from '../../../../contract/rules/texts/fill.ts';
import { AppError } from '../../../lib/errors.ts';
import type { PageRow } from '../../../platform/storage/index.ts';
import { isOpen } from './access-policy.ts';

/** Decides which pages can be in the gallery. */

/** Whether visitors find the page in the gallery. */
export function isListed(page: PageRow): boolean {
  return page.listed_at !== null && isListable(page) && isOpen(page);
}

/** The column `listed_at` after a change: a page leaves the gallery when not everyone can see it any more. */
export function listedAt(page: PageRow, wanted: boolean | undefined, now: number): number | null {
  if (wanted) {
    assertListable(page);
    return page.listed_at ?? now;
  }
  return wanted === undefined && isListable(page) ? page.listed_at : null;
}

function isListable(page: PageRow): boolean {
  return findObstacle(page) === undefined;
}

function assertListable(page: PageRow): void {
  const obstacle = findObstacle(page);
  if (obstacle !== undefined) throw new AppError('CONFLICT', obstacle.text, obstacle.values);
}

/** What its owner has to do before the page can be in the gallery. A page that is taken down only waits. */
function findObstacle(page: PageRow): Text | undefined {
  if (page.unlisted_by_admin_at !== null)
    return phrase(
      'An administrator removed this page from the gallery: {reason} Ask them to allow it again.',
      { reason: page.unlisted_by_admin_reason ?? '' },
    );
  if (page.is_published !== 1)
    return phrase('This page is not published. Publish it, then show it in the gallery.');
  if (page.is_unlisted === 1)
    return phrase('This page is unlisted. Set is_unlisted to false, then show it in the gallery.');
  if (page.access_mode !== 'public')
    return phrase(
      'The gallery shows only pages that everyone can see. Set access to public, then show the page in it.',
    );
  if (page.access_expires_at !== null)
    return phrase(
      'The gallery shows only pages without an end. Set access.expires_at to null, then show the page in it.',
    );
  return undefined;
}
