import { AppError } from '../../../lib/errors.ts';
import type { Tx } from '../../../platform/storage/index.ts';
import { confirmEmail, lockUser } from '../model/store.ts';
import type { SingleSignOnContext } from './context.ts';
import type { Identity } from './identity.ts';
import { findConnected, insertConnection } from './store.ts';

/**
 * Connects a person of the provider to an account. The caller makes sure that the user wants this: `assertStill` fails
 * if the session that proved it has ended since.
 */
export async function connectUser(
  { db, now, notices, provider }: SingleSignOnContext,
  { userId, assertStill }: { userId: number; assertStill(tx: Tx): Promise<void> },
  identity: Identity,
  address: string,
): Promise<void> {
  await db.transaction().execute(async (tx) => {
    await lockUser(tx, userId);
    await assertStill(tx);
    const isNew = await insertConnection(tx, userId, identity, now());
    if (!isNew && (await findConnected(tx, identity)) !== userId)
      throw new AppError(
        'CONFLICT',
        'Your account at {name} is already connected to another account here. Disconnect that one first, or log in to {name} as somebody else.',
        { name: provider.name },
      );
    if (identity.email !== undefined && identity.isEmailVerified)
      await confirmEmail(tx, userId, identity.email, now());
    const notice = { kind: 'single sign-on connected', provider: provider.name } as const;
    if (isNew) await notices.sendTo(tx, userId, notice, address);
  });
}
