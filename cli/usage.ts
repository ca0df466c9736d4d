/** What the number with which a command ends means. */
export const EXIT = {
  done: 0,
  failed: 1,
  usage: 2,
  denied: 3,
  notFound: 4,
  conflict: 5,
  unreachable: 6,
} as const;

/** The exit code for a refusal with this HTTP status. */
export function exitCodeOf(status: number): number {
  if (status === 401 || status === 403) return EXIT.denied;
  if (status === 404) return EXIT.notFound;
  return status === 409 ? EXIT.conflict : EXIT.failed;
}

/** Thrown when a command cannot do what it was asked; the message says why. */
export class CommandError extends Error {
  constructor(
    message: string,
    readonly exitCode: number = EXIT.failed,
    /** Further members of what `--json` shows. */
    readonly details: Record<string, unknown> = {},
  ) {
    super(message);
  }
}

/** Thrown when a command was called in a way it does not understand. */
export class UsageError extends CommandError {
  constructor(message: string) {
    super(message, EXIT.usage);
  }
}
