import type { Selectable } from 'kysely';
import { countRows, type Db, type Tables, type Tx } from '../../platform/storage/index.ts';
import type { AccessRequest } from './ports.ts';

/** SQL for apps, what they were allowed, and the codes they exchange for it. */

/** Apps that are deleted at a time, so that not every registration has to delete one. */
const EVICTED = 100;

export function findClient(db: Db, clientId: string) {
  return db.selectFrom('oauth_clients').selectAll().where('client_id', '=', clientId).executeTakeFirst();
}

export async function insertClient(
  tx: Tx,
  client: { clientId: string; name: string; redirectUris: string[]; now: number },
): Promise<void> {
  await tx
    .insertInto('oauth_clients')
    .values({
      client_id: client.clientId,
      name: client.name,
      redirect_uris: JSON.stringify(client.redirectUris),
      created_at: client.now,
      used_at: null,
    })
    .execute();
}

export async function touchClient(tx: Tx, clientId: string, now: number): Promise<void> {
  await tx.updateTable('oauth_clients').set({ used_at: now }).where('client_id', '=', clientId).execute();
}

/** Forgets some apps if there are too many: those that nobody has used, then those not used for the longest time. */
export async function evictClients(tx: Tx, most: number): Promise<void> {
  const total = await countRows(tx.selectFrom('oauth_clients'));
  if (total <= most) return;
  const all = tx.selectFrom('oauth_clients').select('client_id');
  const unused = await all.where('used_at', 'is', null).orderBy('created_at').limit(EVICTED).execute();
  const evicted = unused.length > 0 ? unused : await all.orderBy('used_at').limit(EVICTED).execute();
  await tx
    .deleteFrom('oauth_clients')
    .where(
      'client_id',
      'in',
      evicted.map(({ client_id }) => client_id),
    )
    .execute();
}

const toRow = (asked: AccessRequest) => ({
  client_id: asked.clientId,
  name: asked.name,
  origin: asked.origin,
  is_verified: asked.isVerified ? 1 : 0,
  resource: asked.resource,
  page_id: asked.page?.id ?? null,
  scopes: asked.scopes.join(' '),
});

/** The columns about what an app may do, which all three tables have. */
export type AllowedRow = Pick<
  Selectable<Tables['oauth_codes']>,
  'client_id' | 'name' | 'origin' | 'is_verified' | 'resource' | 'page_id' | 'scopes' | 'branches_only'
>;

export async function insertCode(
  tx: Tx,
  code: {
    codeHash: string;
    userId: number;
    redirectUri: string;
    challenge: string;
    expiresAt: number;
    asked: AccessRequest;
    isForBranches: boolean;
  },
): Promise<void> {
  await tx
    .insertInto('oauth_codes')
    .values({
      ...toRow(code.asked),
      branches_only: code.isForBranches ? 1 : 0,
      code_hash: code.codeHash,
      user_id: code.userId,
      redirect_uri: code.redirectUri,
      challenge: code.challenge,
      expires_at: code.expiresAt,
      spent_at: null,
      grant_id: null,
    })
    .execute();
}

export function findCode(db: Db, codeHash: string) {
  return db.selectFrom('oauth_codes').selectAll().where('code_hash', '=', codeHash).executeTakeFirst();
}

/** Marks a code as used. False if it already was. */
export async function spendCode(tx: Tx, codeHash: string, now: number): Promise<boolean> {
  const result = await tx
    .updateTable('oauth_codes')
    .set({ spent_at: now })
    .where('code_hash', '=', codeHash)
    .where('spent_at', 'is', null)
    .executeTakeFirst();
  return result.numUpdatedRows > 0n;
}

/** Remembers what a code was exchanged for. */
export async function linkCode(tx: Tx, codeHash: string, grantId: number): Promise<void> {
  await tx.updateTable('oauth_codes').set({ grant_id: grantId }).where('code_hash', '=', codeHash).execute();
}

export async function insertGrant(
  tx: Tx,
  userId: number,
  allowed: AllowedRow,
  { now, expiresAt }: { now: number; expiresAt: number },
): Promise<number> {
  const { client_id, name, origin, is_verified, resource, page_id, scopes, branches_only } = allowed;
  const { id } = await tx
    .insertInto('oauth_grants')
    .values({
      ...{ client_id, name, origin, is_verified, resource, page_id, scopes, branches_only },
      user_id: userId,
      created_at: now,
      used_at: now,
      expires_at: expiresAt,
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}

export function findGrant(db: Db, id: number, now: number) {
  return db
    .selectFrom('oauth_grants')
    .selectAll()
    .where('id', '=', id)
    .where('expires_at', '>', now)
    .executeTakeFirst();
}

/** Records the use of a grant. False if it has ended. */
export async function touchGrant(
  tx: Tx,
  id: number,
  { now, expiresAt }: { now: number; expiresAt: number },
): Promise<boolean> {
  const result = await tx
    .updateTable('oauth_grants')
    .set({ used_at: now, expires_at: expiresAt })
    .where('id', '=', id)
    .executeTakeFirst();
  return result.numUpdatedRows > 0n;
}

export function listGrants(db: Db, userId: number, now: number) {
  return db
    .selectFrom('oauth_grants')
    .selectAll()
    .where('user_id', '=', userId)
    .where('expires_at', '>', now)
    .orderBy('used_at', 'desc')
    .orderBy('id', 'desc')
    .execute();
}

/** The grants of a user beyond the most recently used ones, some at a time. */
export async function listGrantsPast(tx: Tx, userId: number, most: number): Promise<number[]> {
  const rows = await tx
    .selectFrom('oauth_grants')
    .select('id')
    .where('user_id', '=', userId)
    .orderBy('used_at', 'desc')
    .orderBy('id', 'desc')
    .offset(most)
    .limit(EVICTED)
    .execute();
  return rows.map(({ id }) => id);
}

/** Deletes a grant. False if it has already ended, or is another user's. */
export async function deleteGrant(tx: Tx, id: number, userId?: number): Promise<boolean> {
  let query = tx.deleteFrom('oauth_grants').where('id', '=', id);
  if (userId !== undefined) query = query.where('user_id', '=', userId);
  return (await query.executeTakeFirst()).numDeletedRows > 0n;
}

/** Forgets everything that a user has allowed, including what was not yet exchanged. */
export async function deleteUserGrants(tx: Tx, userId: number): Promise<void> {
  await tx.deleteFrom('oauth_codes').where('user_id', '=', userId).execute();
  await tx.deleteFrom('oauth_device_codes').where('user_id', '=', userId).execute();
  await tx.deleteFrom('oauth_grants').where('user_id', '=', userId).execute();
}

/** Deletes expired rows. `codes` is the moment before which codes are deleted, and so on. */
export async function deleteExpired(
  db: Db,
  before: { now: number; codes: number; unused: number; used: number },
): Promise<void> {
  await db.deleteFrom('oauth_codes').where('expires_at', '<', before.codes).execute();
  await db.deleteFrom('oauth_device_codes').where('expires_at', '<', before.codes).execute();
  await db.deleteFrom('oauth_grants').where('expires_at', '<', before.now).execute();
  const clients = () => db.deleteFrom('oauth_clients');
  await clients().where('used_at', 'is', null).where('created_at', '<', before.unused).execute();
  await clients().where('used_at', '<', before.used).execute();
}
