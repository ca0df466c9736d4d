/** Bodies up to this size never wait. */
const SMALL_BYTES = 64 * 1024;

/** Thrown at those who wait for a turn in a cell that gives none any more; their calls have not begun. */
export class NoTurnError extends Error {}

/**
 * Lets large request bodies into a cell a few at a time. A body is several times its size once it is parsed, so that
 * many at once would use up the function's memory though each of them is within it.
 */
export class BodyTurns {
  private bytes = 0;
  private readonly waiting: Array<{ bytes: number; begin(): void; refuse(error: NoTurnError): void }> = [];

  constructor(private readonly maxBytes: number) {}

  get isCrowded(): boolean {
    return this.waiting.length > 0;
  }

  /** Undefined when the body can go in now; it is in until `end`. */
  begin(bytes: number, signal: AbortSignal): Promise<void> | undefined {
    if (bytes <= SMALL_BYTES) return undefined;
    if (this.waiting.length === 0 && this.fits(bytes)) {
      this.bytes += bytes;
      return undefined;
    }
    return new Promise((resolve, reject) => {
      const leave = () => {
        this.waiting.splice(this.waiting.indexOf(turn), 1);
        reject(signal.reason);
      };
      const turn = {
        bytes,
        begin: () => {
          signal.removeEventListener('abort', leave);
          resolve();
        },
        refuse: (error: NoTurnError) => {
          signal.removeEventListener('abort', leave);
          reject(error);
        },
      };
      this.waiting.push(turn);
      signal.addEventListener('abort', leave);
    });
  }

  end(bytes: number): void {
    if (bytes <= SMALL_BYTES) return;
    this.bytes -= bytes;
    for (let next = this.waiting[0]; next && this.fits(next.bytes); next = this.waiting[0]) {
      this.waiting.shift();
      this.bytes += next.bytes;
      next.begin();
    }
  }

  /** Sends those who wait elsewhere. */
  close(): void {
    for (const turn of this.waiting.splice(0)) turn.refuse(new NoTurnError());
  }

  /** One is always let in, however large. */
  private fits(bytes: number): boolean {
    return this.bytes === 0 || this.bytes + bytes <= this.maxBytes;
  }
}
