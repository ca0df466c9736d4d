import type { QuotaBody, UserQuery } from '../../../../contract/admin/users.ts';
import { contains, countRows, type Db, type Tx } from '../../../platform/storage/index.ts';
import { BUILT_IN_DOMAIN } from '../model/builtin-owners.ts';

/** SQL for the administration of users. */

type Filter = Pick<UserQuery, 'limit' | 'offset'> &
  Partial<Pick<UserQuery, 'q' | 'username' | 'state' | 'administrators' | 'sort'>>;

/** Administrators who get mail about the server. */
const MAX_TOLD = 20;

const ORDERS = {
  oldest: ['users.id', 'asc'],
  newest: ['users.id', 'desc'],
  username: ['users.username', 'asc'],
  storage: ['usage.bytes', 'desc'],
} as const;

/** Users and what they store; `q` searches their names and e-mail addresses. */
export async function listUsers(db: Db, filter: Filter) {
  const { q, username, state, administrators, sort = 'oldest' } = filter;
  let users = db.selectFrom('users').innerJoin('usage', 'usage.user_id', 'users.id');
  if (q) users = users.where(contains(q, ['username', 'email']));
  if (username !== undefined) users = users.where('username', '=', username);
  if (administrators) users = users.where('is_admin', '=', administrators === 'true' ? 1 : 0);
  if (state === 'suspended') users = users.where('suspended_at', 'is not', null);
  if (state === 'leaving') users = users.where('removal_due_at', 'is not', null);
  if (state === 'active') users = users.where('suspended_at', 'is', null).where('removal_due_at', 'is', null);
  if (state === 'locked-out') users = users.where('password_asked_at', 'is not', null);
  if (state === 'built-in') users = users.where('email', 'like', `%${BUILT_IN_DOMAIN}`);
  const [column, direction] = ORDERS[sort];
  const rows = await users
    .select(['users.id', 'users.username', 'users.email', 'users.is_admin', 'users.created_at'])
    .select(['users.suspended_at', 'users.removal_due_at', 'users.password_asked_at'])
    .select(['usage.pages', 'usage.functions', 'usage.bytes'])
    .orderBy(column, direction)
    .orderBy('users.id')
    .limit(filter.limit)
    .offset(filter.offset)
    .execute();
  return { rows, total: await countRows(users) };
}

/** Everything about one user that administrators see: no secrets. */
export async function findDetail(db: Db, id: number, now: number) {
  const count = (table: 'passkeys' | 'recovery_codes') =>
    db
      .selectFrom(table)
      .whereRef(`${table}.user_id`, '=', 'users.id' as never)
      .select((eb) => eb.fn.countAll<number>().as('n'));
  const sessions = db
    .selectFrom('login_sessions')
    .whereRef('login_sessions.user_id', '=', 'users.id' as never)
    .where('login_sessions.expires_at', '>', now);
  const tokens = db.selectFrom('tokens').whereRef('tokens.user_id', '=', 'users.id' as never);
  return db
    .selectFrom('users')
    .innerJoin('usage', 'usage.user_id', 'users.id')
    .selectAll('users')
    .select(['usage.pages', 'usage.functions', 'usage.bytes'])
    .select(() => [
      count('passkeys').as('passkeys'),
      count('recovery_codes').as('recovery_codes'),
      sessions.select((eb) => eb.fn.countAll<number>().as('n')).as('sessions'),
      sessions.select((eb) => eb.fn.max('last_seen_at').as('at')).as('last_seen_at'),
      tokens
        .where('tokens.kind', '=', 'personal')
        .select((eb) => eb.fn.countAll<number>().as('n'))
        .as('tokens'),
      tokens.select((eb) => eb.fn.max('last_used_at').as('at')).as('token_used_at'),
    ])
    .where('users.id', '=', id)
    .executeTakeFirst();
}

/** The providers that a user logs in with. */
export async function listIssuers(db: Db, userId: number): Promise<string[]> {
  const rows = await db
    .selectFrom('external_logins')
    .select('issuer')
    .distinct()
    .where('user_id', '=', userId)
    .orderBy('issuer')
    .execute();
  return rows.map(({ issuer }) => issuer);
}

/** Reads a user and locks them until this transaction ends. */
export function lockUser(tx: Tx, id: number) {
  return tx
    .updateTable('users')
    .set((eb) => ({ id: eb.ref('id') }))
    .where('id', '=', id)
    .returning(['id', 'username', 'email', 'email_confirmed_at', 'is_admin'])
    .returning(['suspended_at', 'removal_due_at', 'quota_pages', 'quota_functions', 'quota_bytes'])
    .executeTakeFirst();
}

export async function setSuspended(
  tx: Tx,
  id: number,
  suspension: { at: number; reason: string } | null,
): Promise<void> {
  await tx
    .updateTable('users')
    .set({ suspended_at: suspension?.at ?? null, suspended_reason: suspension?.reason ?? null })
    .where('id', '=', id)
    .execute();
}

export async function setQuota(tx: Tx, id: number, quota: QuotaBody): Promise<void> {
  await tx
    .updateTable('users')
    .set({ quota_pages: quota.pages, quota_functions: quota.functions, quota_bytes: quota.bytes })
    .where('id', '=', id)
    .execute();
}

/** Counts the administrators who can log in, except the user with this id. */
export function countOtherAdministrators(tx: Tx, id: number): Promise<number> {
  return countRows(
    tx
      .selectFrom('users')
      .where('is_admin', '=', 1)
      .where('suspended_at', 'is', null)
      .where('removal_due_at', 'is', null)
      .where('id', '!=', id),
  );
}

/** The administrators who can log in and whose address is confirmed. */
export function listAdministrators(db: Db): Promise<Array<{ id: number; email: string }>> {
  return db
    .selectFrom('users')
    .select(['id', 'email'])
    .where('is_admin', '=', 1)
    .where('suspended_at', 'is', null)
    .where('removal_due_at', 'is', null)
    .where('email_confirmed_at', 'is not', null)
    .orderBy('id')
    .limit(MAX_TOLD)
    .execute();
}

/** Locks the usage of a user: waits for what they are creating now, and makes later requests wait. */
export async function lockUsage(tx: Tx, userId: number): Promise<void> {
  await tx
    .updateTable('usage')
    .set((eb) => ({ user_id: eb.ref('user_id') }))
    .where('user_id', '=', userId)
    .execute();
}
