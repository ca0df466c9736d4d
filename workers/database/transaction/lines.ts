import { TRANSACTION_LIMITS } from '../../protocol.ts';

/** Thrown if a line is too long to be read. */
export class LineTooLong extends Error {}

interface LineLimits {
  /** Limits how long the sender may send nothing. */
  wait<T>(work: Promise<T>): Promise<T>;
  /** Counts characters that are in memory, or no longer. Throws if they are too many. */
  count(difference: number): void;
}

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
  /** The characters that are counted, and those of them in the line that was taken last. */
  private counted = 0;
  private taken = 0;

  constructor(
    stream: ReadableStream<Uint8Array>,
    private readonly limits: LineLimits,
  ) {
    this.reader = stream.getReader();
  }

  /**
   * The next line; undefined if there is none. What the sender began and did not end is no line. Call this when the line
   * before is done with.
   */
  async next(): Promise<string | undefined> {
    this.count(-this.taken);
    this.taken = 0;
    while (this.lines.length === 0) {
      const value = await this.read();
      if (!value) return undefined;
      this.add(this.decoder.decode(value, { stream: true }));
    }
    const line = this.lines.shift() as string;
    this.taken = line.length + 1;
    return line;
  }

  /** Reads the rest, and keeps nothing. */
  async drain(): Promise<void> {
    this.forget();
    while (await this.read());
  }

  cancel(): void {
    this.forget();
    void this.reader.cancel().catch(() => undefined);
  }

  private async read(): Promise<Uint8Array | undefined> {
    this.reading ??= this.reader.read();
    const { value } = await this.limits.wait(this.reading);
    this.reading = undefined;
    return value;
  }

  private forget(): void {
    this.lines.length = 0;
    this.rest = [];
    this.taken = 0;
    this.count(-this.counted);
  }

  private count(difference: number): void {
    if (difference === 0) return;
    this.limits.count(difference);
    this.counted += difference;
  }

  private add(text: string): void {
    this.count(text.length);
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
