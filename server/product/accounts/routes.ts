import {
  Credentials,
  LoggedIn,
  Me,
  PasswordChange,
  PersonalToken,
  PersonalTokenList,
  PersonalTokenRequest,
  RefreshRequest,
  Registered,
  Registration,
  SessionList,
  TokenPair,
  TokenRequest,
} from '../../../contract/accounts.ts';
import { Done, idParams } from '../../../contract/fields.ts';
import { ACCOUNT_SCOPE } from '../../../contract/scopes.ts';
import { AppError, notFound } from '../../lib/errors.ts';
import { toTimestamp } from '../../lib/timestamp.ts';
import { type Actor, type Route, route, signedIn } from '../../platform/http/index.ts';
import type { Db } from '../../platform/storage/index.ts';
import type { CheckCredentials } from './attempts.ts';
import type { Passwords } from './passwords.ts';
import type { Register } from './register.ts';
import type { Sessions } from './sessions.ts';
import { deleteSessions, listSessions, setPassword } from './store.ts';
import { deleteLoginTokens, deletePersonalToken, listPersonalTokens } from './token-store.ts';
import type { Tokens } from './tokens.ts';

export interface AccountsContext {
  db: Db;
  now: () => number;
  registration: 'open' | 'closed';
  passwords: Passwords;
  checkCredentials: CheckCredentials;
  register: Register;
  sessions: Sessions;
  tokens: Tokens;
  /** What a user has, in credits. */
  creditsOf(userId: number): Promise<number>;
}

export function accountRoutes(context: AccountsContext): Route[] {
  const { db, now, checkCredentials, register, sessions, tokens } = context;

  return [
    route({
      method: 'POST',
      path: '/api/auth/register',
      operationId: 'register',
      failures: ['CONFLICT', 'RATE_LIMITED'],
      access: { kind: 'public' },
      summary: 'Create an account and get a token for it',
      body: Registration,
      status: 201,
      response: Registered,
      async handle({ body, address }) {
        assertRegistrationOpen(context.registration);
        const user = await register(body, address);
        const { scopes: _, ...pair } = await tokens.issue(user);
        return { success: true, userId: user.id, username: user.username, ...pair };
      },
    }),
    route({
      method: 'POST',
      path: '/api/auth/token',
      operationId: 'createToken',
      failures: ['INVALID_CREDENTIALS', 'RATE_LIMITED'],
      access: { kind: 'public' },
      summary: 'Get a bearer token for a username and password',
      body: TokenRequest,
      acceptsForm: true,
      formLists: ['scopes'],
      response: TokenPair,
      async handle({ body, address }) {
        const user = await checkCredentials(body, address);
        return tokens.issue(user, body.scopes);
      },
    }),
    route({
      method: 'POST',
      path: '/api/auth/token/refresh',
      operationId: 'refreshToken',
      failures: ['INVALID_TOKEN'],
      access: { kind: 'public' },
      summary: 'Exchange a refresh token for a new pair',
      body: RefreshRequest,
      acceptsForm: true,
      response: TokenPair,
      handle: ({ body }) => tokens.refresh(body.refreshToken),
    }),
    route({
      method: 'POST',
      path: '/api/auth/tokens',
      operationId: 'createPersonalToken',
      failures: ['QUOTA_EXCEEDED'],
      access: { kind: 'management', scope: ACCOUNT_SCOPE },
      summary: 'Make a personal token; it is shown this once, and ends with the login that makes it',
      body: PersonalTokenRequest,
      status: 201,
      response: PersonalToken,
      async handle({ body, actor }) {
        const made = await tokens.makePersonal(signedIn(actor), body);
        const { id, token } = made;
        const [createdAt, expiresAt] = [toTimestamp(made.createdAt), toTimestamp(made.expiresAt)];
        return { id, name: body.name, token, scopes: body.scopes, createdAt, expiresAt };
      },
    }),
    route({
      method: 'GET',
      path: '/api/auth/tokens',
      operationId: 'listPersonalTokens',
      access: { kind: 'management', scope: ACCOUNT_SCOPE },
      summary: 'List your personal tokens',
      response: PersonalTokenList,
      async handle({ actor }) {
        const rows = await listPersonalTokens(db, signedIn(actor).userId, now());
        const moment = (value: number | null) => (value === null ? null : toTimestamp(value));
        return {
          tokens: rows.map((row) => ({
            id: row.id,
            name: row.name,
            scopes: row.scopes.split(' '),
            createdAt: toTimestamp(row.created_at),
            expiresAt: moment(row.expires_at),
            lastUsedAt: moment(row.last_used_at),
          })),
        };
      },
    }),
    route({
      method: 'DELETE',
      path: '/api/auth/tokens/:id',
      operationId: 'deletePersonalToken',
      access: { kind: 'management', scope: ACCOUNT_SCOPE },
      summary: 'Revoke a personal token',
      params: idParams,
      status: 204,
      async handle({ params, actor }) {
        if (!(await deletePersonalToken(db, signedIn(actor).userId, params.id))) throw notFound('This token');
      },
    }),
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
          { success: true, ...(await me({ userId: user.id, username: user.username })) },
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
      handle: ({ actor }) => me(signedIn(actor)),
    }),
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
        return {
          sessions: rows.map((row) => ({
            id: row.id,
            userAgent: row.user_agent,
            createdAt: toTimestamp(row.created_at),
            lastSeenAt: toTimestamp(row.last_seen_at),
            expiresAt: toTimestamp(row.expires_at),
            current: row.id === sessionId,
          })),
        };
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
      },
    }),
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
        const { userId, username, sessionId } = signedIn(actor);
        await checkCredentials({ username, password: body.current }, address).catch(inOtherWords);
        const passwordHash = await context.passwords.hash(body.next, address);
        await db.transaction().execute(async (tx) => {
          await setPassword(tx, userId, passwordHash);
          await deleteLoginTokens(tx, userId, { exceptSession: sessionId });
          await deleteSessions(tx, userId, { except: sessionId });
        });
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
      response: TokenPair.omit({ refreshToken: true }),
      handle: ({ actor }) => tokens.forDashboard(signedIn(actor)),
    }),
  ];

  async function me({ userId, username }: Pick<Actor, 'userId' | 'username'>) {
    return { user: { id: userId, username, credits: await context.creditsOf(userId) } };
  }
}

/** Whoever is logged in typed no username that could be wrong. */
function inOtherWords(error: unknown): never {
  if (error instanceof AppError && error.code === 'INVALID_CREDENTIALS')
    throw new AppError('INVALID_CREDENTIALS', 'The current password is wrong.');
  throw error;
}

function assertRegistrationOpen(registration: 'open' | 'closed'): void {
  if (registration === 'closed') throw new AppError('FORBIDDEN', 'Registration is closed on this server.');
}

function withCookie(body: unknown, cookie: string): Response {
  return Response.json(body, { headers: { 'set-cookie': cookie, 'cache-control': 'no-store' } });
}
