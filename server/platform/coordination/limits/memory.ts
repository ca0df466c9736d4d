import type { Limits } from './limits.ts';
import { tooMany } from './refusal.ts';
import { Windows } from './windows.ts';

/** How many keys a limit remembers: more than a busy service has addresses and names in an hour. */
const MAX_KEYS = 50_000;

/** Limits of one process. */
export function createMemoryLimits(): Limits {
  const claims = new Map<number, Windows>();
  // Not the time of day, which can be set back.
  const now = () => performance.now();
  return {
    limit(_name, rate, sentence) {
      if (rate.points === 0) return { take: async () => undefined, giveBack: async () => undefined };
      const windows = new Windows(rate.seconds * 1000, MAX_KEYS);
      return {
        async take(key, points) {
          const { count, msBeforeNext } = windows.add(key, now(), points);
          if (count > rate.points) throw tooMany(sentence, rate, { msBeforeNext });
        },
        async giveBack(key, points) {
          windows.subtract(key, now(), points);
        },
      };
    },
    async claim(key, seconds) {
      // Only keys that we made ourselves are claimed, and none may be forgotten: what it protects could happen twice.
      const windows = claims.get(seconds) ?? new Windows(seconds * 1000, Number.POSITIVE_INFINITY);
      claims.set(seconds, windows);
      return windows.add(key, now()).count === 1;
    },
  };
}
