import { randomBytes } from 'node:crypto';
import type { Db, Tx } from '../../../platform/storage/index.ts';
import { insertUser } from './store.ts';

/**
 * Invented people who visit a page while it is checked, and are removed afterwards. Nobody can log in as one: no username
 * has a space, and they have no password. Their e-mail address says what they are, for a server that has crashed.
 */

const EMAIL = /^check-of-(\d+)-[0-9a-f]+@invalid$/;
const SOME = 100;

/** Adds somebody who visits this page. Returns their id. */
export async function insertStandIn(
  tx: Tx,
  { name, pageId, now }: { name: string; pageId: number; now: number },
): Promise<number> {
  const mark = randomBytes(8).toString('hex');
  const id = await insertUser(tx, {
    username: `${name} (check ${mark.slice(0, 6)})`,
    email: `check-of-${pageId}-${mark}@invalid`,
    passwordHash: '',
    now,
    isConfirmed: false,
  });
  // Another one has the same six letters.
  return id ?? insertStandIn(tx, { name, pageId, now });
}

/** From now on, the sessions of a stand-in are not valid. */
export async function blockStandIn(db: Db, userId: number, now: number): Promise<void> {
  await db.updateTable('users').set({ suspended_at: now }).where('id', '=', userId).execute();
}

/** Stand-ins that were made before this time, with the page that they visit. */
export async function listStandIns(
  db: Db,
  before: number,
): Promise<Array<{ userId: number; pageId: number }>> {
  const rows = await db
    .selectFrom('users')
    .select(['id', 'email'])
    .where('email', 'like', 'check-of-%@invalid')
    .where('created_at', '<', before)
    .limit(SOME)
    .execute();
  return rows.flatMap(({ id, email }) => {
    const [, page] = EMAIL.exec(email) ?? [];
    return page === undefined ? [] : [{ userId: id, pageId: Number(page) }];
  });
}
