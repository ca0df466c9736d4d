import { ROLES, type Role } from '../../../contract/roles.ts';
import { phrase, type Text } from '../../../contract/rules/texts/fill.ts';
import { AppError } from '../../lib/errors.ts';
import type { SignedInCaller } from '../../platform/http/index.ts';
import type { Db, PageRow, Tx } from '../../platform/storage/index.ts';
import type { PageDirectory } from '../ports.ts';

/** A page with a team, and the caller's role in it. */
export interface Team {
  page: PageRow;
  role: Role;
}

/** Finds the team for a member. Refuses strangers, and everyone if the page has no team. */
export async function findTeam(
  { db, pages }: { db: Db; pages: PageDirectory },
  idOrSlug: string,
  caller: SignedInCaller,
): Promise<Team> {
  const page = await pages.see(db, await pages.find(db, idOrSlug), caller);
  return enterTeam(pages, db, page, caller);
}

async function enterTeam(
  pages: PageDirectory,
  db: Db,
  page: PageRow,
  { actor }: SignedInCaller,
): Promise<Team> {
  assertHasTeam(page);
  const role = await pages.resolveRole(db, page, actor);
  if (role) return { page, role };
  throw new AppError('FORBIDDEN', 'You are not in the team of this page. Ask its owner for an invite.');
}

/** Finds the team for a member, and locks it until the transaction ends. */
export async function lockTeam(
  { pages }: { pages: PageDirectory },
  tx: Tx,
  idOrSlug: string,
  caller: SignedInCaller,
): Promise<Team> {
  const found = await pages.find(tx, idOrSlug);
  const page = await pages.see(tx, found && (await pages.lock(tx, found.id)), caller);
  return enterTeam(pages, tx, page, caller);
}

/** Locks the team to change who is in it. */
export async function lockOwnTeam(...given: Parameters<typeof lockTeam>): Promise<Team> {
  const team = await lockTeam(...given);
  assertNotBranch(team.page);
  return team;
}

/** Locks the team for a member who leaves. They can also leave the team of a page that they cannot see. */
export async function lockTeamToLeave(
  context: { pages: PageDirectory },
  tx: Tx,
  idOrSlug: string,
  caller: SignedInCaller,
): Promise<Team> {
  const { pages } = context;
  const found = await pages.find(tx, idOrSlug);
  const role = found && (await pages.resolveRole(tx, found, caller.actor));
  const page = role && (await pages.lock(tx, found.id));
  if (!page) return lockOwnTeam(context, tx, idOrSlug, caller);
  const team = await enterTeam(pages, tx, page, caller);
  assertNotBranch(page);
  return team;
}

/** A branch has the team of its page. */
function assertNotBranch({ branch_of: main }: PageRow): void {
  if (main === null) return;
  throw new AppError(
    'CONFLICT',
    'This is a branch, and has the team of its page. Change the team of that page, which has the id {id}.',
    { id: String(main) },
  );
}

export function assertHasTeam(page: Pick<PageRow, 'storage_mode'>): void {
  if (page.storage_mode === 'team_app') return;
  throw new AppError(
    'CONFLICT',
    'This page is in storage mode {storage_mode}; only team_app has a team. Its owner can change storage_mode with PATCH /api/pages/:id.',
    { storage_mode: page.storage_mode },
  );
}

/** True if the first role is higher than the second. */
export function outranks(role: Role, other: Role): boolean {
  return ROLES.indexOf(role) < ROLES.indexOf(other);
}

/**
 * Fails unless the user can give or take this role or remove its holder: admins can, for roles below theirs.
 */
export function assertMayManage(mine: Role, theirs: Role): void {
  const isManager = mine === 'owner' || mine === 'admin';
  if (isManager && outranks(mine, theirs)) return;
  throw new AppError(
    'FORBIDDEN',
    isManager
      ? 'As {mine} you may manage roles below your own, and {theirs} is not. Ask the owner.'
      : 'Only the owner and admins can manage the team; you are {mine}. Ask one of them.',
    { mine: ROLE_NAMES[mine], theirs },
  );
}

const ROLE_NAMES: Record<Role, Text> = {
  owner: phrase('the owner'),
  admin: phrase('an admin'),
  member: phrase('a member'),
  viewer: phrase('a viewer'),
};
