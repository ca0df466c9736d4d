import { AppError } from '../../../lib/errors.ts';
import { hashSecret, randomSecret } from '../../../lib/secrets.ts';
import type { Db, Tx } from '../../../platform/storage/index.ts';
import { findLink, insertLink, type LinkKind } from '../model/link-store.ts';
import { findUserById, setPasswordAskedAt } from '../model/store.ts';

const HOUR_MS = 3600 * 1000;
const LIFE_MS = { reset: HOUR_MS, confirm: 24 * HOUR_MS };
/** How long a link works that somebody has to pass on: longer than others. */
export const PASSED_ON_MS = 24 * HOUR_MS;

interface LinkContext {
  /** The configured URL that links begin with. The Host header would come from a stranger. */
  baseUrl: string;
  now: () => number;
}

/** Makes a link to send by mail. Using it proves the address. */
export async function makeLink(
  tx: Tx,
  context: LinkContext,
  link: { kind: LinkKind; userId: number; email: string },
): Promise<{ link: string; expiresAt: number }> {
  return insert(tx, context, link, LIFE_MS[link.kind]);
}

/** Makes a reset link that an administrator passes on. It proves no address. */
export async function makeResetLink(tx: Tx, context: LinkContext, userId: number): Promise<string> {
  await setPasswordAskedAt(tx, userId, null);
  return (await insert(tx, context, { kind: 'reset', userId, email: '' }, PASSED_ON_MS)).link;
}

async function insert(
  tx: Tx,
  { baseUrl, now }: LinkContext,
  { kind, userId, email }: { kind: LinkKind; userId: number; email: string },
  lifeMs: number,
) {
  const code = randomSecret();
  const expiresAt = now() + lifeMs;
  await insertLink(tx, { secretHash: hashSecret(code), kind, userId, email, now: now(), expiresAt });
  return { link: `${baseUrl}/${kind}?code=${code}`, expiresAt };
}

/** Finds the user of a link. Fails if the link does not work. */
export async function readLink(db: Db, kind: LinkKind, code: string, now: number) {
  const secretHash = hashSecret(code);
  const link = await findLink(db, kind, secretHash, now);
  const user = link && (await findUserById(db, link.user_id));
  if (!user) throw linkGone();
  return { user, email: link.email, secretHash };
}

export function linkGone(): AppError {
  return new AppError(
    'NOT_FOUND',
    'This link does not exist, has expired or was already used. Ask for a new one.',
  );
}
