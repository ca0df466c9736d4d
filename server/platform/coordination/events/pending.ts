/** A sent event comes back immediately. After this long it will not come back at all. */
const COMES_BACK_MS = 2_000;

/** Events that were published and have not been received back yet, in order. */
export class Pending<Message> {
  private readonly entries = new Map<string, { message: Message; sentAt: number }>();

  add(mark: string, message: Message): void {
    this.forgetOld();
    this.entries.set(mark, { message, sentAt: Number.POSITIVE_INFINITY });
  }

  /** Notes that Redis has the event. */
  sent(mark: string): void {
    const entry = this.entries.get(mark);
    if (entry) entry.sentAt = performance.now();
  }

  take(mark: string): Message | undefined {
    const entry = this.entries.get(mark);
    this.entries.delete(mark);
    return entry?.message;
  }

  /** Takes the events that followers here have not received. */
  takeAll(): [mark: string, message: Message][] {
    this.forgetOld();
    const all = [...this.entries].map(([mark, { message }]): [string, Message] => [mark, message]);
    this.entries.clear();
    return all;
  }

  /** Forgets events that were sent before this node subscribed. They do not come back. */
  private forgetOld(): void {
    const oldest = performance.now() - COMES_BACK_MS;
    for (const [mark, { sentAt }] of this.entries) {
      if (sentAt > oldest) return;
      this.entries.delete(mark);
    }
  }
}
