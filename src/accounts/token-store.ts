import { type Db, firstRow, statement, type Tx } from '../storage/index.ts';

/** SQL of tokens. */

/** Dashboard tokens belong to the login they were made from. */
export function sessionFamily(sessionId: number): string {
  return `session-${sessionId}`;
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
}

export async function insertToken(db: Db, token: NewToken): Promise<number> {
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
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}

/** The living bearer token with this secret, and its user. */
const bearer = statement((db, secretHash: string, now: number) =>
  db
    .selectFrom('tokens')
    .innerJoin('users', 'users.id', 'tokens.user_id')
    .select(['tokens.id as token_id', 'tokens.scopes', 'tokens.last_used_at'])
    .select(['users.id', 'users.username', 'users.is_admin'])
    .where('secret_hash', '=', secretHash)
    .where('kind', '!=', 'refresh')
    .where((eb) => eb.or([eb('expires_at', 'is', null), eb('expires_at', '>', now)])),
);

export function findBearer(db: Db, secretHash: string, now: number) {
  return firstRow(bearer(db, secretHash, now));
}

export async function touchToken(db: Db, id: number, now: number): Promise<void> {
  await db.updateTable('tokens').set({ last_used_at: now }).where('id', '=', id).execute();
}

export function findRefreshToken(db: Db, secretHash: string, now: number) {
  return db
    .selectFrom('tokens')
    .selectAll()
    .where('secret_hash', '=', secretHash)
    .where('kind', '=', 'refresh')
    .where('expires_at', '>', now)
    .executeTakeFirst();
}

/** Marks a refresh token as used; false when it was before, by whoever came first. */
export async function spendRefreshToken(tx: Tx, id: number, now: number): Promise<boolean> {
  const result = await tx
    .updateTable('tokens')
    .set({ spent_at: now })
    .where('id', '=', id)
    .where('spent_at', 'is', null)
    .executeTakeFirst();
  return result.numUpdatedRows > 0n;
}

export async function deleteFamily(db: Db, family: string): Promise<void> {
  await db.deleteFrom('tokens').where('family', '=', family).execute();
}

/** Ends everything a password had opened but the personal tokens, which were made to outlive it. */
export async function deleteLoginTokens(db: Db, userId: number): Promise<void> {
  await db
    .deleteFrom('tokens')
    .where('user_id', '=', userId)
    .where('kind', 'in', ['access', 'refresh', 'dashboard'])
    .execute();
}

export function listPersonalTokens(db: Db, userId: number) {
  return db
    .selectFrom('tokens')
    .select(['id', 'name', 'scopes', 'created_at', 'expires_at', 'last_used_at'])
    .where('user_id', '=', userId)
    .where('kind', '=', 'personal')
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
