import { mkdir, open, readFile, rename } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import type { Environment } from '../environment.ts';
import { CommandError } from '../usage.ts';

/** A login to one server. */
const Login = z.object({
  base_url: z.string(),
  token: z.string(),
  /** Replaces the token when it expires; only of a login with a code from the browser. */
  refresh_token: z.string().optional(),
  /** When the token expires, in milliseconds since 1970. */
  expires_at: z.number().optional(),
  /** The cookie of the login session that the token belongs to; only of a login with a password. */
  session: z.string().optional(),
  /** When the session was last used, in milliseconds since 1970. Unused sessions end. */
  used_at: z.number().optional(),
});
export type Login = z.infer<typeof Login>;

/** The file with all logins, the last one first. */
const AccountFile = Login.partial().extend({ others: z.array(Login).default([]) });

export function accountFilePath(environment: Environment): string {
  const folder = environment.XDG_CONFIG_HOME || join(environment.HOME || homedir(), '.config');
  return join(folder, 'quire', 'config.json');
}

/** All logins, the last one first. */
export async function readLogins(environment: Environment): Promise<Login[]> {
  const path = accountFilePath(environment);
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw new CommandError(`Cannot read ${path}: ${error.message}`);
  });
  if (text === undefined) return [];
  try {
    const { others, ...last } = AccountFile.parse(JSON.parse(text));
    const parsed = Login.safeParse(last);
    return parsed.success ? [parsed.data, ...others] : others;
  } catch {
    throw new CommandError(`${path} is damaged. Delete it and log in again.`);
  }
}

/** Stores the logins so only this user can read them. A crash leaves either the old or the new file. */
export async function writeLogins(environment: Environment, logins: Login[]): Promise<void> {
  const path = accountFilePath(environment);
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const [last, ...others] = logins;
  const unfinished = `${path}.${process.pid}.new`;
  const file = await open(unfinished, 'w', 0o600);
  try {
    await file.chmod(0o600);
    await file.writeFile(`${JSON.stringify({ ...last, ...(others.length > 0 && { others }) }, null, 2)}\n`);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(unfinished, path);
}
