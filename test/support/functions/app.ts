import { type TestApp, type TestResponse, type TestUser, testApp } from '../app.ts';

/** A service with an owner of functions and another user. */
export interface FunctionApp {
  quire: TestApp;
  owner: TestUser;
  stranger: TestUser;
  /** Deploys code and returns its slug. */
  deploy(code: string, fields?: Record<string, unknown>, as?: Pick<TestUser, 'call'>): Promise<string>;
  /** Calls a function. */
  call(slug: string, body?: unknown, as?: { call: TestApp['call'] }): Promise<TestResponse>;
  /** Calls the SQL endpoint. */
  sql(slug: string, query: unknown, as?: TestUser): Promise<TestResponse>;
}

/** A function that returns what it was sent. */
export const ECHO = `export default {
  async fetch(request, env) {
    const { pathname, search } = new URL(request.url);
    return Response.json({ success: true, data: {
      body: await request.text(), method: request.method, path: pathname + search,
      headers: Object.fromEntries(request.headers), env: Object.keys(env) } });
  },
};`;

/** The code of a function whose handler has this body. */
export const handler = (body: string) => `export default { async fetch(request, env) { ${body} } };`;

export async function functionApp(settings: Record<string, string> = {}): Promise<FunctionApp> {
  const quire = await testApp({
    QUIRE_FUNCTION_CALLS_PER_MINUTE: '0',
    QUIRE_EGRESS_ALLOW: '127.0.0.1/32',
    ...settings,
  });
  const owner = await quire.user('owner');
  const stranger = await quire.user('stranger');
  let count = 0;
  return {
    quire,
    owner,
    stranger,
    async deploy(code, fields = {}, as = owner) {
      const slug = `fn-${++count}`;
      const answer = await as.call('POST', '/api/functions', { body: { slug, code, ...fields } });
      if (answer.status !== 201)
        throw new Error(`deploying failed: ${answer.status} ${JSON.stringify(answer.body)}`);
      return slug;
    },
    call: (slug, body = {}, as = quire) => as.call('POST', `/api/functions/${slug}`, { body }),
    sql: (slug, query, as = owner) => as.call('POST', `/api/functions/${slug}/database`, { body: query }),
  };
}
