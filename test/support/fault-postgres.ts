import { freshDatabase, startPostgres } from './postgres.ts';

/** The PostgreSQL of this process, for all its test files. It ends with the process. */
let server: Promise<{ url: string }> | undefined;

/** An empty PostgreSQL database, on the server of this test run or on our own. */
export async function startDatabase(): Promise<{ url: string; stop(): Promise<void> }> {
  const { QUIRE_TEST_POSTGRES_URL: given } = process.env;
  server ??= given ? Promise.resolve({ url: given }) : startPostgres();
  const { url, drop } = await freshDatabase((await server).url);
  return { url, stop: drop };
}
