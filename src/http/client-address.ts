import { isIP } from 'node:net';
import { blockMatcher, unmapIPv4 } from '../lib/addresses.ts';

/** What else proxies add. */
const FORWARDED = ['forwarded', 'via', 'x-real-ip'];

/**
 * Finds the visitor's address. `X-Forwarded-For` counts only from a trusted proxy, read from its right end:
 * each trusted hop vouches for the entry before it, and what a visitor wrote there is never reached.
 */
export function createClientAddress(trustedProxies: string[]) {
  const isTrusted = blockMatcher(trustedProxies);

  function addressOf(peer: string, forwardedFor: string | null): string {
    let address = unmapIPv4(peer);
    if (!forwardedFor || !isTrusted(address)) return address;
    for (const hop of forwardedFor.split(',').reverse()) {
      const candidate = unmapIPv4(hop.trim());
      if (isIP(candidate) === 0) break;
      address = candidate;
      if (!isTrusted(address)) break;
    }
    return address;
  }

  return {
    addressOf,
    /** False when the request says that it was forwarded, but not by anybody we trust, or not for whom. */
    isSure: (peer: string, headers: Headers) =>
      headers.has('x-forwarded-for') ? isTrusted(peer) : !FORWARDED.some((name) => headers.has(name)),
  };
}
