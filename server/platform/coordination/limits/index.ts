import { hashSecret } from '../../../lib/secrets.ts';
import type { Redis } from '../redis/index.ts';
import type { Limits } from './limits.ts';
import { createMemoryLimits } from './memory.ts';
import { createRedisLimits } from './redis.ts';

/** A limit of what is in progress. */
export { AtOnce } from './at-once.ts';
/** Rate limits. */
export type { Limit, Limits, Rate } from './limits.ts';
/** The error for a caller who has reached a limit. */
export { tooMany } from './refusal.ts';
/** A rate limit of one thing, without waiting for anything. */
export { TokenBucket } from './token-bucket.ts';

/** Creates limits that all nodes share if there is Redis, otherwise limits for this process. */
export function createLimits(redis?: Redis): Limits {
  return withShortKeys(redis ? createRedisLimits(redis) : createMemoryLimits());
}

/** A key can have a name or an address that somebody typed, of any length. */
const MAX_KEY_LETTERS = 100;

function withShortKeys(limits: Limits): Limits {
  const shorten = (key: string) => (key.length <= MAX_KEY_LETTERS ? key : `sha256 ${hashSecret(key)}`);
  return {
    limit(name, rate, sentence) {
      const limit = limits.limit(name, rate, sentence);
      return {
        take: (key, points) => limit.take(shorten(key), points),
        giveBack: (key, points) => limit.giveBack(shorten(key), points),
      };
    },
    claim: (key, seconds) => limits.claim(shorten(key), seconds),
  };
}
