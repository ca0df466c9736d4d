/** Limits and names of `PageLive`, which the SDK checks before it sends something. */

/** Of a message, as JSON in UTF-8. */
export const MAX_LIVE_MESSAGE_BYTES = 4 * 1024;
/** What a visitor can send: so many a second, and so many at once after a pause. */
export const LIVE_MESSAGES_PER_SECOND = 20;
export const LIVE_MESSAGES_AT_ONCE = 40;
/** Channels that one tab can be in. */
export const MAX_LIVE_CHANNELS = 16;
/** People that a presence list names. It says how many there are beyond these. */
export const MAX_LIVE_PEOPLE = 100;

export const LIVE_CHANNEL = /^[A-Za-z0-9][A-Za-z0-9_.:-]{0,63}$/;

/** The subprotocol of the connection. */
export const LIVE_PROTOCOL = 'quire-live';
/**
 * A browser cannot set headers of a WebSocket. What a page without cookies sends otherwise in headers, and the secret
 * behind the id of a guest, are offered as subprotocols that begin with these.
 */
export const LIVE_CREDENTIALS = { session: 'session.', pass: 'pass.', guest: 'guest.' } as const;
export const LIVE_GUEST_SECRET = /^[A-Za-z0-9_-]{16,64}$/;

/** Why the service closes a connection. */
export const LIVE_CLOSE = {
  /** The login that it was opened with has ended. Another connection may be possible without it. */
  loginEnded: 4401,
  /** The visitor can no longer see the page. */
  accessEnded: 4403,
  /** The client keeps sending what it must not. */
  abuse: 1008,
} as const;
