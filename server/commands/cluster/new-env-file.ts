import { closeSync, existsSync, fsyncSync, linkSync, openSync, renameSync, rmSync, writeSync } from 'node:fs';
import { CommandError, EXIT } from '../../../cli/usage.ts';

/** A file of settings that is being written. */
interface NewEnvFile {
  /** Puts the file in its place, whole. */
  write(values: Record<string, string>): void;
  discard(): void;
}

/** Opens a file that only its owner can read. Fails if it cannot be written, or exists and must not be replaced. */
export function openNewEnvFile(path: string, { replaces }: { replaces: boolean }): NewEnvFile {
  if (!replaces && existsSync(path)) throw exists(path);
  const temporary = `${path}.${process.pid}.new`;
  const descriptor = open(temporary);
  const discard = () => rmSync(temporary, { force: true });
  return {
    write(values) {
      writeSync(descriptor, formatEnvFile(values));
      fsyncSync(descriptor);
      closeSync(descriptor);
      if (replaces) return renameSync(temporary, path);
      try {
        // Unlike a rename, this fails if somebody has made the file in the meantime.
        linkSync(temporary, path);
      } catch (error) {
        throw (error as NodeJS.ErrnoException).code === 'EEXIST' ? exists(path) : error;
      }
      discard();
    },
    discard,
  };
}

/** The syntax that `parseEnvFile` and systemd read. */
export function formatEnvFile(values: Record<string, string>): string {
  const lines = Object.entries(values).map(([name, value]) => `${name}=${quote(value)}\n`);
  return `# The settings of a node of a cluster, written by \`quire cluster join\`.\n${lines.join('')}`;
}

function quote(value: string): string {
  return /^[\w./:@%+,=?&-]+$/.test(value) ? value : `"${value.replace(/["\\`$]/g, '\\$&')}"`;
}

function open(path: string): number {
  try {
    return openSync(path, 'wx', 0o600);
  } catch (error) {
    throw new CommandError(`${path} cannot be written: ${(error as Error).message}`);
  }
}

const exists = (path: string) =>
  new CommandError(
    `${path} already exists. Nothing was changed, and the token was not used. Name another file with --env-file, or replace it with --force.`,
    EXIT.conflict,
  );
