import { AppError } from '../http/index.ts';
import { within } from '../lib/within.ts';

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

/** A check of what is known already. */
export function holds(isTrue: () => boolean): Check {
  return async () => {
    if (!isTrue()) throw new Error('not so');
  };
}
