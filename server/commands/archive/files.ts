import { readFileSync, statSync } from 'node:fs';
import { CommandError, EXIT } from '../../../cli/usage.ts';
import { ArchiveError, readIdentities } from '../../product/backup/index.ts';

/** The files that commands for archives read. */

/** Fails if an archive is not a file. */
export function assertFile(file: string): void {
  const found = statSync(file, { throwIfNoEntry: false });
  if (!found) throw new CommandError(`${file} does not exist.`, EXIT.notFound);
  if (found.isDirectory()) throw new CommandError(`${file} is a folder. Name an archive.`);
}

/** The secret keys in a file that --identity names. None without it. */
export function readIdentityFile(file: string | undefined): string[] {
  if (file === undefined) return [];
  assertIdentity(file);
  try {
    return readIdentities(readFileSync(file, 'utf8'));
  } catch (error) {
    throw error instanceof ArchiveError ? new CommandError(error.message) : error;
  }
}

function assertIdentity(file: string): void {
  const found = statSync(file, { throwIfNoEntry: false });
  if (!found) throw new CommandError(`${file} does not exist.`, EXIT.notFound);
  if (!found.isFile() || found.size > 64 * 1024)
    throw new CommandError(`${file} is not an identity file. age-keygen -o <file> makes one.`);
}
