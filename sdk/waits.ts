/** How a tab keeps a connection to the service open. All connections do it in the same way. */

/** Statuses that would be the same after another try. */
export const FINAL = [401, 403, 404, 409];
/** A connection that lasted this long worked, so its end does not count as another failure. */
export const GOOD_AFTER_MS = 5_000;
/** The service sends something more often than this. After a longer silence the connection is dead. */
export const SILENCE_MS = 45_000;

const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 30_000;

/** How long to wait before the next try. Longer with each failure, and random, so that tabs do not reconnect at the same time. */
export function waitMs(failures: number): number {
  const longest = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** failures);
  return FIRST_WAIT_MS + Math.random() * (longest - FIRST_WAIT_MS);
}
