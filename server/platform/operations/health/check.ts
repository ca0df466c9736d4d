import { AppError } from '../../../lib/errors.ts';
import { within } from '../../../lib/time-limits/within.ts';

/** Resolves if the checked dependency works, and rejects otherwise. */
export type Check = () => Promise<void>;

/**
 * Adds a time limit to a check that may hang. Concurrent callers share one check, so that monitoring does not use up
 * the remaining connections.
 */
export function shareCheck(ask: Check, withinMs: number, sentence: string): Check {
  const late = () => new AppError('UNAVAILABLE', sentence, {}, { headers: { 'retry-after': '5' } });
  let asking: Promise<void> | undefined;
  return () => {
    asking ??= ask().finally(() => {
      asking = undefined;
    });
    return within(withinMs, asking, late);
  };
}

/**
 * A check that costs something. It runs at intervals, and callers get the last known state: it fails if the last run
 * failed, or has had no response for too long.
 */
export function occasionalCheck(ask: Check, { everyMs, lateMs }: { everyMs: number; lateMs: number }): Check {
  let askedAt = Number.NEGATIVE_INFINITY;
  let asking: Promise<void> | undefined;
  let failure: Error | undefined;
  return async () => {
    if (!asking && performance.now() - askedAt >= everyMs) {
      askedAt = performance.now();
      asking = ask()
        .then(
          () => undefined,
          (error: unknown) => (error instanceof Error ? error : new Error(String(error))),
        )
        .then((outcome) => {
          failure = outcome;
          asking = undefined;
        });
    }
    if (failure) throw failure;
    if (asking && performance.now() - askedAt > lateMs) throw new Error('no answer yet');
  };
}

/** A check of a state that is already known. */
export function holds(isTrue: () => boolean): Check {
  return async () => {
    if (!isTrue()) throw new Error('not so');
  };
}
