import { sql } from 'kysely';
import type { Db, Tx } from '../../platform/storage/index.ts';
import type { ChargeUsage } from '../ports.ts';

/**
 * Copies for some minutes do not count towards the quota of their owner. What making one has added to the usage is noted
 * with it, and left out wherever usage is compared or shown. It is forgotten in the transaction that deletes the copy.
 */
export interface CopiedUsage {
  pages: number;
  functions: number;
  bytes: number;
}

/** How much the owner must have left for what is written on a copy, which counts as everywhere. */
export const LEAST_BYTES = 1024 * 1024;

/** What these users have in copies. Users without one are not listed. */
export async function readCopied(db: Db, userIds: readonly number[]): Promise<Map<number, CopiedUsage>> {
  if (userIds.length === 0) return new Map();
  const rows = await db
    .selectFrom('branches')
    .select(({ fn, ref }) => [
      ref('created_by').$notNull().as('owner_id'),
      fn.countAll<number | string>().as('pages'),
      fn.sum<number | string>('copied_functions').as('functions'),
      fn.sum<number | string>('copied_bytes').as('bytes'),
    ])
    .where('expires_at', 'is not', null)
    // A copy is made in the name of the owner of its page.
    .where('created_by', 'in', userIds)
    .groupBy('created_by')
    .execute();
  return new Map(
    rows.map(({ owner_id, pages, functions, bytes }) => [
      owner_id,
      { pages: Number(pages), functions: Number(functions), bytes: Number(bytes) },
    ]),
  );
}

/** Notes that a copy takes more of what does not count, or less. */
export async function addCopied(
  tx: Tx,
  pageId: number,
  { functions = 0, bytes }: Parameters<ChargeUsage>[2],
): Promise<void> {
  await tx
    .updateTable('branches')
    .set({
      copied_functions: sql<number>`copied_functions + ${functions}`,
      copied_bytes: sql<number>`copied_bytes + ${bytes}`,
    })
    .where('page_id', '=', pageId)
    .execute();
}
