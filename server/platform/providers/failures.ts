/** What a provider could not do. Nothing of its own text or of our key is in the message. */
export class ProviderError extends Error {
  constructor(
    readonly kind: 'failed' | 'timeout',
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.name = 'ProviderError';
  }
}

/** What we saw a vendor do wrong, in our own words: its message may go into the log as it is. */
export class VendorFailure extends Error {
  constructor(
    message: string,
    readonly status?: number,
  ) {
    super(message);
    this.name = 'VendorFailure';
  }
}

/** The vendor understood and said no to this one request: a visitor can bring that about, others are still served. */
const REFUSALS = new Set([400, 413, 422]);

export function isRefusal(error: unknown): boolean {
  const status = statusOf(error);
  return status !== undefined && REFUSALS.has(status);
}

/** Tells a caller of a failure without a word of the vendor's: its text may quote the key, or anything else. */
export function toProviderError(error: unknown): ProviderError {
  if (error instanceof ProviderError) return error;
  return new ProviderError('failed', publicMessage(error), { cause: describe(error) });
}

function publicMessage(error: unknown): string {
  const status = statusOf(error);
  if (status === 401 || status === 403) return 'The provider does not accept this server.';
  if (status === 429) return 'The provider has too much to do. Try again later.';
  if (isRefusal(error)) return 'The provider refused this request.';
  return 'The provider could not answer.';
}

/** The SDK calls it `statusCode`; its own class is not asked, because a demo does without the SDK. */
function statusOf(error: unknown): number | undefined {
  if (error instanceof VendorFailure) return error.status;
  const isAnswer = error instanceof Error && 'statusCode' in error && typeof error.statusCode === 'number';
  return isAnswer ? (error.statusCode as number) : undefined;
}

/** The same failure for the log: what kind, which status, where in our code; no message, body, header or address. */
function describe(error: unknown): Error {
  if (error instanceof VendorFailure) return error;
  const kinds: string[] = [];
  for (let link = error; link instanceof Error && kinds.length < 4; link = link.cause) {
    const code = 'code' in link && typeof link.code === 'string' ? ` ${link.code}` : '';
    const status = statusOf(link);
    kinds.push(`${link.name}${code}${status === undefined ? '' : ` ${status}`}`);
  }
  const description = new Error(kinds.join(', from ') || 'an error that the vendor reported in its answer');
  if (error instanceof Error && error.stack) {
    const frames = error.stack.split('\n').filter((line) => /^\s+at /.test(line));
    description.stack = [`Error: ${description.message}`, ...frames].join('\n');
  }
  return description;
}
