import { ERROR_STATUS, type ErrorCode, type Fault, MAX_FAULTS } from '../../contract/errors.ts';

const MAX_FAULTS_BYTES = 16 * 1024;
const MAX_PATH_LETTERS = 200;
const MAX_FAULT_LETTERS = 500;
/** A sentence may quote what was sent. */
const MAX_MESSAGE_LETTERS = 4_000;

/** As many of the faults as an answer may name. */
export function boundFaults(faults: Fault[]): Fault[] {
  const bounded: Fault[] = [];
  let bytes = 2;
  for (const { path, message } of faults.slice(0, MAX_FAULTS)) {
    const fault = { path: cut(path, MAX_PATH_LETTERS), message: cut(message, MAX_FAULT_LETTERS) };
    bytes += Buffer.byteLength(JSON.stringify(fault)) + 1;
    if (bytes > MAX_FAULTS_BYTES) break;
    bounded.push(fault);
  }
  return bounded;
}

function cut(text: string, letters: number): string {
  return text.length <= letters ? text : `${text.slice(0, letters - 1).toWellFormed()}…`;
}

interface Extras {
  /** Named faults, sent as `details`. */
  details?: Fault[];
  /** Further members of the body, such as `currentVersion`. */
  body?: Record<string, unknown>;
  headers?: Record<string, string>;
  /** For the log only. */
  cause?: unknown;
}

/** An expected failure. The message is for the caller and says what to do. */
export class AppError extends Error {
  readonly status: number;
  readonly headers: Record<string, string>;
  private readonly extras: Extras;

  constructor(
    readonly code: ErrorCode,
    message: string,
    extras: Extras = {},
  ) {
    super(cut(message, MAX_MESSAGE_LETTERS), { cause: extras.cause });
    this.status = ERROR_STATUS[code];
    this.headers = extras.headers ?? {};
    this.extras = extras.details ? { ...extras, details: boundFaults(extras.details) } : extras;
  }

  /** Named faults, if any. */
  get details(): Fault[] {
    return this.extras.details ?? [];
  }

  /** What goes over the wire. */
  toBody(): Record<string, unknown> {
    const { details, body } = this.extras;
    return { error: this.message, code: this.code, ...(details && { details }), ...body };
  }
}

/** The failure for something that is not there, or not there for this caller. */
export function notFound(what: string): AppError {
  return new AppError('NOT_FOUND', `${what} was not found.`);
}

/** Any error as callers hear of it: expected ones as they are, the floor's by `translate`, the rest by an id only. */
export function toFailure(
  error: unknown,
  translate: (error: unknown) => AppError | undefined,
  requestId: string,
): AppError {
  if (error instanceof AppError) return error;
  return (
    translate(error) ??
    new AppError('INTERNAL', `Something went wrong on our side. Quote this id: ${requestId}.`)
  );
}
