import { MAX_UNCLAIMED_BYTES, MAX_UNCLAIMED_PAGES } from '../../../../contract/pages/anonymous/anonymous.ts';
import { MAX_TRIAL_BYTES, MAX_TRIALS } from '../../../../contract/templates/wishes.ts';
import type { Db } from '../../../platform/storage/index.ts';
import { findUser, insertUser } from './store.ts';

/** An account that owns something until it has an owner. Nobody can log in to it. */
interface Builtin {
  /** No username has a space, and no registered address this domain: nobody can have either, or log in with them. */
  username: string;
  email: string;
  /** Limit what it has on the whole server. */
  quotas: { quota_pages: number; quota_functions?: number; quota_bytes: number };
}

/** How their addresses end. Nobody can register with such an address. */
export const BUILT_IN_DOMAIN = '@invalid';

const ANONYMOUS: Builtin = {
  username: 'anonymous pages',
  email: `anonymous-pages${BUILT_IN_DOMAIN}`,
  quotas: { quota_pages: MAX_UNCLAIMED_PAGES, quota_bytes: MAX_UNCLAIMED_BYTES },
};

/** Pages show its name as that of their visitor. */
const TRIALS: Builtin = {
  username: 'a visitor',
  email: `trials${BUILT_IN_DOMAIN}`,
  quotas: { quota_pages: MAX_TRIALS, quota_functions: MAX_TRIALS, quota_bytes: MAX_TRIAL_BYTES },
};

/**
 * The id of the account that pages belong to until somebody claims them. It is made when it is first needed. Suspending
 * it blocks them all.
 */
export const findAnonymousOwner = (db: Db, now: number) => findOrMake(db, ANONYMOUS, now);

/** The id of the account that owns what people try. Suspending it ends all trials. */
export const findTrialOwner = (db: Db, now: number) => findOrMake(db, TRIALS, now);

/** The id of the account that owns what people try; undefined if nobody has tried anything yet. */
export const peekTrialOwner = async (db: Db) => (await findUser(db, TRIALS.username))?.id;

async function findOrMake(db: Db, builtin: Builtin, now: number): Promise<number> {
  const { username, email, quotas } = builtin;
  const known = await findUser(db, username);
  if (known) return known.id;
  const made = await db.transaction().execute(async (tx) => {
    const id = await insertUser(tx, { username, email, passwordHash: '', now, isConfirmed: false });
    if (id !== undefined) await tx.updateTable('users').set(quotas).where('id', '=', id).execute();
    return id;
  });
  // Another node has just made it.
  return made ?? findOrMake(db, builtin, now);
}
