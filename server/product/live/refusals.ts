import { AppError } from '../../lib/errors.ts';

export function tooFast(sentence: string, waitMs: number): AppError {
  return new AppError('RATE_LIMITED', `${sentence} Send fewer, or several in one.`, {
    headers: { 'retry-after': String(Math.max(1, Math.ceil(waitMs / 1000))) },
  });
}

export function tooManyTabs(where: string, limit: number): AppError {
  return new AppError(
    'RATE_LIMITED',
    `${limit.toLocaleString('en')} tabs of this page are connected ${where}, which is the limit. Try again later.`,
    { headers: { 'retry-after': '30' } },
  );
}

export function channelBusy(): AppError {
  return new AppError('RATE_LIMITED', 'This channel is too busy. Try again in a moment.', {
    headers: { 'retry-after': '1' },
  });
}
