import type { Listener, LiveEvent } from './events.ts';
import { isAfter, NOWHERE } from './stream-scripts.ts';

/** A listener of a channel in Redis, and its position. */
export class Follower<Message> {
  /** The last event delivered. Undefined until the follower has started, and while it resumes. */
  private lastId: string | undefined;
  /** Events that arrive while `lastId` is undefined. */
  private waiting: Array<() => void> = [];
  hasStarted = false;

  constructor(private readonly listener: Listener<Message>) {}

  start(start: { missed: LiveEvent<Message>[] | undefined; lastId: string }): void {
    this.hasStarted = true;
    this.resumeAt(start.lastId, () => this.listener.onStart(start));
  }

  event(event: LiveEvent<Message>): void {
    this.deliver(event.id, () => this.listener.onEvent(event));
  }

  reset(id: string): void {
    this.deliver(id, () => this.listener.onReset(id));
  }

  /** Queues events until `resume` is called. */
  pause(): void {
    this.lastId = undefined;
  }

  resume(lastId: string, isReset: boolean): void {
    this.resumeAt(lastId, () => isReset && this.listener.onReset(lastId));
  }

  private resumeAt(lastId: string, work: () => void): void {
    this.lastId = lastId;
    work();
    for (const waiting of this.waiting.splice(0)) waiting();
  }

  /** Delivers now, or once the follower has resumed. Skips events that it already has. */
  private deliver(id: string, work: () => void): void {
    if (this.lastId === undefined) {
      this.waiting.push(() => this.deliver(id, work));
      return;
    }
    if (id !== NOWHERE) {
      if (!isAfter(id, this.lastId)) return;
      this.lastId = id;
    }
    work();
  }
}
