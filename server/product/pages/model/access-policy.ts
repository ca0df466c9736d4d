import type { Role } from '../../../../contract/roles.ts';
import type { PageRow } from '../../../platform/storage/index.ts';

/** The part of a page that decides who can do what. */
export type PageAccess = Pick<
  PageRow,
  | 'id'
  | 'owner_id'
  | 'storage_mode'
  | 'is_published'
  | 'access_mode'
  | 'access_stamp'
  | 'access_expires_at'
  | 'taken_down_at'
  | 'taken_down_reason'
  | 'owner_blocked_at'
  | 'claim_hash'
  | 'branch_of'
>;

/** Why somebody cannot see a page. */
export type AccessDenial =
  /** The page does not exist for the viewer. */
  | 'not found'
  /** An administrator has taken the page down: nobody can see it, not even its owner. */
  | 'taken down'
  /** The account of its owner is suspended, or about to be deleted. */
  | 'owner blocked'
  | 'expired'
  /** Somebody published the page without an account, and nobody has claimed it. Only its document is shown. */
  | 'unclaimed'
  | 'password needed'
  /** The viewer is not logged in, and may be somebody who can see the page. */
  | 'login needed'
  | 'not for them';

/** What is known about somebody who wants to see a page. Each part is looked up only if the page asks for it. */
export interface Viewer {
  isLoggedIn: boolean;
  role(): Promise<Role | undefined>;
  hasPass(): boolean;
  isNamed(): Promise<boolean>;
}

/** True if everyone can see the page, at any time. Nobody has to be asked who they are. */
export function isOpen(
  page: Pick<
    PageAccess,
    'is_published' | 'access_mode' | 'access_expires_at' | 'taken_down_at' | 'owner_blocked_at' | 'claim_hash'
  >,
): boolean {
  const isForEveryone = page.is_published === 1 && page.access_mode === 'public';
  return isForEveryone && page.access_expires_at === null && page.claim_hash === null && !isBlocked(page);
}

/** True if nobody can see the page, whatever its owner decides. */
export function isBlocked(page: Pick<PageAccess, 'taken_down_at' | 'owner_blocked_at'>): boolean {
  return page.taken_down_at !== null || page.owner_blocked_at !== null;
}

/**
 * The policy: whether somebody can see a page, and why not. Everything that shows something of a page asks it. A draft
 * does not exist for strangers. The owner and the admins of the team see the page unless it is blocked. They can work on
 * a blocked page all the same: that is not a way to see it. A page that nobody has claimed is refused to everyone, so that
 * it has no data, forms or features. Only `serving/unclaimed` shows its document all the same.
 */
export async function refusalFor(
  page: PageAccess,
  viewer: Viewer,
  now: number,
): Promise<AccessDenial | undefined> {
  if (isOpen(page)) return undefined;
  const role = await viewer.role();
  if (page.is_published !== 1 && role === undefined) return 'not found';
  if (page.taken_down_at !== null) return 'taken down';
  if (page.owner_blocked_at !== null) return 'owner blocked';
  if (page.claim_hash !== null) return hasExpired(page, now) ? 'not found' : 'unclaimed';
  if (role === 'owner' || role === 'admin') return undefined;
  if (hasExpired(page, now)) return 'expired';
  const isAllowed = await isAdmitted(page, viewer, role);
  if (isAllowed) return undefined;
  if (page.access_mode === 'password') return 'password needed';
  return viewer.isLoggedIn ? 'not for them' : 'login needed';
}

function hasExpired({ access_expires_at }: Pick<PageAccess, 'access_expires_at'>, now: number): boolean {
  return access_expires_at !== null && access_expires_at <= now;
}

async function isAdmitted(page: PageAccess, viewer: Viewer, role: Role | undefined): Promise<boolean> {
  switch (page.access_mode) {
    case 'public':
      return true;
    case 'password':
      return viewer.hasPass();
    case 'people':
      return viewer.isNamed();
    case 'team':
      return role !== undefined;
    case 'private':
      return false;
  }
}
