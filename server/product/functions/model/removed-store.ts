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
      ...(['taken_down_at', 'taken_down_reason'] as const),
    ])
    .expression((eb) =>
      eb
        .selectFrom('function_versions')
        .select((old) => [
          old.lit(removed.pageId).as('page_id'),
          'function_id',
          'function_versions.version',
          old.lit(removed.isPublic).as('is_public'),
          old.lit(removed.now).as('removed_at'),
        ])
        .innerJoin('functions', 'functions.id', 'function_versions.function_id')
        .select(['function_versions.code', 'files', 'bundle', 'source_map', 'size'])
        .select(['taken_down_at', 'taken_down_reason'])
        .where('function_id', '=', removed.functionId)
        .where('function_versions.version', 'in', removed.versions),
    )
    .onConflict((conflict) => conflict.columns(['page_id', 'function_id', 'version']).doNothing())
    .execute();
}

/** Notes for what is kept of a function whether an administrator has taken it down. */
export async function setRemovedTakenDown(
  tx: Tx,
  functionId: number,
  down: { at: number; reason: string } | null,
): Promise<void> {
  await tx
    .updateTable('removed_functions')
    .set({ taken_down_at: down?.at ?? null, taken_down_reason: down?.reason ?? null })
    .where('function_id', '=', functionId)
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
