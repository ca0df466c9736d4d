/** Somebody to deliver to. */
export interface Recipient {
  /** Subscribes the recipient to a topic. */
  subscribe(topic: string): void;
  unsubscribe(topic: string): void;
  /** Ends the connection if too much waits to be read. */
  checkUnread(): void;
}

/**
 * How many get a line in one turn of the event loop. Other requests wait for a turn, which takes a few milliseconds, not
 * for the whole delivery.
 */
export const GROUP_SIZE = 512;
/** Bytes of a frame. A whole group can fall behind by this much before anyone is disconnected. */
const MAX_FRAME_BYTES = 64 * 1024;
/** Bytes of lines that may wait while earlier lines are sent. */
const MAX_WAITING_BYTES = 1024 * 1024;

/** Recipients that one call reaches: publishing to a topic of Bun costs half as much as sending to each. */
interface Group {
  topic: string;
  recipients: Set<Recipient>;
}

/**
 * Sends lines to everybody in a channel, in order. Lines that arrive while others are being sent go out together as one
 * WebSocket message, so many small ones cost little more than one.
 */
export class Delivery<R extends Recipient = Recipient> {
  readonly #groups: Group[] = [];
  readonly #groupOf = new Map<R, Group>();
  #waiting: string[] = [];
  #waitingBytes = 0;
  #isRunning = false;
  #isStopped = false;
  /** Lines that were sent, once for each recipient. */
  delivered = 0;

  constructor(
    private readonly options: {
      /** The prefix of the topics, which no other delivery uses. */
      topic: string;
      publish(topic: string, frame: string): void;
      /** Resolves when it is known who may still read. */
      whenSure(): Promise<void> | undefined;
    },
  ) {}

  get size(): number {
    return this.#groupOf.size;
  }

  /** True if so much waits that nothing more should be accepted. */
  get isFull(): boolean {
    return this.#waitingBytes >= MAX_WAITING_BYTES;
  }

  add(recipient: R): void {
    if (this.#groupOf.has(recipient)) return;
    const group = this.#groups.find(({ recipients }) => recipients.size < GROUP_SIZE) ?? this.#addGroup();
    group.recipients.add(recipient);
    this.#groupOf.set(recipient, group);
    recipient.subscribe(group.topic);
  }

  /** Removes a recipient. False if they did not get the line that is being sent. */
  remove(recipient: R): boolean {
    const group = this.#groupOf.get(recipient);
    if (!group) return false;
    this.#groupOf.delete(recipient);
    group.recipients.delete(recipient);
    recipient.unsubscribe(group.topic);
    return true;
  }

  push(line: string): void {
    if (this.size === 0) return;
    this.#waiting.push(line);
    this.#waitingBytes += line.length;
    if (this.#isRunning) return;
    this.#isRunning = true;
    // Run later, so that lines from the same turn of the event loop are sent together.
    setImmediate(() => void this.#run());
  }

  stop(): void {
    this.#isStopped = true;
  }

  async #run(): Promise<void> {
    while (this.#waiting.length > 0 && !this.#isStopped) {
      const lines = this.#takeLines();
      const frame = lines.join('\n');
      for (const group of this.#groups) {
        if (group.recipients.size === 0) continue;
        await this.options.whenSure();
        this.options.publish(group.topic, frame);
        this.delivered += lines.length * group.recipients.size;
        await new Promise((resolve) => setImmediate(resolve));
        for (const recipient of group.recipients) recipient.checkUnread();
      }
    }
    this.#isRunning = false;
  }

  #takeLines(): string[] {
    let [count, bytes] = [0, 0];
    for (const { length } of this.#waiting) {
      if (count > 0 && bytes + length > MAX_FRAME_BYTES) break;
      count++;
      bytes += length;
    }
    this.#waitingBytes -= bytes;
    return this.#waiting.splice(0, count);
  }

  #addGroup(): Group {
    const group = { topic: `${this.options.topic} ${this.#groups.length}`, recipients: new Set<Recipient>() };
    this.#groups.push(group);
    return group;
  }
}
