import { MAX_UNCLAIMED_BYTES, MAX_UNCLAIMED_PAGES } from '../../../../contract/pages/anonymous/anonymous.ts';
import type { Db } from '../../../platform/storage/index.ts';
import { findUser, insertUser } from './store.ts';

/** No username has a space, and no registered address this domain: nobody can have either, or log in with them. */
const USERNAME = 'anonymous pages';
const EMAIL = 'anonymous-pages@invalid';

/**
 * The id of the account that pages belong to until somebody claims them. It is made when it is first needed. Its quota
 * limits these pages on the whole server, and suspending it blocks them all. Administrators can do both.
 */
export async function findAnonymousOwner(db: Db, now: number): Promise<number> {
  const known = await findUser(db, USERNAME);
  if (known) return known.id;
  const made = await db.transaction().execute(async (tx) => {
    const user = { username: USERNAME, email: EMAIL, passwordHash: '', now, isConfirmed: false };
    const id = await insertUser(tx, user);
    if (id !== undefined)
      await tx
        .updateTable('users')
        .set({ quota_pages: MAX_UNCLAIMED_PAGES, quota_bytes: MAX_UNCLAIMED_BYTES })
        .where('id', '=', id)
        .execute();
    return id;
  });
  // Another node has just made it.
  return made ?? findAnonymousOwner(db, now);
}
