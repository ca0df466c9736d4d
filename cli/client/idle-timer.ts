/** Aborts a transfer when nothing has moved for a while. A long transfer that moves is not aborted. */
export class IdleTimer {
  readonly #controller = new AbortController();
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly timeoutMs: number) {
    this.touch();
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Something moved. */
  touch(): void {
    clearTimeout(this.#timer);
    const late = () => this.#controller.abort(new DOMException('Nothing moved in time.', 'TimeoutError'));
    this.#timer = setTimeout(late, this.timeoutMs);
    // A finished command ends.
    this.#timer.unref();
  }

  stop(): void {
    clearTimeout(this.#timer);
  }

  /** The same bytes as a stream that keeps the timer running. */
  watch(chunks: AsyncIterable<Uint8Array>): ReadableStream<Uint8Array> {
    const reading = chunks[Symbol.asyncIterator]();
    return new ReadableStream({
      pull: async (controller) => {
        const { done, value } = await reading.next();
        this.touch();
        if (done) controller.close();
        else controller.enqueue(value);
      },
      cancel: async () => void (await reading.return?.()),
    });
  }
}
