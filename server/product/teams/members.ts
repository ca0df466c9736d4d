import type { GrantableRole, Role } from '../../../contract/roles.ts';
import { AppError, notFound } from '../../lib/errors.ts';
import type { Actor, SignedInCaller } from '../../platform/http/index.ts';
import type { Db, PageRow, Tx } from '../../platform/storage/index.ts';
import type { TeamsContext } from './context.ts';
import {
  assertHasTeam,
  assertMayManage,
  findTeam,
  lockOwnTeam,
  lockTeamToLeave,
  outranks,
  type Team,
} from './rules.ts';
import {
  deleteInvites,
  deleteMember,
  findMemberWithName,
  listMembers,
  listMemberships,
  type MemberRow,
  putMember,
} from './store.ts';

/** All members of the team, its owner first. */
export async function readMembers(
  context: TeamsContext,
  caller: SignedInCaller,
  idOrSlug: string,
): Promise<MemberRow[]> {
  const { page } = await findTeam(context, idOrSlug, caller);
  const owner: MemberRow = {
    user_id: page.owner_id,
    username: await context.readUsername(page.owner_id),
    role: 'owner',
    joined_at: page.created_at,
  };
  return [owner, ...(await listMembers(context.db, page))];
}

/** The members of a page's team, without its owner. Fails if the page has no team. */
export async function listTeam(
  db: Db,
  page: PageRow,
): Promise<Array<{ userId: number; username: string; role: Role }>> {
  assertHasTeam(page);
  const rows = await listMembers(db, page);
  return rows.map(({ user_id: userId, username, role }) => ({ userId, username, role }));
}

/** A page of a team that the user is in. */
export interface JoinedTeam {
  id: number;
  name: string;
  slug: string;
  role: GrantableRole;
  joined_at: number;
}

/** The pages of teams that the user is in, newest membership first; only those that have a team now. */
export async function readTeams({ db, pages }: TeamsContext, actor: Actor): Promise<JoinedTeam[]> {
  const { userId } = actor;
  const memberships = await listMemberships(db, userId);
  const described = await pages.describe(
    db,
    memberships.map(({ page_id }) => page_id),
    actor,
  );
  return memberships.flatMap(({ page_id, role, joined_at }) => {
    const page = described.get(page_id);
    if (!page || page.owner_id === userId || page.storage_mode !== 'team_app') return [];
    return [{ id: page.id, name: page.name, slug: page.slug, role, joined_at }];
  });
}

/** Gives a member another role. */
export async function changeRole(
  context: TeamsContext,
  caller: SignedInCaller,
  idOrSlug: string,
  userId: number,
  role: GrantableRole,
): Promise<MemberRow> {
  const { pageId, before } = await context.db.transaction().execute(async (tx) => {
    const team = await lockOwnTeam(context, tx, idOrSlug, caller);
    if (userId === team.page.owner_id) throw ownerStays("The owner's role cannot be changed.");
    assertMayManage(team.role, role);
    const member = await requireMember(tx, team, userId);
    assertMayManage(team.role, member.role);
    await putMember(tx, { pageId: team.page.id, userId, role, now: context.now() });
    // An open invite must not give the member the higher role back.
    if (outranks(member.role, role)) await deleteInvites(tx, team.page.id);
    return { pageId: team.page.id, before: member };
  });
  if (before.role !== role) await context.accessChanged(pageId);
  return { ...before, role };
}

/** Removes a member, or lets the caller leave. What they made stays with the team. */
export async function removeMember(
  context: TeamsContext,
  caller: SignedInCaller,
  idOrSlug: string,
  userId: number,
): Promise<void> {
  const pageId = await context.db.transaction().execute(async (tx) => {
    const isLeaving = userId === caller.actor.userId;
    const team = await (isLeaving ? lockTeamToLeave : lockOwnTeam)(context, tx, idOrSlug, caller);
    if (userId === team.page.owner_id) {
      throw ownerStays(
        isLeaving
          ? 'The owner cannot leave the team. Delete the page, or choose another storage mode.'
          : 'The owner cannot be removed from the team.',
      );
    }
    if (!isLeaving) {
      // A person who manages nobody gets this error first, so that it does not reveal who is in the team.
      assertMayManage(team.role, 'viewer');
      assertMayManage(team.role, (await requireMember(tx, team, userId)).role);
      // An open invite must not bring the member back.
      await deleteInvites(tx, team.page.id);
    }
    await deleteMember(tx, team.page.id, userId);
    return team.page.id;
  });
  await context.accessChanged(pageId);
}

async function requireMember(tx: Tx, { page }: Team, userId: number): Promise<MemberRow> {
  const member = await findMemberWithName(tx, page, userId);
  if (!member) throw notFound('This member of the team was not found.');
  return member;
}

function ownerStays(sentence: string): AppError {
  return new AppError('FORBIDDEN', sentence);
}
