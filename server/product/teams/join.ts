import type { GrantableRole, Role } from '../../../contract/roles.ts';
import { AppError } from '../../lib/errors.ts';
import { hashSecret } from '../../lib/secrets.ts';
import type { Actor } from '../../platform/http/index.ts';
import type { PageRow } from '../../platform/storage/index.ts';
import type { TeamsContext } from './context.ts';
import { assertFewer } from './limits.ts';
import { assertHasTeam, outranks } from './rules.ts';
import { findInvite, type InviteRow, putMember, spendInvite } from './store.ts';
import { toPage } from './wire.ts';

/** An invite as the person with its code sees it. */
export interface Invitation {
  page: PageRow;
  ownerName: string;
  /** The role that the invite gives. */
  offered: GrantableRole;
  /** The current role of the person in the team. */
  held: Role | undefined;
}

/** Reads an invite without using it. */
export async function readInvitation(
  { db, now, pages, readUsername }: TeamsContext,
  actor: Actor | undefined,
  code: string,
): Promise<Invitation> {
  const invite = await findInvite(db, hashSecret(code), now());
  const page = invite && (await pages.find(db, String(invite.page_id)));
  if (!invite || !page) throw noInvite();
  const held = await pages.resolveRole(db, page, actor);
  if (gainsBy(invite, held) && isUsedUp(invite)) throw noInvite();
  assertHasTeam(page);
  const shown = await pages.introduce(db, page, { actor }, invite.role);
  return { page: shown, ownerName: await readUsername(page.owner_id), offered: invite.role, held };
}

/** True if using the invite would give the person a higher role. Otherwise it costs no use. */
export function gainsBy(invite: { role: GrantableRole }, held: Role | undefined): boolean {
  return held === undefined || outranks(invite.role, held);
}

/**
 * Joins the team, or raises the role. A role is never lowered, and an invite that changes nothing is not
 * used.
 */
export async function join(context: TeamsContext, actor: Actor, code: string) {
  const { db, now, pages } = context;
  const codeHash = hashSecret(code);
  const { page } = await readInvitation(context, actor, code);
  const { role, isNew } = await db.transaction().execute(async (tx) => {
    // 1. Lock the team.
    const locked = await pages.lock(tx, page.id);
    const invite = await findInvite(tx, codeHash, now());
    if (!locked || !invite) throw noInvite();
    assertHasTeam(locked);
    // 2. A role that the person already has costs no use.
    const held = await pages.resolveRole(tx, locked, actor);
    if (held !== undefined && !gainsBy(invite, held)) return { role: held, isNew: false };
    if (held === undefined) await assertFewer(tx, 'team_members', page.id);
    // 3. Take one use of the invite, if there is one.
    if (!(await spendInvite(tx, codeHash))) throw noInvite();
    await putMember(tx, { pageId: page.id, userId: actor.userId, role: invite.role, now: now() });
    return { role: invite.role, isNew: true };
  });
  if (isNew) await context.accessChanged(page.id);
  return { success: true, type: 'team', role, page: toPage(page) } as const;
}

function isUsedUp({ uses, max_uses }: InviteRow): boolean {
  return max_uses !== null && uses >= max_uses;
}

function noInvite(): AppError {
  return new AppError('NOT_FOUND', 'This invite is unknown, has expired or is used up. Ask for a new one.');
}
