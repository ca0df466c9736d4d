import { freshDatabase, startPostgres } from './postgres.ts';

/** An empty PostgreSQL database: on the server that the run of the tests has, or on one of our own. */
export async function startDatabase(): Promise<{ url: string; stop(): Promise<void> }> {
  const { QUIRE_TEST_POSTGRES_URL: given } = process.env;
  const server = given ? { url: given, stop: async () => undefined } : await startPostgres();
  try {
    const { url, drop } = await freshDatabase(server.url);
    return {
      url,
      async stop() {
        await drop();
        await server.stop();
      },
    };
  } catch (error) {
    await server.stop();
    throw error;
  }
}
