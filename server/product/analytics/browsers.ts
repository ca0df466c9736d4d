import { isBot, MAX_USER_AGENT } from './bots.ts';

/** User agents that are kept. When there are more, all are forgotten and parsed again. */
const MAX_KNOWN = 500;

/** The seeds of the browsers of a day. They are read for every load of a page, and made once for each user agent. */
export class Browsers {
  readonly #known = new Map<string, number>();

  constructor(
    readonly day: number,
    private readonly salt: string,
  ) {}

  /** What the hashes of visitors with this browser begin with. `BOT` for a program that says that it is one. */
  findSeed(userAgent: string): number {
    return this.#known.get(userAgent) ?? this.#add(userAgent);
  }

  /** A hash of the visitor: of this address, with this browser. Undefined for a program that says that it is one. */
  visitor(userAgent: string, address: string): number | undefined {
    const seed = this.findSeed(userAgent);
    return seed === BOT ? undefined : visitorHash(seed, address);
  }

  #add(userAgent: string): number {
    // A long user agent is not kept: it can be as long as all headers together.
    if (userAgent.length > MAX_USER_AGENT) return BOT;
    const seed = isBot(userAgent) ? BOT : Bun.hash.xxHash32(this.salt + userAgent);
    if (this.#known.size >= MAX_KNOWN) this.#known.clear();
    this.#known.set(userAgent, seed);
    return seed;
  }
}

/** Stands for a bot. Seeds of browsers are not negative. */
export const BOT = -1;

/** A hash of the visitor: of this address, with a browser that has this seed. */
export const visitorHash = (seed: number, address: string) => Bun.hash.xxHash32(address, seed);
