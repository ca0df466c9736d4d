import type { SessionToken, WhoAmI } from '../../../../contract/accounts/accounts.ts';
import { howToGetMore } from '../../../../contract/accounts/more-scopes.ts';
import { sessionEndpoints } from '../../../../contract/accounts/session-endpoints.ts';
import { SCOPES } from '../../../../contract/scopes.ts';
import { notFound } from '../../../lib/errors.ts';
import { toTimestamp } from '../../../lib/timestamp.ts';
import { type Actor, handle, type Route } from '../../../platform/http/index.ts';
import type { Db } from '../../../platform/storage/index.ts';
import { deleteSessions, listSessions, nameSession } from '../model/session-store.ts';
import { deviceName } from './device-names.ts';
import type { KnownDevices } from './known-devices.ts';
import type { CheckCredentials } from './password-check.ts';
import type { Sessions } from './sessions.ts';
import type { SignIn } from './sign-in.ts';

interface SessionsContext {
  db: Db;
  now: () => number;
  checkCredentials: CheckCredentials;
  sessions: Sessions;
  signIn: SignIn;
  devices: KnownDevices;
  /** Makes a token for the dashboard of a session. */
  tokens: { forDashboard(actor: Actor): Promise<SessionToken> };
  /** Called when logins of a user have ended. */
  loginsEnded(userId: number): void;
  /** The balance of a user, in credits. */
  readCredits(userId: number): Promise<number>;
}

/** Sessions in a browser, and what a user can change in one. */
export function sessionRoutes(context: SessionsContext): Route[] {
  return [...loginRoutes(context), ...openSessionRoutes(context), dashboardRoute(context)];
}

function loginRoutes(context: SessionsContext): Route[] {
  const { checkCredentials, sessions, signIn, devices } = context;
  return [
    handle(sessionEndpoints.logIn, async ({ body, address, request }) => {
      const user = await checkCredentials(body, { request, address });
      const cookie = await signIn({ user, method: 'password', request, address });
      return withCookies(
        { success: true, ...(await me(context, { userId: user.id, username: user.username })) },
        [cookie, devices.remember(request, user.id)],
      );
    }),
    handle(sessionEndpoints.logOut, async ({ actor }) =>
      withCookies({ success: true as const, message: 'You are logged out.' }, [await sessions.end(actor)]),
    ),
    handle(sessionEndpoints.getMe, async ({ actor }) => ({
      ...(await me(context, actor)),
      ...describeAccess(actor),
    })),
  ];
}

function openSessionRoutes(context: SessionsContext): Route[] {
  const { db, now, loginsEnded } = context;
  return [
    handle(sessionEndpoints.listSessions, async ({ actor }) => {
      const { userId, sessionId } = actor;
      const rows = await listSessions(db, userId, now());
      return { sessions: rows.map((row) => toSession(row, sessionId)) };
    }),
    handle(sessionEndpoints.renameSession, async ({ params, body, actor }) => {
      const isDone = await nameSession(db, actor.userId, params.id, body.name);
      if (!isDone) throw notFound('This session was not found.');
    }),
    handle(sessionEndpoints.deleteOtherSessions, async ({ actor }) => {
      const { userId, sessionId } = actor;
      await db.transaction().execute((tx) => deleteSessions(tx, userId, { except: sessionId }));
      loginsEnded(userId);
    }),
    handle(sessionEndpoints.deleteSession, async ({ params, actor }) => {
      const { userId } = actor;
      const ended = await db.transaction().execute((tx) => deleteSessions(tx, userId, { id: params.id }));
      if (ended === 0) throw notFound('This session was not found.');
      loginsEnded(userId);
    }),
  ];
}

function dashboardRoute(context: SessionsContext): Route {
  return handle(sessionEndpoints.createSessionToken, ({ actor }) => context.tokens.forDashboard(actor));
}

async function me(
  { readCredits }: SessionsContext,
  { userId, username }: Pick<Actor, 'userId' | 'username'>,
) {
  return { user: { id: userId, username, credits: await readCredits(userId) } };
}

/** What a token can do that cannot do everything, and how to get one that can do more. */
function describeAccess({ via, scopes, isApp }: Actor): Pick<WhoAmI, 'access'> {
  const missing = SCOPES.filter((scope) => !scopes.includes(scope));
  if (via !== 'bearer' || missing.length === 0) return {};
  return { access: { scopes: [...scopes], missing, more: howToGetMore(isApp === true) } };
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
