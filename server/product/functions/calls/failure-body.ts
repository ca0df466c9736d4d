import { type AppError, retryAfter } from '../../../lib/errors.ts';

/** The body of our own errors for callers of functions. */
export function toFailureBody({ code, message, headers }: AppError) {
  return {
    success: false,
    error: code === 'RATE_LIMITED' ? 'rate_limited' : message,
    ...retryAfter(headers),
  };
}
