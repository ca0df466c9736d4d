/** Counts what is in progress by key, up to a limit for each key. */
export class AtOnce<Key> {
  readonly #running = new Map<Key, number>();

  constructor(private readonly max: number) {}

  /** Counts one more and returns what ends it, which counts once only. Undefined at the limit. */
  enter(key: Key): (() => void) | undefined {
    const count = this.#running.get(key) ?? 0;
    if (count >= this.max) return undefined;
    this.#running.set(key, count + 1);
    let isRunning = true;
    return () => {
      if (!isRunning) return;
      isRunning = false;
      const left = (this.#running.get(key) ?? 1) - 1;
      if (left > 0) this.#running.set(key, left);
      else this.#running.delete(key);
    };
  }
}
