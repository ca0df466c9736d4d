import { Client } from 'pg';

/**
 * Counts visits per city in a PostgreSQL database of your own. The secret DATABASE_URL says where it is:
 * quire functions secrets set example-pg DATABASE_URL
 */

interface Env {
  DATABASE_URL?: string;
}

export default {
  async fetch(request: Request, env: Env): Promise<Response> {
    if (!env.DATABASE_URL)
      return fail(503, 'Set the secret DATABASE_URL to the address of a PostgreSQL database.');
    const { city } = await request.json<{ city?: unknown }>();
    if (typeof city !== 'string' || city === '') return fail(400, 'Which city?');
    // A connection belongs to the call that opened it.
    const client = new Client({ connectionString: env.DATABASE_URL, connectionTimeoutMillis: 5_000 });
    await client.connect();
    try {
      return Response.json({ success: true, data: await count(client, city) });
    } finally {
      await client.end();
    }
  },
};

async function count(client: Client, city: string): Promise<unknown[]> {
  await client.query('CREATE TABLE IF NOT EXISTS visits (city text PRIMARY KEY, visits bigint NOT NULL)');
  await client.query('BEGIN');
  await client.query(
    'INSERT INTO visits VALUES ($1, 1) ON CONFLICT (city) DO UPDATE SET visits = visits.visits + 1',
    [city],
  );
  const { rows } = await client.query(
    'SELECT city, visits::int FROM visits ORDER BY visits DESC, city LIMIT 10',
  );
  await client.query('COMMIT');
  return rows;
}

const fail = (status: number, error: string) => Response.json({ success: false, error }, { status });
