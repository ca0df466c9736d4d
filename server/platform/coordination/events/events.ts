/** Something that happened on a channel. The publisher decides what the message contains. */
export interface LiveEvent<Message> {
  /** A follower that reconnects resumes after this id. */
  id: string;
  message: Message;
  /** Set while messages from other nodes may be missing, including changes to who may see this event. */
  isUnsure?: true;
}

/** A follower of a channel. */
export interface Listener<Message> {
  /**
   * Called once, before anything else. `missed` holds the events since the one the follower asked for; undefined when
   * those are no longer known, and the follower must read the data again.
   */
  onStart(start: { missed: LiveEvent<Message>[] | undefined; lastId: string }): void;
  onEvent(event: LiveEvent<Message>): void;
  /** Events may have been lost: the follower must read the data again. */
  onReset(lastId: string): void;
}

/** Publish and subscribe: within this process, or between all nodes through Redis. */
export interface Events<Message> {
  /** Publishes to all followers of the channel. `bytes` is roughly what remembering the message costs. */
  publish(channel: string, message: Message, bytes: number): void;
  /** Follows a channel from now on, or from after the event with the given id. Returns a function that ends it. */
  follow(channel: string, after: string | undefined, listener: Listener<Message>): () => void;
  stop(): void;
}
