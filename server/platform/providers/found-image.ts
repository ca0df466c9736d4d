import { z } from 'zod';

/** The largest list of results that is read. */
export const MAX_RESULTS_BYTES = 4 * 1024 * 1024;

/** What Openverse gives a caller without an account; Commons gives more. */
const MAX_PAGE_SIZE = 20;

/** An address for a page: pages are served over HTTPS, and a browser loads nothing else into them. */
export const HttpsUrl = z.url({ protocol: /^https$/ });

/** Pixels, or 0 where the vendor does not know. */
export const Pixels = z.number().int().min(0).catch(0);

/** Some results have no address that can be used: a few more are asked for than are wanted. */
export function pageSizeFor(count: number): number {
  return Math.min(count + 5, MAX_PAGE_SIZE);
}
