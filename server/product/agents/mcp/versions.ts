/** The versions of the protocol that are spoken here, the newest first. */
export const PROTOCOL_VERSIONS = ['2025-11-25', '2025-06-18', '2025-03-26'] as const;

/** What a client that names none speaks; the only one in which messages come in lists. */
export const UNNAMED_VERSION = '2025-03-26';
