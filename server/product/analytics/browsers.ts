import type { Device } from '../../../contract/analytics/analytics.ts';
import { isBot, MAX_USER_AGENT } from './bots.ts';

/** User agents that are kept. When there are more, all are forgotten and parsed again. */
const MAX_KNOWN = 500;

/** What a user agent says. */
export interface Browser {
  /** What the hashes of visitors with this browser begin with. */
  seed: number;
  device: Device;
}

/** The browsers of a day. They are read for every load of a page, and made once for each user agent. */
export class Browsers {
  readonly #known = new Map<string, Browser | null>();

  constructor(
    readonly day: number,
    private readonly salt: string,
  ) {}

  /** The browser with this user agent. Null for a program that says that it is one. */
  find(userAgent: string): Browser | null {
    const known = this.#known.get(userAgent);
    return known === undefined ? this.#add(userAgent) : known;
  }

  #add(userAgent: string): Browser | null {
    // A long user agent is not kept: it can be as long as all headers together.
    if (userAgent.length > MAX_USER_AGENT) return null;
    const browser = isBot(userAgent)
      ? null
      : { seed: Bun.hash.xxHash32(this.salt + userAgent), device: findDevice(userAgent) };
    if (this.#known.size >= MAX_KNOWN) this.#known.clear();
    this.#known.set(userAgent, browser);
    return browser;
  }
}

/** Android says `Mobile` on phones only. Safari on an iPad says that it is a desktop, unless asked not to. */
export function findDevice(userAgent: string): Device {
  if (/iPad|Tablet|PlayBook|Silk\//.test(userAgent)) return 'tablet';
  if (/Mobi|iPhone|iPod/.test(userAgent)) return 'phone';
  return /Android/.test(userAgent) ? 'tablet' : 'desktop';
}

/** A hash of the visitor: of this address, with a browser that has this seed. */
export const visitorHash = (seed: number, address: string) => Bun.hash.xxHash32(address, seed);
