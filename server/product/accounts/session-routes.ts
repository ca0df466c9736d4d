import { Credentials, LoggedIn, Me, SessionList, SessionToken } from '../../../contract/accounts/accounts.ts';
import { SessionChange } from '../../../contract/accounts/own-account.ts';
import { Done, idParams } from '../../../contract/fields.ts';
import { notFound } from '../../lib/errors.ts';
import { toTimestamp } from '../../lib/timestamp.ts';
import { type Actor, type Route, route, signedIn } from '../../platform/http/index.ts';
import type { AccountsContext } from './context.ts';
import { deviceName } from './logins/device-names.ts';
import { deleteSessions, listSessions, nameSession } from './session-store.ts';

/** Sessions in a browser, and what a user can change in one. */
export function sessionRoutes(context: AccountsContext): Route[] {
  return [...loginRoutes(context), ...openSessionRoutes(context), dashboardRoute(context)];
}

function loginRoutes(context: AccountsContext): Route[] {
  const { checkCredentials, sessions, signIn, devices } = context;
  return [
    route({
      method: 'POST',
      path: '/api/auth/login',
      operationId: 'logIn',
      failures: ['INVALID_CREDENTIALS', 'FORBIDDEN'],
      answers: [{ status: 200, description: 'The session cookie comes with it.', headers: ['Set-Cookie'] }],
      access: { kind: 'account door' },
      summary: 'Log in: sets the session cookie',
      body: Credentials,
      response: LoggedIn,
      async handle({ body, address, request }) {
        const user = await checkCredentials(body, { request, address });
        const cookie = await signIn({ user, method: 'password', request, address });
        return withCookies(
          { success: true, ...(await me(context, { userId: user.id, username: user.username })) },
          [cookie, devices.remember(request, user.id)],
        );
      },
    }),
    route({
      method: 'POST',
      path: '/api/auth/logout',
      operationId: 'logOut',
      answers: [{ status: 200, description: 'The session cookie is cleared.', headers: ['Set-Cookie'] }],
      access: { kind: 'account door' },
      summary: 'Log out: ends the session',
      response: Done,
      handle: async ({ actor }) =>
        withCookies({ success: true, message: 'You are logged out.' }, [await sessions.end(actor)]),
    }),
    route({
      method: 'GET',
      path: '/api/auth/me',
      operationId: 'getMe',
      access: { kind: 'owner' },
      summary: 'Who you are, and your credits',
      response: Me,
      handle: ({ actor }) => me(context, signedIn(actor)),
    }),
  ];
}

function openSessionRoutes(context: AccountsContext): Route[] {
  const { db, now, loginsEnded } = context;
  return [
    route({
      method: 'GET',
      path: '/api/auth/sessions',
      operationId: 'listSessions',
      access: { kind: 'account' },
      summary: 'List where you are logged in',
      response: SessionList,
      async handle({ actor }) {
        const { userId, sessionId } = signedIn(actor);
        const rows = await listSessions(db, userId, now());
        return { sessions: rows.map((row) => toSession(row, sessionId)) };
      },
    }),
    route({
      method: 'PATCH',
      path: '/api/auth/sessions/:id',
      operationId: 'renameSession',
      access: { kind: 'account' },
      summary: 'Name the device of one of your sessions',
      params: idParams,
      body: SessionChange,
      status: 204,
      async handle({ params, body, actor }) {
        const isDone = await nameSession(db, signedIn(actor).userId, params.id, body.name);
        if (!isDone) throw notFound('This session');
      },
    }),
    route({
      method: 'DELETE',
      path: '/api/auth/sessions',
      operationId: 'deleteOtherSessions',
      access: { kind: 'account' },
      summary: 'End all your sessions but this one',
      status: 204,
      async handle({ actor }) {
        const { userId, sessionId } = signedIn(actor);
        await db.transaction().execute((tx) => deleteSessions(tx, userId, { except: sessionId }));
        loginsEnded(userId);
      },
    }),
    route({
      method: 'DELETE',
      path: '/api/auth/sessions/:id',
      operationId: 'deleteSession',
      access: { kind: 'account' },
      summary: 'End one of your sessions',
      params: idParams,
      status: 204,
      async handle({ params, actor }) {
        const { userId } = signedIn(actor);
        const ended = await db.transaction().execute((tx) => deleteSessions(tx, userId, { id: params.id }));
        if (ended === 0) throw notFound('This session');
        loginsEnded(userId);
      },
    }),
  ];
}

function dashboardRoute(context: AccountsContext): Route {
  return route({
    method: 'POST',
    path: '/api/auth/session-token',
    operationId: 'createSessionToken',
    access: { kind: 'account' },
    summary: 'A bearer token of ten minutes for the dashboard',
    response: SessionToken,
    handle: ({ actor }) => context.tokens.forDashboard(signedIn(actor)),
  });
}

async function me({ creditsOf }: AccountsContext, { userId, username }: Pick<Actor, 'userId' | 'username'>) {
  return { user: { id: userId, username, credits: await creditsOf(userId) } };
}

const toSession = (row: Awaited<ReturnType<typeof listSessions>>[number], currentId: number | undefined) => ({
  id: row.id,
  name: row.name || deviceName(row.user_agent),
  userAgent: row.user_agent,
  address: row.address,
  method: row.method,
  createdAt: toTimestamp(row.created_at),
  lastSeenAt: toTimestamp(row.last_seen_at),
  expiresAt: toTimestamp(row.expires_at),
  current: row.id === currentId,
});

function withCookies(body: unknown, cookies: string[]): Response {
  const response = Response.json(body, { headers: { 'cache-control': 'no-store' } });
  for (const cookie of cookies) response.headers.append('set-cookie', cookie);
  return response;
}
