interface Window {
  count: number;
  endsAt: number;
}

/** Groups counts of about the same size: 0 or 1, 2 or 3, 4 to 7 and so on. */
const toLevel = (count: number) => Math.max(0, 31 - Math.clz32(count));

/**
 * Counts by key, each in a window of the same length that starts with its first point. Strangers choose keys, so their
 * number is limited. If there are too many, the oldest of those with the fewest points goes: to make us forget a
 * key, an attacker must count about as much for every other one.
 */
export class Windows {
  /** All windows by key, in the order of their end. */
  readonly #windows = new Map<string, Window>();
  /** All keys by the level of their count. */
  readonly #levels: Array<Set<string>> = [];

  constructor(
    private readonly lengthMs: number,
    private readonly maxKeys: number,
  ) {}

  get size(): number {
    return this.#windows.size;
  }

  /** Adds points. Returns the sum, and the time until it starts again from zero. */
  add(key: string, now: number, points = 1): { count: number; msBeforeNext: number } {
    const window = this.#find(key, now) ?? this.#open(key, now);
    this.#setCount(key, window, window.count + points);
    return { count: window.count, msBeforeNext: window.endsAt - now };
  }

  /** Takes points back, if their window is still open. */
  subtract(key: string, now: number, points = 1): void {
    const window = this.#find(key, now);
    if (window) this.#setCount(key, window, Math.max(0, window.count - points));
  }

  #find(key: string, now: number): Window | undefined {
    const window = this.#windows.get(key);
    return window && window.endsAt > now ? window : undefined;
  }

  #open(key: string, now: number): Window {
    for (const [ended, { endsAt }] of this.#windows) {
      if (endsAt > now) break;
      this.#remove(ended);
    }
    if (this.#windows.size >= this.maxKeys) {
      const [least] = this.#levels.find(({ size }) => size > 0) ?? [];
      if (least !== undefined) this.#remove(least);
    }
    const window = { count: 0, endsAt: now + this.lengthMs };
    this.#windows.set(key, window);
    this.#level(0).add(key);
    return window;
  }

  #setCount(key: string, window: Window, count: number): void {
    const [before, after] = [toLevel(window.count), toLevel(count)];
    window.count = count;
    if (before === after) return;
    this.#level(before).delete(key);
    this.#level(after).add(key);
  }

  #remove(key: string): void {
    const window = this.#windows.get(key);
    if (window) this.#level(toLevel(window.count)).delete(key);
    this.#windows.delete(key);
  }

  #level(level: number): Set<string> {
    while (this.#levels.length <= level) this.#levels.push(new Set());
    return this.#levels[level] as Set<string>;
  }
}
