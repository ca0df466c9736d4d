import type { ProviderFailure } from '../../../contract/rules/provider-kinds.ts';
import { phrase, type Text } from '../../../contract/rules/texts/fill.ts';

/** Characters of a vendor's error that are read, to find its reason. */
export const MAX_ERROR_LENGTH = 4096;

/** A failed call to a provider. The message never contains the provider's own text or our key. */
export class ProviderError extends Error {
  /** Why it failed, for administrators. */
  readonly reason: ProviderFailure;

  constructor(
    readonly kind: 'failed' | 'timeout',
    sentence: string,
    options?: ErrorOptions & { reason?: ProviderFailure },
  ) {
    super(sentence, options);
    this.name = 'ProviderError';
    this.reason = options?.reason ?? (kind === 'timeout' ? 'slow' : 'failed');
  }
}

/** A vendor's error in our own words, so its message can be logged unchanged. */
export class VendorFailure extends Error {
  constructor(
    message: string,
    readonly status?: number,
    /** The beginning of what the vendor wrote. It must not be shown or logged. */
    readonly body = '',
  ) {
    super(message);
    // The log prints all properties that can be enumerated.
    Object.defineProperty(this, 'body', { enumerable: false });
    this.name = 'VendorFailure';
  }
}

/** The vendor rejected this one request. A visitor can cause that, so it does not mean that the vendor is down. */
const REFUSALS = new Set([400, 413, 422]);

export function isRefusal(error: unknown): boolean {
  const status = readStatus(error);
  return status !== undefined && REFUSALS.has(status);
}

/** Converts a failure for the caller without the vendor's text, which may quote the key or anything else. */
export function toProviderError(error: unknown, reason?: ProviderFailure): ProviderError {
  if (error instanceof ProviderError) return error;
  return new ProviderError('failed', publicMessage(error).text, {
    cause: describe(error),
    ...(reason && { reason }),
  });
}

function publicMessage(error: unknown): Text {
  const status = readStatus(error);
  if (status === 401 || status === 403) return phrase('The provider does not accept this server.');
  if (status === 429) return phrase('The provider is too busy. Try again later.');
  if (isRefusal(error)) return phrase('The provider refused this request.');
  return phrase('The provider could not answer.');
}

/** The SDK calls it `statusCode`. We do not check for the SDK's class, because the demo does not load the SDK. */
export function readStatus(error: unknown): number | undefined {
  if (error instanceof VendorFailure) return error.status;
  const isAnswer = error instanceof Error && 'statusCode' in error && typeof error.statusCode === 'number';
  return isAnswer ? (error.statusCode as number) : undefined;
}

/** The failure for the log: its kind, status and place in our code, without any message, body, header or URL. */
function describe(error: unknown): Error {
  if (error instanceof VendorFailure) return error;
  const kinds: string[] = [];
  for (let link = error; link instanceof Error && kinds.length < 4; link = link.cause) {
    const code = 'code' in link && typeof link.code === 'string' ? ` ${link.code}` : '';
    const status = readStatus(link);
    kinds.push(`${link.name}${code}${status === undefined ? '' : ` ${status}`}`);
  }
  const description = new Error(kinds.join(', from ') || 'an error that the vendor reported in its answer');
  if (error instanceof Error && error.stack) {
    const frames = error.stack.split('\n').filter((line) => /^\s+at /.test(line));
    description.stack = [`Error: ${description.message}`, ...frames].join('\n');
  }
  return description;
}
