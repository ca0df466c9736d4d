import { mkdir, open, readFile, rename } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import type { Environment } from '../environment.ts';
import { CommandError } from '../usage.ts';

/** One server that somebody has logged in to. */
const Login = z.object({
  base_url: z.string(),
  token: z.string(),
  /** The login session that the token belongs to, as a cookie; absent when somebody brought the token along. */
  session: z.string().optional(),
  /** When the session was last used, in milliseconds since 1970: one that is not used ends. */
  used_at: z.number().optional(),
});
export type Login = z.infer<typeof Login>;

/** The file of logins: the last one, then those before it. */
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
    throw new CommandError(`${path} cannot be read: ${error.message}`);
  });
  if (text === undefined) return [];
  try {
    const { others, ...last } = AccountFile.parse(JSON.parse(text));
    const parsed = Login.safeParse(last);
    return parsed.success ? [parsed.data, ...others] : others;
  } catch {
    throw new CommandError(`${path} is not what quire login writes. Remove it and log in again.`);
  }
}

/** Keeps the logins for this user of the machine alone; a crash leaves the old file or the new one. */
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
