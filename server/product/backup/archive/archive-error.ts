/** Thrown if an archive is not accepted. The message tells the operator why. */
export class ArchiveError extends Error {}

/** Thrown if the operator has to give another key. It says nothing about the archive. */
export class KeyError extends ArchiveError {}
