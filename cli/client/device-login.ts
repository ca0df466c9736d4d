import { oauthEndpoints } from '../../contract/oauth/endpoints.ts';
import {
  COMMAND_LINE_CLIENT,
  DEVICE_CODE_GRANT,
  type DeviceAuthorization,
  IssuedTokens,
  OAuthFailure,
  type TokenExchange,
} from '../../contract/oauth/protocol.ts';
import { SCOPES } from '../../contract/scopes.ts';
import type { Call } from '../command.ts';
import { printable } from '../terminal/colours.ts';
import { CommandError, EXIT } from '../usage.ts';
import type { Login } from './account-file.ts';
import { createApi, parseJson, readResponse, refusal } from './api.ts';

const CALL_MS = 30_000;
const SLOW_DOWN_SECONDS = 5;
/** Whatever the server says. */
const MAX_INTERVAL_SECONDS = 60;

/** Logs in with a code that the person types in a browser, on this machine or another one. */
export async function logInWithCode(call: Call, baseUrl: string): Promise<Login> {
  const asked = await ask(baseUrl);
  const { user_code, verification_uri, verification_uri_complete } = asked;
  // Also with --quiet: the command waits for this.
  call.out.error(
    [
      `Open ${printable(verification_uri_complete)}`,
      `and check that it shows this code: ${call.out.paintError.bold(printable(user_code))}`,
      `(or open ${printable(verification_uri)} anywhere, and type the code there). Waiting…`,
    ].join('\n'),
  );
  const tokens = await waitForAnswer(baseUrl, asked);
  const missing = SCOPES.filter((scope) => !tokens.scope.split(' ').includes(scope));
  if (missing.length > 0)
    call.out.note(`You did not allow: ${missing.join(', ')}. To allow more, run quire login again.`);
  return toLogin(baseUrl, tokens);
}

/** The tokens as they are stored. */
export function toLogin(baseUrl: string, tokens: IssuedTokens): Login {
  return {
    base_url: baseUrl,
    token: tokens.access_token,
    refresh_token: tokens.refresh_token,
    expires_at: Date.now() + tokens.expires_in * 1000,
  };
}

async function ask(baseUrl: string): Promise<DeviceAuthorization> {
  const body = { client_id: COMMAND_LINE_CLIENT, scope: SCOPES.join(' ') };
  const response = await createApi(baseUrl, undefined).send(
    oauthEndpoints.authorizeDevice,
    { body },
    sending(),
  );
  const text = await response.text();
  if (!response.ok) throw refusedBy(response, text, baseUrl);
  return readResponse(oauthEndpoints.authorizeDevice, response, text, baseUrl);
}

async function waitForAnswer(baseUrl: string, asked: DeviceAuthorization): Promise<IssuedTokens> {
  const body = {
    grant_type: DEVICE_CODE_GRANT,
    client_id: COMMAND_LINE_CLIENT,
    device_code: asked.device_code,
  };
  const deadline = Date.now() + asked.expires_in * 1000;
  let seconds = Math.min(Math.max(1, asked.interval), MAX_INTERVAL_SECONDS);
  while (Date.now() < deadline) {
    await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
    const answer = await exchange(baseUrl, body);
    if (typeof answer !== 'string') return answer;
    if (answer === 'slow_down') seconds += SLOW_DOWN_SECONDS;
    else if (answer === 'access_denied')
      throw new CommandError('You did not allow it in the browser.', EXIT.denied);
    else if (answer === 'expired_token') break;
    else if (answer !== 'authorization_pending')
      throw new CommandError(`The server refused the login: ${answer}.`);
  }
  throw new CommandError('Nobody typed the code in time. Run quire login again.', EXIT.denied);
}

/** Exchanges a code or a refresh token, or returns the name of the error. */
export async function exchange(
  baseUrl: string,
  body: TokenExchange,
): Promise<IssuedTokens | OAuthFailure['error']> {
  const response = await createApi(baseUrl, undefined).send(
    oauthEndpoints.exchangeToken,
    { body },
    sending(),
  );
  const text = await response.text();
  const json = parseJson(text);
  const tokens = IssuedTokens.safeParse(json);
  if (response.ok && tokens.success) return tokens.data;
  const failure = OAuthFailure.safeParse(json);
  if (response.status < 500 && failure.success) return failure.data.error;
  throw refusedBy(response, text, baseUrl);
}

/** Ends a login on the server. */
export async function revoke(baseUrl: string, refreshToken: string): Promise<void> {
  const body = { client_id: COMMAND_LINE_CLIENT, token: refreshToken };
  const response = await createApi(baseUrl, undefined).send(oauthEndpoints.revokeToken, { body }, sending());
  if (!response.ok) throw refusedBy(response, await response.text(), baseUrl);
}

const sending = () => ({
  headers: { accept: 'application/json' },
  signal: AbortSignal.timeout(CALL_MS),
});

function refusedBy(response: Response, text: string, baseUrl: string): CommandError {
  const failure = OAuthFailure.safeParse(parseJson(text));
  return failure.success
    ? new CommandError(printable(failure.data.error_description))
    : refusal(response, text, baseUrl);
}
