import { sql } from 'kysely';
import { contains, type Db, firstRow, statement, type Tx } from '../../platform/storage/index.ts';
import { extendPersonalTokens, sessionFamily } from './tokens/token-store.ts';

/** SQL for users, their logins and their usage. */

const USER = ['users.id', 'users.username', 'users.is_admin', 'users.password_hash'] as const;

export function findUser(db: Db, username: string) {
  return db.selectFrom('users').select(USER).where('username', '=', username).executeTakeFirst();
}

export function findUserById(db: Db, id: number) {
  return db.selectFrom('users').select(USER).where('id', '=', id).executeTakeFirst();
}

export async function isTaken(db: Db, field: 'username' | 'email', value: string): Promise<boolean> {
  return (
    (await db.selectFrom('users').select('id').where(field, '=', value).executeTakeFirst()) !== undefined
  );
}

export async function usernameOf(db: Db, userId: number): Promise<string> {
  const query = db.selectFrom('users').select('username').where('id', '=', userId);
  return (await query.executeTakeFirstOrThrow()).username;
}

/** Users and what they store; `q` searches their names and e-mail addresses. */
export async function listUsers(db: Db, page: { limit: number; offset: number; q: string | undefined }) {
  const all = db.selectFrom('users');
  const users = page.q ? all.where(contains(page.q, ['username', 'email'])) : all;
  const rows = await users
    .innerJoin('usage', 'usage.user_id', 'users.id')
    .select(['users.id', 'users.username', 'users.email', 'users.is_admin', 'users.created_at'])
    .select(['usage.pages', 'usage.functions', 'usage.bytes'])
    .orderBy('users.id')
    .limit(page.limit)
    .offset(page.offset)
    .execute();
  const { total } = await users
    .select((eb) => eb.fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow();
  return { rows, total };
}

/** The usage of a user. */
export function findUsage(db: Db, userId: number) {
  return db.selectFrom('usage').selectAll().where('user_id', '=', userId).executeTakeFirst();
}

/** Adds a user with an empty usage account; undefined if the name or address is taken. */
export async function insertUser(
  tx: Tx,
  user: { username: string; email: string; passwordHash: string; now: number; isConfirmed: boolean },
): Promise<number | undefined> {
  const row = await tx
    .insertInto('users')
    .values({
      username: user.username,
      email: user.email,
      email_confirmed_at: user.isConfirmed ? user.now : null,
      password_hash: user.passwordHash,
      is_admin: 0,
      created_at: user.now,
    })
    .onConflict((conflict) => conflict.doNothing())
    .returning('id')
    .executeTakeFirst();
  if (row)
    await tx.insertInto('usage').values({ user_id: row.id, pages: 0, functions: 0, bytes: 0 }).execute();
  return row?.id;
}

/** The address of a user, if somebody has confirmed that it is theirs. */
export async function confirmedEmailOf(db: Db, userId: number): Promise<string | undefined> {
  const row = await db
    .selectFrom('users')
    .select('email')
    .where('id', '=', userId)
    .where('email_confirmed_at', 'is not', null)
    .executeTakeFirst();
  return row?.email;
}

export async function setPassword(db: Db, userId: number, passwordHash: string): Promise<void> {
  await db.updateTable('users').set({ password_hash: passwordHash }).where('id', '=', userId).execute();
}

/** Makes a user administrator and invalidates setup links, or reverts it. False if there is no such user. */
export async function setAdmin(tx: Tx, username: string, isAdmin = true): Promise<boolean> {
  const result = await tx
    .updateTable('users')
    .set({ is_admin: isAdmin ? 1 : 0 })
    .where('username', '=', username)
    .executeTakeFirst();
  if (result.numUpdatedRows === 0n) return false;
  if (isAdmin) await tx.deleteFrom('setup_codes').execute();
  return true;
}

export async function hasAdmin(db: Db): Promise<boolean> {
  const found = await db.selectFrom('users').select('id').where('is_admin', '=', 1).executeTakeFirst();
  return found !== undefined;
}

/** The newest code that was created since a moment. */
export function findNewestSetupCode(db: Db, since: number) {
  return db
    .selectFrom('setup_codes')
    .selectAll()
    .where('created_at', '>=', since)
    .orderBy('created_at', 'desc')
    .executeTakeFirst();
}

/** Adds a code and deletes those from before a moment. */
export async function replaceSetupCodes(
  db: Db,
  secretHash: string,
  { createdAt, since }: { createdAt: number; since: number },
): Promise<void> {
  await db.transaction().execute(async (tx) => {
    await tx.deleteFrom('setup_codes').where('created_at', '<', since).execute();
    await tx
      .insertInto('setup_codes')
      .values({ secret_hash: secretHash, created_at: createdAt })
      .onConflict((conflict) => conflict.column('secret_hash').doNothing())
      .execute();
  });
}

export async function hasSetupCode(db: Db, secretHash: string): Promise<boolean> {
  const row = await db
    .selectFrom('setup_codes')
    .select('created_at')
    .where('secret_hash', '=', secretHash)
    .executeTakeFirst();
  return row !== undefined;
}

/** Uses up the code. False if it was already used. */
export async function spendSetupCode(tx: Tx, secretHash: string): Promise<boolean> {
  const row = await tx
    .deleteFrom('setup_codes')
    .where('secret_hash', '=', secretHash)
    .returning('created_at')
    .executeTakeFirst();
  // Nodes that start at the same moment may each have created one.
  if (row) await tx.deleteFrom('setup_codes').execute();
  return row !== undefined;
}

export async function insertSession(
  db: Db,
  session: { userId: number; secretHash: string; userAgent: string; now: number; expiresAt: number },
): Promise<number> {
  const { id } = await db
    .insertInto('login_sessions')
    .values({
      user_id: session.userId,
      secret_hash: session.secretHash,
      user_agent: session.userAgent,
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
    .where('login_sessions.expires_at', '>', now);
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

export function listSessions(db: Db, userId: number, now: number) {
  return db
    .selectFrom('login_sessions')
    .selectAll()
    .where('user_id', '=', userId)
    .where('expires_at', '>', now)
    .orderBy('last_seen_at', 'desc')
    .execute();
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

/** Ends one session, or all but one, with the tokens made from them. Returns how many there were. */
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

/** Giving back is never limited. */
const giveOrTake = statement(
  (
    db,
    userId: number,
    pages: number,
    functions: number,
    bytes: number,
    maxPages: number,
    maxFunctions: number,
    maxBytes: number,
  ) =>
    db
      .updateTable('usage')
      .set({
        pages: sql`pages + ${pages}`,
        functions: sql`functions + ${functions}`,
        // Nodes of an earlier version charge less than we give back.
        bytes: sql`case when bytes + ${bytes} < 0 then 0 else bytes + ${bytes} end`,
      })
      .where('user_id', '=', userId)
      .where(sql<boolean>`(pages + ${pages} <= ${maxPages} or ${pages} <= 0)`)
      .where(sql<boolean>`(functions + ${functions} <= ${maxFunctions} or ${functions} <= 0)`)
      .where(sql<boolean>`(bytes + ${bytes} <= ${maxBytes} or ${bytes} <= 0)`),
);

/** Adds to the usage of a user, or gives back. False if a limit would be exceeded. */
export async function addUsage(
  tx: Tx,
  userId: number,
  change: { pages?: number; functions?: number; bytes?: number },
  limits: { pages: number; functions: number; bytes: number },
): Promise<boolean> {
  const { pages = 0, functions = 0, bytes = 0 } = change;
  const most = [limits.pages, limits.functions, limits.bytes] as const;
  const { numAffectedRows } = await giveOrTake(tx, userId, pages, functions, bytes, ...most);
  return numAffectedRows === 1n;
}
