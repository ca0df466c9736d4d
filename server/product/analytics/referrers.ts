import { domainToASCII } from 'node:url';

/** Characters of a `Referer` header. Browsers cut longer ones, so those are not read. */
const MAX_REFERER = 2_048;
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
  // Browsers do not send usernames and passwords in a referrer.
  if (authority.includes('@')) return undefined;
  const written = authority.replace(/:\d{1,5}$/, '').toLowerCase();
  if (written.length > MAX_HOST) return undefined;
  const host = (HOST.test(written) ? written : domainToASCII(written)).replace(/^www\./, '');
  return host.length <= MAX_HOST && HOST.test(host) ? host : undefined;
}

/** Characters of a `Host` header. Longer ones are not names of hosts. */
const MAX_HOST_HEADER = 300;

/** Whether a `Host` header is that of a host without `www.`. */
export function isSameHost(header: string | null, host: string): boolean {
  if (header === null || header.length > MAX_HOST_HEADER || !header.includes(host)) return false;
  return header.replace(/:\d+$/, '').replace(/^www\./, '') === host;
}

/** Remembers the hosts of recent referrers. They are few, and parsing a URL takes longer than counting the load. */
export class ReferrerHosts {
  readonly #known = new Map<string, string | null>();

  /** The host of a `Referer` header, like `referrerHost`. */
  of(header: string): string | undefined {
    if (header.length > MAX_REFERER) return undefined;
    // Browsers end a host with a slash. Only the part before it is kept, never a path.
    const end = header.indexOf('/', ORIGIN_SLASHES);
    const origin = end < 0 ? header : header.slice(0, end);
    const known = this.#known.get(origin);
    if (known !== undefined) return known ?? undefined;
    const host = referrerHost(origin);
    if (origin.length > MAX_KNOWN_LENGTH || PATHLIKE.test(origin)) return host;
    if (this.#known.size >= MAX_KNOWN) this.#known.clear();
    this.#known.set(origin, host ?? null);
    return host;
  }
}

const MAX_KNOWN = 500;
const MAX_KNOWN_LENGTH = 150;
/** The length of `https://`. */
const ORIGIN_SLASHES = 8;
/** A query or a fragment directly after the host. */
const PATHLIKE = /[?#]/;
