import { AppError } from '../../../lib/errors.ts';
import type { Db, Tx } from '../../../platform/storage/index.ts';

/** SQL for users. */

/** The columns of a user that logins need. */
export const USER = [
  'users.id',
  'users.username',
  'users.email',
  'users.email_confirmed_at',
  'users.is_admin',
  'users.password_hash',
  'users.suspended_at',
  'users.suspended_reason',
  'users.removal_due_at',
  'users.needs_second_factor',
  'users.created_at',
] as const;

export type KnownUser = NonNullable<Awaited<ReturnType<typeof findUser>>>;

/** Finds a user by username or e-mail address: no username has an @. */
export function findUserByLogin(db: Db, login: string) {
  const field = login.includes('@') ? 'email' : 'username';
  return db.selectFrom('users').select(USER).where(field, '=', login).executeTakeFirst();
}

export function findUser(db: Db, username: string) {
  return db.selectFrom('users').select(USER).where('username', '=', username).executeTakeFirst();
}

export function findUserById(db: Db, id: number) {
  return db.selectFrom('users').select(USER).where('id', '=', id).executeTakeFirst();
}

/** Notes that somebody asked administrators for a new password; null once that is done. */
export async function setPasswordAskedAt(db: Db, userId: number, moment: number | null): Promise<void> {
  await db.updateTable('users').set({ password_asked_at: moment }).where('id', '=', userId).execute();
}

/** Administrators who can help, the first ones first. */
export async function listHelpers(db: Db, limit: number): Promise<string[]> {
  const rows = await db
    .selectFrom('users')
    .select('username')
    .where('is_admin', '=', 1)
    .where('suspended_at', 'is', null)
    .where('removal_due_at', 'is', null)
    .orderBy('id')
    .limit(limit)
    .execute();
  return rows.map(({ username }) => username);
}

/** Whether the account is suspended, or about to be deleted: then it gets no new sessions or tokens. */
export async function isBlocked(db: Db, userId: number): Promise<boolean> {
  const row = await db
    .selectFrom('users')
    .select('id')
    .where('id', '=', userId)
    .where((eb) => eb.or([eb('suspended_at', 'is not', null), eb('removal_due_at', 'is not', null)]))
    .executeTakeFirst();
  return row !== undefined;
}

/** Fails if the account is blocked. Every new session and token calls this, whatever it is exchanged for. */
export async function assertNotBlocked(db: Db, userId: number): Promise<void> {
  if (await isBlocked(db, userId))
    throw new AppError('FORBIDDEN', 'This account is suspended, or about to be deleted.');
}

export async function isTaken(db: Db, field: 'username' | 'email', value: string): Promise<boolean> {
  return (
    (await db.selectFrom('users').select('id').where(field, '=', value).executeTakeFirst()) !== undefined
  );
}

/** Whether the name is kept for another account that had it until recently. */
export async function isKept(
  db: Db,
  username: string,
  { now, userId = 0 }: { now: number; userId?: number | undefined },
): Promise<boolean> {
  const row = await db
    .selectFrom('old_usernames')
    .select('user_id')
    .where('username', '=', username)
    .where('user_id', '!=', userId)
    .where('kept_until', '>', now)
    .executeTakeFirst();
  return row !== undefined;
}

/** The old names that are kept for a user. */
export async function listOldNames(db: Db, userId: number, now: number): Promise<string[]> {
  const rows = await db
    .selectFrom('old_usernames')
    .select('username')
    .where('user_id', '=', userId)
    .where('kept_until', '>', now)
    .execute();
  return rows.map(({ username }) => username);
}

/** Keeps an old name for the user who had it, and releases the kept name that they have again. */
export async function keepOldName(
  tx: Tx,
  kept: { userId: number; username: string; until: number; reused: string },
): Promise<void> {
  await tx.deleteFrom('old_usernames').where('username', 'in', [kept.username, kept.reused]).execute();
  await tx
    .insertInto('old_usernames')
    .values({ username: kept.username, user_id: kept.userId, kept_until: kept.until })
    .execute();
}

export async function deleteNamesKeptUntil(db: Db, moment: number): Promise<void> {
  await db.deleteFrom('old_usernames').where('kept_until', '<=', moment).execute();
}

/** Locks a user: until the transaction ends, other changes of this user wait. */
export async function lockUser(tx: Tx, userId: number): Promise<void> {
  await tx
    .updateTable('users')
    .set((eb) => ({ is_admin: eb.ref('is_admin') }))
    .where('id', '=', userId)
    .execute();
}

/**
 * Fails if the password has changed since the user was read. Comparing takes a while, and a login with the old password
 * must not begin after all logins of the old password have ended. Returns the user as they are now.
 */
export async function assertPasswordStands(
  tx: Tx,
  user: Pick<KnownUser, 'id' | 'password_hash'>,
): Promise<KnownUser> {
  await lockUser(tx, user.id);
  const now = await findUserById(tx, user.id);
  if (now?.password_hash === user.password_hash) return now;
  throw new AppError('INVALID_CREDENTIALS', 'The password was changed just now. Log in with the new one.');
}

export async function setUsername(tx: Tx, userId: number, username: string): Promise<void> {
  await tx.updateTable('users').set({ username }).where('id', '=', userId).execute();
}

export async function setEmail(
  tx: Tx,
  userId: number,
  { email, confirmedAt }: { email: string; confirmedAt: number | null },
): Promise<void> {
  const change = { email, email_confirmed_at: confirmedAt };
  await tx.updateTable('users').set(change).where('id', '=', userId).execute();
}

/**
 * Confirms the address of a user, if it still is their address. False if it was
 * already confirmed.
 */
export async function confirmEmail(tx: Tx, userId: number, email: string, now: number): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('users')
    .set({ email_confirmed_at: now })
    .where('id', '=', userId)
    .where('email', '=', email)
    .where('email_confirmed_at', 'is', null)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

export async function readUsername(db: Db, userId: number): Promise<string> {
  const query = db.selectFrom('users').select('username').where('id', '=', userId);
  return (await query.executeTakeFirstOrThrow()).username;
}

/** The names of users that still exist, by id. */
export async function readUsernames(db: Db, userIds: number[]): Promise<Map<number, string>> {
  if (userIds.length === 0) return new Map();
  const rows = await db.selectFrom('users').select(['id', 'username']).where('id', 'in', userIds).execute();
  return new Map(rows.map(({ id, username }) => [id, username]));
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
export async function findConfirmedEmail(db: Db, userId: number): Promise<string | undefined> {
  const row = await db
    .selectFrom('users')
    .select('email')
    .where('id', '=', userId)
    .where('email_confirmed_at', 'is not', null)
    .executeTakeFirst();
  return row?.email;
}

/** The addresses of those of these users who have confirmed one. */
export async function listConfirmedEmails(db: Db, userIds: number[]): Promise<string[]> {
  const rows = await db
    .selectFrom('users')
    .select('email')
    .where('id', 'in', userIds)
    .where('email_confirmed_at', 'is not', null)
    .execute();
  return rows.map(({ email }) => email);
}

/** A user by username or e-mail address, with the address that they have confirmed. */
export async function findReachable(
  db: Db,
  nameOrAddress: string,
): Promise<{ userId: number; email: string } | undefined> {
  const user = await findUserByLogin(db, nameOrAddress);
  const email = user && (await findConfirmedEmail(db, user.id));
  return user && email !== undefined ? { userId: user.id, email } : undefined;
}

export async function setPassword(db: Db, userId: number, passwordHash: string): Promise<void> {
  await db
    .updateTable('users')
    .set({ password_hash: passwordHash, password_asked_at: null })
    .where('id', '=', userId)
    .execute();
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

/** Finds the newest setup code that was created since a moment. */
export function findNewestSetupCode(db: Db, since: number) {
  return db
    .selectFrom('setup_codes')
    .selectAll()
    .where('created_at', '>=', since)
    .orderBy('created_at', 'desc')
    .executeTakeFirst();
}

/** Adds a setup code and deletes those from before a moment. */
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

/** Uses up a setup code. False if it was already used. */
export async function spendSetupCode(tx: Tx, secretHash: string): Promise<boolean> {
  const row = await tx
    .deleteFrom('setup_codes')
    .where('secret_hash', '=', secretHash)
    .returning('created_at')
    .executeTakeFirst();
  // Deletes all codes: nodes that start at the same moment may each have created one.
  if (row) await tx.deleteFrom('setup_codes').execute();
  return row !== undefined;
}
