import { randomUUID } from 'node:crypto';
import { hashSecret, makeToken } from '../lib/secrets.ts';
import type { Db } from '../storage/index.ts';
import { ADMIN_SCOPE } from './schema.ts';
import { findSenior } from './store.ts';
import { deleteFamily, insertToken } from './token-store.ts';

const LENT_MS = 10 * 60_000;
/** No other family begins so, and only who may write the database makes one. */
const LENT = 'lent-';

/** Whether a token was lent, and so is an administrator's whoever it belongs to. */
export const isLent = (family: string | null) => family?.startsWith(LENT) ?? false;

/**
 * A token of an administrator for a program on the server's own machine: who may write the database needs no password.
 * It begins things within minutes and is to be given back; undefined when nobody has an account.
 */
export async function lendAdminToken(
  db: Db,
  now: number,
): Promise<{ token: string; giveBack(): Promise<void> } | undefined> {
  const owner = await findSenior(db);
  if (!owner) return undefined;
  const token = makeToken('qra_');
  const family = `${LENT}${randomUUID()}`;
  await insertToken(db, {
    userId: owner.id,
    kind: 'access',
    secretHash: hashSecret(token),
    scopes: [ADMIN_SCOPE],
    family,
    now,
    expiresAt: now + LENT_MS,
  });
  return { token, giveBack: () => deleteFamily(db, family) };
}
