import { DEVICES } from '../../../contract/analytics/analytics.ts';
import { MAX_PAGE_ERRORS, MAX_PATHS, MAX_REFERRERS } from '../../../contract/analytics/limits.ts';
import type { Db, Tx } from '../../platform/storage/index.ts';
import { addError, keepErrors } from './errors/store.ts';
import { floorToDay } from './limits.ts';
import type { PageCounts } from './pending.ts';
import { decodeSketch, encodeSketch, estimate, mergeSketch, type Sketch } from './sketch.ts';
import {
  addFeatureUses,
  addReferrerViews,
  addToDay,
  addToHour,
  addViews,
  DIRECT,
  listHosts,
  listPaths,
  OTHER,
  setDayVisitors,
  setHourVisitors,
} from './store.ts';

/** Writes the counts of an hour, in one transaction. Pages that were deleted in the meantime are left out. */
export async function writeCounts(
  { db, existing }: { db: Db; existing(tx: Tx, pageIds: number[]): Promise<Set<number>> },
  hour: number,
  pages: Map<number, PageCounts>,
): Promise<void> {
  await db.transaction().execute(async (tx) => {
    const known = await existing(tx, [...pages.keys()]);
    for (const [pageId, counts] of pages) if (known.has(pageId)) await writePage(tx, pageId, hour, counts);
  });
}

async function writePage(tx: Tx, pageId: number, hour: number, counts: PageCounts): Promise<void> {
  const day = floorToDay(hour);
  const errors = counts.errors?.values().reduce((sum, { count }) => sum + count, 0) ?? 0;
  const added = { views: counts.views, errors };
  const inHour = await addToHour(tx, pageId, hour, added);
  const inDay = await addToDay(tx, pageId, day, added);
  if (counts.sketch) {
    await setHourVisitors(tx, pageId, hour, together(counts.sketch, inHour));
    await setDayVisitors(tx, pageId, day, together(counts.sketch, inDay));
  }
  await writeReferrers(tx, pageId, day, counts);
  for (const device of DEVICES)
    if (counts[device] > 0)
      await addViews(tx, { page_id: pageId, day, kind: 'device', name: device, views: counts[device] });
  if (counts.paths)
    for (const [name, views] of withinLimit(counts.paths, await listPaths(tx, pageId, day), MAX_PATHS))
      await addViews(tx, { page_id: pageId, day, kind: 'path', name, views });
  for (const [feature, uses] of counts.features ?? [])
    await addFeatureUses(tx, { page_id: pageId, day, feature, ...uses });
  if (!counts.errors) return;
  for (const error of counts.errors.values()) await addError(tx, { page_id: pageId, ...error });
  await keepErrors(tx, pageId, MAX_PAGE_ERRORS);
}

/** Merges a sketch with the stored sketch of all nodes. */
function together(counted: Sketch, stored: string | null) {
  const sketch = stored === null ? counted.slice() : decodeSketch(stored);
  mergeSketch(sketch, counted);
  return { sketch: encodeSketch(sketch), visitors: estimate(sketch) };
}

async function writeReferrers(
  tx: Tx,
  pageId: number,
  day: number,
  { direct, referrers }: PageCounts,
): Promise<void> {
  const add = (referrer: string, views: number) =>
    addReferrerViews(tx, { page_id: pageId, day, referrer, views });
  if (direct > 0) await add(DIRECT, direct);
  if (!referrers) return;
  for (const [host, views] of withinLimit(referrers, await listHosts(tx, pageId, day), MAX_REFERRERS))
    await add(host, views);
}

/** Counted names, of which those that are over the limit are called `OTHER`. */
function* withinLimit(
  counted: Map<string, number>,
  stored: string[],
  most: number,
): Generator<[string, number]> {
  const known = new Set(stored);
  for (const [name, views] of counted) {
    const isOver = name !== OTHER && !known.has(name) && known.size >= most;
    if (name !== OTHER && !isOver) known.add(name);
    yield [isOver ? OTHER : name, views];
  }
}
