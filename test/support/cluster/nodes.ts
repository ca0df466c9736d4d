import { type TestApp, testApp } from '../app.ts';
import { startMigratedDatabase } from '../engines/process-postgres.ts';
import { startRedis, type TestRedis } from '../engines/redis.ts';
import { waitUntil } from '../server.ts';

/** Two nodes in this process, on one PostgreSQL and one Redis. */
export interface TwoNodes {
  a: TestApp;
  b: TestApp;
  redis: TestRedis;
  databaseUrl: string;
  /** Waits until both nodes report that Redis is available, or unavailable. */
  untilRedis(state: 'there' | 'unavailable'): Promise<void>;
  stop(): Promise<void>;
}

export async function twoNodes(
  settings: Record<string, string> = {},
  options: { databaseUrl?: (url: string) => Promise<string> } = {},
): Promise<TwoNodes> {
  const database = await startMigratedDatabase();
  const redis = await startRedis();
  const databaseUrl = (await options.databaseUrl?.(database.url)) ?? database.url;
  const shared = {
    DATABASE_URL: databaseUrl,
    REDIS_URL: redis.url,
    QUIRE_SECRET: 'a secret that both nodes have, of some length',
    QUIRE_FUNCTION_CALLS_PER_MINUTE: '0',
    QUIRE_ISOLATION: 'sandbox',
    ...settings,
  };
  const a = await testApp(shared);
  const b = await testApp(shared);
  /** Undefined while the node does not reach the database. */
  const isThere = async (node: TestApp) =>
    (await node.app.health().catch(() => undefined))?.external.includes('Redis');
  return {
    a,
    b,
    redis,
    databaseUrl: database.url,
    async untilRedis(state) {
      const wanted = state === 'there';
      await waitUntil(async () => (await isThere(a)) === wanted && (await isThere(b)) === wanted);
    },
    async stop() {
      await a.stop();
      await b.stop();
      await redis.stop();
      await database.stop();
    },
  };
}
