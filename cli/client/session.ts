import { hostname } from 'node:os';
import type { NewPersonalToken, SessionToken } from '../../contract/accounts/accounts.ts';
import { sessionEndpoints } from '../../contract/accounts/session-endpoints.ts';
import { tokenEndpoints } from '../../contract/accounts/token-endpoints.ts';
import { ACCOUNT_SCOPE, ADMIN_SCOPE } from '../../contract/scopes.ts';
import type { Environment } from '../environment.ts';
import { type Login, readLogins, writeLogins } from './account-file.ts';
import { ApiError, createApi, notFromQuire, refusal } from './api.ts';
import { revoke } from './device-login.ts';

/** Scopes that the token of the command line does not get. */
const NOT_OURS: readonly string[] = [ACCOUNT_SCOPE, ADMIN_SCOPE];

/** The server ends a session after 30 days without use. */
const USE_EVERY_MS = 24 * 3600 * 1000;

/** Renewing the session must not delay a command for long. */
const KEEP_MS = 5_000;

const deviceName = () => `quire on ${hostname()}`.slice(0, 100);

/** Logs in with a password and returns the cookie of the session. */
export async function startSession(
  baseUrl: string,
  credentials: { username: string; password: string },
): Promise<string> {
  const response = await createApi(baseUrl, undefined).send(
    sessionEndpoints.logIn,
    { body: credentials },
    { headers: { 'user-agent': deviceName() }, signal: AbortSignal.timeout(120_000) },
  );
  if (!response.ok) throw refusal(response, await response.text(), baseUrl);
  const [cookie] = response.headers.getSetCookie()[0]?.split(';') ?? [];
  if (cookie) return cookie;
  throw notFromQuire('POST /api/auth/login', baseUrl);
}

/** A token of ten minutes that can do what the person can. */
export function exchangeSession(baseUrl: string, session: string): Promise<SessionToken> {
  return createApi(baseUrl, undefined).call(sessionEndpoints.createSessionToken, {
    headers: { cookie: session },
  });
}

/** Creates a personal token that is valid as long as the session. */
export async function makeToken(baseUrl: string, session: string): Promise<string> {
  const granted = await exchangeSession(baseUrl, session);
  const scopes = granted.scopes.filter(
    (scope): scope is NewPersonalToken['scopes'][number] => !NOT_OURS.includes(scope),
  );
  const made = await createApi(baseUrl, granted.accessToken).call(tokenEndpoints.createPersonalToken, {
    body: { name: deviceName(), scopes },
  });
  return made.token;
}

/** Uses the session once a day, so it and its token stay valid. If that fails, the next command tries again. */
export async function keepSession(environment: Environment, login: Login): Promise<Login> {
  if (login.session === undefined || Date.now() - (login.used_at ?? 0) < USE_EVERY_MS) return login;
  const used = { ...login, used_at: Date.now() };
  try {
    await createApi(login.base_url, undefined).send(
      sessionEndpoints.getMe,
      {},
      { headers: { cookie: login.session }, signal: AbortSignal.timeout(KEEP_MS) },
    );
    const logins = await readLogins(environment);
    await writeLogins(
      environment,
      logins.map((each) => (each.token === login.token ? used : each)),
    );
  } catch {
    return login;
  }
  return used;
}

/** Ends a login on the server; false if it is only a token. */
export async function endSession({ base_url, session, refresh_token }: Login): Promise<boolean> {
  if (refresh_token !== undefined) {
    await revoke(base_url, refresh_token);
    return true;
  }
  if (session === undefined) return false;
  try {
    await createApi(base_url, undefined).call(sessionEndpoints.logOut, { headers: { cookie: session } });
  } catch (error) {
    if (!(error instanceof ApiError && error.status === 401)) throw error;
  }
  return true;
}
