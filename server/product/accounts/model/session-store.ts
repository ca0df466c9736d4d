import { AppError } from '../../../lib/errors.ts';
import type { Actor } from '../../../platform/http/index.ts';
import { type Db, firstRow, type LoginMethod, statement, type Tx } from '../../../platform/storage/index.ts';
import { assertNotBlocked, USER } from './store.ts';
import { extendPersonalTokens, lockLogin, sessionFamily } from './token-store.ts';

/** SQL for login sessions. */

export async function insertSession(
  db: Db,
  session: {
    userId: number;
    secretHash: string;
    userAgent: string;
    address: string;
    method: LoginMethod;
    now: number;
    expiresAt: number;
  },
): Promise<number> {
  await assertNotBlocked(db, session.userId);
  const { id } = await db
    .insertInto('login_sessions')
    .values({
      user_id: session.userId,
      secret_hash: session.secretHash,
      user_agent: session.userAgent,
      address: session.address,
      method: session.method,
      created_at: session.now,
      last_seen_at: session.now,
      expires_at: session.expiresAt,
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}

/** The valid session with this secret or id, and its user. */
const liveSessions = (db: Db, now: number) =>
  db
    .selectFrom('login_sessions')
    .innerJoin('users', 'users.id', 'login_sessions.user_id')
    .select(['login_sessions.id as session_id', 'login_sessions.last_seen_at', ...USER])
    .where('login_sessions.expires_at', '>', now)
    // Suspended accounts keep their sessions and tokens, which work again after the suspension.
    .where('users.suspended_at', 'is', null)
    .where('users.removal_due_at', 'is', null);
const sessionById = statement((db, id: number, now: number) =>
  liveSessions(db, now).where('login_sessions.id', '=', id),
);
const sessionBySecret = statement((db, secretHash: string, now: number) =>
  liveSessions(db, now).where('login_sessions.secret_hash', '=', secretHash),
);

export function findSession(db: Db, by: { secretHash: string } | { id: number }, now: number) {
  return firstRow('id' in by ? sessionById(db, by.id, now) : sessionBySecret(db, by.secretHash, now));
}

export async function touchSession(db: Db, id: number, now: number, expiresAt: number): Promise<void> {
  await db
    .updateTable('login_sessions')
    .set({ last_seen_at: now, expires_at: expiresAt })
    .where('id', '=', id)
    .execute();
  await extendPersonalTokens(db, sessionFamily(id), expiresAt);
}

/** When the login behind a session happened. */
export async function sessionStartedAt(db: Db, id: number): Promise<number | undefined> {
  const query = db.selectFrom('login_sessions').select('created_at').where('id', '=', id);
  return (await query.executeTakeFirst())?.created_at;
}

/**
 * Fails if the session has ended since the request began, because a request can wait for a long time. Until the
 * transaction ends, the session does not.
 */
export async function assertSessionStands(
  tx: Tx,
  { sessionId }: Pick<Actor, 'sessionId'>,
  now: number,
): Promise<void> {
  if (sessionId !== undefined && (await lockLogin(tx, sessionFamily(sessionId), now)) !== undefined) return;
  throw new AppError('UNAUTHORIZED', 'You were logged out meanwhile. Log in and try again.');
}

export function listSessions(db: Db, userId: number, now: number) {
  return db
    .selectFrom('login_sessions')
    .selectAll()
    .where('user_id', '=', userId)
    .where('expires_at', '>', now)
    .orderBy('last_seen_at', 'desc')
    .execute();
}

/** Names a session. False if the user has no such session. */
export async function nameSession(db: Db, userId: number, id: number, name: string): Promise<boolean> {
  const result = await db
    .updateTable('login_sessions')
    .set({ name })
    .where('user_id', '=', userId)
    .where('id', '=', id)
    .executeTakeFirst();
  return result.numUpdatedRows > 0n;
}

/** The sessions of a user beyond the most recently used ones, some at a time. */
export async function listSessionsPast(tx: Tx, userId: number, most: number): Promise<number[]> {
  const rows = await tx
    .selectFrom('login_sessions')
    .select('id')
    .where('user_id', '=', userId)
    .orderBy('last_seen_at', 'desc')
    .orderBy('id', 'desc')
    .offset(most)
    .limit(100)
    .execute();
  return rows.map(({ id }) => id);
}

/** Ends one session, or all but one, with the tokens made from them. Returns how many sessions ended. */
export async function deleteSessions(
  tx: Tx,
  userId: number,
  which: { id: number } | { except: number | undefined },
): Promise<number> {
  let query = tx.deleteFrom('login_sessions').where('user_id', '=', userId);
  if ('id' in which) query = query.where('id', '=', which.id);
  else if (which.except !== undefined) query = query.where('id', '!=', which.except);
  const ended = await query.returning('id').execute();
  const families = ended.map(({ id }) => sessionFamily(id));
  if (families.length > 0) await tx.deleteFrom('tokens').where('family', 'in', families).execute();
  return ended.length;
}

export async function deleteExpired(db: Db, now: number): Promise<void> {
  await db.deleteFrom('tokens').where('expires_at', '<', now).execute();
  await db.deleteFrom('login_sessions').where('expires_at', '<', now).execute();
}
