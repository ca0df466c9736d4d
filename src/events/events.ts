/** Something that happened on a channel. What it says is the publisher's business. */
export interface LiveEvent<Message> {
  /** Grows with every event of the channel, and names the run of the service that it belongs to. */
  id: string;
  message: Message;
}

/** Publish and subscribe. In memory, so for one process. */
export interface Events<Message> {
  /** Tells everybody who follows the channel; `bytes` is about what remembering the message costs. */
  publish(channel: string, message: Message, bytes: number): void;
  /**
   * Follows a channel from now on, or from after the event with the given id. `missed` is what came since then;
   * undefined when that is no longer known, and the follower has to look for itself.
   */
  follow(
    channel: string,
    after: string | undefined,
    listener: (event: LiveEvent<Message>) => void,
  ): { missed: LiveEvent<Message>[] | undefined; lastId: string; stop(): void };
}
