import { createHash } from 'node:crypto';
import { createReadStream, existsSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { CommandError, EXIT, UsageError } from '../../../cli/usage.ts';

/** An archive with a version of Quire. */
export interface Release {
  path: string;
  version: string;
  /** The folder in the archive. */
  name: string;
}

const NAME = /^(quire-(\d+\.\d+\.\d+(?:-[0-9A-Za-z.-]+)?)-linux-(x64|arm64))\.tar\.gz$/;

/** Reads the name of an archive, and checks that it is for this machine and newer than the version that runs. */
export async function readRelease(path: string, current: string): Promise<Release> {
  if (/^https?:/i.test(path))
    throw new UsageError(
      'The archive must be a file. Download it, and the .sha256 file beside it, with a program that you trust.',
    );
  if (!existsSync(path)) throw new CommandError(`${path} does not exist.`, EXIT.notFound);
  const [, name = '', version = '', arch] = NAME.exec(basename(path)) ?? [];
  if (!name)
    throw new UsageError(
      `${basename(path)} is not the name of an archive of Quire. It must be as it was built: quire-<version>-linux-${process.arch}.tar.gz.`,
    );
  if (arch !== process.arch)
    throw new UsageError(`${name} is for ${arch} machines, and this one is ${process.arch}.`);
  const { compare } = await import('semver');
  const order = compare(version, current);
  if (order === 0) throw new UsageError(`Quire ${current} is already installed.`);
  if (order < 0)
    throw new UsageError(
      `Quire ${version} is older than ${current}. To undo the last upgrade: quire upgrade --back.`,
    );
  return { path, version, name };
}

/** Compares the archive with the `.sha256` file beside it. Returns false if there is none. */
export async function checkSum({ path }: Release): Promise<boolean> {
  const file = `${path}.sha256`;
  if (!existsSync(file)) return false;
  const [wanted = ''] = readFileSync(file, 'utf8').split(/\s/);
  const sum = createHash('sha256');
  await pipeline(createReadStream(path), sum);
  if (sum.digest('hex') !== wanted.toLowerCase())
    throw new CommandError(
      `${basename(path)} does not match its checksum in ${basename(file)}. Download it again.`,
    );
  return true;
}
