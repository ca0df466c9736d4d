import { domainToASCII } from 'node:url';

/** Longer headers are cut by browsers, and not read here. */
export const MAX_REFERER = 2_048;
const MAX_HOST = 100;
const HOST = /^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/;

/**
 * The host of a `Referer` header without `www.`. Undefined if there is none, and if it is not the address of a
 * website.
 */
export function referrerHost(header: string | null): string | undefined {
  if (header === null || header.length > MAX_REFERER) return undefined;
  const start = header.startsWith('https://') ? 8 : header.startsWith('http://') ? 7 : 0;
  if (start === 0) return undefined;
  const end = header.slice(start).search(/[/?#]/);
  const authority = end < 0 ? header.slice(start) : header.slice(start, start + end);
  // Browsers send no names and passwords.
  if (authority.includes('@')) return undefined;
  const written = authority.replace(/:\d{1,5}$/, '').toLowerCase();
  if (written.length > MAX_HOST) return undefined;
  const host = (HOST.test(written) ? written : domainToASCII(written)).replace(/^www\./, '');
  return host.length <= MAX_HOST && HOST.test(host) ? host : undefined;
}
