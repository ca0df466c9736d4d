import {
  Credentials,
  LoggedIn,
  Me,
  PasswordChange,
  SessionList,
  SessionToken,
} from '../../../contract/accounts.ts';
import { Done, idParams } from '../../../contract/fields.ts';
import { AppError, notFound } from '../../lib/errors.ts';
import { toTimestamp } from '../../lib/timestamp.ts';
import { type Actor, type Route, route, signedIn } from '../../platform/http/index.ts';
import type { AccountsContext } from './context.ts';
import { deleteSessions, listSessions, setPassword } from './store.ts';
import { deleteLoginTokens } from './tokens/token-store.ts';

/** Sessions in a browser, and what a user can change in one. */
export function sessionRoutes(context: AccountsContext): Route[] {
  return [...loginRoutes(context), ...openSessionRoutes(context), ...accountChangeRoutes(context)];
}

function loginRoutes(context: AccountsContext): Route[] {
  const { checkCredentials, sessions } = context;
  return [
    route({
      method: 'POST',
      path: '/api/auth/login',
      operationId: 'logIn',
      failures: ['INVALID_CREDENTIALS', 'RATE_LIMITED'],
      answers: [{ status: 200, description: 'The session cookie comes with it.', headers: ['Set-Cookie'] }],
      access: { kind: 'account door' },
      summary: 'Log in: sets the session cookie',
      body: Credentials,
      response: LoggedIn,
      async handle({ body, address, request }) {
        const user = await checkCredentials(body, address);
        const cookie = await sessions.start(user, request.headers.get('user-agent') ?? '');
        return withCookie(
          { success: true, ...(await me(context, { userId: user.id, username: user.username })) },
          cookie,
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
        withCookie({ success: true, message: 'You are logged out.' }, await sessions.end(actor)),
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

function accountChangeRoutes(context: AccountsContext): Route[] {
  return [
    route({
      method: 'POST',
      path: '/api/auth/password',
      operationId: 'changePassword',
      failures: ['INVALID_CREDENTIALS', 'RATE_LIMITED'],
      access: { kind: 'account' },
      summary: 'Change your password; ends your other sessions and logins, with the tokens they made',
      body: PasswordChange,
      response: Done,
      async handle({ body, actor, address }) {
        await changePassword(context, signedIn(actor), body, address);
        return {
          success: true,
          message: 'Your password is changed, and you are logged out everywhere else.',
        };
      },
    }),
    route({
      method: 'POST',
      path: '/api/auth/session-token',
      operationId: 'createSessionToken',
      access: { kind: 'account' },
      summary: 'A bearer token of ten minutes for the dashboard',
      response: SessionToken,
      handle: ({ actor }) => context.tokens.forDashboard(signedIn(actor)),
    }),
  ];
}

async function me({ creditsOf }: AccountsContext, { userId, username }: Pick<Actor, 'userId' | 'username'>) {
  return { user: { id: userId, username, credits: await creditsOf(userId) } };
}

const toSession = (row: Awaited<ReturnType<typeof listSessions>>[number], currentId: number | undefined) => ({
  id: row.id,
  userAgent: row.user_agent,
  createdAt: toTimestamp(row.created_at),
  lastSeenAt: toTimestamp(row.last_seen_at),
  expiresAt: toTimestamp(row.expires_at),
  current: row.id === currentId,
});

/** Changes the password, and ends everything that the old one opened except this session. */
async function changePassword(
  { db, checkCredentials, passwords, disconnectApps, loginsEnded }: AccountsContext,
  { userId, username, sessionId }: Actor,
  given: { current: string; next: string },
  address: string,
): Promise<void> {
  await checkCredentials({ username, password: given.current }, address).catch(withoutUsername);
  const passwordHash = await passwords.hash(given.next, address);
  await db.transaction().execute(async (tx) => {
    await setPassword(tx, userId, passwordHash);
    // Sessions first: one that connects an app at this moment has then either ended or connected it.
    await deleteSessions(tx, userId, { except: sessionId });
    await disconnectApps(tx, userId);
    await deleteLoginTokens(tx, userId, { exceptSession: sessionId });
  });
  loginsEnded(userId);
}

/** A logged-in user has not typed a username that could be wrong. */
function withoutUsername(error: unknown): never {
  if (error instanceof AppError && error.code === 'INVALID_CREDENTIALS')
    throw new AppError('INVALID_CREDENTIALS', 'The current password is wrong. Check it and try again.');
  throw error;
}

function withCookie(body: unknown, cookie: string): Response {
  return Response.json(body, { headers: { 'set-cookie': cookie, 'cache-control': 'no-store' } });
}
