import type { Tx } from '../platform/storage/index.ts';
import { isBlocked, lockUsage } from '../product/accounts/index.ts';
import type { Functions } from '../product/functions/index.ts';
import type { Pages } from '../product/pages/index.ts';

/**
 * Blocks everything that a user owns, from a moment on, or opens it again (null). Opening does nothing while the account
 * is still suspended or about to be deleted, so change the account first. Call what it returns when the transaction has
 * committed: then the caches of all nodes follow, and open connections end.
 */
export type BlockOwner = (tx: Tx, ownerId: number, at: number | null) => Promise<() => void>;

type Blocks = { administration: { setOwnerBlocked: BlockOwner } };

export function createBlockOwner(slices: {
  pages: Pick<Pages, 'administration'>;
  functions: Pick<Functions, 'administration'>;
}): BlockOwner {
  const all: Blocks[] = [slices.pages, slices.functions];
  return async (tx, ownerId, at) => {
    const announce: Array<() => void> = [];
    const set = async () => {
      for (const { administration } of all)
        announce.push(await administration.setOwnerBlocked(tx, ownerId, at));
    };
    if (at !== null || !(await isBlocked(tx, ownerId))) await set();
    if (at !== null) {
      // Waits for what the user is creating right now: its charge has the lock until its transaction ends.
      await lockUsage(tx, ownerId);
      await set();
    }
    return () => {
      for (const each of announce) each();
    };
  };
}
