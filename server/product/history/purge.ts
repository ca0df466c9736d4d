import { setImmediate } from 'node:timers/promises';
import { HISTORY_SHARE } from '../../../contract/rules/limits.ts';
import type { HistoryContext } from './context.ts';
import { isRestored, listRunning } from './restore-store.ts';
import { parseState } from './state.ts';
import {
  countBytes,
  deleteMoments,
  findOldestTime,
  listPagesWithMoments,
  listStates,
  listTimes,
} from './store.ts';
import { chooseThinned, type Fineness, type Thinnable } from './thin.ts';

const PAGES_AT_ONCE = 200;
/** Moments that are deleted in one transaction. */
const BATCH = 200;

/** Removes moments that are too fine or too old, and those of owners whose history takes too much storage. */
export async function purgeMoments(context: HistoryContext, isStopping: () => boolean): Promise<void> {
  const { db, directory } = context;
  const owners = new Set<number>();
  for (let after = 0; !isStopping(); ) {
    const pages = await listPagesWithMoments(db, after, PAGES_AT_ONCE);
    if (pages.length === 0) break;
    after = pages.at(-1) ?? after;
    for (const pageId of pages) {
      if (isStopping()) return;
      await thinPage(context, pageId, 'minutes');
      const page = await directory.find(db, String(pageId));
      if (page) owners.add(page.owner_id);
    }
  }
  for (const ownerId of owners) {
    if (isStopping()) return;
    await fitShare(context, ownerId);
  }
}

/** The storage that history takes, and may take: null without a limit. */
export async function readShare(
  context: HistoryContext,
  ownerId: number,
): Promise<{ bytes: number; share: number | null }> {
  const { db, readQuota } = context;
  const { pages, records, functions, snapshots } = context.parts();
  const ids = await pages.listOwned(db, ownerId);
  const { quota } = await readQuota(ownerId);
  const bytes =
    (await countBytes(db, ids)) +
    (await records.bytes(ids)) +
    (await functions.bytes(db, ids)) +
    (await snapshots.bytes(ownerId));
  return { bytes, share: quota === null ? null : Math.floor(quota * HISTORY_SHARE) };
}

/** Removes moments of an owner until the rest fits: the finest first, then the oldest, and those with a name last. */
export async function fitShare(context: HistoryContext, ownerId: number): Promise<void> {
  const isFull = async () => {
    const { bytes, share } = await readShare(context, ownerId);
    return share !== null && bytes > share;
  };
  if ((await context.readQuota(ownerId)).quota === null) return;
  const pages = await context.parts().pages.listOwned(context.db, ownerId);
  const bases = await context.parts().listBases();
  for (const fineness of ['hours', 'days'] as const) {
    if (!(await isFull())) return;
    for (const pageId of pages) {
      await thinPage(context, pageId, fineness);
      // SQLite answers without waiting, so other requests get a turn only here.
      await setImmediate();
    }
  }
  while (await isFull()) {
    const restoring = new Set((await listRunning(context.db)).map(({ page_id }) => page_id));
    const settled = pages.filter((id) => !restoring.has(id));
    const oldest = await findOldest(context, settled, bases);
    if (!oldest) return;
    await removeMoments(context, oldest.pageId, [oldest.moment]);
    const since = await findOldestTime(context.db, oldest.pageId);
    if (since !== undefined) await context.parts().records.forget(oldest.pageId, since);
  }
}

/** The moment that goes first. The newest of each page stays. */
async function findOldest(
  { db }: HistoryContext,
  pages: readonly number[],
  bases: ReadonlyMap<number, readonly number[]>,
) {
  let found: { pageId: number; moment: Thinnable } | undefined;
  for (const pageId of pages) {
    const kept = bases.get(pageId) ?? [];
    const moments = (await listTimes(db, pageId)).slice(0, -1).filter(({ at }) => !kept.includes(at));
    const moment = moments.find(({ name }) => name === null) ?? moments[0];
    if (moment && (!found || goesBefore(moment, found.moment))) found = { pageId, moment };
  }
  return found;
}

function goesBefore(a: Thinnable, b: Thinnable): boolean {
  const isNamed = Number(a.name !== null) - Number(b.name !== null);
  return isNamed === 0 ? a.at < b.at : isNamed < 0;
}

async function thinPage(context: HistoryContext, pageId: number, fineness: Fineness): Promise<void> {
  const { db, now, days } = context;
  const kept = (await context.parts().listBases()).get(pageId) ?? [];
  const moments = (await listTimes(db, pageId)).filter(({ at }) => !kept.includes(at));
  await removeMoments(context, pageId, chooseThinned(moments, { now: now(), days, fineness }));
}

/** Removes moments, and what no other moment needs. While the page is restored, they stay: the restore needs them. */
export async function removeMoments(
  context: HistoryContext,
  pageId: number,
  moments: ReadonlyArray<{ id: number }>,
): Promise<void> {
  const { db } = context;
  const { functions, snapshots } = context.parts();
  for (let from = 0; from < moments.length; from += BATCH) {
    const ids = moments.slice(from, from + BATCH).map(({ id }) => id);
    const unused = await db
      .transaction()
      .execute(async (tx) => ((await isRestored(tx, pageId)) ? undefined : deleteMoments(tx, ids)));
    if (!unused) return;
    if (unused.length > 0) await snapshots.drop(unused);
  }
  if (moments.length === 0) return;
  const states = (await listStates(db, pageId)).map(parseState);
  await functions.forget(
    db,
    pageId,
    states.flatMap((state) => state.functions),
  );
}
