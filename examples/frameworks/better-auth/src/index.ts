import { betterAuth } from 'better-auth';
import { bearer } from 'better-auth/plugins/bearer';

/**
 * People sign up and sign in with better-auth, and the function's database has their accounts. The secret
 * BETTER_AUTH_SECRET signs their sessions: openssl rand -base64 32 | quire functions secrets set example-better-auth
 * BETTER_AUTH_SECRET
 *
 * POST /api/auth/sign-up/email { name, email, password }, POST /api/auth/sign-in/email { email, password }: { token, user }
 * POST /api/auth/sign-out { token }
 * POST /me { token }: who that is
 */

interface Env {
  DB: D1Database;
  BETTER_AUTH_SECRET?: string;
}

const createAuth = (env: Env, baseURL: string) =>
  betterAuth({
    baseURL,
    database: env.DB,
    secret: env.BETTER_AUTH_SECRET,
    emailAndPassword: { enabled: true },
    plugins: [bearer()],
    telemetry: { enabled: false },
  });

export default {
  async fetch(request: Request, env: Env): Promise<Response> {
    if (!env.BETTER_AUTH_SECRET) return fail(503, 'Set the secret BETTER_AUTH_SECRET to a long random text.');
    const { origin, pathname } = new URL(request.url);
    if (request.method !== 'POST') return fail(405, 'Send a POST request.');
    const auth = createAuth(env, origin);
    const { token, ...body } = await request.json<{ token?: string }>();
    const headers = toHeaders(request, token);
    if (pathname !== '/me')
      return auth.handler(new Request(request.url, { method: 'POST', headers, body: JSON.stringify(body) }));
    const found = await auth.api.getSession({ headers });
    return found
      ? Response.json({ user: found.user.name, until: found.session.expiresAt })
      : fail(401, 'Sign in.');
  },
};

/** Functions get no cookies and no Authorization header, so the token is in the body, and becomes that header here. */
function toHeaders({ headers }: Request, token: string | undefined): Headers {
  const all = new Headers(headers);
  all.set('content-type', 'application/json');
  if (token !== undefined) all.set('authorization', `Bearer ${token}`);
  return all;
}

const fail = (status: number, error: string) => Response.json({ error }, { status });
