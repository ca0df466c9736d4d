import { isIP } from 'node:net';
import { blockMatcher, unmapIPv4 } from '../../../lib/addresses.ts';

/** What else proxies add. */
const FORWARDED = ['forwarded', 'via', 'x-real-ip'];

/**
 * Finds the visitor's address. `X-Forwarded-For` counts only from a trusted proxy, read from its right end:
 * each trusted hop vouches for the entry before it, and what a visitor wrote there is never reached.
 */
export function createClientAddress(trustedProxies: string[]) {
  const isTrusted = blockMatcher(trustedProxies);

  /** The address, and whether every trusted hop has said for whom it asks. */
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
    addressOf: (peer: string, forwardedFor: string | null) =>
      forwardedFor ? follow(peer, forwardedFor).address : unmapIPv4(peer),
    /** False when the request says that it was forwarded, but not by anybody we trust, or not for whom. */
    isSure(peer: string, headers: Headers): boolean {
      const forwardedFor = headers.get('x-forwarded-for');
      if (forwardedFor !== null) return follow(peer, forwardedFor).isSure;
      return !FORWARDED.some((name) => headers.has(name));
    },
  };
}
