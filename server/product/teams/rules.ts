import { ROLES, type Role } from '../../../contract/roles.ts';
import { AppError } from '../../lib/errors.ts';
import type { Actor } from '../../platform/http/index.ts';
import type { Db, Tx } from '../../platform/storage/index.ts';
import { findPageByIdOrSlug, lockPage, type PageRow, requirePage, roleOf } from '../pages/index.ts';

/** A page with a team, and what the caller is in it. */
export interface Team {
  page: PageRow;
  role: Role;
}

/** Finds the team for somebody in it, or refuses: strangers, and everybody where the page has no team. */
export async function findTeam(db: Db, idOrSlug: string, actor: Actor): Promise<Team> {
  return enterTeam(db, await findPageByIdOrSlug(db, idOrSlug), actor);
}

async function enterTeam(db: Db, found: PageRow | undefined, actor: Actor): Promise<Team> {
  const page = await requirePage(db, found, actor, 'see');
  assertHasTeam(page);
  const role = await roleOf(db, page, actor);
  if (role) return { page, role };
  throw new AppError('FORBIDDEN', 'You are not in the team of this page. Ask its owner for an invite.');
}

/** The same, and nobody else changes the team before the transaction ends. */
export async function lockTeam(tx: Tx, idOrSlug: string, actor: Actor): Promise<Team> {
  const found = await findPageByIdOrSlug(tx, idOrSlug);
  return enterTeam(tx, found && (await lockPage(tx, found.id)), actor);
}

export function assertHasTeam(page: Pick<PageRow, 'storage_mode'>): void {
  if (page.storage_mode === 'team_app') return;
  throw new AppError(
    'CONFLICT',
    `This page is in storage mode ${page.storage_mode}; only team_app has a team.`,
  );
}

/** True when the first role is more than the second. */
export function outranks(role: Role, other: Role): boolean {
  return ROLES.indexOf(role) < ROLES.indexOf(other);
}

/** Who may give a role away, take one away, or see others out: admins, for whatever is below them. */
export function assertMayManage(mine: Role, theirs: Role): void {
  const isManager = mine === 'owner' || mine === 'admin';
  if (isManager && outranks(mine, theirs)) return;
  throw new AppError(
    'FORBIDDEN',
    isManager
      ? `As ${withArticle(mine)} you may manage roles below your own, and ${theirs} is not.`
      : `Only the owner and admins manage the team; you are ${withArticle(mine)}.`,
  );
}

export function withArticle(role: Role): string {
  if (role === 'owner') return 'the owner';
  return role === 'admin' ? 'an admin' : `a ${role}`;
}
