import { isIP } from 'node:net';
import { blockMatcher, unmapIPv4 } from '../lib/addresses.ts';

/**
 * Finds the visitor's address. `X-Forwarded-For` counts only from a trusted proxy, read from its right end:
 * each trusted hop vouches for the entry before it, and what a visitor wrote there is never reached.
 */
export function createClientAddress(
  trustedProxies: string[],
): (peer: string, forwardedFor: string | null) => string {
  const isTrusted = blockMatcher(trustedProxies);
  return (peer, forwardedFor) => {
    let address = unmapIPv4(peer);
    if (!forwardedFor || !isTrusted(address)) return address;
    for (const hop of forwardedFor.split(',').reverse()) {
      const candidate = unmapIPv4(hop.trim());
      if (isIP(candidate) === 0) break;
      address = candidate;
      if (!isTrusted(address)) break;
    }
    return address;
  };
}
