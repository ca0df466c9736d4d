import { fault } from '../../../../contract/errors.ts';
import { AppError } from '../../../lib/errors.ts';
import type { Limit } from '../../../platform/coordination/limits/index.ts';
import type { Actor } from '../../../platform/http/index.ts';
import type { Mail } from '../../../platform/mail/index.ts';
import { type Db, storageFailure, type Tx } from '../../../platform/storage/index.ts';
import type { SecurityNotices } from '../logins/notices.ts';
import type { ProveItIsYou } from '../logins/reauthenticate.ts';
import { deleteLinks, spendLink } from '../model/link-store.ts';
import { confirmEmail, findUserById, isTaken, type KnownUser, lockUser, setEmail } from '../model/store.ts';
import { linkGone, makeLink, readLink } from './links.ts';

/** The dependencies of changing and confirming an address. */
export interface EmailContext {
  db: Db;
  now: () => number;
  baseUrl: string;
  mail: Mail;
  notices: SecurityNotices;
  proveItIsYou: ProveItIsYou;
  /** How often a user can have a link sent that confirms an address. */
  mailLimit: Limit;
}

/** Sends a link that confirms the current or the new address of an account. False if it is not sent. */
export async function sendConfirmation(
  { mail, baseUrl, now }: Pick<EmailContext, 'mail' | 'baseUrl' | 'now'>,
  tx: Tx,
  { id, username }: Pick<KnownUser, 'id' | 'username'>,
  email: string,
): Promise<boolean> {
  if (!mail.isConfigured) return false;
  const { link, expiresAt } = await makeLink(tx, { baseUrl, now }, { kind: 'confirm', userId: id, email });
  const message = { kind: 'confirm address', username, link } as const;
  return mail.send(tx, { to: email, userId: id, message, expiresAt });
}

/** Sends a link that confirms an address, and fails if it is not sent: somebody waits for it. */
export async function requireConfirmation(
  context: EmailContext,
  tx: Tx,
  user: Pick<KnownUser, 'id' | 'username'>,
  email: string,
): Promise<void> {
  if (await sendConfirmation(context, tx, user, email)) return;
  throw new AppError(
    'RATE_LIMITED',
    'Too much mail was sent to this address. Try again in an hour.',
    {},
    {
      headers: { 'retry-after': '3600' },
    },
  );
}

/** Changes the address, or, if the server sends mail, asks its owner to confirm it. True if it is changed. */
export async function changeEmail(
  context: EmailContext,
  actor: Actor,
  given: { email: string; password?: string | undefined },
  address: string,
): Promise<boolean> {
  const { db, mail, proveItIsYou, mailLimit } = context;
  const user = await proveItIsYou(actor, given, address);
  if (given.email === user.email) throw new AppError('CONFLICT', 'This is already your address.');
  // The limit comes before the response that reveals whether an account exists, so nobody can try a list of addresses.
  await mailLimit.take(String(user.id));
  if (await isTaken(db, 'email', given.email)) throw emailTaken();
  await db.transaction().execute(async (tx) => {
    if (mail.isConfigured) await requireConfirmation(context, tx, user, given.email);
    else await moveTo(context, tx, user, { email: given.email, isConfirmed: false });
  });
  return !mail.isConfigured;
}

/** Confirms an address with its link, which is used up. It logs nobody in. */
export async function confirmAddress(context: EmailContext, code: string): Promise<KnownUser> {
  const { db, now } = context;
  const { user: found, email, secretHash } = await readLink(db, 'confirm', code, now());
  return db
    .transaction()
    .execute(async (tx) => {
      await lockUser(tx, found.id);
      if (!(await spendLink(tx, secretHash))) throw linkGone();
      const user = (await findUserById(tx, found.id)) ?? found;
      if (email === user.email) await confirmEmail(tx, user.id, email, now());
      else await moveTo(context, tx, user, { email, isConfirmed: true });
      return { ...user, email };
    })
    .catch((error: unknown) => {
      // Somebody may have registered with the address since the link was sent.
      throw storageFailure(error) === 'unique violation' ? emailTaken() : error;
    });
}

/** Sets the new address, ends links that went to the old one, and sends its owner a notice. */
async function moveTo(
  { notices, now }: EmailContext,
  tx: Tx,
  user: KnownUser,
  { email, isConfirmed }: { email: string; isConfirmed: boolean },
): Promise<void> {
  // A user with a confirmed address before has proven to be the owner since then: see `deleteUnprovenWaysIn`.
  const confirmedAt = isConfirmed ? (user.email_confirmed_at ?? now()) : null;
  await setEmail(tx, user.id, { email, confirmedAt });
  await deleteLinks(tx, user.id);
  await notices.send(tx, user, { kind: 'email changed', newEmail: email });
}

function emailTaken(): AppError {
  return new AppError(
    'CONFLICT',
    'Another account has this e-mail address. Use another one.',
    {},
    {
      details: [fault('email', 'belongs to an account')],
    },
  );
}
