import type { GrantableRole } from '../../../contract/roles.ts';
import type { Invite, InviteBody, MailedInvite, MailedInviteBody } from '../../../contract/teams/teams.ts';
import { AppError, notFound } from '../../lib/errors.ts';
import { hashSecret, randomSecret } from '../../lib/secrets.ts';
import { toTimestamp } from '../../lib/timestamp.ts';
import type { SignedInCaller } from '../../platform/http/index.ts';
import type { PageRow, Tx } from '../../platform/storage/index.ts';
import type { TeamsContext } from './context.ts';
import { assertFewer } from './limits.ts';
import { assertMayManage, findTeam, lockOwnTeam, lockTeam } from './rules.ts';
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
): Promise<Invite> {
  return (await makeInvite(context, caller, idOrSlug, wish)).invite;
}

/** Creates an invite and sends its link by mail. The link is still shown: the mail limit may be reached. */
export async function sendInvite(
  context: TeamsContext,
  caller: SignedInCaller,
  idOrSlug: string,
  wish: MailedInviteBody,
): Promise<MailedInvite> {
  if (!context.mail.isConfigured) throw new AppError('NOT_INSTALLED', 'This server does not send mail.');
  const { invite, isMailed } = await makeInvite(context, caller, idOrSlug, wish);
  return { ...invite, email: wish.email, isMailed };
}

async function makeInvite(
  context: TeamsContext,
  caller: SignedInCaller,
  idOrSlug: string,
  wish: InviteBody & { email?: string },
): Promise<{ invite: Invite; isMailed: boolean }> {
  const { db, now, baseUrl } = context;
  const code = randomSecret();
  const expiresAt = now() + wish.expiresInDays * DAY_MS;
  const inviteUrl = `${baseUrl}/join/${code}`;
  const isMailed = await db.transaction().execute(async (tx) => {
    const { page, role } = await lockOwnTeam(context, tx, idOrSlug, caller);
    assertMayManage(role, wish.role);
    await deleteExpiredInvites(tx, now(), page.id);
    await assertFewer(tx, 'team_invites', page.id);
    const letter = { page, role: wish.role, link: inviteUrl, expiresAt, invitedBy: caller.actor.username };
    const isSent = wish.email !== undefined && (await mailInvite(context, tx, wish.email, letter));
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
      email: isSent ? wish.email : null,
    });
    return isSent;
  });
  return {
    invite: { inviteCode: code, inviteUrl, role: wish.role, expiresAt: toTimestamp(expiresAt) },
    isMailed,
  };
}

interface Letter {
  page: Pick<PageRow, 'name' | 'owner_id'>;
  role: GrantableRole;
  link: string;
  expiresAt: number;
  invitedBy: string;
}

/** Sends the mail of an invite. It counts towards the owner's limit, so that a team cannot send more. */
function mailInvite({ mail }: TeamsContext, tx: Tx, to: string, { page, ...rest }: Letter): Promise<boolean> {
  const message = { kind: 'team invite', pageName: page.name, ...rest } as const;
  return mail.send(tx, { to, message, userId: page.owner_id, expiresAt: rest.expiresAt });
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
    if (!invite) throw notFound('This invite was not found.');
    assertMayManage(role, invite.role);
    await deleteInvite(tx, page.id, id);
  });
}
