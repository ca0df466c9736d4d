import { type FreshDatabase, freshDatabase, migratedDatabase, startPostgres } from './postgres.ts';

/** The PostgreSQL of this process, for all its test files. It ends with the process. */
let server: Promise<{ url: string }> | undefined;

interface TestDatabase {
  url: string;
  stop(): Promise<void>;
}

/** An empty PostgreSQL database, on the server of this test run or on our own. */
export const startDatabase = (): Promise<TestDatabase> => start(freshDatabase);

/** The same with our tables, which is faster than to have a service create them. */
export const startMigratedDatabase = (): Promise<TestDatabase> => start(migratedDatabase);

async function start(make: (serverUrl: string) => Promise<FreshDatabase>): Promise<TestDatabase> {
  const { QUIRE_TEST_POSTGRES_URL: given } = process.env;
  server ??= given ? Promise.resolve({ url: given }) : startPostgres();
  const { url, drop } = await make((await server).url);
  return { url, stop: drop };
}
