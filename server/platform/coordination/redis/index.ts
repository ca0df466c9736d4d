/** Asks a server for its version. */
export { checkRedis } from './check.ts';
/** What goes before the keys and channels of one service. */
export { redisPrefix } from './prefix.ts';
/** Redis, which may become unavailable at any time. What works without it goes on without it. */
export { type Redis, startRedis } from './redis.ts';
