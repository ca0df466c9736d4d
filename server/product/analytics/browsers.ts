import { isBot } from './bots.ts';

/** Browsers have few different names. When there are more than these, they are looked at again. */
const MAX_KNOWN = 500;

/** What is known of the browsers of a day. It is looked up for every load of a page, and made once for each name. */
export class Browsers {
  readonly #known = new Map<string, number>();

  constructor(
    readonly day: number,
    private readonly salt: string,
  ) {}

  /** A hash of the visitor: of this address, with this browser. Undefined for a program that says that it is one. */
  visitor(userAgent: string, address: string): number | undefined {
    let seed = this.#known.get(userAgent);
    if (seed === undefined) {
      seed = isBot(userAgent) ? BOT : Bun.hash.xxHash32(this.salt + userAgent);
      if (this.#known.size >= MAX_KNOWN) this.#known.clear();
      this.#known.set(userAgent, seed);
    }
    return seed === BOT ? undefined : Bun.hash.xxHash32(address, seed);
  }
}

const BOT = -1;
