/** Limits of what a node keeps in memory, and how long rows are kept. */

const HOUR_MS = 3600 * 1000;
const DAY_MS = 24 * HOUR_MS;

/** Pages with counts that wait to be written, 2 KB each. Loads of more pages are not counted until the next write. */
export const MAX_PAGES_PENDING = 4_000;
/** Errors that wait to be written, up to 8 KB each. */
export const MAX_ERRORS_PENDING = 1_000;
/**
 * Loads of a page whose visitors are counted, until the next write. Bun asks the system for an address, which takes a
 * tenth of the time of the whole request. If a page has more than 500 loads per second, its visitors are too few.
 */
export const MAX_LOADS_LOOKED_AT = 5_000;
/** Visitors who wait for the salt of a new day. */
export const MAX_VISITORS_WAITING = 1_000;
export const FLUSH_EVERY_MS = 10_000;

/** Hours are shown for one day, and compared with the day before. */
export const HOURS_KEPT_MS = 49 * HOUR_MS;
/** Days are shown for 90 days, and compared with the 90 days before. */
export const DAYS_KEPT_MS = 181 * DAY_MS;

export const floorToHour = (moment: number) => moment - (moment % HOUR_MS);
export const floorToDay = (moment: number) => moment - (moment % DAY_MS);
export { DAY_MS, HOUR_MS };
