/** Reads a server's version. */
export { checkRedis } from './check.ts';
/** Finds out whether only this node cannot reach the database. */
export { CutOffWatch } from './cut-off.ts';
/** The prefix of a service's keys and channels. */
export { redisPrefix } from './prefix.ts';
/** Redis, which may become unavailable at any time. Features that do not need it keep working. */
export { type Redis, startRedis } from './redis.ts';
