/** Clocks that are behind are removed when there are this many. */
const MAX_CLOCKS = 10_000;
/** The bytes that begin to be sent before other events are handled. One body always begins, whatever its size. */
const BYTES_AT_ONCE = 1024 * 1024;

interface Waiting {
  bytes: number;
  /** When the entry is due, in bytes that were sent since the queue was last empty. */
  due: number;
  begin(): void;
}

/**
 * Lets bytes begin to be sent, a few at a time. In between, everything else that waits in the event loop has its turn.
 *
 * An entry has several keys, such as the address that asks and the owner of the page. Each key has a clock, which runs by
 * the bytes that it was given. An entry is due when all its clocks agree that it is, so those who ask for little come
 * before those who ask for much, whether that is one address with many pages or one page with many addresses.
 */
export class SendQueue {
  readonly #waiting: Waiting[] = [];
  readonly #clocks = new Map<string, number>();
  #now = 0;

  get length(): number {
    return this.#waiting.length;
  }

  /** Resolves when this many bytes can be sent. */
  wait(bytes: number, keys: string[]): Promise<void> {
    const due = Math.max(this.#now, ...keys.map((key) => this.#clocks.get(key) ?? 0));
    if (this.#clocks.size >= MAX_CLOCKS) this.#removePast();
    for (const key of keys) this.#clocks.set(key, due + bytes);
    return new Promise((resolve) => {
      if (this.#waiting.length === 0) setImmediate(this.#beginSome);
      this.#waiting.splice(this.#findPosition(due), 0, { bytes, due, begin: resolve });
    });
  }

  readonly #beginSome = (): void => {
    for (let begun = 0; begun < BYTES_AT_ONCE; ) {
      const next = this.#waiting[0];
      if (!next || (begun > 0 && begun + next.bytes > BYTES_AT_ONCE)) break;
      this.#waiting.shift();
      begun += next.bytes;
      this.#now = next.due;
      next.begin();
    }
    if (this.#waiting.length > 0) setImmediate(this.#beginSome);
    else this.#clocks.clear();
  };

  #removePast(): void {
    for (const [key, clock] of this.#clocks) if (clock <= this.#now) this.#clocks.delete(key);
  }

  /** Where to insert an entry: after all that are due at the same time or earlier. */
  #findPosition(due: number): number {
    let [low, high] = [0, this.#waiting.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#waiting[middle]?.due ?? 0) <= due) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
