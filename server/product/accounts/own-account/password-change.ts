import type { Tx } from '../../../platform/storage/index.ts';
import type { DisconnectApps } from '../context.ts';
import { deleteChangingLinks } from '../links/link-store.ts';
import { deleteSessions } from '../session-store.ts';
import { setPassword } from '../store.ts';
import { deleteLoginTokens } from '../tokens/token-store.ts';

/** Sets a password, and ends everything that the old one opened: sessions, tokens, connected apps and links. */
export async function replacePassword(
  tx: Tx,
  {
    userId,
    passwordHash,
    exceptSession,
  }: { userId: number; passwordHash: string; exceptSession?: number | undefined },
  disconnectApps: DisconnectApps,
): Promise<void> {
  // The user first: two changes at once wait for each other here.
  await setPassword(tx, userId, passwordHash);
  // Sessions before apps: one that connects an app at this moment has then either ended or connected it.
  await deleteSessions(tx, userId, { except: exceptSession });
  await disconnectApps(tx, userId);
  await deleteLoginTokens(tx, userId, { exceptSession });
  await deleteChangingLinks(tx, userId);
}
