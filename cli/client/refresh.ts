import { mkdir, open, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { COMMAND_LINE_CLIENT } from '../../contract/oauth/protocol.ts';
import type { Environment } from '../environment.ts';
import { CommandError, EXIT } from '../usage.ts';
import { accountFilePath, type Login, readLogins, writeLogins } from './account-file.ts';
import { exchange, toLogin } from './device-login.ts';

/** A token that is valid for less than this is replaced. */
const SPARE_MS = 5 * 60_000;
const LOCK_AGAIN_MS = 50;
/** A command that held the lock for longer has crashed. */
const STALE_LOCK_MS = 60_000;

/** A login with a token that is valid for some minutes. */
export async function refreshLogin(environment: Environment, login: Login): Promise<Login> {
  if (login.refresh_token === undefined || isFresh(login)) return login;
  // Each refresh token works once, and using one twice ends the login. So commands that run together take turns.
  return underLock(environment, async () => {
    const logins = await readLogins(environment);
    const stored = logins.find(({ base_url }) => base_url === login.base_url) ?? login;
    if (stored.refresh_token === undefined || isFresh(stored)) return stored;
    const { base_url } = stored;
    const answer = await exchange(base_url, {
      grant_type: 'refresh_token',
      client_id: COMMAND_LINE_CLIENT,
      refresh_token: stored.refresh_token,
    });
    if (typeof answer === 'string')
      throw new CommandError(
        `Your login at ${base_url} has ended. Run quire login ${base_url}.`,
        EXIT.denied,
      );
    const next = toLogin(base_url, answer);
    await writeLogins(
      environment,
      logins.map((each) => (each === stored ? next : each)),
    );
    return next;
  });
}

function isFresh({ expires_at = 0 }: Login): boolean {
  return expires_at > Date.now() + SPARE_MS;
}

async function underLock<Result>(environment: Environment, work: () => Promise<Result>): Promise<Result> {
  const path = `${accountFilePath(environment)}.lock`;
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  while (!(await createLock(path))) {
    const since = await stat(path).then(
      ({ mtimeMs }) => Date.now() - mtimeMs,
      () => 0,
    );
    if (since > STALE_LOCK_MS) await rm(path, { force: true });
    await new Promise((resolve) => setTimeout(resolve, LOCK_AGAIN_MS));
  }
  try {
    return await work();
  } finally {
    await rm(path, { force: true });
  }
}

async function createLock(path: string): Promise<boolean> {
  try {
    await (await open(path, 'wx', 0o600)).close();
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw new CommandError(`Cannot write ${path}: ${(error as Error).message}`);
  }
}
