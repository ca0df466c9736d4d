import type { Redis } from '../redis/index.ts';
import type { Limits } from './limits.ts';
import { createMemoryLimits } from './memory.ts';
import { createRedisLimits } from './redis.ts';

/** Limits, how they are counted, and who makes them. */
export type { Limit, Limits, Rate } from './limits.ts';

/** Makes limits for all nodes where there is Redis, and for this process where there is none. */
export function createLimits(redis?: Redis): Limits {
  return redis ? createRedisLimits(redis) : createMemoryLimits();
}
