/** Every kind of WebSocket, for the metrics. */
export const SOCKET_KINDS = ['function', 'live'] as const;
export type SocketKind = (typeof SOCKET_KINDS)[number];

/** What one open WebSocket does. Its methods must not throw; one that does ends the connection with code 1011. */
export interface SocketSession {
  open(socket: ServerSocket): void;
  message(data: string | Uint8Array): void;
  /** The client has read everything that waited for it. */
  drained(): void;
  /** The connection has ended, whoever ended it. Called exactly once, also if it never opened (1006). */
  closed(code: number, reason: string): void;
}

/** One open WebSocket of a client. */
export interface ServerSocket {
  /** The bytes that the client has not read yet. */
  readonly bufferedBytes: number;
  /**
   * Sends text or bytes. Returns 0 if the client has not read so much that it was disconnected, -1 if the message waits
   * (`drained` is called when it has been sent), and otherwise the number of bytes.
   */
  send(data: string | Uint8Array): number;
  /** Starts to close the connection. `closed` of the session follows. */
  close(code: number, reason?: string): void;
  /** Cuts the connection off, without a close frame: the client sees code 1006. */
  terminate(): void;
  /** Stops reading, so that the client has to wait. Messages that have already arrived are still delivered. */
  pause(): void;
  resume(): void;
  /**
   * From now on the client gets what `Sockets.publish` sends to this topic. Call `countUnread` after each
   * message: what was published counts towards the share of the client's address only then.
   */
  subscribe(topic: string): void;
  unsubscribe(topic: string): void;
  /** Counts and returns `bufferedBytes`. Cuts the connection off if that is more than the share of the address. */
  countUnread(): number;
}
