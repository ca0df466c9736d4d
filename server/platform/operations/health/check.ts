import { AppError } from '../../../lib/errors.ts';
import { within } from '../../../lib/within.ts';

/** Resolves when something is well. */
export type Check = () => Promise<void>;

/**
 * Bounds a question that may hang. Those who ask while it is under way share it: whoever watches us must not use up the
 * connections that are left.
 */
export function shareCheck(ask: Check, withinMs: number, problem: string): Check {
  const late = () => new AppError('UNAVAILABLE', problem, { headers: { 'retry-after': '5' } });
  let asking: Promise<void> | undefined;
  return () => {
    asking ??= ask().finally(() => {
      asking = undefined;
    });
    return within(withinMs, asking, late);
  };
}

/**
 * A question that costs something, asked every so often and answered from what is known: that it failed the last time, or
 * that it has got no answer for too long.
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

/** A check of what is known already. */
export function holds(isTrue: () => boolean): Check {
  return async () => {
    if (!isTrue()) throw new Error('not so');
  };
}
