/** Thrown when a command was called in a way it does not understand. */
export class UsageError extends Error {}

/** Thrown when a command cannot do what it was asked; the message says why. */
export class CommandError extends Error {}

export const USAGE = `quire serve                         run the service
quire user promote <username>       make somebody an administrator
quire examples <base_url> <token>   publish the example pages
quire backup [file]                 take everything into one archive
quire restore <file>                put an archive into an empty place`;
