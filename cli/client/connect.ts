import type { Call } from '../command.ts';
import type { Environment } from '../environment.ts';
import { CommandError, EXIT, UsageError } from '../usage.ts';
import { type Login, readLogins } from './account-file.ts';
import { type Api, createApi } from './api.ts';
import { refreshLogin } from './refresh.ts';
import { keepSession } from './session.ts';

/** The API of the chosen server, with the user's login. */
export async function connect(call: Pick<Call, 'text' | 'environment'>): Promise<Api> {
  let login = await findLogin(call);
  return createApi(login.base_url, async () => {
    login = await refreshLogin(call.environment, login);
    return login.token;
  });
}

/** The server and token to use. Options win over the environment, and the environment over the file. */
export async function findLogin(call: Pick<Call, 'text' | 'environment'>): Promise<Login> {
  const { QUIRE_URL, QUIRE_TOKEN } = call.environment;
  const named = call.text('server');
  const fromEnvironment = QUIRE_URL ? toBaseUrl(QUIRE_URL, 'QUIRE_URL') : undefined;
  const wanted = named ? toBaseUrl(named, '--server') : fromEnvironment;
  const logins = await readLogins(call.environment);
  const kept = wanted === undefined ? logins[0] : logins.find(({ base_url }) => base_url === wanted);
  const baseUrl = wanted ?? kept?.base_url;
  if (baseUrl === undefined) throw signedOut('quire login <base_url>');
  // The token in the environment is only for the server named there.
  const isForIt = fromEnvironment === undefined || fromEnvironment === baseUrl;
  if (QUIRE_TOKEN && isForIt) return { base_url: baseUrl, token: QUIRE_TOKEN };
  if (kept) return refreshLogin(call.environment, await keepSession(call.environment, kept));
  throw signedOut(`quire login ${baseUrl}`);
}

/** The default server for `quire login`. */
export async function lastServer(environment: Environment): Promise<string> {
  if (environment.QUIRE_URL) return toBaseUrl(environment.QUIRE_URL, 'QUIRE_URL');
  return (await readLogins(environment))[0]?.base_url ?? 'http://localhost:3000';
}

export function toBaseUrl(text: string, name: string): string {
  const url = URL.parse(text);
  if (url && /^https?:$/.test(url.protocol)) return url.origin;
  throw new UsageError(`${name} must be a URL such as https://quire.example.com, not ${text}.`);
}

function signedOut(command: string): CommandError {
  return new CommandError(
    `You are not logged in. Run ${command}, or set QUIRE_URL and QUIRE_TOKEN.`,
    EXIT.denied,
  );
}
