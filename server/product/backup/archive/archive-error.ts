/** Thrown when an archive cannot be taken; the message says why, to the person who holds it. */
export class ArchiveError extends Error {}
