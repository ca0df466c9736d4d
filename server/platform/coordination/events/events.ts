/** Something that happened on a channel. What it says is the publisher's business. */
export interface LiveEvent<Message> {
  /** Names the event to whoever wants to go on after it. */
  id: string;
  message: Message;
  /** Set while other nodes cannot be heard: what they said before this, of who may know it, may be missing. */
  isUnsure?: true;
}

/** Somebody who follows a channel. */
export interface Listener<Message> {
  /**
   * Called once, before all else. `missed` is what came since the event that was asked for; undefined when that is no
   * longer known, and the follower has to look for itself.
   */
  begin(start: { missed: LiveEvent<Message>[] | undefined; lastId: string }): void;
  hear(event: LiveEvent<Message>): void;
  /** Events may have been lost: the follower has to look for itself. */
  reset(lastId: string): void;
}

/** Publish and subscribe: in this process, or with Redis between all nodes. */
export interface Events<Message> {
  /** Tells everybody who follows the channel; `bytes` is about what remembering the message costs. */
  publish(channel: string, message: Message, bytes: number): void;
  /** Follows a channel from now on, or from after the event with the given id; returns what ends that. */
  follow(channel: string, after: string | undefined, listener: Listener<Message>): () => void;
  stop(): void;
}
