/** Decides which moments are kept: many of the last day, fewer of the last week, and one for each day before. */

const HOUR_MS = 3600 * 1000;
const DAY_MS = 24 * HOUR_MS;
const WEEK_MS = 7 * DAY_MS;

/** What decides about a moment. */
export interface Thinnable {
  id: number;
  at: number;
  name: string | null;
  cause_kind: string | null;
}

/** How fine the moments are: as usual, or less if they take too much storage. */
export type Fineness = 'minutes' | 'hours' | 'days';

/**
 * The moments to delete, of those of one page, the oldest first. Of each hour or day the last one is kept. Moments with a
 * name stay, and so does the newest, because what comes next is compared with it.
 */
export function chooseThinned<Item extends Thinnable>(
  moments: readonly Item[],
  { now, days, fineness = 'minutes' }: { now: number; days: number; fineness?: Fineness },
): Item[] {
  const lastOf = new Map<string, Item>();
  for (const moment of moments) lastOf.set(findBucket(moment, now, fineness), moment);
  const newest = moments.at(-1);
  return moments.filter((moment) => {
    if (moment.name !== null || moment === newest) return false;
    if (moment.at < now - days * DAY_MS) return true;
    // What somebody did on purpose can be taken back for a week.
    if (fineness === 'minutes' && moment.cause_kind !== null && moment.at >= now - WEEK_MS) return false;
    return lastOf.get(findBucket(moment, now, fineness)) !== moment;
  });
}

/** The span of time that a moment stands for: itself, an hour or a day. One moment is kept for each span. */
function findBucket({ id, at }: Thinnable, now: number, fineness: Fineness): string {
  if (fineness === 'minutes' && at >= now - DAY_MS) return `moment ${id}`;
  if (fineness !== 'days' && at >= now - WEEK_MS) return `hour ${Math.floor(at / HOUR_MS)}`;
  return `day ${Math.floor(at / DAY_MS)}`;
}
