import { TRANSACTION_LIMITS } from '../../protocol.ts';

/** Thrown if a line is too long to be read. */
export class LineTooLong extends Error {}

/** Reads the lines of a request as they arrive. */
export class LineReader {
  private readonly reader: ReadableStreamDefaultReader<Uint8Array>;
  private readonly decoder = new TextDecoder();
  private readonly lines: string[] = [];
  /** The beginning of the next line. A list: appending to a long string again and again would be quadratic. */
  private rest: string[] = [];
  private restLength = 0;
  /** The read that has not ended, perhaps since a wait for it was given up: there can be only one. */
  private reading: ReturnType<ReadableStreamDefaultReader<Uint8Array>['read']> | undefined;

  /** `wait` limits how long the sender may send nothing. */
  constructor(
    stream: ReadableStream<Uint8Array>,
    private readonly wait: <T>(work: Promise<T>) => Promise<T>,
  ) {
    this.reader = stream.getReader();
  }

  /** The next line; undefined if there is none. What the sender began and did not end is no line. */
  async next(): Promise<string | undefined> {
    while (this.lines.length === 0) {
      this.reading ??= this.reader.read();
      const { done, value } = await this.wait(this.reading);
      this.reading = undefined;
      if (done) return undefined;
      this.add(this.decoder.decode(value, { stream: true }));
    }
    return this.lines.shift();
  }

  cancel(): void {
    void this.reader.cancel().catch(() => undefined);
  }

  private add(text: string): void {
    const end = text.lastIndexOf('\n');
    this.rest.push(end < 0 ? text : text.slice(0, end));
    this.restLength += end < 0 ? text.length : end;
    if (this.restLength > TRANSACTION_LIMITS.lineCharacters) throw new LineTooLong();
    if (end < 0) return;
    this.lines.push(...this.rest.join('').split('\n'));
    this.rest = [text.slice(end + 1)];
    this.restLength = text.length - end - 1;
  }
}
