import { AppError } from '../../../lib/errors.ts';
import { inWords } from './durations.ts';
import type { Rate } from './limits.ts';

/** The error for a caller who has reached the limit. */
export function tooMany(message: string, rate: Rate, refusal: { msBeforeNext: number }): AppError {
  const seconds = String(Math.max(1, Math.ceil(refusal.msBeforeNext / 1000)));
  return new AppError('RATE_LIMITED', `${message} Try again in ${inWords(Number(seconds))}.`, {
    headers: {
      'retry-after': seconds,
      'ratelimit-limit': String(rate.points),
      'ratelimit-remaining': '0',
      'ratelimit-reset': seconds,
    },
  });
}
