import { sql } from 'kysely';
import { countRows, type Db, firstRow, statement, type Tx } from '../../../platform/storage/index.ts';
import { assertNotBlocked } from './store.ts';

/** SQL for tokens. */

const SESSION_FAMILY = 'session-';

/** The family of a browser login: dashboard tokens, and personal tokens made with them. */
export function sessionFamily(sessionId: number): string {
  return `${SESSION_FAMILY}${sessionId}`;
}

/** The browser login that a family of tokens belongs to; undefined if it is another kind of login. */
export function parseSessionFamily(family: string | undefined): number | undefined {
  return family?.startsWith(SESSION_FAMILY) ? Number(family.slice(SESSION_FAMILY.length)) : undefined;
}

/** A new family, for tokens that a program gets for a password. A UUID of version 7 begins with the time. */
export function passwordFamily(now: number): string {
  return Bun.randomUUIDv7('hex', now);
}

/** When the password was given for a family of tokens; undefined if it is another kind of login, or an older one. */
export function passwordGivenAt(family: string | undefined): number | undefined {
  const start = /^([\da-f]{8})-([\da-f]{4})-7/.exec(family ?? '');
  return start ? Number.parseInt(`${start[1]}${start[2]}`, 16) : undefined;
}

const CLIENT_FAMILY = 'client-';

/** The family of the tokens of a connected app. */
export function clientFamily(grantId: number): string {
  return `${CLIENT_FAMILY}${grantId}`;
}

/** The connected app that a family of tokens belongs to; undefined if it is another kind of login. */
export function parseClientFamily(family: string | null): number | undefined {
  return family?.startsWith(CLIENT_FAMILY) ? Number(family.slice(CLIENT_FAMILY.length)) : undefined;
}

interface NewToken {
  userId: number;
  kind: 'access' | 'refresh' | 'personal' | 'dashboard';
  secretHash: string;
  name?: string;
  scopes: readonly string[];
  family?: string;
  now: number;
  expiresAt?: number | undefined;
  askedExpiresAt?: number | undefined;
  /** The only page that the token can be used for. */
  pageId?: number | undefined;
  /** True if the token can only change branches. */
  isForBranches?: boolean | undefined;
  /** The credit limit of the token, in tokens of the ledger. */
  creditLimitTokens?: number | undefined;
}

export async function insertToken(db: Db, token: NewToken): Promise<number> {
  await assertNotBlocked(db, token.userId);
  const { id } = await db
    .insertInto('tokens')
    .values({
      user_id: token.userId,
      kind: token.kind,
      secret_hash: token.secretHash,
      name: token.name ?? '',
      scopes: token.scopes.join(' '),
      family: token.family ?? null,
      created_at: token.now,
      last_used_at: null,
      spent_at: null,
      expires_at: token.expiresAt ?? null,
      asked_expires_at: token.askedExpiresAt ?? null,
      page_id: token.pageId ?? null,
      branches_only: token.isForBranches ? 1 : 0,
      credit_limit_tokens: token.creditLimitTokens ?? null,
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}

/** The valid bearer token with this secret, and its user. */
const bearer = statement((db, secretHash: string, now: number) =>
  db
    .selectFrom('tokens')
    .innerJoin('users', 'users.id', 'tokens.user_id')
    .select(['tokens.id as token_id', 'tokens.scopes', 'tokens.last_used_at', 'tokens.family'])
    .select(['tokens.page_id', 'tokens.kind', 'tokens.branches_only'])
    .select(['users.id', 'users.username', 'users.is_admin'])
    .where('secret_hash', '=', secretHash)
    .where('kind', '!=', 'refresh')
    .where('users.suspended_at', 'is', null)
    .where('users.removal_due_at', 'is', null)
    .where((eb) => eb.or([eb('expires_at', 'is', null), eb('expires_at', '>', now)])),
);

export function findBearer(db: Db, secretHash: string, now: number) {
  return firstRow(bearer(db, secretHash, now));
}

export async function touchToken(db: Db, id: number, now: number): Promise<void> {
  await db.updateTable('tokens').set({ last_used_at: now }).where('id', '=', id).execute();
}

/** Finds a refresh token, unless its account is blocked: new tokens would be refused anyway. */
export function findRefreshToken(db: Db, secretHash: string, now: number) {
  return db
    .selectFrom('tokens')
    .innerJoin('users', 'users.id', 'tokens.user_id')
    .selectAll('tokens')
    .where('secret_hash', '=', secretHash)
    .where('kind', '=', 'refresh')
    .where('users.suspended_at', 'is', null)
    .where('users.removal_due_at', 'is', null)
    .where('expires_at', '>', now)
    .executeTakeFirst();
}

/** The family of a token of any kind, also if it was used. */
export async function findFamily(db: Db, secretHash: string): Promise<string | null> {
  const query = db.selectFrom('tokens').select('family').where('secret_hash', '=', secretHash);
  return (await query.executeTakeFirst())?.family ?? null;
}

/** Marks a refresh token as used. False if it was already used. */
export async function spendRefreshToken(tx: Tx, id: number, now: number): Promise<boolean> {
  const result = await tx
    .updateTable('tokens')
    .set({ spent_at: now })
    .where('id', '=', id)
    .where('spent_at', 'is', null)
    .executeTakeFirst();
  return result.numUpdatedRows > 0n;
}

/**
 * Returns when a login ends unless it is used again; undefined if it has ended. A request that ends it meanwhile waits
 * for this transaction, and so also ends what the transaction adds.
 */
export async function lockLogin(tx: Tx, family: string, now: number): Promise<number | undefined> {
  const ends = family.startsWith(SESSION_FAMILY)
    ? await tx
        .updateTable('login_sessions')
        .set((eb) => ({ expires_at: eb.ref('expires_at') }))
        .where('id', '=', Number(family.slice(SESSION_FAMILY.length)))
        .returning('expires_at')
        .execute()
    : await tx
        .updateTable('tokens')
        .set((eb) => ({ expires_at: eb.ref('expires_at') }))
        .where('family', '=', family)
        .where('kind', '=', 'refresh')
        .returning('expires_at')
        .execute();
  const last = Math.max(0, ...ends.map((row) => row.expires_at ?? 0));
  return last > now ? last : undefined;
}

/** Whether a token has not been revoked. */
export async function hasToken(db: Db, id: number): Promise<boolean> {
  const query = db.selectFrom('tokens').select('id').where('id', '=', id);
  return (await query.executeTakeFirst()) !== undefined;
}

/** Whether the login of a program is still valid: it has not ended, and its account is not blocked. */
export async function hasFamily(db: Db, family: string, now: number): Promise<boolean> {
  const row = await db
    .selectFrom('tokens')
    .innerJoin('users', 'users.id', 'tokens.user_id')
    .select('tokens.id')
    .where('family', '=', family)
    .where('kind', '=', 'refresh')
    .where('users.suspended_at', 'is', null)
    .where('users.removal_due_at', 'is', null)
    .where('expires_at', '>', now)
    .executeTakeFirst();
  return row !== undefined;
}

/** Extends the personal tokens of a login, up to the expiry that was requested. */
export async function extendPersonalTokens(db: Db, family: string, until: number): Promise<void> {
  await db
    .updateTable('tokens')
    .set({
      expires_at: sql`case when asked_expires_at < ${until} then asked_expires_at else ${until} end`,
    })
    .where('family', '=', family)
    .where('kind', '=', 'personal')
    .execute();
}

/** Ends a login and everything made with it. */
export async function deleteFamily(tx: Tx, family: string): Promise<void> {
  const tokens = () => tx.deleteFrom('tokens').where('family', '=', family);
  // Delete the rows that `lockLogin` locks first. The second statement then sees what was being created.
  await tokens().where('kind', '=', 'refresh').execute();
  await tokens().execute();
}

/** Ends everything obtained with the password, except the personal tokens of the current session. */
export async function deleteLoginTokens(
  tx: Tx,
  userId: number,
  { exceptSession }: { exceptSession: number | undefined },
): Promise<void> {
  const tokens = () => tx.deleteFrom('tokens').where('user_id', '=', userId);
  await tokens().where('kind', 'in', ['access', 'refresh', 'dashboard']).execute();
  if (exceptSession === undefined) await tokens().execute();
  else await tokens().where('family', '!=', sessionFamily(exceptSession)).execute();
}

export function countPersonalTokens(tx: Tx, userId: number): Promise<number> {
  return countRows(tx.selectFrom('tokens').where('user_id', '=', userId).where('kind', '=', 'personal'));
}

/**
 * Keeps the newest tokens of a kind, so that a client that requests many does not fill the table. Connected apps count
 * separately, each on its own: an app must not be able to end its user's other logins.
 */
export async function trimTokens(
  tx: Tx,
  { userId, family }: { userId: number; family?: string | undefined },
  kind: NewToken['kind'],
  keep: number,
): Promise<void> {
  const isCounted =
    parseClientFamily(family ?? null) === undefined
      ? sql<boolean>`(family is null or family not like ${`${CLIENT_FAMILY}%`})`
      : sql<boolean>`family = ${family}`;
  const oldest = await tx
    .selectFrom('tokens')
    .select('id')
    .where('user_id', '=', userId)
    .where('kind', '=', kind)
    .where(isCounted)
    .orderBy('id', 'desc')
    .offset(keep)
    .limit(1)
    .executeTakeFirst();
  if (!oldest) return;
  await tx
    .deleteFrom('tokens')
    .where('user_id', '=', userId)
    .where('kind', '=', kind)
    .where(isCounted)
    .where('id', '<=', oldest.id)
    .execute();
}

export function listPersonalTokens(db: Db, userId: number, now: number) {
  return db
    .selectFrom('tokens')
    .select(['id', 'name', 'scopes', 'created_at', 'expires_at', 'last_used_at'])
    .select(['credit_limit_tokens', 'credit_used_tokens', 'branches_only'])
    .where('user_id', '=', userId)
    .where('kind', '=', 'personal')
    .where((eb) => eb.or([eb('expires_at', 'is', null), eb('expires_at', '>', now)]))
    .orderBy('id', 'desc')
    .execute();
}

export async function deletePersonalToken(db: Db, userId: number, id: number): Promise<boolean> {
  const result = await db
    .deleteFrom('tokens')
    .where('user_id', '=', userId)
    .where('kind', '=', 'personal')
    .where('id', '=', id)
    .executeTakeFirst();
  return result.numDeletedRows > 0n;
}

/** The credit limits of bearer tokens, in tokens of the ledger. */
export const tokenLimits = {
  /** What is left of a token's limit; undefined if it has no limit, or no longer exists. */
  async remaining(db: Db, tokenId: number): Promise<number | undefined> {
    const row = await db
      .selectFrom('tokens')
      .select(['credit_limit_tokens', 'credit_used_tokens'])
      .where('id', '=', tokenId)
      .executeTakeFirst();
    if (!row || row.credit_limit_tokens === null) return undefined;
    return Math.max(0, row.credit_limit_tokens - row.credit_used_tokens);
  },

  /** Adds a reservation to what a token has spent. Fails if that exceeds the limit. */
  async use(tx: Tx, tokenId: number, tokens: number): Promise<void> {
    await tx
      .updateTable('tokens')
      .set((eb) => ({ credit_used_tokens: eb('credit_used_tokens', '+', tokens) }))
      .where('id', '=', tokenId)
      .where((eb) => eb('credit_used_tokens', '<=', eb('credit_limit_tokens', '-', tokens)))
      .returning('id')
      .executeTakeFirstOrThrow();
  },

  /** Gives back the unspent rest of a reservation. The token may have been revoked meanwhile. */
  async giveBack(tx: Tx, tokenId: number, tokens: number): Promise<void> {
    await tx
      .updateTable('tokens')
      .set((eb) => ({ credit_used_tokens: eb('credit_used_tokens', '-', tokens) }))
      .where('id', '=', tokenId)
      .execute();
  },
};
