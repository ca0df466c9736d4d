/** The revisions that begin with `initialize`, newest first. The SDK adds the stateless ones, which do not. */
export const HANDSHAKE_VERSIONS = ['2025-11-25', '2025-06-18', '2025-03-26'];

/** The revision of a client that names none, and the only one with batches. */
export const UNNAMED_VERSION = '2025-03-26';
