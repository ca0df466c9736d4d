/** Asks a server for its version. */
export { checkRedis } from './check.ts';
/** Redis, which may be away at any time: what works without it goes on without it. */
export { type Redis, RedisAwayError, startRedis } from './redis.ts';
