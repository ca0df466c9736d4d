import { AppError } from '../../../lib/errors.ts';
import { toWait } from './durations.ts';
import type { Rate } from './limits.ts';

/** The error for a caller who has reached the limit. */
export function tooMany(sentence: string, rate: Rate, refusal: { msBeforeNext: number }): AppError {
  const seconds = Math.max(1, Math.ceil(refusal.msBeforeNext / 1000));
  const points = String(rate.points);
  return new AppError(
    'RATE_LIMITED',
    sentence,
    { wait: toWait(seconds), ...(sentence.includes('{points}') && { points }) },
    {
      headers: {
        'retry-after': String(seconds),
        'ratelimit-limit': points,
        'ratelimit-remaining': '0',
        'ratelimit-reset': String(seconds),
      },
    },
  );
}
