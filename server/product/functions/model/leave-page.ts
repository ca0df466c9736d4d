import type { Tx } from '../../../platform/storage/index.ts';
import type { MomentKeeper } from '../../ports.ts';
import { leavePage } from './page-store.ts';
import { keepRemoved } from './removed-store.ts';

export interface KeepContext {
  moments: Pick<MomentKeeper, 'listNeededVersions'>;
  now: () => number;
}

/** Keeps the versions of a function that moments of a page need. */
export async function keepNeeded(
  { moments, now }: KeepContext,
  tx: Tx,
  pageId: number,
  { id, is_public }: { id: number; is_public: number },
): Promise<void> {
  const versions = [...(await moments.listNeededVersions(tx, pageId, id))];
  await keepRemoved(tx, { pageId, functionId: id, isPublic: is_public, versions, now: now() });
}

/**
 * Makes functions of a page belong to none. From then on, nobody asks its moments before a version is removed, so what
 * they need is kept now.
 */
export async function leaveWithMoments(
  context: KeepContext,
  tx: Tx,
  pageId: number,
  functions: ReadonlyArray<{ id: number; is_public: number }>,
): Promise<void> {
  if (functions.length === 0) return;
  for (const each of functions) await keepNeeded(context, tx, pageId, each);
  await leavePage(
    tx,
    pageId,
    functions.map(({ id }) => id),
  );
}
