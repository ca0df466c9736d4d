import { isIP } from 'node:net';
import { blockMatcher, unmapIPv4 } from '../../../lib/addresses.ts';

/** Other headers that proxies add. */
const FORWARDED = ['forwarded', 'via', 'x-real-ip'];

/**
 * Finds the visitor's address. `X-Forwarded-For` counts only from a trusted proxy, and is read from right to left:
 * each trusted proxy vouches for the entry before it, so entries that a visitor added are never used.
 */
export function createClientAddress(trustedProxies: string[]) {
  const isTrusted = blockMatcher(trustedProxies);

  /** The address, and whether every trusted proxy named its client. */
  function follow(peer: string, forwardedFor: string): { address: string; isSure: boolean } {
    let address = unmapIPv4(peer);
    if (!isTrusted(address)) return { address, isSure: false };
    for (const hop of forwardedFor.split(',').reverse()) {
      const candidate = unmapIPv4(hop.trim());
      if (isIP(candidate) === 0) return { address, isSure: false };
      address = candidate;
      if (!isTrusted(address)) break;
    }
    return { address, isSure: true };
  }

  return {
    resolveAddress(peer: string, headers: Headers): string {
      // Without proxies, the header is anyone's claim.
      const forwardedFor = trustedProxies.length === 0 ? null : headers.get('x-forwarded-for');
      return forwardedFor ? follow(peer, forwardedFor).address : unmapIPv4(peer);
    },
    /** False if the request was forwarded, but by an untrusted proxy or without naming the client. */
    isSure(peer: string, headers: Headers): boolean {
      const forwardedFor = headers.get('x-forwarded-for');
      if (forwardedFor !== null) return follow(peer, forwardedFor).isSure;
      return !FORWARDED.some((name) => headers.has(name));
    },
  };
}
