import type { QuotaBody } from '../../../../contract/admin/users.ts';
import { AppError, notFound } from '../../../lib/errors.ts';
import type { Tx } from '../../../platform/storage/index.ts';
import { type AuditActor, aboutUser, notify, record } from '../actions.ts';
import type { AdminContext, LockedUser } from '../context.ts';

/** What administrators do with a user. Each is one transaction, with its entry in the audit log. */

/** Suspends an account: nobody can log in to it, see its pages or call its functions. */
export async function suspend(
  context: AdminContext,
  auditActor: AuditActor,
  id: number,
  reason: string,
): Promise<void> {
  const { db, now, users, blockOwner } = context;
  assertNotSelf(auditActor, id, 'You cannot suspend your own account. Ask another administrator.');
  const announce = await db.transaction().execute(async (tx) => {
    await users.assertNotLastAdministrator(tx, id);
    const user = await required(context, tx, id);
    const at = user.suspended_at ?? now();
    await users.setSuspended(tx, id, { at, reason });
    await record(context, tx, auditActor, {
      action: 'user.suspend',
      ...aboutUser(user),
      details: { reason },
    });
    await notify(context, tx, user, { kind: 'account suspended', username: user.username, reason });
    return blockOwner(tx, id, at);
  });
  announce();
  users.loginsEnded(id);
}

/** Ends a suspension, and a deletion that is not due yet. Sessions and tokens work again. */
export async function restore(context: AdminContext, auditActor: AuditActor, id: number): Promise<void> {
  const { db, users, blockOwner, baseUrl } = context;
  const announce = await db.transaction().execute(async (tx) => {
    const user = await required(context, tx, id);
    const dueAt = user.removal_due_at;
    // End the suspension first, because the deletion of a suspended account cannot be cancelled.
    await users.setSuspended(tx, id, null);
    const isKept = dueAt !== null && (await users.keep(tx, { userId: id, dueAt })) !== undefined;
    if (user.suspended_at === null && !isKept) return () => undefined;
    await record(context, tx, auditActor, { action: 'user.restore', ...aboutUser(user) });
    await notify(context, tx, user, {
      kind: 'account restored',
      username: user.username,
      link: `${baseUrl}/login`,
    });
    return blockOwner(tx, id, null);
  });
  announce();
}

export async function setAdministrator(
  context: AdminContext,
  auditActor: AuditActor,
  id: number,
  isAdmin: boolean,
): Promise<void> {
  const { db, users } = context;
  await db.transaction().execute(async (tx) => {
    if (!isAdmin) await users.assertNotLastAdministrator(tx, id);
    const user = await required(context, tx, id);
    if ((user.is_admin === 1) === isAdmin) return;
    await users.setAdmin(tx, user.username, isAdmin);
    await record(context, tx, auditActor, {
      action: isAdmin ? 'user.promote' : 'user.demote',
      ...aboutUser(user),
    });
  });
}

/** Sets the quota of a user. What they have already stored stays. */
export async function setQuota(
  context: AdminContext,
  auditActor: AuditActor,
  id: number,
  quota: QuotaBody,
): Promise<void> {
  await context.db.transaction().execute(async (tx) => {
    const user = await required(context, tx, id);
    await context.users.setQuota(tx, id, quota);
    await record(context, tx, auditActor, {
      action: 'user.set_quota',
      ...aboutUser(user),
      details: { ...quota },
    });
  });
}

/** Logs a user out everywhere. */
export async function endSessions(context: AdminContext, auditActor: AuditActor, id: number): Promise<void> {
  await context.db.transaction().execute(async (tx) => {
    const user = await required(context, tx, id);
    await context.users.endLogins(tx, id);
    await record(context, tx, auditActor, { action: 'user.end_sessions', ...aboutUser(user) });
  });
  context.users.loginsEnded(id);
}

/** Blocks the account at once. Returns when it is deleted. */
export async function remove(
  context: AdminContext,
  auditActor: AuditActor,
  id: number,
  isNow: boolean,
): Promise<{ dueAt: number }> {
  const { db, now, returnMs, requestRemoval } = context;
  assertNotSelf(auditActor, id, 'This is your own account. Delete it on the account page.');
  const { userId, username } = auditActor.actor;
  const dueAt = now() + (isNow ? 0 : returnMs);
  const announce = await db.transaction().execute(async (tx) => {
    await required(context, tx, id);
    return requestRemoval(tx, id, { by: { userId, username }, address: auditActor.address, dueAt });
  });
  announce();
  return { dueAt };
}

/** A link that lets the user set a new password, for the administrator to pass on. The audit log does not contain it. */
export function reset(
  context: AdminContext,
  auditActor: AuditActor,
  id: number,
): Promise<{ link: string; expiresAt: number }> {
  assertNotSelf(auditActor, id, 'This is your own account. Change your password on the account page.');
  return context.db.transaction().execute(async (tx) => {
    const user = await required(context, tx, id);
    await record(context, tx, auditActor, { action: 'user.reset', ...aboutUser(user) });
    return context.users.makeResetLink(tx, id);
  });
}

/** Turns off the second factor of a user who has lost their passkeys and recovery codes. */
export async function turnSecondFactorOff(
  context: AdminContext,
  auditActor: AuditActor,
  id: number,
): Promise<void> {
  assertNotSelf(auditActor, id, 'This is your own account. Turn the second factor off on the account page.');
  await context.db.transaction().execute(async (tx) => {
    const user = await required(context, tx, id);
    if (!(await context.users.clearSecondFactor(tx, id))) return;
    await record(context, tx, auditActor, { action: 'user.second_factor_off', ...aboutUser(user) });
  });
}

/** Gives a user credits. Returns the new balance. */
export function grantCredits(
  context: AdminContext,
  auditActor: AuditActor,
  id: number,
  { credits, reason }: { credits: number; reason: string },
): Promise<number> {
  return context.db.transaction().execute(async (tx) => {
    const user = await required(context, tx, id);
    const balance = await context.grantCredits(tx, id, credits, reason);
    if (balance === undefined) throw notFound('This user was not found.');
    const details = { credits, reason };
    await record(context, tx, auditActor, { action: 'user.grant_credits', ...aboutUser(user), details });
    return balance;
  });
}

async function required({ users }: AdminContext, tx: Tx, id: number): Promise<LockedUser> {
  const user = await users.lock(tx, id);
  if (!user) throw notFound('This user was not found.');
  return user;
}

function assertNotSelf({ actor }: AuditActor, id: number, sentence: string): void {
  if (actor.userId === id) throw new AppError('CONFLICT', sentence);
}
