import type { PasswordChange } from '../../../../contract/accounts/accounts.ts';
import { accountEndpoints } from '../../../../contract/accounts/own-account-endpoints.ts';
import { fault } from '../../../../contract/errors.ts';
import { done } from '../../../../contract/fields.ts';
import { AppError } from '../../../lib/errors.ts';
import { toTimestamp } from '../../../lib/timestamp.ts';
import { type Actor, handle, type Route } from '../../../platform/http/index.ts';
import { changeEmail, confirmAddress, type EmailContext, requireConfirmation } from '../links/email.ts';
import type { ForgottenPasswords } from '../links/forgotten.ts';
import { type ResetContext, resetPassword } from '../links/reset.ts';
import { findWantedEmail } from '../model/link-store.ts';
import { replacePassword } from '../model/replace-password.ts';
import { findUserById, type KnownUser } from '../model/store.ts';
import { changeUsername, type UsernameContext } from './username.ts';

interface OwnAccountContext extends EmailContext, ResetContext, UsernameContext {
  forgotten: ForgottenPasswords;
}

/** What people see and change about their own account. */
export function ownAccountRoutes(context: OwnAccountContext): Route[] {
  return [accountRoute(context), ...changeRoutes(context), ...emailRoutes(context), ...lostRoutes(context)];
}

function accountRoute(context: OwnAccountContext): Route {
  const { db, now, mail } = context;
  return handle(accountEndpoints.getAccount, async ({ actor }) => {
    const user = await requireUser(context, actor);
    const { username, email } = user;
    return {
      username,
      email,
      emailConfirmed: user.email_confirmed_at !== null,
      pendingEmail: (await findWantedEmail(db, user.id, { current: email, now: now() })) ?? null,
      hasPassword: user.password_hash !== '',
      needsSecondFactor: user.needs_second_factor === 1,
      isAdmin: user.is_admin === 1,
      createdAt: toTimestamp(user.created_at),
      sendsMail: mail.isConfigured,
    };
  });
}

function changeRoutes(context: OwnAccountContext): Route[] {
  return [
    handle(accountEndpoints.changePassword, async ({ body, actor, address }) => {
      await changePassword(context, actor, body, address);
      return done('Your password is changed, and you are logged out everywhere else.');
    }),
    handle(accountEndpoints.changeUsername, async ({ body, actor, address }) => {
      await changeUsername(context, actor, body, address);
      return done(`Your username is now ${body.username}.`);
    }),
  ];
}

function emailRoutes(context: OwnAccountContext): Route[] {
  return [
    handle(accountEndpoints.changeEmail, async ({ body, actor, address }) => {
      const isChanged = await changeEmail(context, actor, body, address);
      const message = isChanged
        ? `Your e-mail address is ${body.email} now.`
        : `Open the link that we sent to ${body.email}. Your address changes then.`;
      return { ...done(message), isChanged };
    }),
    handle(accountEndpoints.sendConfirmation, async ({ actor }) => {
      const { email } = await resendConfirmation(context, actor);
      return done(`Open the link that we sent to ${email}.`);
    }),
    handle(accountEndpoints.confirmEmail, async ({ body }) => {
      const { email } = await confirmAddress(context, body.code);
      return done(`The address ${email} is confirmed.`);
    }),
  ];
}

/** Routes for people who cannot log in. */
function lostRoutes(context: OwnAccountContext): Route[] {
  return [
    handle(accountEndpoints.forgotPassword, async ({ body, address }) => {
      await context.forgotten.request(body.username, address);
      return done(
        context.forgotten.sendsLinks
          ? 'If there is such an account, a link is on its way to its e-mail address. It works for one hour.'
          : 'This server does not send mail. If there is such an account, its administrators now see that it needs a new password, and can give you a link.',
      );
    }),
    handle(accountEndpoints.resetPassword, async ({ body, address }) => {
      const { username } = await resetPassword(context, body, address);
      return done(`The password of ${username} is changed. Log in with it.`);
    }),
  ];
}

/** Changes the password, and ends everything made with the old one except this session. */
async function changePassword(
  context: OwnAccountContext,
  actor: Actor,
  given: PasswordChange,
  address: string,
): Promise<void> {
  const { db, proveItIsYou, passwords, disconnectApps, loginsEnded, notices } = context;
  const { userId, sessionId: exceptSession } = actor;
  const { password_hash: hash } = await requireUser(context, actor);
  if (hash !== '' && !given.current)
    throw new AppError(
      'BAD_REQUEST',
      'current: must be your current password.',
      {},
      {
        details: [fault('current', 'is needed')],
      },
    );
  await proveItIsYou(actor, { password: given.current }, address);
  const passwordHash = await passwords.hash(given.next, address);
  await db.transaction().execute(async (tx) => {
    await replacePassword(tx, { userId, passwordHash, exceptSession }, disconnectApps);
    await notices.sendTo(tx, userId, { kind: 'password changed' }, address);
  });
  loginsEnded(userId);
}

async function resendConfirmation(context: OwnAccountContext, actor: Actor): Promise<KnownUser> {
  const { db, mail, mailLimit } = context;
  if (!mail.isConfigured) throw new AppError('NOT_INSTALLED', 'This server does not send mail.');
  const user = await requireUser(context, actor);
  if (user.email_confirmed_at !== null)
    throw new AppError('CONFLICT', 'Your e-mail address is already confirmed.');
  await mailLimit.take(String(user.id));
  await db.transaction().execute((tx) => requireConfirmation(context, tx, user, user.email));
  return user;
}

async function requireUser({ db }: OwnAccountContext, { userId }: Actor): Promise<KnownUser> {
  const user = await findUserById(db, userId);
  if (!user) throw new AppError('UNAUTHORIZED', 'This account was deleted just now.');
  return user;
}
