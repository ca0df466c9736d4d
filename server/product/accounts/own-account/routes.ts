import { PasswordChange } from '../../../../contract/accounts/accounts.ts';
import {
  Account,
  AddressConfirmation,
  EmailChange,
  EmailChanged,
  ForgottenPassword,
  PasswordReset,
  UsernameChange,
} from '../../../../contract/accounts/own-account.ts';
import { Done } from '../../../../contract/fields.ts';
import { AppError } from '../../../lib/errors.ts';
import { toTimestamp } from '../../../lib/timestamp.ts';
import { type Actor, type Route, route, signedIn } from '../../../platform/http/index.ts';
import type { AccountsContext } from '../context.ts';
import { changeEmail, confirmAddress, requireConfirmation } from '../links/email.ts';
import { findWantedEmail } from '../links/link-store.ts';
import { resetPassword } from '../links/reset.ts';
import { findUserById, type KnownUser } from '../store.ts';
import { replacePassword } from './password-change.ts';
import { changeUsername } from './username.ts';

/** What people see and change about their own account. */
export function ownAccountRoutes(context: AccountsContext): Route[] {
  return [accountRoute(context), ...changeRoutes(context), ...emailRoutes(context), ...lostRoutes(context)];
}

function accountRoute(context: AccountsContext): Route {
  const { db, now, mail } = context;
  return route({
    method: 'GET',
    path: '/api/auth/account',
    operationId: 'getAccount',
    access: { kind: 'account' },
    summary: 'Your account: your username and address, and how you log in',
    response: Account,
    async handle({ actor }) {
      const user = await userOf(context, signedIn(actor));
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
    },
  });
}

function changeRoutes(context: AccountsContext): Route[] {
  return [
    route({
      method: 'POST',
      path: '/api/auth/password',
      operationId: 'changePassword',
      failures: ['INVALID_CREDENTIALS', 'FORBIDDEN'],
      access: { kind: 'account' },
      summary: 'Change your password; ends your other sessions and logins, with the tokens they made',
      body: PasswordChange,
      response: Done,
      async handle({ body, actor, address }) {
        await changePassword(context, signedIn(actor), body, address);
        return {
          success: true,
          message: 'Your password is changed, and you are logged out everywhere else.',
        };
      },
    }),
    route({
      method: 'POST',
      path: '/api/auth/username',
      operationId: 'changeUsername',
      failures: ['CONFLICT', 'INVALID_CREDENTIALS', 'FORBIDDEN', 'QUOTA_EXCEEDED'],
      access: { kind: 'account' },
      summary: 'Change your username; the old one stays reserved for you for a year',
      body: UsernameChange,
      response: Done,
      async handle({ body, actor, address }) {
        await changeUsername(context, signedIn(actor), body, address);
        return { success: true, message: `Your username is now ${body.username}.` };
      },
    }),
  ];
}

function emailRoutes(context: AccountsContext): Route[] {
  return [
    route({
      method: 'POST',
      path: '/api/auth/email',
      operationId: 'changeEmail',
      failures: ['CONFLICT', 'INVALID_CREDENTIALS', 'FORBIDDEN'],
      access: { kind: 'account' },
      summary: 'Change your e-mail address; it changes when you open the link that is sent there',
      body: EmailChange,
      response: EmailChanged,
      async handle({ body, actor, address }) {
        const isChanged = await changeEmail(context, signedIn(actor), body, address);
        const message = isChanged
          ? `Your e-mail address is ${body.email} now.`
          : `Open the link that we sent to ${body.email}. Your address changes then.`;
        return { success: true, message, isChanged };
      },
    }),
    route({
      method: 'POST',
      path: '/api/auth/email/confirmation',
      operationId: 'sendConfirmation',
      failures: ['CONFLICT', 'NOT_INSTALLED'],
      access: { kind: 'account' },
      summary: 'Send yourself a link that confirms your e-mail address',
      response: Done,
      async handle({ actor }) {
        const { email } = await resendConfirmation(context, signedIn(actor));
        return { success: true, message: `Open the link that we sent to ${email}.` };
      },
    }),
    route({
      method: 'POST',
      path: '/api/auth/email/confirm',
      operationId: 'confirmEmail',
      failures: ['NOT_FOUND', 'CONFLICT'],
      access: { kind: 'public' },
      summary: 'Confirm an e-mail address with the code of its link',
      body: AddressConfirmation,
      response: Done,
      async handle({ body }) {
        const { email } = await confirmAddress(context, body.code);
        return { success: true, message: `The address ${email} is confirmed.` };
      },
    }),
  ];
}

/** For people who cannot log in. */
function lostRoutes(context: AccountsContext): Route[] {
  return [
    route({
      method: 'POST',
      path: '/api/auth/forgot',
      operationId: 'forgotPassword',
      failures: ['NOT_INSTALLED', 'UNAVAILABLE'],
      access: { kind: 'public' },
      summary: 'Get a link by mail to set a new password; the answer is the same if there is no such account',
      body: ForgottenPassword,
      response: Done,
      async handle({ body, address }) {
        await context.forgotten.request(body.username, address);
        return {
          success: true,
          message:
            'If there is such an account, a link is on its way to its e-mail address. It works for one hour.',
        };
      },
    }),
    route({
      method: 'POST',
      path: '/api/auth/reset',
      operationId: 'resetPassword',
      failures: ['NOT_FOUND'],
      access: { kind: 'public' },
      summary: 'Set a new password with the code of a link; ends all sessions, tokens and connected apps',
      body: PasswordReset,
      response: Done,
      async handle({ body, address }) {
        const { username } = await resetPassword(context, body, address);
        return { success: true, message: `The password of ${username} is changed. Log in with it.` };
      },
    }),
  ];
}

/** Changes the password, and ends everything that the old one opened except this session. */
async function changePassword(
  context: AccountsContext,
  actor: Actor,
  given: PasswordChange,
  address: string,
): Promise<void> {
  const { db, proveItIsYou, passwords, disconnectApps, loginsEnded, notices } = context;
  const { userId, sessionId: exceptSession } = actor;
  const { password_hash: hash } = await userOf(context, actor);
  if (hash !== '' && !given.current)
    throw new AppError('BAD_REQUEST', 'current: must be your current password.', {
      details: [{ path: 'current', message: 'is needed' }],
    });
  await proveItIsYou(actor, { password: given.current }, address);
  const passwordHash = await passwords.hash(given.next, address);
  await db.transaction().execute(async (tx) => {
    await replacePassword(tx, { userId, passwordHash, exceptSession }, disconnectApps);
    await notices.sendTo(tx, userId, { kind: 'password changed' }, address);
  });
  loginsEnded(userId);
}

async function resendConfirmation(context: AccountsContext, actor: Actor): Promise<KnownUser> {
  const { db, mail, mailLimit } = context;
  if (!mail.isConfigured) throw new AppError('NOT_INSTALLED', 'This server does not send mail.');
  const user = await userOf(context, actor);
  if (user.email_confirmed_at !== null)
    throw new AppError('CONFLICT', 'Your e-mail address is already confirmed.');
  await mailLimit.take(String(user.id));
  await db.transaction().execute((tx) => requireConfirmation(context, tx, user, user.email));
  return user;
}

async function userOf({ db }: AccountsContext, { userId }: Actor): Promise<KnownUser> {
  const user = await findUserById(db, userId);
  if (!user) throw new AppError('UNAUTHORIZED', 'This account was deleted just now.');
  return user;
}
