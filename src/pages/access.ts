import { type Actor, AppError, notFound } from '../http/index.ts';
import type { PageRow } from './store.ts';

/** What somebody may do with a page as a whole. */
export type PageAction = 'see' | 'read' | 'write' | 'delete';

/**
 * Lets the page through, or refuses. An unpublished page does not exist for people who have nothing to do with it;
 * a published one does, so they hear that it is not theirs.
 */
export function requirePage<Page extends PageRow>(
  page: Page | undefined,
  actor: Actor | undefined,
  action: PageAction,
): Page {
  const isOwner = page !== undefined && page.owner_id === actor?.userId;
  if (!page || (page.is_published !== 1 && !isOwner)) throw notFound('This page');
  if (action !== 'see' && !isOwner) throw new AppError('FORBIDDEN', 'This page belongs to somebody else.');
  return page;
}
