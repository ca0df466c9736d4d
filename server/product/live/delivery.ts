/** Somebody to deliver to. */
export interface Recipient {
  send(frame: string): void;
}

/** Other requests must not wait longer than this for the delivery of a message. */
const TURN_MS = 5;
/** How many are sent between two looks at the clock. */
const LOOK_EVERY = 64;
/** What may wait while earlier lines are being sent. */
const MAX_WAITING_BYTES = 1024 * 1024;

/**
 * Sends lines to everybody in a channel, in order. Lines that arrive while others are being sent go out together as one
 * WebSocket message, so many small ones cost little more than one.
 */
export class Delivery {
  #waiting: string[] = [];
  #waitingBytes = 0;
  #isRunning = false;
  #isStopped = false;
  /** Lines that were sent, once for each recipient. */
  delivered = 0;

  constructor(
    private readonly recipients: ReadonlySet<Recipient>,
    /** Resolves when it is known who may still read. */
    private readonly whenSure: () => Promise<void> | undefined,
  ) {}

  /** True if so much waits that nothing more should be accepted. */
  get isFull(): boolean {
    return this.#waitingBytes >= MAX_WAITING_BYTES;
  }

  push(line: string): void {
    if (this.recipients.size === 0) return;
    this.#waiting.push(line);
    this.#waitingBytes += line.length;
    if (this.#isRunning) return;
    this.#isRunning = true;
    // Later, so that lines from the same turn of the event loop go out together.
    setImmediate(() => void this.#run());
  }

  stop(): void {
    this.#isStopped = true;
  }

  async #run(): Promise<void> {
    while (this.#waiting.length > 0 && !this.#isStopped) {
      const checking = this.whenSure();
      if (checking) await checking;
      const frame = this.#waiting.join('\n');
      const lines = this.#waiting.length;
      this.#waiting = [];
      this.#waitingBytes = 0;
      await this.#send(frame, lines);
    }
    this.#isRunning = false;
  }

  async #send(frame: string, lines: number): Promise<void> {
    let startedAt = performance.now();
    let sent = 0;
    for (const recipient of this.recipients) {
      recipient.send(frame);
      this.delivered += lines;
      if (++sent % LOOK_EVERY !== 0 || performance.now() - startedAt < TURN_MS) continue;
      await new Promise((resolve) => setImmediate(resolve));
      startedAt = performance.now();
    }
  }
}
