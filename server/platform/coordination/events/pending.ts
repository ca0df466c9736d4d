/** An event that has been sent comes back at once; later it will not come at all. */
const COMES_BACK_MS = 2_000;

/** What was published and has not been heard back yet, in order. */
export interface Pending<Message> {
  add(mark: string, message: Message): void;
  /** Notes that the server has it. */
  sent(mark: string): void;
  take(mark: string): Message | undefined;
  /** Takes what the followers here have not heard. */
  takeAll(): [mark: string, message: Message][];
}

export function createPending<Message>(): Pending<Message> {
  const entries = new Map<string, { message: Message; sentAt: number }>();

  /** What was sent before this node had subscribed does not come back: its followers began after it. */
  function forgetOld(): void {
    const oldest = performance.now() - COMES_BACK_MS;
    for (const [mark, { sentAt }] of entries) {
      if (sentAt > oldest) return;
      entries.delete(mark);
    }
  }

  return {
    add(mark, message) {
      forgetOld();
      entries.set(mark, { message, sentAt: Number.POSITIVE_INFINITY });
    },
    sent(mark) {
      const entry = entries.get(mark);
      if (entry) entry.sentAt = performance.now();
    },
    take(mark) {
      const entry = entries.get(mark);
      entries.delete(mark);
      return entry?.message;
    },
    takeAll() {
      forgetOld();
      const all = [...entries].map(([mark, { message }]): [string, Message] => [mark, message]);
      entries.clear();
      return all;
    },
  };
}
