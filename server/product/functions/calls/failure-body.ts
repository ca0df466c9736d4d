import { type AppError, retryAfter } from '../../../lib/errors.ts';

/** An error of ours as callers of functions get it. */
export function toFailureBody({ code, message, headers }: AppError) {
  return {
    success: false,
    error: code === 'RATE_LIMITED' ? 'rate_limited' : message,
    ...retryAfter(headers),
  };
}
