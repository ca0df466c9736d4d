import type { InviteBody } from '../../../contract/teams.ts';
import { notFound } from '../../lib/errors.ts';
import { hashSecret, randomSecret } from '../../lib/secrets.ts';
import { toTimestamp } from '../../lib/timestamp.ts';
import type { Actor } from '../../platform/http/index.ts';
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

/** Makes a link by which others join a page's team. Only its hash is kept, so it is shown once. */
export async function createInvite(context: TeamsContext, actor: Actor, idOrSlug: string, wish: InviteBody) {
  const { db, now, baseUrl } = context;
  const code = randomSecret();
  const expiresAt = now() + wish.expiresInDays * DAY_MS;
  await db.transaction().execute(async (tx) => {
    const { page, role } = await lockTeam(context, tx, idOrSlug, actor);
    assertMayManage(role, wish.role);
    await deleteExpiredInvites(tx, now(), page.id);
    await assertFewer(tx, 'team_invites', page.id);
    await insertInvite(tx, {
      code_hash: hashSecret(code),
      id: Bun.randomUUIDv7('hex', now()),
      page_id: page.id,
      created_by: actor.userId,
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

/** The invites by which people could still join, without their codes, for those who may make some. */
export async function readInvites(
  context: TeamsContext,
  actor: Actor,
  idOrSlug: string,
): Promise<ListedInvite[]> {
  const { page, role } = await findTeam(context, idOrSlug, actor);
  assertMayManage(role, 'viewer');
  return listInvites(context.db, page.id, context.now());
}

/** Takes an invite back: nobody joins by it any more. Whoever could not have made it cannot end it. */
export async function revokeInvite(
  context: TeamsContext,
  actor: Actor,
  idOrSlug: string,
  id: string,
): Promise<void> {
  await context.db.transaction().execute(async (tx) => {
    const { page, role } = await lockTeam(context, tx, idOrSlug, actor);
    // Whoever manages nobody hears that first, and not which invites there are.
    assertMayManage(role, 'viewer');
    const invite = await findInviteRole(tx, page.id, id);
    if (!invite) throw notFound('This invite');
    assertMayManage(role, invite.role);
    await deleteInvite(tx, page.id, id);
  });
}
