import { RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';
import type { Redis } from '../redis/index.ts';
import type { Limits } from './limits.ts';
import { createMemoryLimits } from './memory.ts';
import { tooMany } from './refusal.ts';

/** Limits that all nodes share. While Redis is unavailable, each node counts on its own, from zero. */
export function createRedisLimits(redis: Redis): Limits {
  const own = createMemoryLimits();
  return {
    limit(name, rate, sentence) {
      const insurance = own.limit(name, rate, sentence);
      if (rate.points === 0) return insurance;
      const shared = new RateLimiterRedis({
        storeClient: redis.client,
        keyPrefix: `${redis.prefix}limit:${name}`,
        points: rate.points,
        duration: rate.seconds,
      });
      return {
        async take(key, points) {
          try {
            await redis.run(() => shared.consume(key, points));
          } catch (refusal) {
            if (refusal instanceof RateLimiterRes) throw tooMany(sentence, rate, refusal);
            await insurance.take(key, points);
          }
        },
        async giveBack(key, points) {
          await redis.run(() => shared.reward(key, points)).catch(() => insurance.giveBack(key, points));
        },
      };
    },
    async claim(key, seconds) {
      // The claim is also recorded here, so that no second caller passes when Redis becomes unavailable.
      if (!(await own.claim(key, seconds))) return false;
      return redis
        .run((client) => client.set(`${redis.prefix}claim:${key}`, '1', 'EX', seconds, 'NX'))
        .then((answer) => answer === 'OK')
        .catch(() => true);
    },
  };
}
