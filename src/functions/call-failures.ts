import { BackoffError, LoadError, OwnerShareError, PoolFullError } from '../cells/index.ts';

/** A failure as callers of functions hear of it. */
export interface Failure {
  status: number;
  error: string;
  /** Where a program has to know more than the status. */
  code?: 'UNAVAILABLE' | 'OUTCOME_UNKNOWN';
  headers?: Record<string, string>;
}

export const MOVING: Failure = {
  status: 503,
  error:
    "The function's database cannot be reached right now, and has not done what the function asked last. Try again in a moment.",
  code: 'UNAVAILABLE',
  headers: { 'retry-after': '5' },
};
/** Without a word of when to come back, which programs would do by themselves. */
export const OUTCOME_UNKNOWN: Failure = {
  status: 503,
  error:
    "The function's database was lost while the function waited for it, so what it asked last may or may not have been done. Look before you try again.",
  code: 'OUTCOME_UNKNOWN',
};
export const UNKNOWN: Failure = { status: 404, error: 'There is no such function.' };

/** Why no cell could be had; what is not about the function is not told by it. */
export function startFailure(error: unknown): Failure {
  if (error instanceof BackoffError) {
    return {
      status: 503,
      error: 'The function keeps crashing and rests for a moment.',
      headers: { 'retry-after': String(error.seconds) },
    };
  }
  if (error instanceof PoolFullError) {
    return {
      status: 503,
      error: 'All places for functions are taken right now. Try again in a moment.',
      headers: { 'retry-after': '1' },
    };
  }
  if (error instanceof OwnerShareError) {
    return {
      status: 503,
      error: `The owner of this function has ${error.share} functions running at once, which is the most one owner may have. Try again when one of them has finished its calls.`,
      headers: { 'retry-after': '5' },
    };
  }
  if (error instanceof LoadError) return { status: 502, error: 'The function could not be loaded.' };
  throw error;
}

export function fail({ status, error, code, headers }: Failure): Response {
  return Response.json(
    { success: false, error, ...(code && { code }) },
    {
      status,
      headers: {
        ...headers,
        'access-control-allow-origin': '*',
        'cache-control': 'no-store',
        'x-content-type-options': 'nosniff',
      },
    },
  );
}
