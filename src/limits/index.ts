import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import { AppError } from '../http/index.ts';
import { inWords } from '../lib/durations.ts';

/** How many in how many seconds. Zero points means no limit. */
export interface Rate {
  points: number;
  seconds: number;
}

/** Counts one kind of thing by key, in fixed windows. */
export interface Limit {
  /** Takes one, or refuses with 429. */
  take(key: string): Promise<void>;
  /** Gives one back: what it was taken for turned out not to count. */
  giveBack(key: string): Promise<void>;
}

/** Makes limits. In memory, so for one process. */
export interface Limits {
  limit(name: string, rate: Rate, message: string): Limit;
  /** True for the first caller with this key within the time, false for every other. */
  claim(key: string, seconds: number): Promise<boolean>;
}

export function createLimits(): Limits {
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

function tooMany(message: string, rate: Rate, refusal: RateLimiterRes): AppError {
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
