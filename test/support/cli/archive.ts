import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { buildArchive } from '../../../scripts/building/archive.ts';

/** The programs of a minimal Debian that Quire starts, and the sandbox. */
const TOOLS = [
  'bash',
  'bwrap',
  'chmod',
  'choom',
  'ldd',
  'mount',
  'nice',
  'prlimit',
  'setpriv',
  'sh',
  'unshare',
];

/** Builds the archive in a folder, without compressing it, which takes most of the time. */
export const quickArchive = (folder: string, signingKey?: string) =>
  buildArchive(folder, { level: 0, signingKey });

/** Unpacks an archive. Returns the folder of its program. */
export function unpack(archive: string, into: string): string {
  mkdirSync(into, { recursive: true });
  const { exitCode, stderr } = Bun.spawnSync(['tar', '-xzf', archive, '-C', into]);
  if (exitCode !== 0) throw new Error(String(stderr));
  return join(into, archive.replace(/^.*\/|\.tar\.gz$/g, ''));
}

/** A PATH with only these programs, and not those in `without`: no Node.js, npm or Bun. */
export function plainPath(folder: string, without: string[] = []): string {
  mkdirSync(folder);
  for (const name of TOOLS.filter((tool) => !without.includes(tool))) {
    const program = Bun.which(name);
    if (!program) throw new Error(`${name} is missing`);
    symlinkSync(program, join(folder, name));
  }
  return folder;
}
