import type { Selectable } from 'kysely';
import type { Db, Tables, Tx } from '../../../platform/storage/index.ts';

/** SQL for versions of deleted functions that moments need. */

export type RemovedRow = Selectable<Tables['removed_functions']>;

/** Keeps versions of a function that is about to be deleted. */
export async function keepRemoved(
  tx: Tx,
  removed: { pageId: number; functionId: number; isPublic: number; versions: readonly number[]; now: number },
): Promise<void> {
  if (removed.versions.length === 0) return;
  await tx
    .insertInto('removed_functions')
    .columns([
      ...(['page_id', 'function_id', 'version', 'is_public', 'removed_at'] as const),
      ...(['code', 'files', 'bundle', 'source_map', 'size'] as const),
    ])
    .expression((eb) =>
      eb
        .selectFrom('function_versions')
        .select((old) => [
          old.lit(removed.pageId).as('page_id'),
          'function_id',
          'version',
          old.lit(removed.isPublic).as('is_public'),
          old.lit(removed.now).as('removed_at'),
        ])
        .select(['code', 'files', 'bundle', 'source_map', 'size'])
        .where('function_id', '=', removed.functionId)
        .where('version', 'in', removed.versions),
    )
    .onConflict((conflict) => conflict.columns(['page_id', 'function_id', 'version']).doNothing())
    .execute();
}

export function findRemoved(
  db: Db,
  pageId: number,
  { id, version }: { id: number; version: number },
): Promise<RemovedRow | undefined> {
  return db
    .selectFrom('removed_functions')
    .selectAll()
    .where('page_id', '=', pageId)
    .where('function_id', '=', id)
    .where('version', '=', version)
    .executeTakeFirst();
}

export async function sumRemovedBytes(db: Db, pageIds: readonly number[]): Promise<number> {
  if (pageIds.length === 0) return 0;
  const row = await db
    .selectFrom('removed_functions')
    .select((eb) => eb.fn.sum<number | string | null>('size').as('bytes'))
    .where('page_id', 'in', pageIds)
    .executeTakeFirst();
  return Number(row?.bytes ?? 0);
}

export function listRemoved(db: Db, pageId: number) {
  return db
    .selectFrom('removed_functions')
    .select(['function_id', 'version'])
    .where('page_id', '=', pageId)
    .execute();
}

export async function deleteRemoved(
  db: Db,
  pageId: number,
  { function_id, version }: Pick<RemovedRow, 'function_id' | 'version'>,
): Promise<void> {
  await db
    .deleteFrom('removed_functions')
    .where('page_id', '=', pageId)
    .where('function_id', '=', function_id)
    .where('version', '=', version)
    .execute();
}
