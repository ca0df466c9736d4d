import type { TextValues } from '../../../contract/rules/texts/fill.ts';
import { AppError } from '../../lib/errors.ts';

export function tooFast(sentence: string, waitMs: number, values?: TextValues): AppError {
  return new AppError('RATE_LIMITED', sentence, values, {
    headers: { 'retry-after': String(Math.max(1, Math.ceil(waitMs / 1000))) },
  });
}

export function tooManyTabs(sentence: string, limit: number): AppError {
  return new AppError('RATE_LIMITED', sentence, { limit }, { headers: { 'retry-after': '30' } });
}

export function channelBusy(): AppError {
  return new AppError(
    'RATE_LIMITED',
    'This channel is too busy. Try again in a moment.',
    {},
    {
      headers: { 'retry-after': '1' },
    },
  );
}
