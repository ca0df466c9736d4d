/** Bodies up to this size never wait. */
const SMALL_BYTES = 64 * 1024;

/** Thrown to calls that wait for their turn when the cell stops accepting calls. These calls have not begun. */
export class NoTurnError extends Error {}

/**
 * Lets only a few large request bodies into a cell at a time. A parsed body takes up several times its size, so many at
 * once would exceed the function's memory even though each one fits.
 */
export class BodyTurns {
  private bytes = 0;
  private readonly waiting: Array<{ bytes: number; begin(): void; refuse(error: NoTurnError): void }> = [];

  constructor(private readonly maxBytes: number) {}

  get isCrowded(): boolean {
    return this.waiting.length > 0;
  }

  /** Counts a body until `end` is called. Undefined if it can be sent now. */
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

  /** Rejects all waiting calls, so that they go to another cell. */
  close(): void {
    for (const turn of this.waiting.splice(0)) turn.refuse(new NoTurnError());
  }

  /** A single body always fits, whatever its size. */
  private fits(bytes: number): boolean {
    return this.bytes === 0 || this.bytes + bytes <= this.maxBytes;
  }
}
