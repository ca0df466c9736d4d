/** Thrown if an archive is not accepted. The message tells the operator why. */
export class ArchiveError extends Error {}
