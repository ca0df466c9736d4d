/** Limits and names of `PageLive` and of live queries, which the SDK checks before it sends something. */

/** Bytes of a message, as JSON in UTF-8. */
export const MAX_LIVE_MESSAGE_BYTES = 4 * 1024;
/** Messages that a visitor can send per second, and at once after a pause. */
export const LIVE_MESSAGES_PER_SECOND = 20;
export const LIVE_MESSAGES_AT_ONCE = 40;
/** Channels that one tab can be in. */
export const MAX_LIVE_CHANNELS = 16;
/** People that a presence list names. It says how many there are beyond these. */
export const MAX_LIVE_PEOPLE = 100;
/** Live queries of one kind, lists or calls, in one tab. */
export const MAX_LIVE_QUERIES = 20;

export const LIVE_CHANNEL = /^[A-Za-z0-9][A-Za-z0-9_.:-]{0,63}$/;

/** The WebSocket subprotocol of live connections. */
export const LIVE_PROTOCOL = 'quire-live';
/**
 * Prefixes of subprotocols with credentials, because a browser cannot set headers of a WebSocket: the page session
 * and the pass of a page without cookies, and the secret behind the id of a guest.
 */
export const LIVE_CREDENTIALS = { session: 'session.', pass: 'pass.', guest: 'guest.' } as const;
export const LIVE_GUEST_SECRET = /^[A-Za-z0-9_-]{16,64}$/;

/** Why the service closes a connection. */
export const LIVE_CLOSE = {
  /** The login of the connection has ended. The client may be able to connect again without it. */
  loginEnded: 4401,
  /** The visitor can no longer see the page. */
  accessEnded: 4403,
  /** The client repeatedly sends what it must not send. */
  abuse: 1008,
} as const;
