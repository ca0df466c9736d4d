import type { Tx } from '../../../platform/storage/index.ts';
import type { ChargeUsage } from '../../ports.ts';
import { listPagesWith, replaceName } from '../model/access-store.ts';

/**
 * Lets a person see the same pages under a new name, and nobody who takes the old one. `charge` must not refuse: the
 * owners of the pages have not asked for it.
 */
export async function renamePerson(
  tx: Tx,
  { from, to }: { from: string; to: string },
  charge: ChargeUsage,
): Promise<void> {
  const old = await listPagesWith(tx, from);
  const both = new Set((await listPagesWith(tx, to)).map(({ page_id }) => page_id));
  await replaceName(tx, from, to);
  const grown = new Map<number, number>();
  for (const { page_id, owner_id } of old) {
    const bytes = both.has(page_id) ? -from.length : to.length - from.length;
    grown.set(owner_id, (grown.get(owner_id) ?? 0) + bytes);
  }
  for (const [ownerId, bytes] of grown) if (bytes !== 0) await charge(tx, ownerId, { bytes });
}
