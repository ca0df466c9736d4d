import type { Tx } from '../../../platform/storage/index.ts';
import { deleteChangingLinks } from './link-store.ts';
import { deleteSessions } from './session-store.ts';
import { setPassword } from './store.ts';
import { deleteLoginTokens } from './token-store.ts';

/** Forgets all apps that a user has connected. Their tokens end with the user's other logins. */
export type DisconnectApps = (tx: Tx, userId: number) => Promise<void>;

/** Sets a password, and ends everything made with the old one: sessions, tokens, connected apps and links. */
export async function replacePassword(
  tx: Tx,
  {
    userId,
    passwordHash,
    exceptSession,
  }: { userId: number; passwordHash: string; exceptSession?: number | undefined },
  disconnectApps: DisconnectApps,
): Promise<void> {
  // Change the user first, so that two changes at once wait for each other here.
  await setPassword(tx, userId, passwordHash);
  // End sessions before apps: a session that connects an app at this moment has then either ended or connected it.
  await deleteSessions(tx, userId, { except: exceptSession });
  await disconnectApps(tx, userId);
  await deleteLoginTokens(tx, userId, { exceptSession });
  await deleteChangingLinks(tx, userId);
}
