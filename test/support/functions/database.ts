import type { TestApp, TestResponse, TestUser } from '../app.ts';

/** A function with its own database, called from outside. */
export interface FunctionDatabase {
  sql(sql: string, params?: unknown[]): Promise<TestResponse>;
  /** The rows of a statement that must succeed. */
  rows(sql: string): Promise<Array<Record<string, unknown>>>;
  export(): Promise<Response>;
  import(script: string): Promise<TestResponse>;
  /** Calls the function with JSON. */
  call(body: unknown): Promise<TestResponse>;
}

/** Runs its input on `env.DB`: a statement, a batch, or a script. */
const RUNNER = `export default { async fetch(request, env) {
  const { sql, batch, exec } = await request.json();
  try {
    if (batch) return Response.json(await env.DB.batch(batch.map((one) => env.DB.prepare(one))));
    return Response.json(exec === undefined ? await env.DB.prepare(sql).all() : await env.DB.exec(exec));
  } catch (error) {
    return Response.json({ message: error.message }, { status: 400 });
  }
} };`;

export async function deployDatabase(
  { request, call }: TestApp,
  user: TestUser,
  slug: string,
): Promise<FunctionDatabase> {
  const deployed = await user.call('POST', '/api/functions', {
    body: { slug, code: RUNNER, enableDatabase: true },
  });
  if (deployed.status !== 201) throw new Error(`deploying failed: ${JSON.stringify(deployed.body)}`);
  const path = `/api/functions/${slug}/database`;
  const authorization = `Bearer ${user.token}`;
  const sql = (text: string, params?: unknown[]) =>
    user.call('POST', path, { body: { sql: text, ...(params && { params }) } });
  return {
    sql,
    async rows(text) {
      const { status, body } = await sql(text);
      if (status !== 200) throw new Error(`${text}: ${JSON.stringify(body)}`);
      return body.results;
    },
    export: () => request(`${path}/export`, { headers: { authorization } }),
    async import(script) {
      const response = await request(`${path}/import`, {
        method: 'POST',
        headers: { authorization, 'content-type': 'application/sql' },
        body: script,
      });
      return { status: response.status, body: await response.json(), headers: response.headers };
    },
    call: (body) => call('POST', `/api/functions/${slug}`, { body }),
  };
}
