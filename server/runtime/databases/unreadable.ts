/**
 * Thrown if the content of a database, or of a copy, cannot be read or cannot be written again. It may be damaged, and
 * owners write schemas.
 */
export class UnreadableDatabaseError extends Error {}
