/** The supported versions of the protocol, newest first. */
export const PROTOCOL_VERSIONS = ['2025-11-25', '2025-06-18', '2025-03-26'] as const;

/** The version of a client that names none. The only one with batches. */
export const UNNAMED_VERSION = '2025-03-26';
