import { randomUUID } from 'node:crypto';
import { hashSecret, makeToken } from '../lib/secrets.ts';
import type { Db } from '../storage/index.ts';
import { ADMIN_SCOPE } from './schema.ts';
import { deleteFamily, findAdmin, insertToken } from './store.ts';

const LENT_MS = 10 * 60_000;

/**
 * A token of an administrator for a program on the server's own machine: who may write the database needs no password.
 * It begins things within minutes and is to be given back; undefined when there is no administrator.
 */
export async function lendAdminToken(
  db: Db,
  now: number,
): Promise<{ token: string; giveBack(): Promise<void> } | undefined> {
  const admin = await findAdmin(db);
  if (!admin) return undefined;
  const token = makeToken('qra_');
  const family = `lent-${randomUUID()}`;
  await insertToken(db, {
    userId: admin.id,
    kind: 'access',
    secretHash: hashSecret(token),
    scopes: [ADMIN_SCOPE],
    family,
    now,
    expiresAt: now + LENT_MS,
  });
  return { token, giveBack: () => deleteFamily(db, family) };
}
