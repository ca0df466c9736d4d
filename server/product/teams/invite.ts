import type { InviteBody } from '../../../contract/teams.ts';
import { notFound } from '../../lib/errors.ts';
import { hashSecret, randomSecret } from '../../lib/secrets.ts';
import { toTimestamp } from '../../lib/timestamp.ts';
import type { SignedInCaller } from '../../platform/http/index.ts';
import type { TeamsContext } from './context.ts';
import { assertFewer } from './limits.ts';
import { assertMayManage, findTeam, lockTeam } from './rules.ts';
import {
  deleteExpiredInvites,
  deleteInvite,
  findInviteRole,
  insertInvite,
  type ListedInvite,
  listInvites,
} from './store.ts';

const DAY_MS = 24 * 3600 * 1000;

/** Creates a link to join a page's team. Only its hash is stored, so it is shown once. */
export async function createInvite(
  context: TeamsContext,
  caller: SignedInCaller,
  idOrSlug: string,
  wish: InviteBody,
) {
  const { db, now, baseUrl } = context;
  const code = randomSecret();
  const expiresAt = now() + wish.expiresInDays * DAY_MS;
  await db.transaction().execute(async (tx) => {
    const { page, role } = await lockTeam(context, tx, idOrSlug, caller);
    assertMayManage(role, wish.role);
    await deleteExpiredInvites(tx, now(), page.id);
    await assertFewer(tx, 'team_invites', page.id);
    await insertInvite(tx, {
      code_hash: hashSecret(code),
      id: Bun.randomUUIDv7('hex', now()),
      page_id: page.id,
      created_by: caller.actor.userId,
      role: wish.role,
      uses: 0,
      max_uses: wish.maxUses ?? null,
      created_at: now(),
      expires_at: expiresAt,
    });
  });
  return {
    inviteCode: code,
    inviteUrl: `${baseUrl}/join/${code}`,
    role: wish.role,
    expiresAt: toTimestamp(expiresAt),
  };
}

/** The open invites, without their codes, for people who can create some. */
export async function readInvites(
  context: TeamsContext,
  caller: SignedInCaller,
  idOrSlug: string,
): Promise<ListedInvite[]> {
  const { page, role } = await findTeam(context, idOrSlug, caller);
  assertMayManage(role, 'viewer');
  return listInvites(context.db, page.id, context.now());
}

/** Revokes an invite. Only a person who could have created it can revoke it. */
export async function revokeInvite(
  context: TeamsContext,
  caller: SignedInCaller,
  idOrSlug: string,
  id: string,
): Promise<void> {
  await context.db.transaction().execute(async (tx) => {
    const { page, role } = await lockTeam(context, tx, idOrSlug, caller);
    // A person who manages nobody gets this error first, so that it does not reveal which invites exist.
    assertMayManage(role, 'viewer');
    const invite = await findInviteRole(tx, page.id, id);
    if (!invite) throw notFound('This invite');
    assertMayManage(role, invite.role);
    await deleteInvite(tx, page.id, id);
  });
}
