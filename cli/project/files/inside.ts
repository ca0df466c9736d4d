import { readFile, realpath } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { CommandError } from '../../usage.ts';

/** The text of a file; undefined if it does not exist. */
export async function readIfThere(
  path: string,
  encoding: 'utf8' | 'base64' = 'utf8',
): Promise<string | undefined> {
  try {
    return await readFile(path, encoding);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return undefined;
    throw new CommandError(`Cannot read ${path}: ${message}`);
  }
}

/** The text of a file inside the folder; undefined if it does not exist. */
export async function readInside(
  folder: string,
  name: string,
  encoding?: 'utf8' | 'base64',
): Promise<string | undefined> {
  await assertInside(folder, name);
  return readIfThere(join(folder, name), encoding);
}

/** Rejects links out of the folder, so a folder from someone else cannot publish other files of this machine. */
export async function assertInside(folder: string, name: string): Promise<void> {
  const path = join(folder, name);
  const [inside, real] = await Promise.all([realpath(folder), realpath(path)]).catch(() => []);
  if (inside === undefined || real === undefined) return;
  if (!real.startsWith(inside.endsWith(sep) ? inside : inside + sep))
    throw new CommandError(`${path} links outside its folder. Replace it with a file.`);
  // The user's own .env, for example.
  if (
    !name.startsWith('.') &&
    relative(inside, real)
      .split(sep)
      .some((part) => part.startsWith('.'))
  )
    throw new CommandError(`${path} links to a file that is not sent. Replace it with a file.`);
}
