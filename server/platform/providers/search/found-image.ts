import { z } from 'zod';

/** The largest list of results that is read. */
export const MAX_RESULTS_BYTES = 4 * 1024 * 1024;

/** Openverse's limit for callers without an account. Commons allows more. */
const MAX_PAGE_SIZE = 20;

/** A URL that a page can load: pages are served over HTTPS, and browsers block everything else there. */
export const HttpsUrl = z.url({ protocol: /^https$/ });

/** Pixels, or 0 if the vendor does not know. */
export const Pixels = z.number().int().min(0).catch(0);

/** A redirect could lead anywhere, also to a server that only this machine reaches. */
export const toSearchInit = ({ userAgent }: { userAgent: string }, signal: AbortSignal): RequestInit => ({
  headers: { 'user-agent': userAgent, accept: 'application/json' },
  signal,
  redirect: 'error',
});

/** Some results have no usable URL, so we ask for a few more than we need. */
export function pageSizeFor(count: number): number {
  return Math.min(count + 5, MAX_PAGE_SIZE);
}
