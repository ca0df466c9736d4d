import type { Redis } from '../redis/index.ts';
import type { Limits } from './limits.ts';
import { createMemoryLimits } from './memory.ts';
import { createRedisLimits } from './redis.ts';

/** Rate limits. */
export type { Limit, Limits, Rate } from './limits.ts';
/** A rate limit of one thing, without waiting for anything. */
export { TokenBucket } from './token-bucket.ts';

/** Creates limits that all nodes share if there is Redis, otherwise limits for this process. */
export function createLimits(redis?: Redis): Limits {
  return redis ? createRedisLimits(redis) : createMemoryLimits();
}
