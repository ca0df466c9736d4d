import type { ErrorBody } from '../../contract/error-body.ts';
import { ERROR_STATUS, type ErrorCode, type Fault, MAX_FAULTS, sayFaults } from '../../contract/errors.ts';
import {
  ENGLISH,
  phrase,
  type Sentence,
  type Text,
  type TextValues,
} from '../../contract/rules/texts/fill.ts';

const MAX_FAULTS_BYTES = 16 * 1024;
const MAX_PATH_LETTERS = 200;
const MAX_FAULT_LETTERS = 500;
/** Limited because a message may quote the request. */
const MAX_MESSAGE_LETTERS = 4_000;

/** As many faults as fit in a response. */
export function boundFaults(faults: Fault[]): Fault[] {
  const bounded: Fault[] = [];
  let bytes = 2;
  for (const { path, message, ...key } of faults.slice(0, MAX_FAULTS)) {
    const isCut = message.length > MAX_FAULT_LETTERS;
    const fault = {
      path: cut(path, MAX_PATH_LETTERS),
      message: cut(message, MAX_FAULT_LETTERS),
      ...(!isCut && key),
    };
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
  /** Additional fields of the body, such as `currentVersion`. */
  body?: Omit<ErrorBody, 'error' | 'code' | 'details'>;
  headers?: Record<string, string>;
  /** The same request would fail again, so the response does not say when to repeat it. */
  isLasting?: boolean;
  /** Why it failed, for the log only. */
  cause?: unknown;
}

/** Words of ours, and not only values. */
const HAS_WORDS = /[a-z](?![^{}]*\})/i;

/** An error whose message is for people, and has translations. The sentence is a literal, as that of an `AppError`. */
export class TextError extends Error {
  readonly text: Text;

  constructor(sentence: string, values?: Text['values'], options?: ErrorOptions) {
    super(ENGLISH.say(sentence, values), options);
    this.text = phrase(sentence, values);
  }
}

/** An error that callers may see. */
export abstract class PublicError extends Error {
  abstract readonly status: number;
  readonly headers: Record<string, string> = {};
  /** The response body. */
  abstract toBody(): Record<string, unknown>;
}

/**
 * An expected error. The sentence is for the caller and says what to do. It is a literal, with `{name}` for each value,
 * and the key of its translations. Words that are not ours are the value of the sentence `{message}`.
 */
export class AppError extends PublicError {
  readonly status: number;
  override readonly headers: Record<string, string>;
  private readonly extras: Extras;

  constructor(
    readonly code: ErrorCode,
    private readonly sentence: string,
    private readonly values: TextValues = {},
    extras: Extras = {},
  ) {
    super(cut(ENGLISH.say(sentence, values), MAX_MESSAGE_LETTERS), { cause: extras.cause });
    this.status = ERROR_STATUS[code];
    this.headers = { ...(!extras.isLasting && wait(code)), ...extras.headers };
    this.extras = extras.details ? { ...extras, details: boundFaults(extras.details) } : extras;
  }

  /** Named faults, if any. */
  get details(): Fault[] {
    return this.extras.details ?? [];
  }

  /** What the message says, for a translation. */
  get text(): Sentence {
    return { text: this.sentence, values: this.values };
  }

  toBody(): ErrorBody {
    const { details, body } = this.extras;
    const more = { ...body, ...retryAfter(this.headers), ...this.key };
    return { error: this.message, code: this.code, ...(details && { details }), ...more };
  }

  /** What clients need to translate a message with values. Without values, the message is the key. */
  get key(): Partial<Sentence> {
    const isKey = this.sentence === this.message || !HAS_WORDS.test(this.sentence);
    return isKey || this.message.length >= MAX_MESSAGE_LETTERS ? {} : this.text;
  }
}

/** Seconds to wait, by code, for errors that do not say it themselves. */
const WAITS: Partial<Record<ErrorCode, string>> = { RATE_LIMITED: '1', UNAVAILABLE: '5' };

function wait(code: ErrorCode): Record<string, string> {
  const seconds = WAITS[code];
  return seconds === undefined ? {} : { 'retry-after': seconds };
}

/** The header Retry-After as a field of the body, for clients that see only the body. */
export function retryAfter(headers: Readonly<Record<string, string>>): { retryAfter?: number } {
  const seconds = Number(headers['retry-after']);
  return Number.isInteger(seconds) ? { retryAfter: seconds } : {};
}

/** The error that lists these faults, each with the path of the invalid value. */
export function badRequest(faults: Fault[], code: ErrorCode = 'BAD_REQUEST'): AppError {
  const details = boundFaults(faults);
  return new AppError(code, '{message}', { message: sayFaults(details) }, { details });
}

/** The error for something that does not exist, or that this caller may not see. */
export function notFound(sentence: string, values?: TextValues): AppError {
  return new AppError('NOT_FOUND', sentence, values);
}

export function diskFull(): AppError {
  return new AppError(
    'INSUFFICIENT_STORAGE',
    'The disk of this server is full, so nothing can be saved. Reading still works. Ask the operator to free some space.',
  );
}

/** The error that callers see: expected ones unchanged, the platform's by `translate`, others only with an id. */
export function toFailure(
  error: unknown,
  translate: (error: unknown) => AppError | undefined,
  requestId: string,
): PublicError {
  if (error instanceof PublicError) return error;
  return (
    translate(error) ??
    new AppError('INTERNAL', 'Something went wrong on our side. Quote this id: {id}.', { id: requestId })
  );
}
