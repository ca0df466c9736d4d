import { sessionEndpoints } from '../../contract/accounts/session-endpoints.ts';
import { type Call, type Command, SERVER_OPTION } from '../command.ts';
import { askLine, isAsked, readSecretValue } from '../terminal/ask.ts';
import { printable } from '../terminal/colours.ts';
import { UsageError } from '../usage.ts';
import { accountFilePath, type Login, readLogins, writeLogins } from './account-file.ts';
import { createApi } from './api.ts';
import { findLogin, lastServer, toBaseUrl } from './connect.ts';
import { logInWithCode } from './device-login.ts';
import { endSession, makeToken, startSession } from './session.ts';

export const login: Command = {
  name: 'login',
  usage: '[base_url]',
  args: [0, 1],
  summary: 'log in to a server; later commands use it',
  options: {
    username: { type: 'string', value: 'name', summary: 'log in with this username and your password' },
    token: {
      type: 'string',
      value: 'token',
      summary: 'use this token; - reads it from standard input, which keeps it out of the list of processes',
    },
    'password-stdin': { type: 'boolean', summary: 'read the password from standard input' },
  },
  notes: `Shows a code that you type in your browser, on this machine or another one. There you choose what the command line
can do. Its tokens are stored in $XDG_CONFIG_HOME/quire/config.json (default ~/.config), which only you can read. They end
with quire logout, when you disconnect the command line in the dashboard or change your password, or when you do not use
them for 30 days. With --username or --password-stdin, it logs in with your password instead. QUIRE_URL and QUIRE_TOKEN in
the environment take precedence. Other users of the machine can see a token in the arguments, and shells store it in their
history. To avoid that, use --token - or QUIRE_TOKEN.`,
  async run(call) {
    const [address] = call.args;
    const baseUrl = address ? toBaseUrl(address, 'The URL') : await lastServer(call.environment);
    const given = call.text('token');
    const signedIn =
      given === undefined ? await signIn(call, baseUrl) : { base_url: baseUrl, token: await spell(given) };
    const { user } = await createApi(baseUrl, signedIn.token).call(sessionEndpoints.getMe, {});
    const logins = await readLogins(call.environment);
    await writeLogins(call.environment, [signedIn, ...logins.filter(({ base_url }) => base_url !== baseUrl)]);
    const replaced = logins.find(({ base_url }) => base_url === baseUrl);
    if (replaced && replaced.token !== signedIn.token) await endSession(replaced);
    call.out.done(
      { base_url: baseUrl, username: user.username },
      `Logged in to ${baseUrl} as ${printable(user.username)}.`,
    );
    if (call.environment.QUIRE_TOKEN)
      call.out.note('QUIRE_TOKEN is set and takes precedence over this login.');
  },
};

export const logout: Command = {
  name: 'logout',
  usage: '',
  args: [0, 0],
  summary: 'log out, here and on the server',
  options: SERVER_OPTION,
  async run(call) {
    const logins = await readLogins(call.environment);
    const named = call.text('server');
    const baseUrl = named ? toBaseUrl(named, '--server') : logins[0]?.base_url;
    const ended = logins.find(({ base_url }) => base_url === baseUrl);
    if (!ended) {
      call.out.done({ signed_out: false }, 'You were not logged in.');
      return;
    }
    // The server first: if it cannot be reached, the token is still here for another try.
    const isRevoked = await endSession(ended);
    await writeLogins(
      call.environment,
      logins.filter((each) => each !== ended),
    );
    call.out.done(
      { signed_out: true, base_url: ended.base_url, revoked: isRevoked },
      isRevoked
        ? `Logged out of ${ended.base_url}.`
        : `Logged out of ${ended.base_url} here. The token is still valid: revoke it in the dashboard, under Tokens.`,
    );
  },
};

export const whoami: Command = {
  name: 'whoami',
  usage: '',
  args: [0, 0],
  summary: 'show your account and server',
  options: SERVER_OPTION,
  async run(call) {
    const { base_url, token } = await findLogin(call);
    const { user, access } = await createApi(base_url, token).call(sessionEndpoints.getMe, {});
    const missing = access?.missing ?? [];
    const lacks = missing.length > 0 ? `. Not allowed: ${printable(missing.join(', '))}` : '';
    call.out.result(
      { base_url, ...user, ...(access && { scopes: access.scopes, missing_scopes: missing }) },
      `${printable(user.username)} at ${base_url}, ${user.credits} credits${lacks}`,
    );
  },
};

async function signIn(call: Call, baseUrl: string): Promise<Login> {
  const isWithPassword = call.text('username') !== undefined || call.flag('password-stdin');
  const signedIn = isWithPassword
    ? await signInWithPassword(call, baseUrl)
    : await logInWithCode(call, baseUrl);
  call.out.note(`Your token is stored in ${accountFilePath(call.environment)}.`);
  return signedIn;
}

async function signInWithPassword(call: Call, baseUrl: string): Promise<Login> {
  if (!isAsked() && !call.flag('password-stdin')) {
    throw new UsageError('Cannot ask for a password without a terminal. Use --password-stdin or --token.');
  }
  const username =
    call.text('username') ?? (isAsked() ? await askLine(`Username at ${baseUrl}: `) : undefined);
  if (!username) throw new UsageError('The username is missing. Add --username <name>.');
  const password = await readSecretValue(`Password for ${username}: `);
  const session = await startSession(baseUrl, { username, password });
  const token = await makeToken(baseUrl, session);
  return { base_url: baseUrl, token, session, used_at: Date.now() };
}

async function spell(given: string): Promise<string> {
  return (given === '-' ? await readSecretValue('Token: ') : given).trim();
}
