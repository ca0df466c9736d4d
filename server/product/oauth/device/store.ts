import type { Db, Tx } from '../../../platform/storage/index.ts';
import type { AccessRequest } from '../ports.ts';

/** SQL for the codes of programs that have no browser. */

interface NewDeviceCode {
  codeHash: string;
  userCode: string;
  address: string;
  now: number;
  expiresAt: number;
  intervalSeconds: number;
  asked: AccessRequest;
}

/** Adds a device code. False if the user code is taken. */
export async function insertDeviceCode(db: Db, code: NewDeviceCode): Promise<boolean> {
  const { asked } = code;
  const row = await db
    .insertInto('oauth_device_codes')
    .values({
      code_hash: code.codeHash,
      user_code: code.userCode,
      user_id: null,
      page_id: asked.page?.id ?? null,
      client_id: asked.clientId,
      name: asked.name,
      origin: asked.origin,
      is_verified: asked.isVerified ? 1 : 0,
      resource: asked.resource,
      scopes: asked.scopes.join(' '),
      address: code.address,
      status: 'pending',
      created_at: code.now,
      expires_at: code.expiresAt,
      polled_at: null,
      interval_seconds: code.intervalSeconds,
    })
    .onConflict((conflict) => conflict.column('user_code').doNothing())
    .returning('code_hash')
    .executeTakeFirst();
  return row !== undefined;
}

/** Keeps the newest codes, so that strangers who ask for many do not fill the table. */
export async function trimDeviceCodes(db: Db, keep: number): Promise<void> {
  const oldest = await db
    .selectFrom('oauth_device_codes')
    .select('expires_at')
    .orderBy('expires_at', 'desc')
    .offset(keep)
    .limit(1)
    .executeTakeFirst();
  if (oldest)
    await db.deleteFrom('oauth_device_codes').where('expires_at', '<=', oldest.expires_at).execute();
}

export function findByUserCode(db: Db, userCode: string, now: number) {
  return db
    .selectFrom('oauth_device_codes')
    .selectAll()
    .where('user_code', '=', userCode)
    .where('status', '=', 'pending')
    .where('expires_at', '>', now)
    .executeTakeFirst();
}

export function findDeviceCode(db: Db, codeHash: string) {
  return db.selectFrom('oauth_device_codes').selectAll().where('code_hash', '=', codeHash).executeTakeFirst();
}

/** Records the answer of a person. False if somebody has answered before. */
export async function decideDeviceCode(
  tx: Tx,
  codeHash: string,
  answer: { userId: number; scopes: readonly string[] | undefined; isForBranches: boolean },
): Promise<boolean> {
  const decision =
    answer.scopes === undefined
      ? { status: 'denied' as const }
      : {
          status: 'allowed' as const,
          scopes: answer.scopes.join(' '),
          branches_only: answer.isForBranches ? 1 : 0,
        };
  const result = await tx
    .updateTable('oauth_device_codes')
    .set({ user_id: answer.userId, ...decision })
    .where('code_hash', '=', codeHash)
    .where('status', '=', 'pending')
    .executeTakeFirst();
  return result.numUpdatedRows > 0n;
}

export async function touchDeviceCode(
  db: Db,
  codeHash: string,
  poll: { now: number; intervalSeconds: number },
): Promise<void> {
  await db
    .updateTable('oauth_device_codes')
    .set({ polled_at: poll.now, interval_seconds: poll.intervalSeconds })
    .where('code_hash', '=', codeHash)
    .execute();
}

/** Takes a code with its answer. Undefined if another request has taken it. */
export function takeDeviceCode(tx: Tx, codeHash: string) {
  return tx
    .deleteFrom('oauth_device_codes')
    .where('code_hash', '=', codeHash)
    .returningAll()
    .executeTakeFirst();
}
