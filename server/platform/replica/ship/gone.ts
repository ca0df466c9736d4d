import { z } from 'zod';
import type { Destination } from '../destination/destination.ts';
import { DamagedError, seal, unseal } from '../format/object.ts';
import { parseHeader } from '../format/segment.ts';

/** What was deleted here and is still in the replica, and since when. */

const Gone = z.object({
  kind: z.enum(['deleted files', 'deleted databases']),
  at: z.record(z.string(), z.number()),
});

const KINDS = { 'deleted-files': 'deleted files', 'deleted-databases': 'deleted databases' } as const;
export type GoneList = keyof typeof KINDS;

/** If the list is damaged, everything that is gone is kept for another week. */
export async function readGone(destination: Destination, list: GoneList): Promise<Record<string, number>> {
  const found = await destination.get(list);
  try {
    return found ? parseHeader(list, Gone, unseal(list, found).header).at : {};
  } catch (error) {
    if (error instanceof DamagedError) return {};
    throw error;
  }
}

export function writeGone(
  destination: Destination,
  list: GoneList,
  at: Record<string, number>,
): Promise<void> {
  return destination.put(list, seal({ kind: KINDS[list], at }).bytes);
}
