/**
 * Reads a body whose sender decides how small its chunks are. While a read waits, Bun passes on every chunk on its own,
 * before anything else gets a turn, which takes ten times as long as parsing it. If no read waits, Bun joins what
 * arrives, and stops at 1 MB. So this reads once in each turn of the event loop.
 */
export class Pieces {
  lastByteAt = Date.now();
  isCancelled = false;
  #hasBegun = false;

  constructor(private readonly reader: Pick<ReadableStreamDefaultReader<Uint8Array>, 'read' | 'cancel'>) {}

  /** The next bytes, or undefined at the end. */
  async read(): Promise<Uint8Array | undefined> {
    if (this.#hasBegun) await new Promise<void>((resolve) => setImmediate(resolve));
    this.#hasBegun = true;
    const { value } = await this.reader.read();
    this.lastByteAt = Date.now();
    return value;
  }

  cancel(): Promise<void> {
    this.isCancelled = true;
    return this.reader.cancel();
  }
}
