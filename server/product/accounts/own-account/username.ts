import { phrase, type Text } from '../../../../contract/rules/texts/fill.ts';
import { AppError } from '../../../lib/errors.ts';
import type { Actor } from '../../../platform/http/index.ts';
import { type Db, storageFailure, type Tx } from '../../../platform/storage/index.ts';
import type { ProveItIsYou } from '../logins/reauthenticate.ts';
import { keepOldName, listOldNames, lockUser, readUsername, setUsername } from '../model/store.ts';
import { assertNameFree } from '../registration/register.ts';

/** Changes what other slices store about a user by name. */
export type RenamePerson = (tx: Tx, from: string, to: string) => Promise<void>;

export interface UsernameContext {
  db: Db;
  now: () => number;
  proveItIsYou: ProveItIsYou;
  renamePerson: RenamePerson;
  loginsEnded(userId: number): void;
}

/** How long an old name is kept for the account that had it, so that nobody can impersonate its former user. */
const KEEP_OLD_NAME_MS = 365 * 24 * 3600 * 1000;
/** How many old names an account can keep, so that nobody can collect names. */
const MAX_OLD_NAMES = 3;

export async function changeUsername(
  context: UsernameContext,
  actor: Actor,
  given: { username: string; password?: string | undefined },
  address: string,
): Promise<void> {
  const { db, now, proveItIsYou, renamePerson, loginsEnded } = context;
  const { id } = await proveItIsYou(actor, given, address);
  const to = given.username;
  await db
    .transaction()
    .execute(async (tx) => {
      // Of two changes at once, the second begins with the name that the first one set.
      await lockUser(tx, id);
      const from = await readUsername(tx, id);
      if (to === from) return;
      const isTrusted = actor.isAdmin || (await listOldNames(tx, id, now())).includes(to);
      await assertNameFree(tx, to, { now: now(), userId: id, isTrusted });
      await assertNamesLeft(tx, id, to, now());
      await setUsername(tx, id, to);
      await keepOldName(tx, { userId: id, username: from, until: now() + KEEP_OLD_NAME_MS, reused: to });
      await renamePerson(tx, from, to);
    })
    .catch((error: unknown) => {
      if (storageFailure(error) === 'unique violation')
        throw new AppError('CONFLICT', 'The username {name} was taken just now. Choose another.', {
          name: to,
        });
      throw error;
    });
  loginsEnded(id);
}

async function assertNamesLeft(db: Db, userId: number, to: string, now: number): Promise<void> {
  const old = (await listOldNames(db, userId, now)).filter((name) => name !== to);
  if (old.length >= MAX_OLD_NAMES)
    throw new AppError(
      'QUOTA_EXCEEDED',
      'You changed your username {count} times within a year. Use one of your old names again, {old}, or wait.',
      { count: MAX_OLD_NAMES, old: joinWithOr(old) },
    );
}

function joinWithOr(names: string[]): string | Text {
  const [last = '', ...others] = names.toReversed();
  if (others.length === 0) return last;
  return phrase('{others} or {last}', { others: others.toReversed().join(', '), last });
}
