import { z } from 'zod';
import { privacyEndpoints } from '../../contract/accounts/privacy-endpoints.ts';
import { type Call, type Command, SERVER_OPTION } from '../command.ts';
import { saySize } from '../terminal/amounts.ts';
import { isAsked, readSecretValue } from '../terminal/ask.ts';
import { CommandError, EXIT, UsageError } from '../usage.ts';
import { writeWholeBy } from '../whole-file.ts';
import { showStorage } from './account-storage.ts';
import { type Api, createApi, refusal } from './api.ts';
import { findLogin } from './connect.ts';
import { exchangeSession, startSession } from './session.ts';

const ARCHIVE = 'quire-account.tar.gz';
const Refused = z.object({ details: z.array(z.object({ path: z.string() })) });

const exportAccount: Command = {
  name: 'account export',
  usage: '[file]',
  args: [0, 1],
  summary: 'export everything in your account as one archive',
  options: {
    'password-stdin': { type: 'boolean', summary: 'read the password from standard input' },
    ...SERVER_OPTION,
  },
  notes: `Writes ${ARCHIVE}, or the file that you name. Its README.txt says what is in it. It does not contain the values of secrets.
Asks for your password, unless you have logged in within the last 10 minutes.`,
  async run(call) {
    const [file = ARCHIVE] = call.args;
    const api = await connectToAccount(call);
    let response = call.flag('password-stdin')
      ? undefined
      : await api.send(privacyEndpoints.exportAccount, {});
    if (!response || (await asksForProof(response))) response = await exportWithPassword(call);
    if (!response.ok || !response.body)
      throw refusal(response, await response.text().catch(() => ''), api.baseUrl);
    const bytes = await save(call, file, response.body);
    call.out.done({ file, bytes }, `Exported your account to ${file} (${saySize(bytes)}).`);
  },
};

/** Whether the login is too old for this. */
async function asksForProof(response: Response): Promise<boolean> {
  if (response.status !== 403) return false;
  const body: unknown = await response
    .clone()
    .json()
    .catch(() => undefined);
  return Refused.safeParse(body).data?.details.some(({ path }) => path === 'password') ?? false;
}

/** Proves with the password who the person is. That returns a link for the session. */
async function exportWithPassword(call: Call): Promise<Response> {
  const { base_url, session } = await findLogin(call);
  if (session === undefined)
    throw new CommandError(
      'A token in QUIRE_TOKEN can export for 10 minutes after you got it with your password. Get a new one, or use quire login.',
      EXIT.denied,
    );
  if (!isAsked() && !call.flag('password-stdin'))
    throw new UsageError(
      'Your login is older than 10 minutes, and there is no terminal to ask for your password. Use --password-stdin.',
    );
  const api = createApi(base_url, undefined);
  const headers = { cookie: session };
  const password = await readSecretValue(`Your password at ${base_url}: `);
  const { link } = await api.call(privacyEndpoints.startExport, { headers, body: { password } });
  return api.request('GET', link, { headers });
}

/** The file appears when it is complete. */
async function save(call: Call, file: string, body: ReadableStream<Uint8Array>): Promise<number> {
  const progress = call.out.progress('exporting', undefined);
  try {
    return await writeWholeBy(file, async (handle) => {
      let bytes = 0;
      for await (const piece of body) {
        await handle.appendFile(piece);
        bytes += piece.length;
        progress.at(bytes, saySize(bytes));
      }
      return bytes;
    });
  } catch (error) {
    if (error instanceof CommandError) throw error;
    throw new CommandError(`The export stopped: ${(error as Error).message} Try again.`);
  } finally {
    progress.end();
  }
}

const deleteAccount: Command = {
  name: 'account delete',
  usage: '<username>',
  args: [1, 1],
  summary: 'delete your account in seven days',
  options: {
    'password-stdin': { type: 'boolean', summary: 'read the password from standard input' },
    ...SERVER_OPTION,
  },
  notes: `Asks for your password. Pages and functions stop at once. Until the account is deleted you can log in with a browser
and keep it. An account with a second factor or without a password is deleted in the dashboard: Account, Your data.`,
  async run(call) {
    const [username = ''] = call.args;
    const { base_url } = await findLogin(call);
    if (!isAsked() && !call.flag('password-stdin'))
      throw new UsageError('Cannot ask for a password without a terminal. Use --password-stdin.');
    const password = await readSecretValue(`Password for ${username}: `);
    const session = await startSession(base_url, { username, password });
    const answer = await createApi(base_url, undefined).call(privacyEndpoints.deleteAccount, {
      headers: { cookie: session },
      body: { username, password },
    });
    call.out.done(answer, answer.message);
  },
};

export const accountCommands: Command[] = [exportAccount, deleteAccount, showStorage];

/** Connects with the login session, because personal tokens cannot export or delete the account. */
export async function connectToAccount(call: Call): Promise<Api> {
  const { base_url, session, token } = await findLogin(call);
  // A token in the environment may be one that the person got with their password.
  if (session === undefined) {
    if (call.environment.QUIRE_TOKEN === token) return createApi(base_url, token);
    throw new CommandError(
      `Only a login with your password can do this. Run quire login ${base_url} --username <name>, or use the dashboard.`,
      EXIT.denied,
    );
  }
  return createApi(base_url, (await exchangeSession(base_url, session)).accessToken);
}
