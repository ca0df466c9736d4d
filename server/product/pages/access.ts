import type { Role } from '../../../contract/roles.ts';
import { AppError, notFound } from '../../lib/errors.ts';
import type { Actor } from '../../platform/http/index.ts';
import type { Db } from '../../platform/storage/index.ts';
import { findMember, type PageRow } from './store.ts';

/** What somebody may do with a page as a whole. */
type PageAction = 'see' | 'read' | 'write' | 'own';

/** The part of a page that decides who may do what. */
export type PageAccess = Pick<PageRow, 'id' | 'owner_id' | 'storage_mode' | 'is_published'>;

/** What somebody is to a page. There is a team only in the mode that is made for one. */
export async function roleOf(
  db: Db,
  page: PageAccess,
  actor: { userId: number } | undefined,
): Promise<Role | undefined> {
  if (!actor) return undefined;
  if (page.owner_id === actor.userId) return 'owner';
  if (page.storage_mode !== 'team_app') return undefined;
  return (await findMember(db, page.id, actor.userId))?.role;
}

/**
 * Lets the page through, or refuses. An unpublished page does not exist for people who have nothing to do with it;
 * a published one does, so they hear that it is not theirs.
 */
export async function requirePage<Page extends PageAccess>(
  db: Db,
  page: Page | undefined,
  actor: Actor | undefined,
  action: PageAction,
): Promise<Page> {
  if (page?.is_published === 1 && action === 'see') return page;
  const role = page && (await roleOf(db, page, actor));
  if (!page || (page.is_published !== 1 && role === undefined)) throw notFound('This page');
  if (action === 'see' || role === 'owner') return page;
  if (role === 'admin') {
    if (action !== 'own') return page;
    throw new AppError('FORBIDDEN', 'Only the owner of this page can do that.');
  }
  throw new AppError('FORBIDDEN', 'This page belongs to somebody else.');
}
