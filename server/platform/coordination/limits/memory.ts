import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import type { Limits } from './limits.ts';
import { tooMany } from './refusal.ts';

/** Limits of one process. */
export function createMemoryLimits(): Limits {
  const claims = new Map<number, RateLimiterMemory>();
  return {
    limit(name, rate, message) {
      if (rate.points === 0) return { take: async () => undefined, giveBack: async () => undefined };
      const limiter = new RateLimiterMemory({ keyPrefix: name, points: rate.points, duration: rate.seconds });
      return {
        async take(key) {
          await limiter.consume(key).catch((refusal: unknown) => {
            throw refusal instanceof RateLimiterRes ? tooMany(message, rate, refusal) : refusal;
          });
        },
        async giveBack(key) {
          await limiter.reward(key);
        },
      };
    },
    async claim(key, seconds) {
      const limiter =
        claims.get(seconds) ?? new RateLimiterMemory({ keyPrefix: 'claim', points: 1, duration: seconds });
      claims.set(seconds, limiter);
      return limiter.consume(key).then(
        () => true,
        (refusal: unknown) => {
          if (refusal instanceof RateLimiterRes) return false;
          throw refusal;
        },
      );
    },
  };
}
