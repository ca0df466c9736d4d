/** Exit codes. */
export const EXIT = {
  done: 0,
  failed: 1,
  usage: 2,
  denied: 3,
  notFound: 4,
  conflict: 5,
  unreachable: 6,
} as const;

/** The exit code for an HTTP error status. */
export function toExitCode(status: number): number {
  if (status === 401 || status === 403) return EXIT.denied;
  if (status === 404) return EXIT.notFound;
  return status === 409 ? EXIT.conflict : EXIT.failed;
}

/** Thrown when a command fails; the message says why. */
export class CommandError extends Error {
  constructor(
    message: string,
    readonly exitCode: number = EXIT.failed,
    /** More fields for the `--json` output. */
    readonly details: Record<string, unknown> = {},
  ) {
    super(message);
  }
}

/** Thrown when the arguments or options of a command are wrong. */
export class UsageError extends CommandError {
  constructor(message: string) {
    super(message, EXIT.usage);
  }
}
