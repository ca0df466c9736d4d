import type { Db, Tx } from '../../../platform/storage/index.ts';

/** Removes a person from the lists of those who can see pages. Returns the freed bytes of each owner. */
export async function removeNames(
  tx: Tx,
  names: string[],
): Promise<Array<{ ownerId: number; bytes: number }>> {
  const removed = await tx
    .deleteFrom('page_people')
    .where('name', 'in', names)
    .returning(['page_id', 'name'])
    .execute();
  const freed: Array<{ ownerId: number; bytes: number }> = [];
  for (const { page_id, name } of removed) {
    const page = await tx.selectFrom('pages').select('owner_id').where('id', '=', page_id).executeTakeFirst();
    if (page) freed.push({ ownerId: page.owner_id, bytes: Buffer.byteLength(name) });
  }
  // Sort by owner, so that two removals do not wait for each other.
  return freed.sort((a, b) => a.ownerId - b.ownerId);
}

/** Whether a user has a page. */
export async function ownsPages(db: Db, userId: number): Promise<boolean> {
  const row = await db
    .selectFrom('pages')
    .select('id')
    .where('owner_id', '=', userId)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}
